// Lodhi, Saunders, Shawe-Taylor, Cristianini & Watkins 2002: with l(i) = i_p − i_1 + 1 the span of an index sequence,
//
//   K_p(s, t) = Σ_u Σ_{i: s[i] = u} Σ_{j: t[j] = u} λ^(l(i) + l(j)),   u over all strings of p symbols.
//
// Let λ^(2q) M_q(i, j) be the part of K_q whose index sequences end at i and j, and
//
//   S_q(i, j) = Σ_{i' ≤ i, j' ≤ j} λ^(i − i' + j − j') M_q(i', j').
//
// Then M_1(i, j) = [s_i = t_j] and M_{q+1}(i, j) = [s_i = t_j] S_q(i − 1, j − 1), because a step from (i', j') to (i, j)
// adds i − i' + j − j' to the spans. A row of S_q follows from the one above by S_q(i, j) = λ S_q(i − 1, j) + R_q(i, j) with
// R_q(i, j) = λ R_q(i, j − 1) + M_q(i, j): two multiply-adds per cell and level, O(p |s| |t|) in all, and p − 1 rows of
// memory. Nothing is ever subtracted, so the relative error stays below that of some |s| |t| additions.
#include "mercer/strings/subsequence.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

#include "mercer/strings/lanes.hpp"
#include "mercer/strings/string_loops.hpp"

namespace mercer {

namespace {

template <class Code>
class Batches {
 public:
  Batches(const Subsequence& kernel, const StringLoops& kernels, int threads)
      : kernel_(kernel), kernels_(kernels), scratch_(static_cast<std::size_t>(std::max(1, threads))) {}

  void operator()(std::span<const Couple<Code>> couples, int thread) {
    const auto [n, m] = extent(couples);
    if (m < (kernel_.blended ? 1 : kernel_.p)) {
      for (const Couple<Code>& couple : couples) *couple.out = 0.0;
      return;
    }
    const std::int64_t lanes = kernels_.lanes, p = std::min(kernel_.p, m);
    Scratch& scratch = scratch_[static_cast<std::size_t>(thread)];
    const auto size = [&](std::int64_t k) { return static_cast<std::size_t>(k * lanes); };
    if (scratch.s.size() < size(n)) scratch.s.resize(size(n));
    if (scratch.t.size() < size(m)) scratch.t.resize(size(m));
    scratch.sums.assign(size((p - 1) * m), 0.0);
    scratch.totals.assign(size(p), 0.0);
    for (std::int64_t l = 0; l < lanes; ++l) {
      const bool used = l < static_cast<std::int64_t>(couples.size());
      const auto number = [](double other) { return [other](Code c) { return c < outside<Code> ? static_cast<double>(c) : other; }; };
      interleave(used ? couples[static_cast<std::size_t>(l)].s : std::span<const Code>{}, l, lanes, n, -1.0, scratch.s.data(), number(-1.0));
      interleave(used ? couples[static_cast<std::size_t>(l)].t : std::span<const Code>{}, l, lanes, m, -2.0, scratch.t.data(), number(-2.0));
    }
    kernels_.subsequence({scratch.s.data(), scratch.t.data(), n, m, p, kernel_.decay, scratch.sums.data(), scratch.totals.data(), kernel_.blended});
    for (std::size_t l = 0; l < couples.size(); ++l) {
      double value = 0.0;
      for (std::int64_t q = kernel_.blended ? 1 : p; q <= p; ++q)
        value += std::pow(kernel_.decay, 2.0 * static_cast<double>(q)) * scratch.totals[static_cast<std::size_t>((q - 1) * lanes) + l];
      if (!std::isfinite(value)) throw std::overflow_error("records " + std::to_string(couples[l].i) + " and " + std::to_string(couples[l].j));
      *couples[l].out = value;
    }
  }

 private:
  struct Scratch {
    std::vector<double> s, t, sums, totals;
  };
  const Subsequence& kernel_;
  const StringLoops& kernels_;
  std::vector<Scratch> scratch_;
};

template <class Code>
void evaluate(const StringList<Code>& left, const StringList<Code>& right, const Subsequence& kernel, bool paired, bool symmetric, double* out,
              std::int64_t ld, const Execution& execution) {
  const StringLoops& kernels = string_loops();
  in_lanes(left, right, paired, symmetric, out, ld, kernels.lanes, execution, Batches<Code>(kernel, kernels, execution.threads));
}

}  // namespace

template <class Code>
void subsequence_block(const StringList<Code>& left, const StringList<Code>& right, const Subsequence& kernel, bool symmetric, double* out,
                       std::int64_t ld, const Execution& execution) {
  evaluate(left, right, kernel, false, symmetric, out, ld, execution);
}

template <class Code>
void subsequence_pairs(const StringList<Code>& left, const StringList<Code>& right, const Subsequence& kernel, double* out,
                       const Execution& execution) {
  evaluate(left, right, kernel, true, false, out, 0, execution);
}

template void subsequence_block(const StringList<std::uint8_t>&, const StringList<std::uint8_t>&, const Subsequence&, bool, double*, std::int64_t,
                                const Execution&);
template void subsequence_block(const StringList<std::uint32_t>&, const StringList<std::uint32_t>&, const Subsequence&, bool, double*, std::int64_t,
                                const Execution&);
template void subsequence_pairs(const StringList<std::uint8_t>&, const StringList<std::uint8_t>&, const Subsequence&, double*, const Execution&);
template void subsequence_pairs(const StringList<std::uint32_t>&, const StringList<std::uint32_t>&, const Subsequence&, double*, const Execution&);

}  // namespace mercer
