#include "mercer/graphs/attributed.hpp"

#include <bit>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "mercer/runtime/hash.hpp"

namespace mercer {

AttributedGraphs::AttributedGraphs(const CarryingGraphs& graphs, const double* attributes, std::int64_t width) {
  for (std::int64_t i = 0; i < graphs.list.n; ++i) {
    const GraphView graph = graphs[i];
    std::uint64_t h = mix(static_cast<std::uint64_t>(graph.n));
    for (std::int64_t v = 0; v < graph.n; ++v) {
      h = combine(h, graph.node_labels ? graph.node_labels[v] : 0);
      for (const std::int32_t u : graph.row(v)) h = combine(h, static_cast<std::uint64_t>(u));
      for (std::int64_t e = graph.indptr[v]; graph.weights && e < graph.indptr[v + 1]; ++e)
        h = combine(h, std::bit_cast<std::uint64_t>(graph.weights[e]));
      const double* x = attributes + (graphs.list.offsets[i] + v) * width;
      for (std::int64_t k = 0; k < width; ++k) h = combine(h, std::bit_cast<std::uint64_t>(x[k]));
    }
    nodes_.push_back(graph.n);
    identities_.push_back(h);
  }
}

bool AttributedGraphs::comes_first(std::int64_t i, const AttributedGraphs& other, std::int64_t j) const {
  return std::pair(nodes(i), identities_[static_cast<std::size_t>(i)]) <= std::pair(other.nodes(j), other.identities_[static_cast<std::size_t>(j)]);
}

std::vector<std::int64_t> AttributedChoice::starts() const {
  std::vector<std::int64_t> all{0};
  for (std::int64_t i = 0; i < n; ++i) all.push_back(all.back() + list->nodes(row(i)));
  return all;
}

namespace {

// k of two graphs; κ of their nodes begins at `kappa`, its rows `ld` apart.
double compared(const AttributedGraphs& left, std::int64_t i, const AttributedGraphs& right, std::int64_t j, const double* kappa, std::int64_t ld,
                NodeWorkspace& workspace) {
  const std::int64_t rows = left.nodes(i), columns = right.nodes(j);
  const bool kept = left.comes_first(i, right, j);
  workspace.kappa.resize(static_cast<std::size_t>(rows * columns));
  for (std::int64_t u = 0; u < rows; ++u)
    for (std::int64_t v = 0; v < columns; ++v) workspace.kappa[static_cast<std::size_t>(kept ? u * columns + v : v * rows + u)] = kappa[u * ld + v];
  const double value = kept ? left.value(i, right, j, workspace.kappa, workspace) : right.value(j, left, i, workspace.kappa, workspace);
  if (!std::isfinite(value)) throw std::overflow_error("the value of two graphs exceeds the range of 64-bit numbers");
  return value;
}

}  // namespace

void attributed_block(const AttributedChoice& left, const AttributedChoice& right, const double* kappa, bool symmetric, double* out, std::int64_t ld,
                      const Execution& execution) {
  const auto rows = left.starts(), columns = right.starts();
  std::vector<NodeWorkspace> workspaces(static_cast<std::size_t>(execution.threads));
  fill_block(left.n, right.n, symmetric, out, ld, execution, [&](std::int64_t i, std::int64_t first, std::int64_t last, double* row, int thread) {
    for (std::int64_t j = first; j < last; ++j) {
      const double* part = kappa + rows[static_cast<std::size_t>(i)] * columns.back() + columns[static_cast<std::size_t>(j)];
      row[j - first] =
          compared(*left.list, left.row(i), *right.list, right.row(j), part, columns.back(), workspaces[static_cast<std::size_t>(thread)]);
    }
  });
}

void attributed_pairs(const AttributedChoice& left, const AttributedChoice& right, const double* kappa, double* out, const Execution& execution) {
  std::vector<std::int64_t> starts{0};
  for (std::int64_t i = 0; i < left.n; ++i) starts.push_back(starts.back() + left.list->nodes(left.row(i)) * right.list->nodes(right.row(i)));
  std::vector<NodeWorkspace> workspaces(static_cast<std::size_t>(execution.threads));
  fill_pairs(left.n, out, execution, [&](std::int64_t i, int thread) {
    return compared(*left.list, left.row(i), *right.list, right.row(i), kappa + starts[static_cast<std::size_t>(i)], right.list->nodes(right.row(i)),
                    workspaces[static_cast<std::size_t>(thread)]);
  });
}

}  // namespace mercer
