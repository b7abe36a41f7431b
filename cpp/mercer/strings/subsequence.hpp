// The gap-weighted subsequence kernel.
#pragma once

#include <cstdint>

#include "mercer/items/item_pairs.hpp"
#include "mercer/strings/string_list.hpp"

namespace mercer {

struct Subsequence {
  std::int64_t p;
  double decay;
  bool blended;  // the sum over lengths 1, …, p instead of length p alone
};

// out[i·ld + j] = K(left_i, right_j). Throws std::overflow_error, which names the two, where a value is not a double.
template <class Code>
void subsequence_block(const StringList<Code>& left, const StringList<Code>& right, const Subsequence& kernel, bool symmetric, double* out,
                       std::int64_t ld, const Execution& execution);

// out[i] = K(left_i, right_i).
template <class Code>
void subsequence_pairs(const StringList<Code>& left, const StringList<Code>& right, const Subsequence& kernel, double* out,
                       const Execution& execution);

}  // namespace mercer
