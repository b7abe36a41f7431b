// Slow twins: data in every storage the core reads, and kernel programs evaluated pair by pair in long double.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "mercer/gram/operand.hpp"
#include "mercer/gram/program.hpp"

namespace reference {

using Random = std::mt19937_64;
using Numbers = std::vector<double>;

struct Matrix {
  std::int64_t n = 0, d = 0;
  Numbers values;

  Matrix() = default;
  Matrix(std::int64_t rows, std::int64_t columns, double value = 0.0)
      : n(rows), d(columns), values(static_cast<std::size_t>(rows * columns), value) {}
  double& operator()(std::int64_t i, std::int64_t k) { return values[static_cast<std::size_t>(i * d + k)]; }
  double operator()(std::int64_t i, std::int64_t k) const { return values[static_cast<std::size_t>(i * d + k)]; }
};

// Uniform numbers that float holds exactly, so that every storage means the same data; `zeros` is their share.
Matrix random_matrix(Random& random, std::int64_t n, std::int64_t d, double low, double high, double zeros = 0.0);
Numbers random_numbers(Random& random, std::int64_t n, double low, double high);

enum class Layout { rows, columns, strided, reversed };
constexpr Layout layouts[] = {Layout::rows, Layout::columns, Layout::strided, Layout::reversed};

struct CsrStyle {
  bool wide = false, single = false;
  bool explicit_zeros = false;  // every third zero is stored
};

// A side together with the arrays its views point into (each of exact size, so that ASan sees a step too far) and the
// same data for the slow twin.
class Sample {
 public:
  explicit Sample(std::int64_t n) : rows_(n) { side_.n = n; }
  Sample(const Sample&) = delete;
  Sample& operator=(const Sample&) = delete;

  Sample& dense(const Matrix& x, Layout layout = Layout::rows, bool single = false);
  Sample& again();  // one more operand that looks at the arrays of the last
  Sample& csr(const Matrix& x, CsrStyle style = {});
  Sample& factor(const Numbers& f);
  // Of the operand added last.
  Sample& left(const Matrix& x);
  Sample& centre(const Numbers& c);
  Sample& scale(const Numbers& s);
  Sample& select(std::vector<std::int64_t> rows);

  const mercer::Side& side() const { return side_; }

 private:
  friend long double evaluate(const mercer::Program&, const Sample&, std::int64_t, const Sample&, std::int64_t, const std::vector<Matrix>&);
  struct Twin {
    Matrix left, right;
    Numbers scale;
  };
  template <class T>
  const T* keep(std::vector<T> array);
  mercer::DenseView view(const Matrix& x, Layout layout, bool single);
  template <class S>
  mercer::DenseView view_as(const Matrix& x, Layout layout);
  template <class Index, class Value>
  mercer::CsrView csr_as(const Matrix& x, CsrStyle style);

  std::int64_t rows_;
  mercer::Side side_;
  std::vector<Twin> twins_;
  std::vector<Numbers> factors_;
  std::vector<std::shared_ptr<void>> owners_;
};

// k(x_i, z_j) by the formulas of program.hpp; i and j count the rows the sides show.
long double evaluate(const mercer::Program& program, const Sample& left, std::int64_t i, const Sample& right, std::int64_t j,
                     const std::vector<Matrix>& inputs = {});

// The same for one source or map.
long double interactions(const mercer::InteractionTerms& terms, const long double* x, const long double* z);
long double source(const mercer::Step& step, const long double* x, const long double* z, std::int64_t d);
long double map(const mercer::Step& step, const double* pool, long double v, long double r, long double c);

// |got − want| ≤ tolerance · max(1, |want|).
inline bool near(double got, long double want, double tolerance) { return std::abs(got - want) <= tolerance * std::fmax(1.0L, std::abs(want)); }
template <class T>
constexpr double tolerance = sizeof(T) == 8 ? 1e-11 : 1e-4;

}  // namespace reference
