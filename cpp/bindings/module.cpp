#include "bindings.hpp"

NB_MODULE(_core, m) {
  m.doc() = "The compiled core of mercer; private. Python has validated everything before it arrives here.";
  bind_runtime(m);
  bind_pairwise(m);
}
