// Induced subgraphs on 2, 3 and 4 nodes, by formulas.
#pragma once

#include <cstdint>
#include <vector>

#include "mercer/graphs/graphlets_form.hpp"
#include "mercer/graphs/simple_graph.hpp"

#ifdef _MSC_VER
#include <__msvc_int128.hpp>
#endif

namespace mercer {

// Numbers of subgraphs: C(n, 4) leaves 64 bits at n = 160 000.
#ifdef _MSC_VER
using Wide = std::_Signed128;
#else
__extension__ using Wide = __int128;
#endif

inline double as_double(Wide count) { return static_cast<double>(count); }

struct ClassCount {
  std::uint64_t key;
  double count;
};

// What the formulas need of a graph: sums over edges u < v, of which a range of nodes v gives a part.
struct GraphSums {
  Wide wedges = 0;     // Σ_v C(d_v, 2)
  Wide triangles = 0;  // 3T = Σ_e t_e, where t_e is the number of triangles at the edge
  Wide stars = 0;      // Σ_v C(d_v, 3)
  Wide paths = 0;      // Σ_e (d_u − 1)(d_v − 1)
  Wide tails = 0;      // Σ_e t_e (d_u + d_v − 4) = 2 Σ_v t_v (d_v − 2)
  Wide diamonds = 0;   // Σ_e C(t_e, 2)
  Wide cycles = 0;     // 4-cycles
  Wide cliques = 0;    // 4-cliques

  void add(const GraphSums& other);
};

// Arrays over nodes, one per thread; zeros between calls.
struct CountScratch {
  std::vector<std::uint8_t> mark;
  std::vector<std::int32_t> common;
};

// Adds what the nodes first .. last − 1 give; k = 2, 3 or 4. All nodes: O(m · arboricity) and, for cliques of 4,
// O(m · arboricity²).
void add_sums(const SimpleGraph& graph, int k, std::int32_t first, std::int32_t last, CountScratch& scratch, GraphSums& sums);

// Induced subgraphs on k = 2, 3 or 4 nodes by class, those that occur, from the sums over all nodes.
std::vector<ClassCount> classes_from_sums(const SimpleGraph& graph, int k, bool connected, const GraphSums& sums);

}  // namespace mercer
