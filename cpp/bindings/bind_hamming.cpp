#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "items.hpp"
#include "mercer/strings/hamming.hpp"
#include "mercer/strings/neighbourhood.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace mercer::bindings;

namespace {

void check(const mercer::HammingRule& rule, std::int64_t right, int strands) {
  require(rule.width >= 1 && !rule.weights.empty(), "expected windows of at least one symbol, and a weight for distance 0");
  require(strands >= 1 && right % strands == 0, "every item on the right needs the same number of strands");
}

template <class Code>
void declare_hamming(nb::module_& m) {
  m.def(
      "hamming_block",
      [](Codes<Code> left, Integers left_offsets, Codes<Code> right, Integers right_offsets, std::int64_t width, std::vector<double> weights,
         int strands, bool symmetric, Block out, int threads) {
        const auto a = string_list(left, left_offsets), b = string_list(right, right_offsets);
        const mercer::HammingRule rule{width, std::move(weights)};
        check(rule, b.n, strands);
        require_block(out, a.n, b.n / strands);
        require(!symmetric || a.n == b.n / strands, "a symmetric block needs the same items on both sides");
        without_gil([&] { mercer::hamming_block<Code>(rule, a, b, strands, symmetric, out.data(), out.stride(0), {threads, signalled}); });
      },
      "left"_a.noconvert(), "left_offsets"_a.noconvert(), "right"_a.noconvert(), "right_offsets"_a.noconvert(), "width"_a, "weights"_a, "strands"_a,
      "symmetric"_a, "out"_a.noconvert(), "threads"_a);
  m.def(
      "hamming_pairs",
      [](Codes<Code> left, Integers left_offsets, Codes<Code> right, Integers right_offsets, std::int64_t width, std::vector<double> weights,
         int strands, Column out, int threads) {
        const auto a = string_list(left, left_offsets), b = string_list(right, right_offsets);
        const mercer::HammingRule rule{width, std::move(weights)};
        check(rule, b.n, strands);
        require(a.n == b.n / strands && static_cast<std::int64_t>(out.shape(0)) == a.n, "out needs an entry per pair");
        without_gil([&] { mercer::hamming_pairs<Code>(rule, a, b, strands, out.data(), {threads, signalled}); });
      },
      "left"_a.noconvert(), "left_offsets"_a.noconvert(), "right"_a.noconvert(), "right_offsets"_a.noconvert(), "width"_a, "weights"_a, "strands"_a,
      "out"_a.noconvert(), "threads"_a);
  m.def(
      "keyed_neighbourhoods",
      [](Codes<Code> codes, Integers offsets, std::optional<Inside> inside, std::int64_t length, std::int64_t mismatches, std::int64_t symbols,
         int bits, int threads) {
        const auto strings = string_list(codes, offsets);
        require(length >= 1 && bits >= 1 && length <= 63 / bits, "words must fit into 63 bits");
        require(mismatches >= 0 && symbols >= 1, "expected a number of mismatches and an alphabet");
        require(!inside || inside->shape(0) == codes.shape(0), "inside needs one truth value per symbol");
        for (std::size_t i = 0; i < codes.shape(0); ++i)
          require((inside && !inside->data()[i]) || static_cast<std::int64_t>(codes.data()[i]) < symbols, "a symbol is not in the alphabet");
        mercer::KeyedRows rows;
        without_gil(
            [&] { rows = mercer::keyed_neighbourhoods<Code>(strings, flags(inside), {length, mismatches, symbols, bits}, {threads, signalled}); });
        return std::make_tuple(handed_over(std::move(rows.indptr)), handed_over(std::move(rows.keys)), handed_over(std::move(rows.values)));
      },
      "codes"_a.noconvert(), "offsets"_a.noconvert(), "inside"_a.noconvert().none(), "length"_a, "mismatches"_a, "symbols"_a, "bits"_a, "threads"_a);
}

}  // namespace

void bind_hamming(nb::module_& m) {
  declare_hamming<std::uint8_t>(m);
  declare_hamming<std::uint32_t>(m);
}
