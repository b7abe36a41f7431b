#include "items.hpp"

#include "bindings.hpp"

namespace nb = nanobind;

void bind_windows(nb::module_&) {}
