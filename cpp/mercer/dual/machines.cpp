#include "mercer/dual/machines.hpp"

#include <algorithm>
#include <memory>
#include <numeric>

#include "mercer/gram/row_kernels.hpp"
#include "mercer/rows/matrix_source.hpp"

namespace mercer {
namespace {

std::vector<DualResult> solve_each(RowSource& source, const std::vector<Machine>& machines, const DualOptions& options) {
  std::vector<DualResult> results(machines.size());
  std::vector<std::size_t> order(machines.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return machines[a].problem.n > machines[b].problem.n; });
  const auto solve = [&](std::size_t m, const DualOptions& own) {
    const auto part = source.subset(machines[m].members);
    results[m] = solve_dual(*part, machines[m].problem, machines[m].beta, own);
    if (own.progress) {
      own.progress->machine_done();
      own.progress->round(results[m].violation);
    }
  };
  double work = 0.0;  // waking a team for less than some milliseconds is not worth it
  for (const Machine& m : machines) work += static_cast<double>(m.problem.n) * static_cast<double>(m.problem.n);
  const bool together = source.concurrent() && machines.size() > 1 && options.execution.threads > 1 && work > 2e5;
  if (!together) {
    for (const std::size_t m : order) solve(m, options);
    return results;
  }
  TaskLoop loop(options.execution.threads, options.execution.cancelled);
  DualOptions own = options;
  own.execution = {1, [&] { return loop.stop(); }};
  own.cache_bytes = options.cache_bytes / loop.threads();
  loop.run(static_cast<std::int64_t>(machines.size()), Schedule::dynamic, [&](std::int64_t task, int) {
    try {
      solve(order[static_cast<std::size_t>(task)], own);
    } catch (const Interrupted&) {  // the loop knows, and says so when all have left
    }
  });
  return results;
}

template <class T>
std::vector<DualResult> solve_on_matrix(RowSource& source, const std::vector<Machine>& machines, DualOptions options) {
  const std::int64_t n = source.n(), ld = padded<T>(n);
  const auto matrix = std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>(n * ld));
  source.dense(matrix.get(), ld, options.execution);
  MatrixSource<T> held(matrix.get(), ld, n, sizeof(T) == 4 ? &source : nullptr);
  options.cache_bytes -= n * ld * static_cast<std::int64_t>(sizeof(T));
  return solve_each(held, machines, options);
}

}  // namespace

std::vector<DualResult> solve_machines(RowSource& source, const std::vector<Machine>& machines, const DualOptions& options) {
  std::int64_t ld = 0, wanted = 0;
  for (const Machine& m : machines) wanted += m.problem.n;
  const std::int64_t n = source.n();
  const bool held = source.held(float(), &ld) || source.held(double(), &ld);
  const bool single = source.prefers_float();
  const std::int64_t bytes = n * padded<float>(n) * (single ? 4 : 8);
  if (held || machines.size() < 2 || wanted < 2 * n || bytes > options.cache_bytes) return solve_each(source, machines, options);
  return single ? solve_on_matrix<float>(source, machines, options) : solve_on_matrix<double>(source, machines, options);
}

}  // namespace mercer
