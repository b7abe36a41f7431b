// How often keys come: one row of features in the making.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "mercer/runtime/hash.hpp"

namespace mercer {

// Counts how often keys come; cleared in the time of what it holds.
class KeyCounts {
 public:
  void add(std::uint64_t key, double times = 1.0) {
    std::size_t at = static_cast<std::size_t>(mix(key)) & (slots_.size() - 1);
    while (slots_[at] && entries_[slots_[at] - 1].first != key) at = (at + 1) & (slots_.size() - 1);
    if (slots_[at]) {
      entries_[slots_[at] - 1].second += times;
      return;
    }
    entries_.emplace_back(key, times);
    slots_[at] = entries_.size();
    if (2 * entries_.size() > slots_.size()) reset(2 * slots_.size());
  }
  // The entries in order of their keys, appended to a row; none are left.
  void move_to(std::vector<std::uint64_t>& keys, std::vector<double>& values) {
    std::sort(entries_.begin(), entries_.end());
    for (const auto& [key, times] : entries_) keys.push_back(key), values.push_back(times);
    const std::size_t size = std::max<std::size_t>(256, 4 * entries_.size());
    entries_.clear();
    if (slots_.size() > 4 * size) slots_.resize(256), slots_.shrink_to_fit();
    std::fill(slots_.begin(), slots_.end(), 0);
  }

 private:
  void reset(std::size_t size) {
    slots_.assign(size, 0);
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      std::size_t at = static_cast<std::size_t>(mix(entries_[i].first)) & (size - 1);
      while (slots_[at]) at = (at + 1) & (size - 1);
      slots_[at] = i + 1;
    }
  }

  std::vector<std::pair<std::uint64_t, double>> entries_;
  std::vector<std::size_t> slots_ = std::vector<std::size_t>(256, 0);  // number of the entry plus 1; a power of two, half free
};

}  // namespace mercer
