#include <nanobind/stl/optional.h>

#include "bindings.hpp"
#include "items.hpp"
#include "mercer/trees/partial_tree.hpp"
#include "mercer/trees/subset_tree.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace mercer::bindings;

namespace {

using Counts = Codes<std::int32_t>;
using Keys = Codes<std::uint64_t>;
using Rows = std::optional<Integers>;
template <class T>
using Result = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

mercer::Preorder preorder(const Keys& labels, const Counts& sizes, const Counts& n_children, const Integers& offsets) {
  require(sizes.shape(0) == labels.shape(0) && n_children.shape(0) == labels.shape(0), "every node needs a label, a size and a number of children");
  const mercer::Preorder nodes{labels.data(), sizes.data(), n_children.data(), static_cast<std::int64_t>(labels.shape(0))};
  require(mercer::are_trees(nodes, offsets.data(), item_count(offsets, labels.shape(0))), "sizes and numbers of children are not those of trees");
  return nodes;
}

mercer::TreeChoice choice(const mercer::TreeList& trees, const Rows& rows) {
  if (!rows) return {&trees, nullptr, trees.size()};
  for (std::size_t i = 0; i < rows->shape(0); ++i)
    require(rows->data()[i] >= 0 && rows->data()[i] < trees.size(), "a row number lies outside the trees");
  return {&trees, rows->data(), static_cast<std::int64_t>(rows->shape(0))};
}

void subtrees(Keys labels, Counts sizes, Counts n_children, Integers offsets, Result<std::uint64_t> keys, Result<std::int32_t> inner) {
  const auto nodes = preorder(labels, sizes, n_children, offsets);
  require(keys.shape(0) == labels.shape(0) && inner.shape(0) == labels.shape(0), "keys and inner need one entry per node");
  mercer::subtrees(nodes, keys.data(), inner.data());
}

void make_list(mercer::TreeList* self, Keys keys, Keys labels, Counts sizes, Counts n_children, Integers offsets, bool leaves) {
  const auto nodes = preorder(labels, sizes, n_children, offsets);
  require(keys.shape(0) == labels.shape(0), "every node needs a key");
  new (self) mercer::TreeList(nodes, keys.data(), offsets.data(), static_cast<std::int64_t>(offsets.shape(0)) - 1, leaves);
}

void tree_block(const mercer::TreeKernel& kernel, const mercer::TreeList& left, Rows left_rows, const mercer::TreeList& right, Rows right_rows,
                bool symmetric, Block out, int threads) {
  const auto a = choice(left, left_rows), b = choice(right, right_rows);
  require_block(out, a.n, b.n);
  require(!symmetric || (a.list == b.list && a.n == b.n), "a symmetric block needs the same trees on both sides");
  without_gil([&] { mercer::tree_block(kernel, a, b, symmetric, out.data(), out.stride(0), {threads, signalled}); });
}

void tree_pairs(const mercer::TreeKernel& kernel, const mercer::TreeList& left, Rows left_rows, const mercer::TreeList& right, Rows right_rows,
                Column out, int threads) {
  const auto a = choice(left, left_rows), b = choice(right, right_rows);
  require(a.n == b.n && static_cast<std::int64_t>(out.shape(0)) == a.n, "pairs need equally many trees on both sides, and out as many entries");
  without_gil([&] { mercer::tree_pairs(kernel, a, b, out.data(), {threads, signalled}); });
}

}  // namespace

void bind_trees(nb::module_& m) {
  m.def("subtrees", &subtrees, "labels"_a.noconvert(), "sizes"_a.noconvert(), "n_children"_a.noconvert(), "offsets"_a.noconvert(),
        "keys"_a.noconvert(), "inner"_a.noconvert());
  nb::class_<mercer::TreeList>(m, "TreeList")
      .def("__init__", &make_list, "keys"_a.noconvert(), "labels"_a.noconvert(), "sizes"_a.noconvert(), "n_children"_a.noconvert(),
           "offsets"_a.noconvert(), "leaves"_a)
      .def("__len__", &mercer::TreeList::size);
  nb::class_<mercer::TreeKernel>(m, "TreeKernel");
  nb::class_<mercer::SubsetTree, mercer::TreeKernel>(m, "SubsetTree").def(nb::init<double>(), "decay"_a);
  nb::class_<mercer::PartialTree, mercer::TreeKernel>(m, "PartialTree")
      .def(nb::init<double, double, double>(), "decay"_a, "mu"_a, "terminal_factor"_a);
  m.def("tree_block", &tree_block, "kernel"_a, "left"_a, "left_rows"_a.noconvert().none(), "right"_a, "right_rows"_a.noconvert().none(),
        "symmetric"_a, "out"_a.noconvert(), "threads"_a);
  m.def("tree_pairs", &tree_pairs, "kernel"_a, "left"_a, "left_rows"_a.noconvert().none(), "right"_a, "right_rows"_a.noconvert().none(),
        "out"_a.noconvert(), "threads"_a);
}
