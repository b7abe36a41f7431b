#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "mercer/gram/row_kernels.hpp"
#include "mercer/runtime/parallel.hpp"
#include "side.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

std::vector<std::string> levels() {
  std::vector<std::string> names;
  for (auto t = mercer::available_tables(); *t; ++t) names.emplace_back((*t)->name);
  return names;
}

}  // namespace

void bind_runtime(nb::module_& m) {
  m.def("max_threads", &mercer::max_threads);
  m.def("simd_levels", &levels);
  m.def("simd_level", [] { return std::string(mercer::active_table().name); });
  m.def("select_simd", [](const std::string& name) { mercer::select_table(name.c_str()); }, "name"_a);
  m.def("set_question", [](nb::callable function) { mercer::bindings::question() = function.release(); }, "function"_a);
}
