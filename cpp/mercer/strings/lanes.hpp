// Pairs of strings on their way into lanes: oriented, sorted by length, a few at a time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "mercer/items/item_pairs.hpp"
#include "mercer/strings/string_list.hpp"

namespace mercer {

// Symbols outside the alphabet have the two largest codes, one on either side.
template <class Code>
constexpr Code outside = std::numeric_limits<Code>::max() - 1;

template <class Code>
struct Couple {
  std::span<const Code> s, t;
  std::int64_t i, j;  // where they come from
  double* out;
};

// The longer string first; of equally long ones the first in the order of the dictionary. A sum that runs over s and t in
// different ways is then the same to the bit for (s, t) and (t, s).
template <class Code>
Couple<Code> oriented(const StringList<Code>& left, const StringList<Code>& right, std::int64_t i, std::int64_t j, double* out) {
  const std::span<const Code> s = left[i], t = right[j];
  const auto less = [](Code a, Code b) { return std::min(a, outside<Code>) < std::min(b, outside<Code>); };
  const bool swap = s.size() == t.size() ? std::lexicographical_compare(t.begin(), t.end(), s.begin(), s.end(), less) : s.size() < t.size();
  return {swap ? t : s, swap ? s : t, i, j, out};
}

// Calls work(couples, thread) for groups of at most `lanes` couples of similar lengths, until every value of the block, or
// with `paired` every k(left_i, right_i), has been asked for once.
template <class Code, class Work>
void in_lanes(const StringList<Code>& left, const StringList<Code>& right, bool paired, bool symmetric, double* out, std::int64_t ld,
              std::int64_t lanes, const Execution& execution, Work&& work) {
  std::vector<std::vector<Couple<Code>>> scratch(static_cast<std::size_t>(std::max(1, execution.threads)));
  const auto row = [&](std::int64_t i, std::int64_t first, std::int64_t last, double* to, int thread) {
    std::vector<Couple<Code>>& couples = scratch[static_cast<std::size_t>(thread)];
    couples.clear();
    for (std::int64_t j = first; j < last; ++j) couples.push_back(oriented(left, right, paired ? j : i, j, to + (j - first)));
    std::sort(couples.begin(), couples.end(),
              [](const auto& a, const auto& b) { return a.s.size() != b.s.size() ? a.s.size() < b.s.size() : a.t.size() < b.t.size(); });
    const auto count = static_cast<std::int64_t>(couples.size());
    for (std::int64_t k = 0; k < count; k += lanes)
      work(std::span<const Couple<Code>>(couples).subspan(static_cast<std::size_t>(k), static_cast<std::size_t>(std::min(lanes, count - k))), thread);
  };
  if (paired) fill_block(1, right.n, false, out, right.n, execution, row);
  else fill_block(left.n, right.n, symmetric, out, ld, execution, row);
}

// Lengths of the longest s and t of a group.
template <class Code>
std::pair<std::int64_t, std::int64_t> extent(std::span<const Couple<Code>> couples) {
  std::size_t n = 0, m = 0;
  for (const Couple<Code>& couple : couples) {
    n = std::max(n, couple.s.size());
    m = std::max(m, couple.t.size());
  }
  return {static_cast<std::int64_t>(n), static_cast<std::int64_t>(m)};
}

// Writes to[k·lanes + lane] = value(code k) for a string and `padding` beyond its end, up to `length`.
template <class To, class Code, class Value>
void interleave(std::span<const Code> string, std::int64_t lane, std::int64_t lanes, std::int64_t length, To padding, To* to, Value&& value) {
  const auto size = static_cast<std::int64_t>(string.size());
  for (std::int64_t k = 0; k < length; ++k) to[k * lanes + lane] = k < size ? value(string[static_cast<std::size_t>(k)]) : padding;
}

}  // namespace mercer
