// The weighted degree kernel: blocks of symbols that two strings have at the same place, or nearly so.
#pragma once

#include <cstdint>

#include "mercer/items/item_pairs.hpp"
#include "mercer/strings/string_list.hpp"

namespace mercer {

struct WeightedDegree {
  std::int64_t degree, shift;
  const double* roots;  // square roots of the weights of positions, as many as the longest string needs; or null
};

// out[i·ld + j] = K(left_i, right_j).
template <class Code>
void weighted_degree_block(const StringList<Code>& left, const StringList<Code>& right, const WeightedDegree& kernel, bool symmetric, double* out,
                           std::int64_t ld, const Execution& execution);

// out[i] = K(left_i, right_i).
template <class Code>
void weighted_degree_pairs(const StringList<Code>& left, const StringList<Code>& right, const WeightedDegree& kernel, double* out,
                           const Execution& execution);

}  // namespace mercer
