#include "mercer/explain/shapley.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "mercer/gram/row_kernels.hpp"

namespace mercer {

namespace baseline {
extern const ShapleyLoops shapley;
}
#ifdef MERCER_X86_LEVELS
namespace x86_64_v3 {
extern const ShapleyLoops shapley;
}
namespace x86_64_v4 {
extern const ShapleyLoops shapley;
}
#endif

const ShapleyLoops& shapley_loops() {
#ifdef MERCER_X86_LEVELS
  const char* name = active_table().name;
  if (std::strcmp(name, "x86-64-v4") == 0) return x86_64_v4::shapley;
  if (std::strcmp(name, "x86-64-v3") == 0) return x86_64_v3::shapley;
#endif
  return baseline::shapley;
}

namespace {

constexpr std::int64_t group = 8 * shapley_lanes;  // points of a task
constexpr std::int64_t often = 16;                 // background rows between two questions whether to stop

// Factors of one row at the points first, …, last − 1, one block for each player. Lanes without a point are zero.
void pack(const double* row, const Expansion& expansion, std::int64_t first, std::int64_t last, double* out) {
  for (std::int64_t l = 0; l < expansion.players; ++l, out += shapley_lanes) {
    const double* from = row + l * expansion.points;
    std::fill(std::copy(from + first, from + last, out), out + shapley_lanes, 0.0);
  }
}

// out (units × outputs) += sums of all lanes times their coefficients.
void contract(const double* sums, std::int64_t units, const Expansion& expansion, std::int64_t first, std::int64_t last, double* out) {
  const std::int64_t outputs = expansion.outputs;
  for (std::int64_t u = 0; u < units; ++u) {
    for (std::int64_t i = first; i < last; ++i) {
      const double value = sums[u * shapley_lanes + i - first];
      const double* coef = expansion.coef + i * outputs;
      for (std::int64_t o = 0; o < outputs; ++o) out[u * outputs + o] += value * coef[o];
    }
  }
}

}  // namespace

void shapley_products(Order order, Factors explained, Factors background, const Expansion& expansion, const Rules& rules, double* out, int threads,
                      const Cancelled& cancelled) {
  const std::int64_t players = expansion.players, points = expansion.points, outputs = expansion.outputs;
  const std::int64_t n_pairs = players * (players - 1) / 2;
  const std::int64_t units = order == Order::values ? players : n_pairs;
  const ShapleyLoops& loops = shapley_loops();
  const auto loop_of = order == Order::values ? loops.values : loops.pairs;
  const std::int64_t groups = (points + group - 1) / group, width = units * outputs;
  if (units == 0) return;  // a single player has no pairs
  // Sums of a task of their own, added up in order afterwards: whatever thread has computed them.
  std::vector<double> parts(static_cast<std::size_t>(explained.rows * groups * width), 0.0);
  TaskLoop loop(threads, cancelled);
  struct alignas(64) Block {  // of cache lines, so that no vector lies in two of them
    double lane[shapley_lanes];
  };
  struct Scratch {
    std::vector<Block> a, b, work, sums;
  };
  std::vector<Scratch> scratch(static_cast<std::size_t>(loop.threads()));
  loop.run(explained.rows * groups, Schedule::dynamic, [&](std::int64_t task, int thread) {
    Scratch& own = scratch[static_cast<std::size_t>(thread)];
    if (own.a.empty()) {
      own.a.resize(static_cast<std::size_t>(players));
      own.b.resize(static_cast<std::size_t>(players));
      own.work.resize(static_cast<std::size_t>(4 * players + (order == Order::pairs ? n_pairs : 0)));
      own.sums.resize(static_cast<std::size_t>(units));
    }
    const double* row = explained.values + task / groups * players * points;
    const std::int64_t start = task % groups * group, end = std::min(points, start + group);
    for (std::int64_t first = start; first < end; first += shapley_lanes) {
      const std::int64_t last = std::min(end, first + shapley_lanes);
      pack(row, expansion, first, last, own.a.data()->lane);
      std::fill(own.sums.begin(), own.sums.end(), Block{});
      for (std::int64_t r = 0; r < background.rows; ++r) {
        if (r % often == 0 && loop.stop()) return;
        pack(background.values + r * players * points, expansion, first, last, own.b.data()->lane);
        const double *a = own.a.data()->lane, *b = own.b.data()->lane;
        std::size_t rule = 0;
        if (rules.rules.size() > 1) {
          const Extent extent = loops.extent(a, b, players);
          if (extent.product < rules.negligible) continue;
          while (rule + 1 < rules.rules.size() && extent.reach > rules.limits[rule]) ++rule;
        }
        loop_of(a, b, players, rules.rules[rule], own.work.data()->lane, own.sums.data()->lane);
      }
      contract(own.sums.data()->lane, units, expansion, first, last, parts.data() + task * width);
    }
  });
  for (std::int64_t i = 0; i < explained.rows; ++i) {
    for (std::int64_t g = 0; g < groups; ++g) {
      const double* part = parts.data() + (i * groups + g) * width;
      for (std::int64_t k = 0; k < width; ++k) out[i * width + k] += part[k];
    }
  }
}

}  // namespace mercer
