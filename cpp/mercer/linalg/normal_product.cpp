#include "mercer/linalg/normal_product.hpp"

#include <algorithm>
#include <vector>

#include "mercer/dual/feature_loops.hpp"

namespace mercer {

template <class T>
void normal_product(const T* a, std::int64_t n, std::int64_t r, const double* scale, const double* v, std::int64_t t, double* out, int threads,
                    const Cancelled& cancelled) {
  constexpr std::int64_t height = 128;  // rows of a task
  constexpr int block = FeatureLoops<T>::block;
  const FeatureLoops<T>& loops = feature_loops<T>();
  TaskLoop loop(threads, cancelled);
  const std::int64_t size = t * r;
  std::vector<double> sums(static_cast<std::size_t>(loop.threads() * size), 0.0);  // one for each thread
  loop.run((n + height - 1) / height, Schedule::cyclic, [&](std::int64_t task, int thread) {
    double* sum = sums.data() + thread * size;
    const std::int64_t last = std::min(n, (task + 1) * height);
    std::int64_t i = task * height;
    for (; i + block <= last; i += block) {
      const T* rows = a + i * r;
      for (std::int64_t j = 0; j < t; ++j) {
        double values[block];
        loops.dots(rows, v + j * r, r, values);
        for (int b = 0; scale && b < block; ++b) values[b] *= scale[i + b];
        loops.adds(values, rows, sum + j * r, r);
      }
    }
    for (; i < last; ++i) {
      const T* row = a + i * r;
      const double weight = scale ? scale[i] : 1.0;
      for (std::int64_t j = 0; j < t; ++j) {
        const T* next = j == 0 && i + 1 < last ? row + r : nullptr;
        loops.add(weight * loops.dot(row, v + j * r, r, next), row, sum + j * r, r);
      }
    }
  });
  for (std::int64_t k = 0; k < size; ++k) {
    double total = 0.0;
    for (std::int64_t thread = 0; thread < loop.threads(); ++thread) total += sums[static_cast<std::size_t>(thread * size + k)];
    out[k] = total;
  }
}

template void normal_product<float>(const float*, std::int64_t, std::int64_t, const double*, const double*, std::int64_t, double*, int,
                                    const Cancelled&);
template void normal_product<double>(const double*, std::int64_t, std::int64_t, const double*, const double*, std::int64_t, double*, int,
                                     const Cancelled&);

}  // namespace mercer
