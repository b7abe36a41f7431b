// Strings one after the other in one array of codes.
#pragma once

#include <cstdint>
#include <span>

namespace mercer {

template <class Code>
struct StringList {
  const Code* codes;
  const std::int64_t* offsets;  // n + 1 of them
  std::int64_t n;

  std::span<const Code> operator[](std::int64_t i) const { return {codes + offsets[i], static_cast<std::size_t>(offsets[i + 1] - offsets[i])}; }
};

}  // namespace mercer
