#include "mercer/gram/tile.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace mercer {
namespace {

void require(bool holds, const std::string& what) {
  if (!holds) throw std::invalid_argument("pairwise evaluation: " + what);
}

}  // namespace

template <class T>
Problem<T>::Problem(const Program& p, const Side& l, const Side& r, std::vector<Strided<T>> blocks)
    : program(p), left(l), right(r), inputs(std::move(blocks)) {
  require(static_cast<int>(l.operands.size()) >= p.operands() && l.operands.size() == r.operands.size(), "operands are missing");
  require(static_cast<int>(l.factors.size()) >= p.factors() && l.factors.size() == r.factors.size(), "factors are missing");
  require(static_cast<int>(inputs.size()) >= p.inputs(), "input blocks are missing");
  for (std::size_t o = 0; o < l.operands.size(); ++o) {
    require(l.operands[o].d == r.operands[o].d, "the two sides differ in their number of columns");
    require(l.operands[o].storage == r.operands[o].storage, "dense and sparse operands do not meet");
  }
  needs = needs_of(p, l, r);
  for (const Step& s : p.steps())
    if (s.op == Op::dot) require(!l.operands[static_cast<std::size_t>(s.arg)].centre, "plain inner products need operands without a centre");
  for (const Step& s : p.steps())
    if (is_coordinate_source(s.op) && !is_coordinate_sum(s.op))
      require(l.operands[static_cast<std::size_t>(s.arg)].storage == Storage::dense, "this source needs dense rows");
  for (const Step& s : p.steps())
    if (s.op == Op::interactions)
      require(l.operands[static_cast<std::size_t>(s.arg)].d == p.interactions(s).columns, "interactions of another number of columns");
}

template <class T>
Tile<T>::Tile(const Problem<T>& problem, const LeftRows<T>* left_rows)
    : problem_(problem), left_rows_(left_rows), kernels_(active_table().of<T>()), products_(problem.left.operands.size()),
      stack_(static_cast<std::size_t>(problem.program.depth())) {}

template <class T>
void Tile<T>::distances(int operand, std::int64_t i, T* out) {
  const auto o = static_cast<std::size_t>(operand);
  const Operand &a = problem_.left.operands[o], &b = problem_.right.operands[o];
  const std::int64_t n = right_->m, row = problem_.left.row(left_.first + i);
  const bool sparse = a.storage == Storage::csr;
  if (sparse) right_->forms[o].sparse.dot(a, row, sparse_products_.data());
  const std::size_t source = problem_.needs[o].source;
  const T norm = left_.forms[source].norms[i];
  const T* norms = right_->forms[source].norms;
  const T* products = sparse ? sparse_products_.data() : products_[source].data() + i * padded<T>(n);
  if (!kernels_.sqdist(products, norm, norms, close_share<T>, out, n)) return;
  for (std::int64_t j = 0; j < n; ++j)
    if (!(out[j] > close_share<T> * (norm + norms[j]))) out[j] = static_cast<T>(exact_sqdist(a, row, b, problem_.right.row(right_->first + j)));
}

template <class T>
void Tile<T>::source(const Step& s, std::int64_t i, T* out) {
  const std::int64_t n = right_->m;
  if (s.op == Op::constant) {
    std::fill(out, out + n, static_cast<T>(s.a));
    return;
  }
  const auto o = static_cast<std::size_t>(s.arg);
  if (s.op == Op::input) {
    const Strided<T>& block = problem_.inputs[o];
    const T* row = block.data + (left_.first + i) * block.row_stride + right_->first * block.col_stride;
    for (std::int64_t j = 0; j < n; ++j) out[j] = row[j * block.col_stride];
    return;
  }
  if (s.op == Op::sqdist) return distances(s.arg, i, out);
  const Operand& a = problem_.left.operands[o];
  if (a.storage == Storage::csr) {
    const std::int64_t row = problem_.left.row(left_.first + i);
    const SparsePanel<T>& panel = right_->forms[o].sparse;
    if (s.op == Op::dot) return panel.dot(a, row, out);
    panel.coordinate_sum(s.op, a, row, sparse_sums_.data());
    std::transform(sparse_sums_.begin(), sparse_sums_.begin() + n, out, [](double v) { return static_cast<T>(v); });
  } else if (s.op == Op::dot) {
    std::copy_n(products_[problem_.needs[o].source].data() + i * padded<T>(n), n, out);
  } else {
    const auto &l = left_.forms[o], &r = right_->forms[o];
    if (s.op == Op::interactions) return kernels_.interactions(problem_.program.interactions(s), l.plain.data() + i * a.d, r.plain.data(), out, n);
    kernels_.coordinates(s, l.plain.data() + i * a.d, r.plain.data(), l.scale.empty() ? nullptr : l.scale.data(), a.d, out, n);
  }
}

template <class T>
void Tile<T>::evaluate(T* out, std::int64_t ld) {
  const std::int64_t m = left_.m, n = right_->m;
  const auto width = static_cast<std::size_t>(padded<T>(n));
  for (auto& row : stack_) row.resize(std::max(row.size(), width));
  for (std::size_t o = 0; o < products_.size(); ++o) {
    const Operand& operand = problem_.left.operands[o];
    if (operand.storage == Storage::csr)
      sparse_products_.resize(std::max(sparse_products_.size(), width)), sparse_sums_.resize(sparse_products_.size());
    if (operand.storage == Storage::csr || !problem_.needs[o].inner) continue;
    products_[o].resize(static_cast<std::size_t>(m) * width);
    kernels_.product({left_.forms[o].rows, operand.d, 1}, {right_->forms[o].rows, operand.d * lanes<T>}, m, n, operand.d, products_[o].data(),
                     padded<T>(n), false);
  }
  const double* pool = problem_.program.pool();
  const bool in_place = padded<T>(n) == n;  // the bottom of the stack may then be the row of the result itself
  for (std::int64_t i = 0; i < m; ++i) {
    std::size_t height = 0;
    const auto level = [&](std::size_t l) { return l == 0 && in_place ? out + i * ld : stack_[l].data(); };
    for (const Step& s : problem_.program.steps()) {
      if (is_source(s.op)) {
        source(s, i, level(height++));
      } else if (is_join(s.op)) {
        --height;
        kernels_.join(s.op, level(height - 1), level(height), n);
      } else {
        const bool outer = is_outer(s.op);
        const auto f = static_cast<std::size_t>(s.arg);
        kernels_.map(s, pool, level(height - 1), n, outer ? left_.factors[f][static_cast<std::size_t>(i)] : T(0),
                     outer ? right_->factors[f].data() : nullptr);
      }
    }
    if (!in_place) std::copy_n(stack_[0].data(), n, out + i * ld);
  }
}

template struct Problem<float>;
template struct Problem<double>;
template class Tile<float>;
template class Tile<double>;

}  // namespace mercer
