#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "items.hpp"
#include "mercer/strings/hamming.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace mercer::bindings;

namespace {

void check(const mercer::HammingRule& rule, std::int64_t right, int strands) {
  require(rule.width >= 1 && !rule.weights.empty(), "expected windows of at least one symbol, and a weight for distance 0");
  require(strands >= 1 && right % strands == 0, "every item on the right needs the same number of strands");
}

template <class Code>
void declare(nb::module_& m) {
  m.def(
      "hamming_block",
      [](Codes<Code> left, Integers left_offsets, Codes<Code> right, Integers right_offsets, std::int64_t width, std::vector<double> weights, int strands,
         bool symmetric, Block out, int threads) {
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
      [](Codes<Code> left, Integers left_offsets, Codes<Code> right, Integers right_offsets, std::int64_t width, std::vector<double> weights, int strands,
         Column out, int threads) {
        const auto a = string_list(left, left_offsets), b = string_list(right, right_offsets);
        const mercer::HammingRule rule{width, std::move(weights)};
        check(rule, b.n, strands);
        require(a.n == b.n / strands && static_cast<std::int64_t>(out.shape(0)) == a.n, "out needs an entry per pair");
        without_gil([&] { mercer::hamming_pairs<Code>(rule, a, b, strands, out.data(), {threads, signalled}); });
      },
      "left"_a.noconvert(), "left_offsets"_a.noconvert(), "right"_a.noconvert(), "right_offsets"_a.noconvert(), "width"_a, "weights"_a, "strands"_a,
      "out"_a.noconvert(), "threads"_a);
}

}  // namespace

void bind_hamming(nb::module_& m) {
  declare<std::uint8_t>(m);
  declare<std::uint32_t>(m);
}
