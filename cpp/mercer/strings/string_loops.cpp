#include "mercer/strings/string_loops.hpp"

#include <cstring>

#include "mercer/gram/row_kernels.hpp"

namespace mercer {

namespace baseline {
extern const StringLoops loops;
}
#ifdef MERCER_X86_LEVELS
namespace x86_64_v3 {
extern const StringLoops loops;
}
namespace x86_64_v4 {
extern const StringLoops loops;
}
#endif

const StringLoops& string_loops() {
#ifdef MERCER_X86_LEVELS
  const char* name = active_table().name;
  if (std::strcmp(name, "x86-64-v4") == 0) return x86_64_v4::loops;
  if (std::strcmp(name, "x86-64-v3") == 0) return x86_64_v3::loops;
#endif
  return baseline::loops;
}

}  // namespace mercer
