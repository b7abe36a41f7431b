// Runs every test once per instruction set this machine has. An argument keeps the tests whose name contains it.
#include <chrono>
#include <cstring>

#include "check.hpp"
#include "mercer/gram/row_kernels.hpp"

#ifdef _OPENMP
#include <omp.h>
#endif

int main(int argc, char** argv) {
#ifdef _OPENMP
  omp_set_num_threads(4);  // more threads than cores find more orders of events
#endif
  int ran = 0;
  for (auto table = mercer::available_tables(); *table; ++table) {
    mercer::select_table((*table)->name);
    for (const check::Test& test : check::tests()) {
      if (argc > 1 && !std::strstr(test.name, argv[1])) continue;
      const int before = check::failures;
      const auto start = std::chrono::steady_clock::now();
      try {
        test.body();
      } catch (const std::exception& e) {
        check::fail(test.name, 0, std::string("unexpected exception: ") + e.what());
      } catch (...) {
        check::fail(test.name, 0, "unexpected exception");
      }
      const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
      std::printf("%-4s %-10s %-44s %6.2f s\n", check::failures == before ? "ok" : "FAIL", (*table)->name, test.name, spent.count());
      std::fflush(stdout);
      ++ran;
    }
  }
  std::printf("%d tests, %d failed checks\n", ran, check::failures);
  return check::failures || !ran ? 1 : 0;
}
