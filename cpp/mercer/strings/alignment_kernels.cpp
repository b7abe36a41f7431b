#include "mercer/strings/alignment_kernels.hpp"

#include <cstring>

#include "mercer/gram/row_kernels.hpp"

namespace mercer {

namespace baseline { extern const AlignmentKernels alignment; }
#ifdef MERCER_X86_LEVELS
namespace x86_64_v3 { extern const AlignmentKernels alignment; }
namespace x86_64_v4 { extern const AlignmentKernels alignment; }
#endif

const AlignmentKernels& alignment_kernels() {
#ifdef MERCER_X86_LEVELS
  const char* name = active_table().name;
  if (std::strcmp(name, "x86-64-v4") == 0) return x86_64_v4::alignment;
  if (std::strcmp(name, "x86-64-v3") == 0) return x86_64_v3::alignment;
#endif
  return baseline::alignment;
}

}  // namespace mercer
