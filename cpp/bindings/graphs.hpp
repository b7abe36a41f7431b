// Graphs as bindings take them: the arrays of mercer.data.Graphs, checked once.
#pragma once

#include <optional>

#include "items.hpp"
#include "mercer/graphs/graph_list.hpp"

namespace mercer::bindings {

using Numbers = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Hashes = nb::ndarray<const std::uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// A list of graphs together with the arrays that it points into.
class OwnedGraphs {
 public:
  OwnedGraphs(Integers offsets, Integers indptr, Numbers neighbors, bool directed)
      : offsets_(std::move(offsets)), indptr_(std::move(indptr)), neighbors_(std::move(neighbors)) {
    require(offsets_.shape(0) >= 1 && indptr_.shape(0) >= 1, "offsets and indptr must begin at 0");
    list_.n = item_count(offsets_, indptr_.shape(0) - 1);
    list_.directed = directed;
    list_.offsets = offsets_.data();
    list_.indptr = indptr_.data();
    list_.neighbors = neighbors_.data();
    require(list_.offsets[0] == 0 && list_.nodes() + 1 == static_cast<std::int64_t>(indptr_.shape(0)),
            "indptr needs one entry more than there are nodes");
    item_count(indptr_, neighbors_.shape(0));
    require(list_.indptr[0] == 0 && list_.arcs() == static_cast<std::int64_t>(neighbors_.shape(0)), "indptr must end with the number of arcs");
    for (std::int64_t g = 0; g < list_.n; ++g)
      for (std::int64_t a = list_.indptr[list_.offsets[g]]; a < list_.indptr[list_.offsets[g + 1]]; ++a)
        require(list_.neighbors[a] >= 0 && list_.neighbors[a] < list_.nodes(g), "an arc leads out of its graph");
  }

  const mercer::GraphList& list() const { return list_; }
  // Numbers of all nodes, or of all arcs; null if there are none.
  template <class T>
  const T* of_nodes(const std::optional<nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>>& values) const {
    require(!values || static_cast<std::int64_t>(values->shape(0)) == list_.nodes(), "expected one number per node");
    return values ? values->data() : nullptr;
  }
  template <class T>
  const T* of_arcs(const std::optional<nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>>& values) const {
    require(!values || static_cast<std::int64_t>(values->shape(0)) == list_.arcs(), "expected one number per arc");
    return values ? values->data() : nullptr;
  }

 private:
  Integers offsets_, indptr_;
  Numbers neighbors_;
  mercer::GraphList list_;
};

}  // namespace mercer::bindings
