// Stable 64-bit hashes: the same in every process and on every machine.
#pragma once

#include <cstdint>

namespace mercer {

constexpr std::uint64_t golden = 0x9E3779B97F4A7C15u;

// Spreads every bit over all bits, one to one: the finalizer of splitmix64 (Steele, Lea and Flood 2014).
constexpr std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

// A hash that takes in one more number. That is mixed first: labels that are numbers differ in their top bits only, and of
// two such, combined by a plain sum, one pair in 4096 would collide.
constexpr std::uint64_t combine(std::uint64_t hash, std::uint64_t next) { return mix(hash * golden + mix(next + golden)); }

}  // namespace mercer
