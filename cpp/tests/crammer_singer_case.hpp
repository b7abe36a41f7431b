// Problems with many classes to test with, and what the definitions say of a result, in long double.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "check.hpp"
#include "mercer/dual/crammer_singer.hpp"
#include "reference.hpp"

namespace crammer_singer_case {

using mercer::CrammerSingerProblem;
using mercer::CrammerSingerResult;
using mercer::DualOptions;
using mercer::DualStatus;
using mercer::Op;
using mercer::Program;
using reference::Matrix;
using reference::Numbers;
using reference::Random;
using reference::Sample;
using Labels = std::vector<std::int64_t>;

inline std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

inline Program rbf(double gamma) { return Program({{Op::sqdist, 0, 0, 0}, {Op::exp, 0, -gamma, 0}}, {}); }
inline Program linear() { return Program({{Op::dot, 0, 0, 0}}, {}); }

inline DualOptions options(double tol, int threads = 1) {
  DualOptions o;
  o.tol = tol;
  o.execution.threads = threads;
  return o;
}

// Overlapping clouds, one per class, and a kernel on them.
struct Data {
  Program program;
  std::int64_t n, classes;
  Matrix x;
  Labels label;
  Numbers bound;
  Sample sample;

  Data(Program p, std::int64_t rows, std::int64_t k, std::uint64_t seed, double c = 1.0)
      : program(std::move(p)), n(rows), classes(k), label(at(rows)), bound(at(rows), c), sample(rows) {
    Random random(seed);
    const Matrix centres = reference::random_matrix(random, k, 3, -1, 1);
    x = reference::random_matrix(random, n, 3, -1, 1);
    for (std::int64_t i = 0; i < n; ++i) {
      label[at(i)] = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(k));
      for (std::int64_t d = 0; d < 3; ++d) x(i, d) = static_cast<double>(static_cast<float>(x(i, d) + centres(label[at(i)], d)));
    }
    sample.dense(x);
  }
  CrammerSingerProblem problem() const { return {n, classes, label.data(), bound.data()}; }
  Numbers zero() const { return Numbers(at(n * classes), 0.0); }
  Matrix kernel() const {
    Matrix k(n, n);
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j < n; ++j) k(i, j) = static_cast<double>(reference::evaluate(program, sample, i, sample, j));
    return k;
  }
};

inline bool feasible(const CrammerSingerProblem& p, const Numbers& beta) {
  for (std::int64_t i = 0; i < p.n; ++i) {
    double forwards = 0.0, backwards = 0.0;
    for (std::int64_t m = 0; m < p.classes; ++m) {
      forwards += beta[at(i * p.classes + m)];
      backwards += beta[at((i + 1) * p.classes - 1 - m)];
      if (!(beta[at(i * p.classes + m)] <= (m == p.label[i] ? p.bound[i] : 0.0))) return false;
    }
    if (forwards != 0.0 || backwards != 0.0) return false;
  }
  return true;
}

// Objectives of both problems and the violation, from their definitions.
struct Truth {
  long double primal = 0, dual = 0, violation = 0;
  Truth(const Matrix& kernel, const CrammerSingerProblem& p, const Numbers& beta) {
    for (std::int64_t i = 0; i < p.n; ++i) {
      std::vector<long double> f(at(p.classes), 0.0L);
      for (std::int64_t m = 0; m < p.classes; ++m)
        for (std::int64_t j = 0; j < p.n; ++j) f[at(m)] += static_cast<long double>(kernel(i, j)) * beta[at(j * p.classes + m)];
      long double high = -INFINITY, low = INFINITY;
      for (std::int64_t m = 0; m < p.classes; ++m) {
        const bool own = m == p.label[i];
        const double b = beta[at(i * p.classes + m)];
        const long double g = f[at(m)] + (own ? 0 : 1);
        dual += b * f[at(m)] / 2 + (own ? 0 : b);
        primal += b * f[at(m)] / 2;
        high = std::max(high, g);
        if (b < (own ? p.bound[i] : 0.0)) low = std::min(low, g);
      }
      primal += p.bound[i] * (high - f[at(p.label[i])]);
      violation = std::max(violation, high - low);
    }
  }
};

inline void check_solution(const Matrix& kernel, const CrammerSingerProblem& p, const Numbers& beta, const CrammerSingerResult& result, double tol) {
  const Truth truth(kernel, p, beta);
  const double rounding = 1e-11 * static_cast<double>(1 + truth.primal);
  CHECK(feasible(p, beta));
  CHECK(result.status == DualStatus::converged);
  CHECK(result.violation <= tol);
  CHECK(truth.violation <= tol + rounding);
  CHECK(std::abs(result.violation - truth.violation) <= rounding);
  CHECK(std::abs(result.objective - truth.dual) <= rounding);
  CHECK(std::abs(result.gap - (truth.primal + truth.dual)) <= rounding);
  // A slack is at most C, and costs at most the violation.
  CHECK(result.gap >= 0 && result.gap <= tol * std::accumulate(p.bound, p.bound + p.n, 0.0));
}

}  // namespace crammer_singer_case
