// Raetsch, Sonnenburg & Schoelkopf 2005: with u_{d,l}(s) the block of d symbols of s that begins at l,
//
//   K(s, t) = Σ_{d ≤ D} β_d Σ_{i,j} √(π_i π_j) δ_|i−j| [u_{d,i}(s) = u_{d,j}(t)],   β_d = 2(D − d + 1)/(D(D + 1)),
//
// over |i − j| ≤ S with δ_0 = 1 and δ_r = 1/(2(r + 1)); blocks that run over an end match nothing.
//
// Along one diagonal j = i + r the blocks that match are the runs of equal symbols. Where `ahead` symbols match from i on,
// blocks of the lengths 1, …, min(D, ahead) do, which together weigh B(min(D, ahead)) with B(k) = β_1 + … + β_k: one pass
// backwards over the diagonal. Without weights of positions only the numbers of blocks of each length count, and they are
// counted 64 positions at a time: O(L) per diagonal either way.
#include "mercer/strings/weighted_degree.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <vector>

#include "mercer/strings/string_loops.hpp"

namespace mercer {

namespace {

// Bit k of the words: whether a_k = b_k.
template <class Code>
void compare(const Code* a, const Code* b, std::int64_t n, std::uint64_t* words) {
  for (std::int64_t first = 0; first < n; first += 64) {
    const std::int64_t size = std::min<std::int64_t>(64, n - first);
    std::uint64_t bits = 0;
    std::int64_t k = 0;
    if constexpr (std::is_same_v<Code, std::uint8_t>) {
      constexpr std::uint64_t low = 0x7f7f7f7f7f7f7f7f, gather = 0x0102040810204080;
      for (; k + 8 <= size; k += 8) {
        std::uint64_t x, y;
        std::memcpy(&x, a + first + k, 8);
        std::memcpy(&y, b + first + k, 8);
        const std::uint64_t differ = x ^ y;
        const std::uint64_t equal = ~(((differ & low) + low) | differ | low);  // the high bit of every byte that agrees
        bits |= ((equal >> 7) * gather >> 56) << k;
      }
    }
    for (; k < size; ++k) bits |= static_cast<std::uint64_t>(a[first + k] == b[first + k]) << k;
    words[first / 64] = bits;
  }
}

template <class Code>
class Diagonals {
 public:
  Diagonals(const WeightedDegree& kernel, const StringLoops& kernels, int threads)
      : kernel_(kernel), kernels_(kernels), upto_(static_cast<std::size_t>(kernel.degree) + 1),
        scratch_(static_cast<std::size_t>(std::max(1, threads))) {
    const auto degree = static_cast<double>(kernel.degree);
    for (std::int64_t d = 1; d <= kernel.degree; ++d) {
      weights_.push_back(2.0 * (degree - static_cast<double>(d) + 1.0) / (degree * (degree + 1.0)));
      upto_[static_cast<std::size_t>(d)] = upto_[static_cast<std::size_t>(d) - 1] + weights_.back();
    }
  }

  double value(std::span<const Code> s, std::span<const Code> t, int thread) {
    double sum = diagonal(s, t, 0, thread);
    const auto longest = static_cast<std::int64_t>(std::max(s.size(), t.size()));
    for (std::int64_t r = 1; r <= std::min(kernel_.shift, longest); ++r)  // the order of the two sums does not matter: k(s, t) = k(t, s)
      sum += (diagonal(s, t, r, thread) + diagonal(t, s, r, thread)) / (2.0 * static_cast<double>(r + 1));
    return sum;
  }

 private:
  struct Scratch {
    std::vector<std::uint64_t> words;
    std::vector<std::int64_t> counts;
  };

  // The sum over blocks at i + r in a and at i in b.
  double diagonal(std::span<const Code> a, std::span<const Code> b, std::int64_t r, int thread) {
    const std::int64_t n = std::min(static_cast<std::int64_t>(a.size()) - r, static_cast<std::int64_t>(b.size()));
    if (n <= 0) return 0.0;
    return kernel_.roots ? weighted(a.data() + r, b.data(), n, r) : counted(a.data() + r, b.data(), n, thread);
  }

  double counted(const Code* a, const Code* b, std::int64_t n, int thread) {
    Scratch& scratch = scratch_[static_cast<std::size_t>(thread)];
    const std::int64_t words = (n + 63) / 64, degree = std::min(kernel_.degree, n);
    scratch.words.resize(static_cast<std::size_t>(words));
    scratch.counts.resize(static_cast<std::size_t>(degree));
    compare(a, b, n, scratch.words.data());
    kernels_.runs(scratch.words.data(), words, degree, scratch.counts.data());
    double sum = 0.0;
    for (std::int64_t d = 0; d < degree; ++d)
      sum += weights_[static_cast<std::size_t>(d)] * static_cast<double>(scratch.counts[static_cast<std::size_t>(d)]);
    return sum;
  }

  double weighted(const Code* a, const Code* b, std::int64_t n, std::int64_t r) const {
    double sum = 0.0;
    std::int64_t ahead = 0;
    for (std::int64_t i = n - 1; i >= 0; --i) {
      ahead = a[i] == b[i] ? std::min(ahead + 1, kernel_.degree) : 0;
      sum += kernel_.roots[i] * kernel_.roots[i + r] * upto_[static_cast<std::size_t>(ahead)];
    }
    return sum;
  }

  const WeightedDegree& kernel_;
  const StringLoops& kernels_;
  std::vector<double> weights_, upto_;  // β_1, …, β_D; B(0), …, B(D)
  std::vector<Scratch> scratch_;
};

}  // namespace

template <class Code>
void weighted_degree_block(const StringList<Code>& left, const StringList<Code>& right, const WeightedDegree& kernel, bool symmetric, double* out,
                           std::int64_t ld, const Execution& execution) {
  Diagonals<Code> diagonals(kernel, string_loops(), execution.threads);
  fill_block(left.n, right.n, symmetric, out, ld, execution, [&](std::int64_t i, std::int64_t first, std::int64_t last, double* to, int thread) {
    for (std::int64_t j = first; j < last; ++j) to[j - first] = diagonals.value(left[i], right[j], thread);
  });
}

template <class Code>
void weighted_degree_pairs(const StringList<Code>& left, const StringList<Code>& right, const WeightedDegree& kernel, double* out,
                           const Execution& execution) {
  Diagonals<Code> diagonals(kernel, string_loops(), execution.threads);
  fill_pairs(right.n, out, execution, [&](std::int64_t i, int thread) { return diagonals.value(left[i], right[i], thread); });
}

template void weighted_degree_block(const StringList<std::uint8_t>&, const StringList<std::uint8_t>&, const WeightedDegree&, bool, double*,
                                    std::int64_t, const Execution&);
template void weighted_degree_block(const StringList<std::uint32_t>&, const StringList<std::uint32_t>&, const WeightedDegree&, bool, double*,
                                    std::int64_t, const Execution&);
template void weighted_degree_pairs(const StringList<std::uint8_t>&, const StringList<std::uint8_t>&, const WeightedDegree&, double*,
                                    const Execution&);
template void weighted_degree_pairs(const StringList<std::uint32_t>&, const StringList<std::uint32_t>&, const WeightedDegree&, double*,
                                    const Execution&);

}  // namespace mercer
