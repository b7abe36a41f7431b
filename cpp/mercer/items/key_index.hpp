// Numbers 0, 1, 2, ... for 64-bit keys in the order in which they come.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace mercer {

class KeyIndex {
 public:
  KeyIndex();
  // out[i] = the number of keys[i], a new one if it has none; throws std::length_error beyond 2³¹ − 1 keys.
  void add(std::span<const std::uint64_t> keys, std::int32_t* out);
  // out[i] = the number of keys[i], or −1.
  void find(std::span<const std::uint64_t> keys, std::int32_t* out) const;
  const std::vector<std::uint64_t>& keys() const { return keys_; }

 private:
  std::size_t place(std::uint64_t key) const;  // where the key is, or the free slot that ends the search
  void grow();

  std::vector<std::uint64_t> keys_;
  std::vector<std::int32_t> slots_;  // −1 for a free one; at most half of them are taken
};

}  // namespace mercer
