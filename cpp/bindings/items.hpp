// What bindings of kernels over strings and trees share: lists of items and the block or the pairs that they fill.
#pragma once

#include <vector>

#include "mercer/items/item_pairs.hpp"
#include "mercer/strings/string_list.hpp"
#include "side.hpp"

namespace mercer::bindings {

template <class Code>
using Codes = nb::ndarray<const Code, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Block = nb::ndarray<double, nb::ndim<2>, nb::device::cpu>;
using Column = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Inside = nb::ndarray<const bool, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Array = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

// A vector as an array of NumPy that owns it.
template <class T>
Array<T> handed_over(std::vector<T>&& values) {
  auto* kept = new std::vector<T>(std::move(values));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return Array<T>(kept->data(), {kept->size()}, owner);
}

inline const std::uint8_t* flags(const std::optional<Inside>& inside) {
  return inside ? reinterpret_cast<const std::uint8_t*>(inside->data()) : nullptr;
}

// Number of items; their parts must end within `size` entries.
inline std::int64_t item_count(const Integers& offsets, std::size_t size) {
  require(offsets.shape(0) >= 1 && offsets.data()[0] >= 0, "offsets must begin at 0");
  for (std::size_t i = 1; i < offsets.shape(0); ++i) require(offsets.data()[i] >= offsets.data()[i - 1], "offsets must not decrease");
  require(static_cast<std::size_t>(offsets.data()[offsets.shape(0) - 1]) <= size, "offsets point outside the data");
  return static_cast<std::int64_t>(offsets.shape(0)) - 1;
}

template <class Code>
mercer::StringList<Code> string_list(const Codes<Code>& codes, const Integers& offsets) {
  return {codes.data(), offsets.data(), item_count(offsets, codes.shape(0))};
}

inline void require_block(const Block& out, std::int64_t left, std::int64_t right) {
  require(static_cast<std::int64_t>(out.shape(0)) == left && static_cast<std::int64_t>(out.shape(1)) == right && (out.stride(1) == 1 || right <= 1),
          "out must have one row per left and one contiguous entry per right item");
}

}  // namespace mercer::bindings
