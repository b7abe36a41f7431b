// Kernels of strings that compare all windows of one width with each other:
//
//   k(s, t) = Σ_a Σ_b w(h(a, b)),   a a window of s, b a window of t, h their Hamming distance, w(d) = 0 for large d.
//
// The mismatch and the gapped kernel have this form. A pair of strings costs O(|s| |t|), whatever w and the alphabet are;
// on processors that shuffle bytes, a register of cells of the table (position in s) × (position in t) at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "mercer/gram/pairwise.hpp"
#include "mercer/strings/string_list.hpp"

namespace mercer {

struct HammingRule {
  std::int64_t width;           // of the windows, ≥ 1
  std::vector<double> weights;  // w(0), w(1), ...; at least one, 0 beyond the last
};

// Symbols outside the alphabet have the largest code in left strings and the next smaller one in right strings; windows with
// one of them are left out. The right list has `strands` strings per item: those of item j are j, j + n, ... with n items in
// all, and their values are added up. If `symmetric`, the left list holds the same strings as the first strand of the right
// one, and the value of a pair must not depend on its order.
template <class Code>
void hamming_block(const HammingRule& rule, StringList<Code> left, StringList<Code> right, int strands, bool symmetric, double* out, std::int64_t ld,
                   const Execution& execution);

// out[i] = k(left i, right i).
template <class Code>
void hamming_pairs(const HammingRule& rule, StringList<Code> left, StringList<Code> right, int strands, double* out, const Execution& execution);

}  // namespace mercer
