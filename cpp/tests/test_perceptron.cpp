// Perceptrons against plain loops: the same mistakes, whatever the blocks, the cache, the storage and the number of threads.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "check.hpp"
#include "mercer/perceptron/perceptron.hpp"
#include "mercer/rows/matrix_source.hpp"
#include "mercer/rows/native_source.hpp"
#include "reference.hpp"

namespace {

using namespace mercer;
using reference::Matrix;
using reference::Numbers;
using reference::Random;
using List = std::vector<std::int64_t>;

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

// Small integers: every sum of products is exact, so that no order of summation can change a mistake.
Matrix integers(Random& random, std::int64_t n, std::int64_t d) {
  Matrix x = reference::random_matrix(random, n, d, -4, 4, 0.3);
  for (double& v : x.values) v = std::round(v);
  return x;
}

Matrix linear(const Matrix& x) {
  Matrix k(x.n, x.n);
  for (std::int64_t i = 0; i < x.n; ++i)
    for (std::int64_t j = 0; j < x.n; ++j)
      for (std::int64_t c = 0; c < x.d; ++c) k(i, j) += x(i, c) * x(j, c);
  return k;
}

Numbers labels(Random& random, std::int64_t n) {
  Numbers y(at(n));
  for (double& v : y) v = random() % 2 ? 1.0 : -1.0;
  return y;
}

List shuffled(Random& random, std::int64_t n) {
  List order(at(n));
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), random);
  return order;
}

// One pass of the loop; f at all samples.
List twin(const Matrix& k, const List& order, const double* y, double bias, double* f) {
  List mistakes;
  for (std::size_t p = 0; p < order.size(); ++p) {
    const std::int64_t i = order[p];
    if (y[i] * f[i] > 0.0) continue;
    mistakes.push_back(static_cast<std::int64_t>(p));
    for (std::int64_t j = 0; j < k.n; ++j) f[j] += y[i] * (k(i, j) + bias);
  }
  return mistakes;
}

const Program dot({{Op::dot, 0, 0, 0}}, {});

TEST(perceptron_kernel_passes) {
  Random random(31);
  for (const std::int64_t n : {1, 2, 63, 64, 65, 700})
    for (const std::int64_t machines : {1, 3})
      for (const std::int64_t cache : {std::int64_t{0}, 4 * n * 20, 4 * n * n}) {
        const Matrix x = integers(random, n, 5), k = linear(x);
        reference::Sample sample(n);
        if (n % 2) sample.dense(x);
        else sample.csr(x);
        NativeSource native(dot, sample.side());
        MatrixSource<double> matrix(k.values.data(), n, n);
        Numbers label;
        for (std::int64_t m = 0; m < machines; ++m) {
          const Numbers y = labels(random, n);
          label.insert(label.end(), y.begin(), y.end());
        }
        Numbers want(label.size(), 0.0), f[2] = {want, want};
        const double bias = static_cast<double>(n % 2);
        KernelMachines built[2] = {{native, machines, label.data(), f[0].data(), cache}, {matrix, machines, label.data(), f[1].data(), cache}};
        for (int pass = 0; pass < 3; ++pass) {
          const List order = shuffled(random, n);
          std::vector<List> mistakes;
          for (std::int64_t m = 0; m < machines; ++m) mistakes.push_back(twin(k, order, label.data() + m * n, bias, want.data() + m * n));
          for (int s = 0; s < 2; ++s) {
            CHECK(built[s].pass({order, bias, pass == 2, {s + 1, {}}}) == mistakes);
            if (pass < 2) CHECK(f[s] == want);
          }
        }
      }
}

// Kept rows are rounded to float, which changes the sign of many values here: integers that float does not hold, whose sums
// often cancel to zero.
TEST(perceptron_rounded_rows) {
  Random random(37);
  const std::int64_t n = 400;
  Matrix x(n, 2, 8195.0);
  for (std::int64_t i = 0; i < n; ++i) x(i, 1) += static_cast<double>(random() % 7) - 3.0;
  const Matrix k = linear(x);
  const Numbers label = labels(random, n);
  std::vector<float> single(k.values.begin(), k.values.end());
  MatrixSource<double> exact(k.values.data(), n, n);
  MatrixSource<float> source(single.data(), n, n, &exact);  // not held in double: rows are asked for and kept
  for (const std::int64_t rows : {30, 400}) {
    Numbers f(at(n), 0.0), want = f;
    KernelMachines machines(source, 1, label.data(), f.data(), 4 * n * rows);
    for (int pass = 0; pass < 6; ++pass) {
      const List order = shuffled(random, n);
      CHECK(machines.pass({order, 1.0, false, {2, {}}})[0] == twin(k, order, label.data(), 1.0, want.data()));
    }
    machines.refine(0, 1.0, {});
    for (std::int64_t i = 0; i < n; ++i) CHECK(f[at(i)] == want[at(i)]);
  }
}

// Only some of the samples are visited; the others hold what an earlier pass has left.
TEST(perceptron_visits_of_some_samples) {
  Random random(32);
  const std::int64_t n = 300;
  const Matrix x = integers(random, n, 4), k = linear(x);
  MatrixSource<double> source(k.values.data(), n, n);
  const Numbers label = labels(random, n);
  Numbers f(at(n), 0.0), want = f;
  KernelMachines machines(source, 1, label.data(), f.data(), 0);
  List order = shuffled(random, n);
  const List first(order.begin(), order.begin() + 100), second(order.begin() + 100, order.end());
  for (const List& part : {first, second}) CHECK(machines.pass({part, 0.0, false, {}})[0] == twin(k, part, label.data(), 0.0, want.data()));
}

TEST(perceptron_primal_passes) {
  Random random(33);
  for (const std::int64_t d : {1, 7, 8, 19}) {
    const std::int64_t n = 200;
    const Matrix x = integers(random, n, d), k = linear(x);
    const Numbers label = labels(random, n);
    for (const int storage : {0, 1, 2}) {
      reference::Sample sample(n);
      if (storage == 0) sample.dense(x);
      else sample.csr(x, {storage == 2, false, true});
      Numbers w(at(d) + 1, 0.0), f(at(n), 0.0);
      for (int pass = 0; pass < 3; ++pass) {
        const List order = shuffled(random, n);
        CHECK(primal_pass(sample.side().operands[0], {order, 1.0, false, {}}, label.data(), w.data()) == twin(k, order, label.data(), 1.0, f.data()));
      }
      for (std::int64_t i = 0; i < n; ++i) {
        double value = w[at(d)];
        for (std::int64_t c = 0; c < d; ++c) value += w[at(c)] * x(i, c);
        CHECK(value == f[at(i)]);
      }
    }
  }
}

double value(const Matrix& k, double bias, const Memory& memory, std::int64_t i) {
  double sum = 0.0;
  for (std::size_t j = 0; j < memory.sample.size(); ++j) sum += memory.coef[j] * (k(i, memory.sample[j]) + bias);
  return sum;
}

// A pass in pieces of one visit is the loop: no block is longer than that.
TEST(perceptron_budgets) {
  Random random(34);
  const std::int64_t n = 400;
  const Matrix x = reference::random_matrix(random, n, 2, -2, 2);
  Matrix k(n, n);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j) k(i, j) = 2.0 * std::exp(-(std::pow(x(i, 0) - x(j, 0), 2) + std::pow(x(i, 1) - x(j, 1), 2)));
  MatrixSource<double> source(k.values.data(), n, n);
  const Numbers label = labels(random, n);
  const List order = shuffled(random, n);
  for (const Removal removal : {Removal::forgetron, Removal::projectron, Removal::random})
    for (const std::int64_t budget : {1, 5, 90, 1000}) {
      Memory whole{removal, budget, 0.1, {}, {}, 0, 0.0, 0.0, 7}, piecewise = whole;
      const List got = budget_pass(source, {order, 1.0, false, {2, {}}}, label.data(), whole);
      List want;
      for (std::int64_t p = 0; p < n; ++p) {
        const std::int64_t i = order[at(p)];
        const bool wrong = label[at(i)] * value(k, 1.0, piecewise, i) <= 0.0;
        const bool erred = !budget_pass(source, {Rows(order).subspan(at(p), 1), 1.0, false, {}}, label.data(), piecewise).empty();
        CHECK(wrong == erred);
        if (erred) want.push_back(p);
        CHECK(static_cast<std::int64_t>(piecewise.sample.size()) <= budget);
      }
      CHECK(got == want);
      CHECK(whole.sample == piecewise.sample);
      for (std::size_t j = 0; j < whole.coef.size(); ++j)
        CHECK(std::abs(whole.coef[j] - piecewise.coef[j]) <= 1e-6 * (1.0 + std::abs(whole.coef[j])));
      if (removal == Removal::forgetron) CHECK(whole.damage <= 15.0 / 32.0 * static_cast<double>(whole.mistakes) + 1e-9);
    }
}

TEST(perceptron_zero_kernel) {
  const std::int64_t n = 70;
  const Matrix k(n, n);
  MatrixSource<double> source(k.values.data(), n, n);
  Random random(35);
  const Numbers label = labels(random, n);
  const List order = shuffled(random, n);
  for (const Removal removal : {Removal::forgetron, Removal::projectron, Removal::random}) {
    Memory memory{removal, 3, 0.0, {}, {}, 0, 0.0, 0.0, 0};
    CHECK(budget_pass(source, {order, 0.0, false, {}}, label.data(), memory).size() == 70);
    CHECK(memory.sample.size() == (removal == Removal::projectron ? 0u : 3u));
  }
}

TEST(perceptron_can_be_cancelled) {
  Random random(36);
  const std::int64_t n = 500;
  const Matrix x = integers(random, n, 3), k = linear(x);
  MatrixSource<double> source(k.values.data(), n, n);
  const Numbers label = labels(random, n);
  const List order = shuffled(random, n);
  const Execution execution{1, [] { return true; }};
  Numbers f(at(n), 0.0), w(4, 0.0);
  KernelMachines machines(source, 1, label.data(), f.data(), 0);
  CHECK_THROWS(Interrupted, machines.pass({order, 0.0, false, execution}));
  Memory memory{Removal::random, 3, 0.0, {}, {}, 0, 0.0, 0.0, 0};
  CHECK_THROWS(Interrupted, budget_pass(source, {order, 0.0, false, execution}, label.data(), memory));
  reference::Sample sample(n);
  sample.dense(x);
  CHECK_THROWS(Interrupted, primal_pass(sample.side().operands[0], {order, 1.0, false, execution}, label.data(), w.data()));
}

}  // namespace
