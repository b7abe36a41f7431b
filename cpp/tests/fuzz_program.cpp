// A kernel program and two tiny sides from bytes, evaluated in every way. Malformed input must be refused with
// std::invalid_argument; what is accepted must keep the laws below. libFuzzer's entry; test_fuzz.cpp feeds it too.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "mercer/gram/pairwise.hpp"
#include "reference.hpp"

namespace {

using mercer::Op;
using reference::Matrix;
using reference::Numbers;
using reference::Sample;

void law(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "fuzz: %s\n", what);
  std::abort();
}

// Reads bytes to the end and zeros after it.
class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : at_(data), end_(data + size) {}
  int byte() { return at_ < end_ ? *at_++ : 0; }
  int below(int n) { return byte() % n; }
  bool chance() { return byte() & 1; }
  std::int32_t word() {
    std::uint32_t w = 0;
    for (int i = 0; i < 4; ++i) w = w << 8 | static_cast<std::uint32_t>(byte());
    return static_cast<std::int32_t>(w);
  }
  double number() {  // mostly eighths near 0, now and then a trap
    using Limits = std::numeric_limits<double>;
    constexpr double traps[] = {Limits::quiet_NaN(),
                                Limits::infinity(),
                                -Limits::infinity(),
                                Limits::max(),
                                Limits::lowest(),
                                Limits::denorm_min(),
                                1e200,
                                -1e39,
                                1e-39,
                                -0.0};
    const int b = byte();
    return b >= 246 ? traps[b - 246] : (b - 100) / 8.0;
  }

 private:
  const std::uint8_t *at_, *end_;
};

std::vector<mercer::Step> steps_from(Bytes& in) {
  std::vector<mercer::Step> steps(static_cast<std::size_t>(in.below(12)));
  int height = 0;
  for (mercer::Step& s : steps) {
    int op = in.below(static_cast<int>(Op::multiply) + 3) - 1;                                         // one beyond either end
    if (height == 0 && op > static_cast<int>(Op::constant)) op %= static_cast<int>(Op::constant) + 1;  // most programs shall run
    if (height < 2 && op >= static_cast<int>(Op::add)) op = static_cast<int>(Op::exp);
    s = {static_cast<Op>(op), in.below(64) ? in.below(3) : in.word(), in.number(), in.number()};
    height += is_source(s.op) ? 1 : is_join(s.op) ? -1 : 0;
  }
  for (; height > 1 && in.byte() < 250; --height) steps.push_back({in.chance() ? Op::add : Op::multiply, 0, 0, 0});
  return steps;
}

Matrix matrix_from(Bytes& in, std::int64_t n, std::int64_t d) {
  Matrix x(n, d);
  for (double& v : x.values) v = in.number();
  return x;
}

int some(Bytes& in) { return in.below(8) ? 3 : in.below(4); }  // as many as any step can ask for, or perhaps too few

// Sides are made alike in pairs, as Python makes them; how the numbers are stored may differ.
struct Sides {
  Sample left, right;

  Sides(Bytes& in, std::int64_t m, std::int64_t n) : left(m), right(n) {
    for (int o = some(in); o > 0; --o) {
      const std::int64_t d = 1 + in.below(5);
      const Matrix x = matrix_from(in, m, d), z = matrix_from(in, n, d);
      if (in.below(3) == 0) {
        left.csr(x, {in.chance(), in.chance(), in.chance()});
        right.csr(z, {in.chance(), in.chance(), in.chance()});
        continue;
      }
      left.dense(x, reference::layouts[in.below(4)], in.chance());
      right.dense(z, reference::layouts[in.below(4)], in.chance());
      if (in.chance()) {
        const Numbers centre = matrix_from(in, d, 1).values;
        left.centre(centre);
        right.centre(centre);
      }
      if (in.chance()) {
        const Numbers scale = matrix_from(in, d, 1).values;
        left.scale(scale);
        right.scale(scale);
      }
    }
    for (int f = some(in); f > 0; --f) {
      left.factor(matrix_from(in, m, 1).values);
      right.factor(matrix_from(in, n, 1).values);
    }
    if (in.chance()) {
      std::vector<std::int64_t> rows(static_cast<std::size_t>(in.below(9)));
      for (auto& r : rows) r = in.below(static_cast<int>(n));
      right.select(rows);
    }
  }
};

template <class T>
bool same(T a, T b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

template <class T>
void evaluate(const mercer::Program& program, const Sample& left, const Sample& right, Bytes& in) {
  const std::int64_t m = left.side().n, n = right.side().n, most = std::max(m, n);
  std::vector<T> block(static_cast<std::size_t>(most * most));
  for (T& v : block) v = static_cast<T>(in.number());
  const std::vector<mercer::Strided<T>> inputs(static_cast<std::size_t>(some(in)), {block.data(), most, 1});
  const int threads = 1 + in.below(2);
  const mercer::Execution execution{threads, {}};

  const mercer::Problem<T> problem(program, left.side(), right.side(), inputs);
  std::vector<T> k(static_cast<std::size_t>(m * n));
  mercer::gram(problem, false, k.data(), n, execution);
  bool finite = n > 0;
  for (const T v : k) finite = finite && std::isfinite(v);
  if (finite) {  // K e_c is a column of K
    const auto c = static_cast<std::size_t>(in.below(static_cast<int>(n)));
    std::vector<T> unit(static_cast<std::size_t>(n), T(0));
    unit[c] = T(1);
    Numbers column(static_cast<std::size_t>(m));
    mercer::matmul(problem, false, unit.data(), 1, column.data(), execution);
    for (std::size_t i = 0; i < column.size(); ++i)
      law(column[i] == static_cast<double>(k[i * static_cast<std::size_t>(n) + c]), "K e is not a column of K");
  }
  if (m == n) mercer::paired(problem, k.data(), execution);

  // Both sides the same rows: symmetric to the bit.
  const mercer::Problem<T> square(program, right.side(), right.side(), inputs);
  std::vector<T> s(static_cast<std::size_t>(n * n));
  mercer::gram(square, true, s.data(), n, execution);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < i; ++j)
      law(same(s[static_cast<std::size_t>(i * n + j)], s[static_cast<std::size_t>(j * n + i)]), "a symmetric Gram matrix is not symmetric");
  Numbers products(static_cast<std::size_t>(2 * n));
  const std::vector<T> v(static_cast<std::size_t>(2 * n), T(1));
  mercer::matmul(square, true, v.data(), 2, products.data(), execution);
  mercer::paired(square, s.data(), execution);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Bytes in(data, size);
  try {
    const mercer::Program program(steps_from(in), matrix_from(in, in.below(4), 1).values);
    const std::int64_t m = 1 + in.below(5), n = in.below(8) ? 1 + in.below(6) : 1 + in.below(40);
    const Sides sides(in, m, n);
    if (in.chance()) evaluate<double>(program, sides.left, sides.right, in);
    else evaluate<float>(program, sides.left, sides.right, in);
  } catch (const std::invalid_argument&) {
    return -1;  // refused: nothing to keep in a corpus
  }
  return 0;
}
