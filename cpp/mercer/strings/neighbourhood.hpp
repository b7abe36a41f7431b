// Words near those of a string, as sparse features with 64-bit keys.
//
// The feature u, a word of p symbols, has the value #{windows of the string that differ from u in at most m places}. A key
// is the symbols of u behind a leading 1, as for words in windows.hpp.
#pragma once

#include <cstdint>

#include "mercer/items/keyed_rows.hpp"
#include "mercer/strings/string_list.hpp"

namespace mercer {

struct Neighbourhood {
  std::int64_t length;      // p
  std::int64_t mismatches;  // m
  std::int64_t symbols;     // of the alphabet; codes inside are smaller
  int bits;                 // of a symbol in a key; length · bits < 64
};

// `inside` marks the symbols that belong to the alphabet, or is null; windows with one that does not are left out.
template <class Code>
KeyedRows keyed_neighbourhoods(StringList<Code> strings, const std::uint8_t* inside, const Neighbourhood& rule, const Execution& execution);

}  // namespace mercer
