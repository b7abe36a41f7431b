#include "items.hpp"

#include "bindings.hpp"

namespace nb = nanobind;

void bind_alignment(nb::module_&) {}
