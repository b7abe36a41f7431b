#include "items.hpp"

#include "bindings.hpp"

namespace nb = nanobind;

void bind_trees(nb::module_&) {}
