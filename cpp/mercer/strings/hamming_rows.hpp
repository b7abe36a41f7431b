// What the fast loop of hamming.cpp reads: one string, laid out so that a whole register of diagonals advances by one add.
//
// Let s have P symbols and t any number; the cells (j, i) with j = (i + o) mod P, o = 0, ..., P − 1, cover the table of s and t
// once. On diagonal o, a byte M counts the matches among the last g cells. Going from row i − 1 to row i it changes by
//
//   [s_j = t_i] − [s_{j−g} = t_{i−g}],
//
// which depends on the symbols t_i and t_{i−g} and on j only, so it is looked up: a register of neighbouring diagonals reads
// neighbouring bytes. The same bytes carry an offset in j, so that M is ≥ 0 exactly where the window of s that ends at j lies
// within s and is at distance last − M from that of t, `last` being the largest distance with a weight; a byte shuffle then
// gives the weight, and 0 where the sign bit is set. No masks and no comparisons remain.
#pragma once

#include <cstdint>

namespace mercer {

constexpr std::int64_t hamming_lanes = 32;  // diagonals of a register
// Limits of the layout: M must not leave a signed byte, and a shuffle has 16 places.
constexpr std::int64_t hamming_width = 63, hamming_weights = 16, hamming_planes = 4;

struct HammingProfile {
  std::int64_t length;            // P
  std::int64_t width;             // g ≤ P
  const std::uint8_t* start;      // M of every diagonal before row 0; diagonals from P on never count
  const std::uint8_t* enter;      // change of M by t_i at enter + entering[t_i] + j
  const std::uint8_t* leave;      // subtracted for t_{i−g}; null if `enter` holds both, at enter + entering[t_i] + leaving[t_{i−g}] + j
  const std::uint32_t* entering;  // offsets by symbol; 0 for those that s does not have
  const std::uint32_t* leaving;
  int planes;  // a weight is Σ_p table[p][M] · 2^(bits·p)
  int bits;    // 8, or 6: then registers are added before they are summed
  std::uint8_t table[hamming_planes][hamming_weights];
};

// Σ of weights over all windows of s and of the n ≥ g symbols of t; modulo 2⁶⁴.
using HammingSum = std::uint64_t (*)(const HammingProfile& s, const std::uint8_t* t, std::int64_t n);

#ifdef MERCER_X86_LEVELS
namespace x86_64_v3 {  // and for every higher level: wider registers and more of them gain nothing here
std::uint64_t hamming_sum(const HammingProfile& s, const std::uint8_t* t, std::int64_t n);
}
#endif

}  // namespace mercer
