// The rows a solver has asked for lately, within a budget of bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "mercer/rows/row_source.hpp"

namespace mercer {

template <class T>
class RowCache {
 public:
  // Room for `bytes`, but for at least 16 rows. A matrix that lies in memory is read in place; one that fits and has at
  // most `whole` rows is computed at once, by symmetry at half the price.
  RowCache(RowSource& source, std::int64_t bytes, std::int64_t whole);

  // Pointers to the rows; they stay valid until the next call. At most `capacity` rows at once.
  void fetch(Rows rows, const T** out, const Execution& execution);
  std::int64_t capacity() const { return capacity_; }
  bool complete() const { return matrix_ != nullptr || whole_; }
  // Whether all these rows are here, so that fetching them costs nothing.
  bool has(Rows rows) const;

 private:
  void evict(std::int64_t wanted);
  const T* slot(std::int64_t s) const { return store_.get() + s * ld_; }

  RowSource& source_;
  std::int64_t n_, ld_, capacity_, clock_ = 0;
  bool whole_ = false;
  const T* matrix_ = nullptr;   // of a source that holds it, or of the store
  std::unique_ptr<T[]> store_;  // pages are touched as rows come
  std::vector<std::int64_t> slot_of_, row_in_, stamp_, vacant_;
};

extern template class RowCache<float>;
extern template class RowCache<double>;

}  // namespace mercer
