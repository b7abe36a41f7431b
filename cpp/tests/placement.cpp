// The inner loops as they are installed, at full optimisation: their results must not depend on where arrays lie. A compiler adds
// a check to many loops whether arrays are close together, and takes another version of the loop if they are. The two versions
// have to round alike. The other tests do not see this, because they are compiled with few optimisations.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <functional>
#include <numeric>
#include <random>
#include <vector>

#if MERCER_LEVEL == 4
#include "mercer/gram/row_kernels_x86_64_v4.cpp"
#else
#include "mercer/gram/row_kernels_x86_64_v3.cpp"
#endif

namespace {

using mercer::Op;
using mercer::Step;

template <class T>
using Loop = std::function<double(const std::vector<T*>&)>;

int failures = 0;

// Calls a loop with its arrays, of these sizes, side by side in all orders and with some gaps, and compares all of them afterwards
// with those of a call whose arrays are far apart. Several numbers are tried: two roundings often agree.
template <class T>
void same_everywhere(const char* name, const std::vector<std::size_t>& sizes, const Loop<T>& loop) {
  std::vector<std::size_t> order(sizes.size());
  const auto call = [&](std::size_t gap, unsigned seed) {
    std::minstd_rand random(seed);
    std::vector<T> memory(std::accumulate(sizes.begin(), sizes.end(), std::size_t{64}) + (gap + 64) * sizes.size(), T(0));
    std::vector<T*> arrays(sizes.size());
    T* next = memory.data() + 32;
    for (const std::size_t a : order) {
      arrays[a] = next;
      next += sizes[a] + gap;
    }
    for (std::size_t a = 0; a < sizes.size(); ++a)
      for (std::size_t i = 0; i < sizes[a]; ++i) arrays[a][i] = T(0.1) + T(3e-9) * static_cast<T>(random() % 1000000007);
    std::vector<T> found{T(loop(arrays))};
    for (std::size_t a = 0; a < sizes.size(); ++a) found.insert(found.end(), arrays[a], arrays[a] + sizes[a]);
    return found;
  };
  int wrong = 0;
  for (unsigned seed = 1; seed <= 8; ++seed) {
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto expected = call(4096, seed);
    do {
      for (const std::size_t gap : {0, 1, 2, 3, 4, 8}) {
        const auto found = call(gap, seed);
        wrong += std::memcmp(found.data(), expected.data(), found.size() * sizeof(T)) != 0;
      }
    } while (std::next_permutation(order.begin(), order.end()));
  }
  if (wrong) std::printf("FAIL %s, %zu numbers: other results in %d places\n", name, sizes[0], wrong);
  failures += wrong != 0;
}

template <class T>
void check_all(const mercer::RowKernels<T>& kernels, std::size_t n) {
  const auto count = static_cast<std::int64_t>(n);
  const std::size_t whole = static_cast<std::size_t>(mercer::padded<T>(count));
  if constexpr (sizeof(T) == 8) {
    same_everywhere<T>("pack", {n, n, n, n}, [&](auto& a) { return kernels.pack_double(a[0], 1, count, {a[1], a[2]}, a[3]); });
    same_everywhere<T>("pack, centred", {n, n, n}, [&](auto& a) { return kernels.pack_double(a[0], 1, count, {a[1], nullptr}, a[2]); });
    same_everywhere<T>("pack, scaled", {n, n, n}, [&](auto& a) { return kernels.pack_double(a[0], 1, count, {nullptr, a[1]}, a[2]); });
    same_everywhere<T>("pack, strided", {2 * n, n, n, n}, [&](auto& a) { return kernels.pack_double(a[0], 2, count, {a[1], a[2]}, a[3]); });
    same_everywhere<T>("advance", {n, n, n, n}, [&](auto& a) { return kernels.advance(0.3, a[0], a[1], a[2], a[3], count).low; });
    same_everywhere<T>("accumulate", {n, n, n, n, n, n}, [&](auto& a) {
      const std::array<const T*, 5> rows{a[0], a[1], a[2], a[3], a[4]};
      const std::array<double, 5> steps{0.3, 0.7, 1.1, -0.4, 0.9};
      kernels.accumulate(steps.data(), rows.data(), 5, a[5], count);
      return 0.0;
    });
  } else {
    same_everywhere<T>("pack", {n, n}, [&](auto& a) { return kernels.pack_float(a[0], 1, count, {nullptr, nullptr}, a[1]); });
  }
  same_everywhere<T>("sqdist", {n, n, n}, [&](auto& a) { return kernels.sqdist(a[0], T(20), a[1], T(0.001), a[2], count) ? 1.0 : 0.0; });
  for (const Op op : {Op::add, Op::multiply}) same_everywhere<T>("join", {n, n}, [&](auto& a) { return kernels.join(op, a[0], a[1], count), 0.0; });
  for (const Op op : {Op::affine, Op::exp, Op::sqrt, Op::power, Op::tanh, Op::log1p, Op::matern32, Op::matern52, Op::rational_quadratic,
                      Op::outer_scale, Op::outer_ratio}) {
    const Step step{op, 0, 0.7, 0.3};
    same_everywhere<T>("map", {n, n}, [&](auto& a) { return kernels.map(step, nullptr, a[0], count, T(0.9), a[1]), 0.0; });
  }
  for (const Op op : {Op::l1, Op::chi2, Op::min_sum, Op::mismatch, Op::power_sum, Op::anova_dot, Op::anova_rbf}) {
    const Step step{op, 0, op == Op::power_sum ? 1.5 : 2.0, 0.3};
    same_everywhere<T>("coordinates", {3, 3 * whole, 3, whole},
                       [&](auto& a) { return kernels.coordinates(step, a[0], a[1], a[2], 3, a[3], count), 0.0; });
  }
}

}  // namespace

int main() {
  __builtin_cpu_init();
  const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
  const bool v4 = v3 && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  if (!(MERCER_LEVEL == 4 ? v4 : v3)) {
    std::printf("skipped: this machine does not have the instruction set\n");
    return 0;
  }
  for (const std::size_t n : {1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 33, 40, 64, 100}) {
    check_all<double>(mercer::MERCER_ISA::table.twice, n);
    check_all<float>(mercer::MERCER_ISA::table.single, n);
  }
  std::printf("%d failed checks\n", failures);
  return failures != 0;
}
