#include <nanobind/stl/optional.h>

#include "bindings.hpp"
#include "items.hpp"
#include "mercer/strings/local_alignment.hpp"
#include "mercer/strings/subsequence.hpp"
#include "mercer/strings/weighted_degree.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace mercer::bindings;

namespace {

// Two lists of strings in a call, and where their values go.
template <class Code>
struct Lists {
  mercer::StringList<Code> left, right;

  Lists(const Codes<Code>& a, const Integers& a_offsets, const Codes<Code>& b, const Integers& b_offsets)
      : left(string_list(a, a_offsets)), right(string_list(b, b_offsets)) {}

  template <class Kernel, class Fill>
  void block(const Kernel& kernel, bool symmetric, Block& out, int threads, Fill&& fill) const {
    require_block(out, left.n, right.n);
    require(!symmetric || left.n == right.n, "a symmetric block has equally many strings on both sides");
    without_gil([&] { fill(left, right, kernel, symmetric, out.data(), out.stride(0), mercer::Execution{threads, signalled}); });
  }

  template <class Kernel, class Fill>
  void pairs(const Kernel& kernel, Column& out, int threads, Fill&& fill) const {
    require(left.n == right.n && static_cast<std::int64_t>(out.shape(0)) == right.n, "pairs need equally many strings on both sides");
    without_gil([&] { fill(left, right, kernel, out.data(), mercer::Execution{threads, signalled}); });
  }

  std::int64_t longest() const {
    std::int64_t most = 0;
    for (const auto& list : {left, right})
      for (std::int64_t i = 0; i < list.n; ++i) most = std::max(most, list.offsets[i + 1] - list.offsets[i]);
    return most;
  }
};

mercer::Subsequence subsequence(std::int64_t p, double decay, bool blended) {
  require(p >= 1 && decay > 0 && decay <= 1, "p must be at least 1, decay above 0 and at most 1");
  return {p, decay, blended};
}

template <class Code>
void subsequence_block(Codes<Code> a, Integers ai, Codes<Code> b, Integers bi, std::int64_t p, double decay, bool blended, bool symmetric, Block out,
                       int threads) {
  Lists<Code>(a, ai, b, bi).block(subsequence(p, decay, blended), symmetric, out, threads, mercer::subsequence_block<Code>);
}

template <class Code>
void subsequence_pairs(Codes<Code> a, Integers ai, Codes<Code> b, Integers bi, std::int64_t p, double decay, bool blended, Column out, int threads) {
  Lists<Code>(a, ai, b, bi).pairs(subsequence(p, decay, blended), out, threads, mercer::subsequence_pairs<Code>);
}

template <class Code>
mercer::WeightedDegree weighted_degree(const Lists<Code>& lists, std::int64_t degree, std::int64_t shift, const std::optional<Doubles>& roots) {
  require(degree >= 1 && shift >= 0, "degree must be at least 1 and shift at least 0");
  require(!roots || static_cast<std::int64_t>(roots->shape(0)) >= lists.longest(), "weights must cover the longest string");
  return {degree, shift, roots ? roots->data() : nullptr};
}

template <class Code>
void weighted_degree_block(Codes<Code> a, Integers ai, Codes<Code> b, Integers bi, std::int64_t degree, std::int64_t shift,
                           std::optional<Doubles> roots, bool symmetric, Block out, int threads) {
  const Lists<Code> lists(a, ai, b, bi);
  lists.block(weighted_degree(lists, degree, shift, roots), symmetric, out, threads, mercer::weighted_degree_block<Code>);
}

template <class Code>
void weighted_degree_pairs(Codes<Code> a, Integers ai, Codes<Code> b, Integers bi, std::int64_t degree, std::int64_t shift,
                           std::optional<Doubles> roots, Column out, int threads) {
  const Lists<Code> lists(a, ai, b, bi);
  lists.pairs(weighted_degree(lists, degree, shift, roots), out, threads, mercer::weighted_degree_pairs<Code>);
}

using Weights = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// Weights are exp(β score): a square matrix with a last row and column of zeros, or two numbers for equal and other symbols.
mercer::LocalAlignment local_alignment(const Weights& weights, double open, double extend, bool logarithm) {
  const auto size = static_cast<std::int64_t>(weights.shape(1));
  const bool table = weights.shape(0) != 1;
  require(table ? weights.shape(0) == weights.shape(1) : size == 2, "weights must be square, or one row of two");
  for (std::int64_t k = 0; k < static_cast<std::int64_t>(weights.size()); ++k) require(weights.data()[k] >= 0, "weights must not be negative");
  require(open > 0 && open <= 1 && extend > 0 && extend <= 1, "open and extend must be above 0 and at most 1");
  const mercer::LocalAlignment kernel = table ? mercer::LocalAlignment{weights.data(), size - 1, 0, 0, open, extend, logarithm}
                                              : mercer::LocalAlignment{nullptr, 0, weights.data()[0], weights.data()[1], open, extend, logarithm};
  require(mercer::can_align(kernel), "the weights span too many orders of magnitude");
  return kernel;
}

template <class Code>
void local_alignment_block(Codes<Code> a, Integers ai, Codes<Code> b, Integers bi, Weights weights, double open, double extend, bool logarithm,
                           bool symmetric, Block out, int threads) {
  Lists<Code>(a, ai, b, bi).block(local_alignment(weights, open, extend, logarithm), symmetric, out, threads, mercer::local_alignment_block<Code>);
}

template <class Code>
void local_alignment_pairs(Codes<Code> a, Integers ai, Codes<Code> b, Integers bi, Weights weights, double open, double extend, bool logarithm,
                           Column out, int threads) {
  Lists<Code>(a, ai, b, bi).pairs(local_alignment(weights, open, extend, logarithm), out, threads, mercer::local_alignment_pairs<Code>);
}

template <class Code>
void declare_alignment(nb::module_& m) {
#define STRINGS "left"_a.noconvert(), "left_offsets"_a.noconvert(), "right"_a.noconvert(), "right_offsets"_a.noconvert()
#define TO "out"_a.noconvert(), "threads"_a
  m.def("subsequence_block", &subsequence_block<Code>, STRINGS, "p"_a, "decay"_a, "blended"_a, "symmetric"_a, TO);
  m.def("subsequence_pairs", &subsequence_pairs<Code>, STRINGS, "p"_a, "decay"_a, "blended"_a, TO);
  m.def("weighted_degree_block", &weighted_degree_block<Code>, STRINGS, "degree"_a, "shift"_a, "roots"_a.none(), "symmetric"_a, TO);
  m.def("weighted_degree_pairs", &weighted_degree_pairs<Code>, STRINGS, "degree"_a, "shift"_a, "roots"_a.none(), TO);
  m.def("local_alignment_block", &local_alignment_block<Code>, STRINGS, "weights"_a.noconvert(), "open"_a, "extend"_a, "logarithm"_a, "symmetric"_a,
        TO);
  m.def("local_alignment_pairs", &local_alignment_pairs<Code>, STRINGS, "weights"_a.noconvert(), "open"_a, "extend"_a, "logarithm"_a, TO);
#undef STRINGS
#undef TO
}

}  // namespace

void bind_alignment(nb::module_& m) {
  declare_alignment<std::uint8_t>(m);
  declare_alignment<std::uint32_t>(m);
}
