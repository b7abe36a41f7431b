#include "mercer/rows/row_cache.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "mercer/gram/row_kernels.hpp"

namespace mercer {

template <class T>
RowCache<T>::RowCache(RowSource& source, std::int64_t bytes, std::int64_t whole) : source_(source), n_(source.n()), ld_(padded<T>(n_)) {
  constexpr std::int64_t fewest = 16;
  matrix_ = source.held(T(), &ld_);
  const std::int64_t row_bytes = ld_ * static_cast<std::int64_t>(sizeof(T));
  capacity_ = matrix_ ? n_ : std::min(n_, std::max(fewest, bytes / std::max<std::int64_t>(row_bytes, 1)));
  whole_ = !matrix_ && capacity_ == n_ && n_ <= whole;
}

template <class T>
bool RowCache<T>::has(Rows rows) const {
  if (matrix_) return true;
  return !slot_of_.empty() && std::all_of(rows.begin(), rows.end(), [&](std::int64_t r) { return slot_of_[static_cast<std::size_t>(r)] >= 0; });
}

template <class T>
void RowCache<T>::evict(std::int64_t wanted) {
  std::vector<std::int64_t> old;
  for (std::int64_t s = 0; s < static_cast<std::int64_t>(row_in_.size()); ++s)
    if (row_in_[static_cast<std::size_t>(s)] >= 0 && stamp_[static_cast<std::size_t>(s)] < clock_) old.push_back(s);
  if (static_cast<std::int64_t>(old.size()) < wanted) throw std::logic_error("row cache: more rows at once than it has room for");
  std::nth_element(old.begin(), old.begin() + (wanted - 1), old.end(),
                   [&](std::int64_t a, std::int64_t b) { return stamp_[static_cast<std::size_t>(a)] < stamp_[static_cast<std::size_t>(b)]; });
  for (std::int64_t i = 0; i < wanted; ++i) {
    const auto s = static_cast<std::size_t>(old[static_cast<std::size_t>(i)]);
    slot_of_[static_cast<std::size_t>(row_in_[s])] = -1;
    row_in_[s] = -1;
    vacant_.push_back(old[static_cast<std::size_t>(i)]);
  }
}

template <class T>
void RowCache<T>::fetch(Rows rows, const T** out, const Execution& execution) {
  if (!matrix_ && !store_) {
    store_ = std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>(capacity_ * ld_));
    slot_of_.assign(static_cast<std::size_t>(n_), -1);
    if (whole_) {
      source_.dense(store_.get(), ld_, execution);
      matrix_ = store_.get();
    }
  }
  if (matrix_) {
    for (std::size_t r = 0; r < rows.size(); ++r) out[r] = matrix_ + rows[r] * ld_;
    return;
  }
  ++clock_;
  std::vector<std::int64_t> missing;
  for (const std::int64_t r : rows) {
    const std::int64_t s = slot_of_[static_cast<std::size_t>(r)];
    if (s >= 0) stamp_[static_cast<std::size_t>(s)] = clock_;
    else missing.push_back(r);
  }
  const auto count = static_cast<std::int64_t>(missing.size());
  // Fresh slots first, then the longest unused; rows that came together lie together, so they are replaced together too.
  while (static_cast<std::int64_t>(vacant_.size()) < count && static_cast<std::int64_t>(row_in_.size()) < capacity_) {
    vacant_.push_back(static_cast<std::int64_t>(row_in_.size()));
    row_in_.push_back(-1);
    stamp_.push_back(0);
  }
  if (const auto room = static_cast<std::int64_t>(vacant_.size()); room < count) evict(count - room);
  std::sort(vacant_.begin(), vacant_.end());
  for (std::int64_t i = 0; i < count;) {
    std::int64_t end = i + 1;
    const std::int64_t first = vacant_[static_cast<std::size_t>(i)];
    while (end < count && vacant_[static_cast<std::size_t>(end)] == first + (end - i)) ++end;
    source_.rows(Rows(missing).subspan(static_cast<std::size_t>(i), static_cast<std::size_t>(end - i)), store_.get() + first * ld_, ld_, execution);
    for (; i < end; ++i) {
      const std::int64_t s = vacant_[static_cast<std::size_t>(i)], row = missing[static_cast<std::size_t>(i)];
      row_in_[static_cast<std::size_t>(s)] = row;
      stamp_[static_cast<std::size_t>(s)] = clock_;
      slot_of_[static_cast<std::size_t>(row)] = s;
    }
  }
  vacant_.erase(vacant_.begin(), vacant_.begin() + count);
  for (std::size_t r = 0; r < rows.size(); ++r) out[r] = slot(slot_of_[static_cast<std::size_t>(rows[r])]);
}

template class RowCache<float>;
template class RowCache<double>;

}  // namespace mercer
