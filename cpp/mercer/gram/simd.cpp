#include <atomic>
#include <cstring>
#include <stdexcept>
#include <string>

#include "mercer/gram/row_kernels.hpp"

namespace mercer {

namespace baseline {
extern const KernelTable table;
}
#ifdef MERCER_X86_LEVELS
namespace x86_64_v3 {
extern const KernelTable table;
}
namespace x86_64_v4 {
extern const KernelTable table;
}
#endif

namespace {

struct Tables {
  const KernelTable* list[4] = {};
  Tables() {
    int n = 0;
#ifdef MERCER_X86_LEVELS
    __builtin_cpu_init();
    const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
    const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
                    __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    if (v4) list[n++] = &x86_64_v4::table;
    if (v3) list[n++] = &x86_64_v3::table;
#endif
    list[n] = &baseline::table;
  }
};

const Tables& tables() {
  static const Tables t;
  return t;
}

std::atomic<const KernelTable*> chosen{nullptr};

}  // namespace

const KernelTable* const* available_tables() { return tables().list; }

const KernelTable& active_table() {
  const KernelTable* t = chosen.load(std::memory_order_acquire);
  return t ? *t : *tables().list[0];
}

void select_table(const char* name) {
  std::string known;
  for (auto t = tables().list; *t; ++t) {
    if (std::strcmp((*t)->name, name) == 0 || std::strcmp(name, "auto") == 0) {
      chosen.store(*t, std::memory_order_release);
      return;
    }
    known += std::string(known.empty() ? "" : ", ") + (*t)->name;
  }
  throw std::invalid_argument("expected one of auto, " + known + " (what this machine can run), got '" + name + "'");
}

}  // namespace mercer
