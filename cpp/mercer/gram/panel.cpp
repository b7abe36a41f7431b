#include "mercer/gram/panel.hpp"

#include <algorithm>

#include "mercer/gram/row_kernels.hpp"

namespace mercer {
namespace {

template <class T>
double pack(const DenseView& v, std::int64_t row, std::int64_t d, Transform transform, T* dst) {
  const RowKernels<T>& kernels = active_table().of<T>();
  const std::int64_t at = row * v.row_stride;
  return v.single ? kernels.pack_float(static_cast<const float*>(v.data) + at, v.col_stride, d, transform, dst)
                  : kernels.pack_double(static_cast<const double*>(v.data) + at, v.col_stride, d, transform, dst);
}

// The common case of exact_sqdist: tight clusters have many close pairs, so it has to be quick.
template <class S>
double squared_differences(const DenseView& x, std::int64_t i, const DenseView& z, std::int64_t j, std::int64_t d) {
  constexpr int chains = 8;
  const S* a = static_cast<const S*>(x.data) + i * x.row_stride;
  const S* b = static_cast<const S*>(z.data) + j * z.row_stride;
  double sums[chains] = {};
  const auto add = [&](std::int64_t k, int l) {
    const double difference = static_cast<double>(a[k]) - static_cast<double>(b[k]);
    sums[l] += difference * difference;
  };
  std::int64_t k = 0;
  for (; k + chains <= d; k += chains)
    for (int l = 0; l < chains; ++l) add(k + l, l);
  for (; k < d; ++k) add(k, 0);
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

// Rows first … first + m: one after the other on the left, in chunks of `lanes` on the right.
template <class T, class Record>
void pack_rows(const Side& side, const Operand& operand, Transform transform, Place place, std::int64_t first, std::int64_t m, std::vector<T>& into,
               Record&& record) {
  const std::int64_t d = operand.d;
  if (place == Place::left) {
    into.resize(static_cast<std::size_t>(m * d));
    for (std::int64_t i = 0; i < m; ++i) record(i, pack(operand.left, side.row(first + i), d, transform, into.data() + i * d));
    return;
  }
  into.assign(static_cast<std::size_t>(padded<T>(m) * d), T(0));
  std::vector<T> row(static_cast<std::size_t>(d));
  for (std::int64_t j = 0; j < m; ++j) {
    record(j, pack(operand.right, side.row(first + j), d, transform, row.data()));
    T* lane = into.data() + j / lanes<T> * d * lanes<T> + j % lanes<T>;
    for (std::int64_t k = 0; k < d; ++k) lane[k * lanes<T>] = row[static_cast<std::size_t>(k)];
  }
}

}  // namespace

double element(const DenseView& v, std::int64_t row, std::int64_t k) {
  const std::int64_t at = row * v.row_stride + k * v.col_stride;
  return v.single ? static_cast<double>(static_cast<const float*>(v.data)[at]) : static_cast<const double*>(v.data)[at];
}

double exact_sqdist(const Operand& a, std::int64_t i, const Operand& b, std::int64_t j) {
  if (a.storage == Storage::csr) return sparse_sqdist(a, i, b, j);
  const DenseView &x = a.right, &z = b.right;
  const bool contiguous = x.col_stride == 1 && z.col_stride == 1 && !a.scale;
  if (contiguous && x.single && z.single) return squared_differences<float>(x, i, z, j, a.d);
  if (contiguous && !x.single && !z.single) return squared_differences<double>(x, i, z, j, a.d);
  double sum = 0.0;
  for (std::int64_t k = 0; k < a.d; ++k) {
    const double difference = (element(x, i, k) - element(z, j, k)) * (a.scale ? a.scale[k] : 1.0);
    sum += difference * difference;
  }
  return sum;
}

namespace {

bool same_rows(const Operand& a, const Operand& b) {
  const auto same = [](const DenseView& u, const DenseView& v) {
    return u.data == v.data && u.single == v.single && u.row_stride == v.row_stride && u.col_stride == v.col_stride;
  };
  return a.storage == Storage::dense && b.storage == Storage::dense && a.d == b.d && same(a.right, b.right) && same(a.left, b.left) &&
         a.centre == b.centre && a.scale == b.scale;
}

}  // namespace

std::vector<Need> needs_of(const Program& program, const Side& left, const Side& right) {
  std::vector<Need> needs(left.operands.size());
  for (const Step& s : program.steps()) {
    if (!is_source(s.op) || s.op == Op::input || s.op == Op::constant) continue;
    Need& need = needs[static_cast<std::size_t>(s.arg)];
    need.inner |= uses_inner_products(s.op);
    need.coordinates |= is_coordinate_source(s.op);
  }
  for (std::size_t o = 0; o < needs.size(); ++o) {
    needs[o].source = o;
    for (std::size_t p = 0; p < o && needs[o].inner; ++p)
      if (needs[p].inner && same_rows(left.operands[o], left.operands[p]) && same_rows(right.operands[o], right.operands[p])) {
        needs[o].inner = false;
        needs[o].source = needs[p].source;
      }
  }
  return needs;
}

template <class T>
LeftRows<T>::LeftRows(const Side& side, const std::vector<Need>& needs, std::int64_t column_tiles, TaskLoop& loop) : packed_(side.operands.size()) {
  constexpr std::int64_t most_bytes = 64 << 20, chunk = 256;
  std::int64_t bytes = 0;
  for (std::size_t o = 0; o < needs.size(); ++o)
    if (needs[o].inner && side.operands[o].storage == Storage::dense) bytes += side.n * side.operands[o].d * static_cast<std::int64_t>(sizeof(T));
  if (column_tiles < 4 || bytes > most_bytes) return;
  for (std::size_t o = 0; o < needs.size(); ++o) {
    const Operand& operand = side.operands[o];
    if (!needs[o].inner || operand.storage == Storage::csr) continue;
    Packed& packed = packed_[o];
    packed.d = operand.d;
    packed.rows = std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>(side.n * operand.d));
    packed.norms.resize(static_cast<std::size_t>(side.n));
    loop.run((side.n + chunk - 1) / chunk, Schedule::dynamic, [&](std::int64_t task, int) {
      for (std::int64_t i = task * chunk; i < std::min((task + 1) * chunk, side.n); ++i)
        packed.norms[static_cast<std::size_t>(i)] =
            static_cast<T>(pack(operand.left, side.row(i), operand.d, {operand.centre, operand.scale}, packed.rows.get() + i * operand.d));
    });
  }
}

template <class T>
const T* LeftRows<T>::rows(std::size_t operand, std::int64_t first) const {
  const Packed& packed = packed_[operand];
  return packed.rows ? packed.rows.get() + first * packed.d : nullptr;
}

template <class T>
void Panel<T>::load(const Side& side, const std::vector<Need>& needs, Place place, std::int64_t first_row, std::int64_t rows,
                    const LeftRows<T>* packed) {
  first = first_row;
  m = rows;
  forms.resize(side.operands.size());
  for (std::size_t o = 0; o < forms.size(); ++o) {
    const Operand& operand = side.operands[o];
    Form& form = forms[o];
    if (operand.storage == Storage::csr) {
      if (place == Place::right) {
        form.sparse.load(side, static_cast<int>(o), first, m);
        form.norms = form.sparse.norms();
      } else if (needs[o].inner) {
        form.own_norms.resize(static_cast<std::size_t>(m));
        for (std::int64_t i = 0; i < m; ++i) form.own_norms[static_cast<std::size_t>(i)] = static_cast<T>(sparse_norm(operand, side.row(first + i)));
        form.norms = form.own_norms.data();
      }
      continue;
    }
    if (needs[o].inner && packed && packed->rows(o, first)) {
      form.rows = packed->rows(o, first);
      form.norms = packed->norms(o, first);
    } else if (needs[o].inner) {
      form.own_norms.resize(static_cast<std::size_t>(m));
      pack_rows(side, operand, {operand.centre, operand.scale}, place, first, m, form.own_rows,
                [&](std::int64_t i, double norm) { form.own_norms[static_cast<std::size_t>(i)] = static_cast<T>(norm); });
      form.rows = form.own_rows.data();
      form.norms = form.own_norms.data();
    }
    if (needs[o].coordinates && operand.scale) form.scale.assign(operand.scale, operand.scale + operand.d);
    if (needs[o].coordinates) pack_rows(side, operand, {nullptr, nullptr}, place, first, m, form.plain, [](std::int64_t, double) {});
  }
  factors.resize(side.factors.size());
  for (std::size_t f = 0; f < factors.size(); ++f) {
    factors[f].resize(static_cast<std::size_t>(m));
    for (std::int64_t i = 0; i < m; ++i) factors[f][static_cast<std::size_t>(i)] = static_cast<T>(side.factors[f][side.row(first + i)]);
  }
}

template class LeftRows<float>;
template class LeftRows<double>;
template struct Panel<float>;
template struct Panel<double>;

}  // namespace mercer
