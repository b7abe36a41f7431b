#include "mercer/panel.hpp"

#include "mercer/row_kernels.hpp"

namespace mercer {
namespace {

// dst_k = (src_k − centre_k)·scale_k, rounded once to T.
template <class S, class T>
void copy_row(const S* src, std::int64_t stride, std::int64_t d, const double* centre, const double* scale, T* dst) {
  if (!centre && !scale) {
    for (std::int64_t k = 0; k < d; ++k) dst[k] = static_cast<T>(src[k * stride]);
  } else if (!scale) {
    for (std::int64_t k = 0; k < d; ++k) dst[k] = static_cast<T>(static_cast<double>(src[k * stride]) - centre[k]);
  } else {
    for (std::int64_t k = 0; k < d; ++k) dst[k] = static_cast<T>((static_cast<double>(src[k * stride]) - (centre ? centre[k] : 0.0)) * scale[k]);
  }
}

template <class T>
void copy_row(const DenseView& v, std::int64_t row, std::int64_t d, const double* centre, const double* scale, T* dst) {
  const std::int64_t at = row * v.row_stride;
  if (v.single) copy_row(static_cast<const float*>(v.data) + at, v.col_stride, d, centre, scale, dst);
  else copy_row(static_cast<const double*>(v.data) + at, v.col_stride, d, centre, scale, dst);
}

template <class T>
double squared_norm(const T* x, std::int64_t d) {
  // Four partial sums: faster, and a smaller rounding error than one.
  double s[4] = {};
  std::int64_t k = 0;
  for (; k + 4 <= d; k += 4)
    for (int l = 0; l < 4; ++l) s[l] += static_cast<double>(x[k + l]) * static_cast<double>(x[k + l]);
  for (; k < d; ++k) s[0] += static_cast<double>(x[k]) * static_cast<double>(x[k]);
  return (s[0] + s[1]) + (s[2] + s[3]);
}

// ⟨c, x⟩ − ‖c‖²/2 = ⟨c, x − c⟩ + ‖c‖²/2, with x − c at hand.
template <class T>
double shift_of(const T* centred, const double* centre, std::int64_t d) {
  double s = 0.0;
  for (std::int64_t k = 0; k < d; ++k) s += centre[k] * (static_cast<double>(centred[k]) + 0.5 * centre[k]);
  return s;
}

}  // namespace

double element(const DenseView& v, std::int64_t row, std::int64_t k) {
  const std::int64_t at = row * v.row_stride + k * v.col_stride;
  return v.single ? static_cast<double>(static_cast<const float*>(v.data)[at]) : static_cast<const double*>(v.data)[at];
}

double exact_sqdist(const Operand& a, std::int64_t i, const Operand& b, std::int64_t j) {
  if (a.storage == Storage::csr) return sparse_sqdist(a.csr, i, b.csr, j);
  double sum = 0.0;
  for (std::int64_t k = 0; k < a.d; ++k) {
    const double difference = (element(a.right, i, k) - element(b.right, j, k)) * (a.scale ? a.scale[k] : 1.0);
    sum += difference * difference;
  }
  return sum;
}

std::vector<Need> needs_of(const Program& program, const Side& side) {
  std::vector<Need> needs(side.operands.size());
  for (const Step& s : program.steps()) {
    if (!is_source(s.op) || s.op == Op::input || s.op == Op::constant) continue;
    Need& need = needs[static_cast<std::size_t>(s.arg)];
    need.inner |= uses_inner_products(s.op);
    need.coordinates |= is_coordinate_source(s.op);
  }
  return needs;
}

template <class T>
void Panel<T>::load(const Side& side, const std::vector<Need>& needs, Place place, std::int64_t first_row, std::int64_t rows) {
  first = first_row;
  m = rows;
  forms.resize(side.operands.size());
  for (std::size_t o = 0; o < forms.size(); ++o) {
    const Operand& operand = side.operands[o];
    Form& form = forms[o];
    const std::int64_t d = operand.d;
    if (operand.storage == Storage::csr) {
      if (place == Place::right) form.sparse.load(side, static_cast<int>(o), first, m);
      continue;
    }
    const DenseView& view = place == Place::left ? operand.left : operand.right;
    if (needs[o].inner) {
      form.rows.resize(static_cast<std::size_t>(m * d));
      form.norms.resize(static_cast<std::size_t>(m));
      form.shifts.assign(static_cast<std::size_t>(m), T(0));
      for (std::int64_t i = 0; i < m; ++i) {
        T* row = form.rows.data() + i * d;
        copy_row(view, side.row(first + i), d, operand.centre, operand.scale, row);
        form.norms[static_cast<std::size_t>(i)] = static_cast<T>(squared_norm(row, d));
        if (operand.centre && !operand.scale) form.shifts[static_cast<std::size_t>(i)] = static_cast<T>(shift_of(row, operand.centre, d));
      }
    }
    if (needs[o].coordinates && place == Place::left) {
      form.plain.resize(static_cast<std::size_t>(m * d));
      for (std::int64_t i = 0; i < m; ++i) copy_row(view, side.row(first + i), d, nullptr, operand.scale, form.plain.data() + i * d);
    } else if (needs[o].coordinates) {
      const std::int64_t chunks = (m + lanes - 1) / lanes;
      form.plain.assign(static_cast<std::size_t>(chunks * d * lanes), T(0));
      std::vector<T> row(static_cast<std::size_t>(d));
      for (std::int64_t j = 0; j < m; ++j) {
        copy_row(view, side.row(first + j), d, nullptr, operand.scale, row.data());
        T* lane = form.plain.data() + (j / lanes) * d * lanes + j % lanes;
        for (std::int64_t k = 0; k < d; ++k) lane[k * lanes] = row[static_cast<std::size_t>(k)];
      }
    }
  }
  factors.resize(side.factors.size());
  for (std::size_t f = 0; f < factors.size(); ++f) {
    factors[f].resize(static_cast<std::size_t>(m));
    for (std::int64_t i = 0; i < m; ++i) factors[f][static_cast<std::size_t>(i)] = static_cast<T>(side.factors[f][side.row(first + i)]);
  }
}

template struct Panel<float>;
template struct Panel<double>;

}  // namespace mercer
