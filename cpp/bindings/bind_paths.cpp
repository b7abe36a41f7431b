#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <typeinfo>

#include "bindings.hpp"
#include "graphs.hpp"
#include "mercer/graphs/attributed_paths.hpp"
#include "mercer/graphs/graph_hopper.hpp"
#include "mercer/graphs/propagation.hpp"
#include "mercer/graphs/random_walk.hpp"
#include "mercer/graphs/shortest_paths.hpp"
#include "mercer/graphs/spectral_radius.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace mercer::bindings;

namespace {

using Labels = std::optional<Hashes>;
using Weights = std::optional<Doubles>;
using Rows = std::optional<Integers>;

mercer::CarryingGraphs carrying(const OwnedGraphs& graphs, const Labels& node_labels, const Weights& weights) {
  return {graphs.list(), graphs.of_nodes<std::uint64_t>(node_labels), nullptr, graphs.of_arcs<double>(weights)};
}

auto keyed_paths(const OwnedGraphs& graphs, Labels node_labels, Weights weights, int threads) {
  const auto all = carrying(graphs, node_labels, weights);
  mercer::KeyedRows rows;
  without_gil([&] { rows = mercer::keyed_paths(all, {threads, signalled}); });
  return std::make_tuple(handed_over(std::move(rows.indptr)), handed_over(std::move(rows.keys)), handed_over(std::move(rows.values)));
}

auto find_paths(const OwnedGraphs& graphs, Labels node_labels, Weights weights, Hashes wanted) {
  const auto all = carrying(graphs, node_labels, weights);
  std::vector<mercer::FoundPath> found;
  without_gil([&] { found = mercer::find_paths(all, {wanted.data(), wanted.shape(0)}, signalled); });
  std::vector<std::int64_t> first, last;
  std::vector<double> distance;
  for (const auto& path : found) first.push_back(path.first), last.push_back(path.last), distance.push_back(path.distance);
  return std::make_tuple(handed_over(std::move(first)), handed_over(std::move(last)), handed_over(std::move(distance)));
}

// ---- walks

// A list of items, or some of them, in order.
template <class List>
struct Choice {
  const List& list;
  const std::int64_t* rows;
  std::int64_t n;
  Choice(const List& all, const Rows& chosen)
      : list(all), rows(chosen ? chosen->data() : nullptr), n(chosen ? static_cast<std::int64_t>(chosen->shape(0)) : all.size()) {
    for (std::int64_t i = 0; rows && i < n; ++i) require(rows[i] >= 0 && rows[i] < all.size(), "a row number lies outside the graphs");
  }
  decltype(auto) operator[](std::int64_t i) const { return list[rows ? rows[i] : i]; }
};

class WalkList {
 public:
  WalkList(const OwnedGraphs& graphs, const Labels& node_labels, const Labels& edge_labels, const Weights& weights) {
    const mercer::CarryingGraphs all{graphs.list(), graphs.of_nodes<std::uint64_t>(node_labels), graphs.of_arcs<std::uint64_t>(edge_labels),
                                     graphs.of_arcs<double>(weights)};
    for (std::int64_t i = 0; i < all.list.n; ++i) graphs_.emplace_back(all[i], !all.list.directed);
  }
  std::int64_t size() const { return static_cast<std::int64_t>(graphs_.size()); }
  const mercer::WalkGraph& operator[](std::int64_t i) const { return graphs_[static_cast<std::size_t>(i)]; }

 private:
  std::vector<mercer::WalkGraph> graphs_;
};

class SpectrumList {
 public:
  SpectrumList(Integers offsets, Doubles values, Doubles shares)
      : offsets_(std::move(offsets)), values_(std::move(values)), shares_(std::move(shares)) {
    n_ = item_count(offsets_, values_.shape(0));
    require(values_.shape(0) == shares_.shape(0), "every eigenvalue needs a share");
  }
  std::int64_t size() const { return n_; }
  mercer::Spectrum operator[](std::int64_t i) const {
    const std::int64_t first = offsets_.data()[i];
    return {values_.data() + first, shares_.data() + first, offsets_.data()[i + 1] - first};
  }

 private:
  Integers offsets_;
  Doubles values_, shares_;
  std::int64_t n_;
};

template <class List>
void walk_block(const mercer::WalkRule& rule, const List& left, Rows left_rows, const List& right, Rows right_rows, bool symmetric, Block out,
                int threads) {
  const Choice<List> a(left, left_rows), b(right, right_rows);
  require_block(out, a.n, b.n);
  without_gil([&] {
    std::vector<mercer::WalkValue> values(static_cast<std::size_t>(threads), mercer::WalkValue(rule));
    mercer::fill_block(a.n, b.n, symmetric, out.data(), out.stride(0), {threads, signalled},
                       [&](std::int64_t i, std::int64_t first, std::int64_t last, double* row, int thread) {
                         for (std::int64_t j = first; j < last; ++j) row[j - first] = values[static_cast<std::size_t>(thread)](a[i], b[j]);
                       });
  });
}

template <class List>
void walk_pairs(const mercer::WalkRule& rule, const List& left, Rows left_rows, const List& right, Rows right_rows, Column out, int threads) {
  const Choice<List> a(left, left_rows), b(right, right_rows);
  require(a.n == b.n && static_cast<std::int64_t>(out.shape(0)) == a.n, "pairs need equally many graphs on both sides, and out as many entries");
  without_gil([&] {
    std::vector<mercer::WalkValue> values(static_cast<std::size_t>(threads), mercer::WalkValue(rule));
    mercer::fill_pairs(a.n, out.data(), {threads, signalled},
                       [&](std::int64_t i, int thread) { return values[static_cast<std::size_t>(thread)](a[i], b[i]); });
  });
}

template <class List>
void declare_walks(nb::module_& m) {
  m.def("walk_block", &walk_block<List>, "rule"_a, "left"_a, "left_rows"_a.noconvert().none(), "right"_a, "right_rows"_a.noconvert().none(),
        "symmetric"_a, "out"_a.noconvert(), "threads"_a);
  m.def("walk_pairs", &walk_pairs<List>, "rule"_a, "left"_a, "left_rows"_a.noconvert().none(), "right"_a, "right_rows"_a.noconvert().none(),
        "out"_a.noconvert(), "threads"_a);
}

auto spectral_radii(const OwnedGraphs& graphs, Weights weights, int threads) {
  const auto all = carrying(graphs, {}, weights);
  std::vector<double> radii;
  without_gil([&] { radii = mercer::spectral_radii(all, {threads, signalled}); });
  return handed_over(std::move(radii));
}

// ---- graphs with attributes

using Attributes = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class List>
void make_attributed(List* self, const OwnedGraphs& graphs, Labels node_labels, Weights weights, Attributes attributes, int threads) {
  const auto all = carrying(graphs, node_labels, weights);
  require(static_cast<std::int64_t>(attributes.shape(0)) == all.list.nodes(), "every node needs attributes");
  without_gil([&] { new (self) List(all, attributes.data(), static_cast<std::int64_t>(attributes.shape(1)), {threads, signalled}); });
}

mercer::AttributedChoice choice(const mercer::AttributedGraphs& list, const Rows& rows) {
  const Choice<mercer::AttributedGraphs> checked(list, rows);
  return {&list, checked.rows, checked.n};
}

void attributed_block(const mercer::AttributedGraphs& left, Rows left_rows, const mercer::AttributedGraphs& right, Rows right_rows, Doubles kappa,
                      bool symmetric, Block out, int threads) {
  const auto a = choice(left, left_rows), b = choice(right, right_rows);
  require_block(out, a.n, b.n);
  require(typeid(left) == typeid(right), "both lists must be of one kind");
  require(static_cast<std::int64_t>(kappa.shape(0)) == a.starts().back() * b.starts().back(), "kappa needs an entry for every two nodes");
  without_gil([&] { mercer::attributed_block(a, b, kappa.data(), symmetric, out.data(), out.stride(0), {threads, signalled}); });
}

void attributed_pairs(const mercer::AttributedGraphs& left, Rows left_rows, const mercer::AttributedGraphs& right, Rows right_rows, Doubles kappa,
                      Column out, int threads) {
  const auto a = choice(left, left_rows), b = choice(right, right_rows);
  require(a.n == b.n && static_cast<std::int64_t>(out.shape(0)) == a.n, "pairs need equally many graphs on both sides, and out as many entries");
  require(typeid(left) == typeid(right), "both lists must be of one kind");
  std::int64_t size = 0;
  for (std::int64_t i = 0; i < a.n; ++i) size += left.nodes(a.row(i)) * right.nodes(b.row(i));
  require(static_cast<std::int64_t>(kappa.shape(0)) == size, "kappa needs an entry for every two nodes of a pair");
  without_gil([&] { mercer::attributed_pairs(a, b, kappa.data(), out.data(), {threads, signalled}); });
}

auto longest_paths(const OwnedGraphs& graphs, int threads) {
  const auto all = carrying(graphs, {}, {});
  std::vector<std::int64_t> longest;
  without_gil([&] { longest = mercer::longest_paths(all, {threads, signalled}); });
  return handed_over(std::move(longest));
}

void propagate(const OwnedGraphs& graphs, Weights weights, nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu> values, int threads) {
  const auto all = carrying(graphs, {}, weights);
  require(static_cast<std::int64_t>(values.shape(1)) == all.list.nodes(), "every node needs a value on every level");
  without_gil([&] { mercer::propagate(all, values.data(), static_cast<std::int64_t>(values.shape(0)), {threads, signalled}); });
}

}  // namespace

void bind_paths(nb::module_& m) {
  m.def("keyed_paths", &keyed_paths, "graphs"_a, "node_labels"_a.noconvert().none(), "weights"_a.noconvert().none(), "threads"_a);
  m.def("find_paths", &find_paths, "graphs"_a, "node_labels"_a.noconvert().none(), "weights"_a.noconvert().none(), "wanted"_a.noconvert());

  m.def("spectral_radii", &spectral_radii, "graphs"_a, "weights"_a.noconvert().none(), "threads"_a);
  nb::enum_<mercer::WalkForm>(m, "WalkForm")
      .value("geometric", mercer::WalkForm::geometric)
      .value("exponential", mercer::WalkForm::exponential)
      .value("steps", mercer::WalkForm::steps);
  nb::class_<mercer::WalkRule>(m, "WalkRule")
      .def(
          "__init__",
          [](mercer::WalkRule* self, mercer::WalkForm form, double decay, std::vector<double> coefficients) {
            require(form != mercer::WalkForm::steps || !coefficients.empty(), "steps need coefficients");
            new (self) mercer::WalkRule{form, decay, std::move(coefficients)};
          },
          "form"_a, "decay"_a, "coefficients"_a);
  nb::class_<WalkList>(m, "WalkList")
      .def(nb::init<const OwnedGraphs&, const Labels&, const Labels&, const Weights&>(), "graphs"_a, "node_labels"_a.noconvert().none(),
           "edge_labels"_a.noconvert().none(), "weights"_a.noconvert().none());
  nb::class_<SpectrumList>(m, "SpectrumList")
      .def(nb::init<Integers, Doubles, Doubles>(), "offsets"_a.noconvert(), "values"_a.noconvert(), "shares"_a.noconvert());
  declare_walks<WalkList>(m);
  declare_walks<SpectrumList>(m);

  nb::class_<mercer::AttributedGraphs>(m, "AttributedGraphs");
  nb::class_<mercer::AttributedPaths, mercer::AttributedGraphs>(m, "AttributedPaths")
      .def("__init__", &make_attributed<mercer::AttributedPaths>, "graphs"_a, "node_labels"_a.noconvert().none(), "weights"_a.noconvert().none(),
           "attributes"_a.noconvert(), "threads"_a);
  nb::class_<mercer::GraphHopper, mercer::AttributedGraphs>(m, "GraphHopper")
      .def("__init__", &make_attributed<mercer::GraphHopper>, "graphs"_a, "node_labels"_a.noconvert().none(), "weights"_a.noconvert().none(),
           "attributes"_a.noconvert(), "threads"_a);
  m.def("attributed_block", &attributed_block, "left"_a, "left_rows"_a.noconvert().none(), "right"_a, "right_rows"_a.noconvert().none(),
        "kappa"_a.noconvert(), "symmetric"_a, "out"_a.noconvert(), "threads"_a);
  m.def("attributed_pairs", &attributed_pairs, "left"_a, "left_rows"_a.noconvert().none(), "right"_a, "right_rows"_a.noconvert().none(),
        "kappa"_a.noconvert(), "out"_a.noconvert(), "threads"_a);
  m.def("longest_paths", &longest_paths, "graphs"_a, "threads"_a);
  m.def("propagate", &propagate, "graphs"_a, "weights"_a.noconvert().none(), "values"_a.noconvert(), "threads"_a);
}
