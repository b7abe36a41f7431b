#include "mercer/items/key_index.hpp"

#include <limits>
#include <stdexcept>

#include "mercer/runtime/hash.hpp"

namespace mercer {

KeyIndex::KeyIndex() : slots_(1024, -1) {}

std::size_t KeyIndex::place(std::uint64_t key) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = static_cast<std::size_t>(mix(key)) & mask;
  while (slots_[at] >= 0 && keys_[static_cast<std::size_t>(slots_[at])] != key) at = (at + 1) & mask;
  return at;
}

void KeyIndex::grow() {
  slots_.assign(2 * slots_.size(), -1);
  for (std::size_t i = 0; i < keys_.size(); ++i) slots_[place(keys_[i])] = static_cast<std::int32_t>(i);
}

void KeyIndex::add(std::span<const std::uint64_t> keys, std::int32_t* out) {
  for (std::size_t i = 0; i < keys.size(); ++i) {
    std::size_t at = place(keys[i]);
    if (slots_[at] < 0) {
      if (keys_.size() >= static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
        throw std::length_error("more than 2147483647 different keys");
      if (2 * (keys_.size() + 1) > slots_.size()) {
        grow();
        at = place(keys[i]);
      }
      slots_[at] = static_cast<std::int32_t>(keys_.size());
      keys_.push_back(keys[i]);
    }
    out[i] = slots_[at];
  }
}

void KeyIndex::find(std::span<const std::uint64_t> keys, std::int32_t* out) const {
  for (std::size_t i = 0; i < keys.size(); ++i) out[i] = slots_[place(keys[i])];
}

}  // namespace mercer
