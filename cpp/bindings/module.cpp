#include "bindings.hpp"

namespace nb = nanobind;

NB_MODULE(_core, m) {
  m.doc() = "The compiled core of mercer; private. Python has validated everything before it arrives here.";
  nb::set_leak_warnings(false);  // kernels kept in modules and caches live until the interpreter ends
  bind_runtime(m);
  bind_pairwise(m);
  bind_dual(m);
  bind_perceptron(m);
  bind_products(m);
  bind_columns(m);
  bind_explain(m);
  bind_windows(m);
  bind_hamming(m);
  bind_alignment(m);
  bind_trees(m);
  bind_graphs(m);
  bind_graphlets(m);
  bind_paths(m);
}
