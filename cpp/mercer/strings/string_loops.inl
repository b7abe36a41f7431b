// Compiled once per instruction set, under the rules of row_kernels.inl.
#include "mercer/strings/string_loops.hpp"

#include <cstdint>

namespace mercer::MERCER_ISA {
namespace {

#ifdef __AVX512F__
constexpr int lanes = 8;
#else
constexpr int lanes = 4;
#endif
typedef double Vec __attribute__((vector_size(lanes * sizeof(double)), aligned(sizeof(double)), may_alias));
typedef std::int64_t Mask __attribute__((vector_size(lanes * sizeof(double)), aligned(sizeof(double)), may_alias));

#include "mercer/strings/subsequence.inl"

#include "mercer/strings/local_alignment.inl"

void runs(std::uint64_t* words, std::int64_t n, std::int64_t degree, std::int64_t* counts) {
  for (std::int64_t d = 0; d < degree; ++d) {
    std::int64_t count = 0;
    for (std::int64_t k = 0; k < n; ++k) {
      count += __builtin_popcountll(words[k]);
      words[k] &= words[k] >> 1 | (k + 1 < n ? words[k + 1] << 63 : 0);  // a run of d + 1 begins where one of d does, twice
    }
    counts[d] = count;
    if (count > 0) continue;
    for (++d; d < degree; ++d) counts[d] = 0;
  }
}

#if defined(MERCER_X86_LEVELS) && defined(__AVX2__)
constexpr HammingSum hamming = x86_64_v3::hamming_sum;
#else
constexpr HammingSum hamming = nullptr;
#endif

}  // namespace

extern const StringLoops loops;
const StringLoops loops{lanes, subsequence, runs, align, hamming};

}  // namespace mercer::MERCER_ISA
