#include "mercer/rows/matrix_source.hpp"

#include <algorithm>

namespace mercer {

// Runs of consecutive columns are copied as such: samples sorted by class make two of them for a pair of classes.
template <class T>
template <class U>
void MatrixSource<T>::copy(std::int64_t row, U* out) const {
  const T* from = matrix_ + at(row) * ld_;
  if (selection_.empty()) {
    std::copy_n(from, n_, out);
    return;
  }
  for (const auto& [first, length] : runs_) out = std::copy_n(from + first, length, out);
}

template <class T>
void MatrixSource<T>::diagonal(double* out) {
  if (exact_) return exact_->diagonal(out);
  for (std::int64_t i = 0; i < n_; ++i) out[i] = static_cast<double>(matrix_[at(i) * ld_ + at(i)]);
}

template <class T>
void MatrixSource<T>::rows(Rows rows, float* out, std::int64_t ld, const Execution&) {
  for (std::size_t r = 0; r < rows.size(); ++r) copy(rows[r], out + static_cast<std::int64_t>(r) * ld);
}

template <class T>
void MatrixSource<T>::rows(Rows rows, double* out, std::int64_t ld, const Execution& execution) {
  if (exact_) return exact_->rows(rows, out, ld, execution);
  for (std::size_t r = 0; r < rows.size(); ++r) copy(rows[r], out + static_cast<std::int64_t>(r) * ld);
}

template <class T>
void MatrixSource<T>::dense(float* out, std::int64_t ld, const Execution&) {
  for (std::int64_t i = 0; i < n_; ++i) copy(i, out + i * ld);
}

template <class T>
void MatrixSource<T>::dense(double* out, std::int64_t ld, const Execution& execution) {
  if (exact_) return exact_->dense(out, ld, execution);
  for (std::int64_t i = 0; i < n_; ++i) copy(i, out + i * ld);
}

template <class T>
void MatrixSource<T>::block(Rows rows, Rows cols, double* out, std::int64_t ld, const Execution& execution) {
  if (exact_) return exact_->block(rows, cols, out, ld, execution);
  for (const std::int64_t r : rows) {
    const T* from = matrix_ + at(r) * ld_;
    for (std::size_t c = 0; c < cols.size(); ++c) out[c] = static_cast<double>(from[at(cols[c])]);
    out += ld;
  }
}

template <class T>
void MatrixSource<T>::product(Rows rows, const double* v, Rows cols, double* out, const Execution& execution) {
  if (exact_) return exact_->product(rows, v, cols, out, execution);
  const std::int64_t n = cols.empty() ? n_ : static_cast<std::int64_t>(cols.size());
  std::fill_n(out, n, 0.0);
  for (std::size_t r = 0; r < rows.size(); ++r) {  // K is symmetric: columns of the product are sums of rows
    const T* from = matrix_ + at(rows[r]) * ld_;
    for (std::int64_t c = 0; c < n; ++c) out[c] += v[r] * static_cast<double>(from[at(cols.empty() ? c : cols[static_cast<std::size_t>(c)])]);
  }
}

template <class T>
std::unique_ptr<RowSource> MatrixSource<T>::subset(Rows rows) {
  auto part = std::make_unique<MatrixSource<T>>(matrix_, ld_, static_cast<std::int64_t>(rows.size()));
  const bool all = static_cast<std::int64_t>(rows.size()) == n_ && selection_.empty() &&
                   std::adjacent_find(rows.begin(), rows.end(), [](std::int64_t a, std::int64_t b) { return b != a + 1; }) == rows.end();
  if (all) {
    part->exact_ = exact_;
    return part;
  }
  for (const std::int64_t r : rows) {
    const std::int64_t row = at(r);
    if (!part->runs_.empty() && part->runs_.back().first + part->runs_.back().length == row) ++part->runs_.back().length;
    else part->runs_.push_back({row, 1});
    part->selection_.push_back(row);
  }
  if (exact_) {
    part->exact_part_ = exact_->subset(rows);
    part->exact_ = part->exact_part_.get();
  }
  return part;
}

template class MatrixSource<float>;
template class MatrixSource<double>;

}  // namespace mercer
