// The loop described in hamming_rows.hpp, for processors with AVX2, under the rules of row_kernels.inl.
#include <immintrin.h>

#include "mercer/strings/hamming_rows.hpp"

namespace mercer::x86_64_v3 {
namespace {

inline __m256i bytes(const std::uint8_t* p) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)); }

// M of `blocks` registers of diagonals from `diagonal` on after the first window of t, which no symbol has left yet.
template <int blocks>
inline void first_window(const HammingProfile& s, const std::uint8_t* t, std::int64_t diagonal, __m256i* out) {
  __m256i matches[blocks];
  for (int b = 0; b < blocks; ++b) matches[b] = bytes(s.start + diagonal + b * hamming_lanes);
  for (std::int64_t i = 0; i < s.width; ++i)
    for (int b = 0; b < blocks; ++b) matches[b] = _mm256_add_epi8(matches[b], bytes(s.enter + s.entering[t[i]] + diagonal + i + b * hamming_lanes));
  for (int b = 0; b < blocks; ++b) out[b] = matches[b];
}

// Adds the weights of all windows that end in one row.
template <int blocks, int planes, bool narrow>
inline void add_weights(const __m256i* table, const __m256i* matches, __m256i* sum) {
  const __m256i zero = _mm256_setzero_si256();
  for (int p = 0; p < planes; ++p) {
    const __m256i weight = _mm256_shuffle_epi8(table[p], matches[0]);
    if constexpr (narrow) {  // four weights below 64 fit into a byte
      __m256i weights = weight;
      for (int b = 1; b < blocks; ++b) weights = _mm256_add_epi8(weights, _mm256_shuffle_epi8(table[p], matches[b]));
      sum[p] = _mm256_add_epi64(sum[p], _mm256_sad_epu8(weights, zero));
    } else {
      __m256i total = _mm256_sad_epu8(weight, zero);
      for (int b = 1; b < blocks; ++b) total = _mm256_add_epi64(total, _mm256_sad_epu8(_mm256_shuffle_epi8(table[p], matches[b]), zero));
      sum[p] = _mm256_add_epi64(sum[p], total);
    }
  }
}

// All windows of the n symbols of t on `blocks` registers of diagonals from `diagonal` on.
template <int blocks, int planes, bool narrow, bool joint>
std::uint64_t hamming_group(const HammingProfile& s, const std::uint8_t* t, std::int64_t n, std::int64_t diagonal) {
  __m256i matches[blocks], sum[planes], table[planes];
  first_window<blocks>(s, t, diagonal, matches);
  for (int p = 0; p < planes; ++p) {
    table[p] = _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(s.table[p])));
    sum[p] = _mm256_setzero_si256();
  }
  add_weights<blocks, planes, narrow>(table, matches, sum);
  const std::uint32_t *entering = s.entering, *leaving = s.leaving;
  const std::uint8_t *now = t + s.width, *before = t, *end = t + n;
  for (std::int64_t j = s.width; now != end; j = 0) {  // up to where j comes round to 0 again
    if (j == s.length) continue;
    const std::uint8_t* stop = end - now < s.length - j ? end : now + (s.length - j);
    const std::uint8_t* enter = s.enter + diagonal + j;
    const std::uint8_t* leave = joint ? nullptr : s.leave + diagonal + j;
    for (; now != stop; ++now, ++before, ++enter) {
      const std::uint8_t* change = enter + entering[*now];
      if constexpr (joint) change += leaving[*before];
      for (int b = 0; b < blocks; ++b) matches[b] = _mm256_add_epi8(matches[b], bytes(change + b * hamming_lanes));
      if constexpr (!joint) {
        const std::uint8_t* gone = leave++ + leaving[*before];
        for (int b = 0; b < blocks; ++b) matches[b] = _mm256_sub_epi8(matches[b], bytes(gone + b * hamming_lanes));
      }
      add_weights<blocks, planes, narrow>(table, matches, sum);
    }
  }
  std::uint64_t total = 0;
  for (int p = 0; p < planes; ++p) {
    alignas(32) std::uint64_t part[4];
    _mm256_store_si256(reinterpret_cast<__m256i*>(part), sum[p]);
    total += (part[0] + part[1] + part[2] + part[3]) << (p * (narrow ? 6 : 8));
  }
  return total;
}

template <int planes, bool narrow, bool joint>
std::uint64_t hamming_groups(const HammingProfile& s, const std::uint8_t* t, std::int64_t n) {
  std::uint64_t total = 0;
  std::int64_t block = 0;
  const std::int64_t blocks = (s.length + hamming_lanes - 1) / hamming_lanes;
  for (; block + 4 <= blocks; block += 4) total += hamming_group<4, planes, narrow, joint>(s, t, n, block * hamming_lanes);
  switch (blocks - block) {
    case 3: return total + hamming_group<3, planes, narrow, joint>(s, t, n, block * hamming_lanes);
    case 2: return total + hamming_group<2, planes, narrow, joint>(s, t, n, block * hamming_lanes);
    case 1: return total + hamming_group<1, planes, narrow, joint>(s, t, n, block * hamming_lanes);
    default: return total;
  }
}

template <bool narrow, bool joint>
std::uint64_t hamming_planes_of(const HammingProfile& s, const std::uint8_t* t, std::int64_t n) {
  switch (s.planes) {
    case 1: return hamming_groups<1, narrow, joint>(s, t, n);
    case 2: return hamming_groups<2, narrow, joint>(s, t, n);
    case 3: return hamming_groups<3, narrow, joint>(s, t, n);
    default: return hamming_groups<4, narrow, joint>(s, t, n);
  }
}

}  // namespace

std::uint64_t hamming_sum(const HammingProfile& s, const std::uint8_t* t, std::int64_t n) {
  if (s.leave) return s.bits == 6 ? hamming_planes_of<true, false>(s, t, n) : hamming_planes_of<false, false>(s, t, n);
  return s.bits == 6 ? hamming_planes_of<true, true>(s, t, n) : hamming_planes_of<false, true>(s, t, n);
}

}  // namespace mercer::x86_64_v3
