#include "items.hpp"

#include "bindings.hpp"

namespace nb = nanobind;

void bind_hamming(nb::module_&) {}
