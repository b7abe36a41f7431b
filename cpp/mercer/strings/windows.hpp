// Windows of strings as sparse features with 64-bit keys.
//
// A template τ = (width, kept positions, weight) lays a window over every place of a string and reads the symbols at the
// kept positions. The feature u of a string has the value Σ_τ weight_τ · #{places where τ reads u}. A key is the symbols
// themselves where they fit into 64 bits behind a leading 1, so that longer words come later and words of one length are in
// the order of their symbols; else, and for templates with a salt, a hash of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mercer/items/keyed_rows.hpp"
#include "mercer/strings/string_list.hpp"

namespace mercer {

struct Template {
  std::int64_t width;
  std::vector<std::int64_t> kept;  // ascending, within the width
  double weight;
  std::uint64_t salt;  // 0 for plain words
};

struct WindowRule {
  std::vector<Template> templates;
  int bits = 8;                               // of a symbol in a key that is not hashed
  std::span<const std::uint64_t> complement;  // partner of every code: a window and its reverse complement are one feature
  std::span<const double> position_weights;   // multiply the weight of a window that begins at a position; empty for ones
  bool positional = false;                    // features at different positions are different
  bool presence = false;                      // a feature counts once in a string
};

// `inside` marks the symbols that belong to the alphabet, or is null; windows that keep one that does not are left out.
template <class Code>
KeyedRows keyed_windows(StringList<Code> strings, const std::uint8_t* inside, const WindowRule& rule, const Execution& execution);

// Where one of the wanted keys is read first: the place among all symbols and the template, −1 if nowhere. `flipped` if the
// key is that of the reverse complement.
struct Found {
  std::int64_t start, index;
  bool flipped;
};
template <class Code>
std::vector<Found> find_windows(StringList<Code> strings, const std::uint8_t* inside, const WindowRule& rule, std::span<const std::uint64_t> wanted);

}  // namespace mercer
