// The local alignment kernel: a sum over all alignments of parts of two strings.
#pragma once

#include <cstdint>

#include "mercer/items/item_pairs.hpp"
#include "mercer/strings/string_list.hpp"

namespace mercer {

struct LocalAlignment {
  // exp(β score) of symbol a against symbol b at [a·(symbols + 1) + b]; 0 for the last symbol, which stands for all that
  // cannot be aligned. Or null: then equal symbols weigh `match`, others `mismatch`, and those outside are not aligned.
  const double* weights;
  std::int64_t symbols;
  double match, mismatch;
  double open, extend;  // exp(−β gap_open), exp(−β gap_extend), at most 1
  bool logarithm;       // ln K instead of K
};

// Whether the numbers between two symbols stay in the range of doubles: the weights must not differ too much.
bool can_align(const LocalAlignment& kernel);

// out[i·ld + j] = K(left_i, right_j) or its logarithm. Throws std::overflow_error, which names the two, where K is not a
// double.
template <class Code>
void local_alignment_block(const StringList<Code>& left, const StringList<Code>& right, const LocalAlignment& kernel, bool symmetric, double* out,
                           std::int64_t ld, const Execution& execution);

// out[i] = K(left_i, right_i) or its logarithm.
template <class Code>
void local_alignment_pairs(const StringList<Code>& left, const StringList<Code>& right, const LocalAlignment& kernel, double* out,
                           const Execution& execution);

}  // namespace mercer
