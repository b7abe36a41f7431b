#include "mercer/blas.hpp"

#include <atomic>
#include <stdexcept>

namespace mercer {
namespace {

std::atomic<Gemm<double>> dgemm_{nullptr};
std::atomic<Gemm<float>> sgemm_{nullptr};

template <class T>
Gemm<T> gemm();
template <>
Gemm<double> gemm<double>() { return dgemm_.load(std::memory_order_acquire); }
template <>
Gemm<float> gemm<float>() { return sgemm_.load(std::memory_order_acquire); }

// BLAS is column-major: a row-major matrix is its own transpose there, so operands swap places.
template <class T>
void call(char ta, char tb, int m, int n, int k, const T* a, int lda, const T* b, int ldb, T beta, T* c, int ldc) {
  const Gemm<T> f = gemm<T>();
  if (!f) throw std::logic_error("the matrix product was not set; call set_gemm first");
  T one = 1;
  f(&ta, &tb, &m, &n, &k, &one, const_cast<T*>(a), &lda, const_cast<T*>(b), &ldb, &beta, c, &ldc);
}

}  // namespace

void set_gemm(Gemm<double> dgemm, Gemm<float> sgemm) {
  dgemm_.store(dgemm, std::memory_order_release);
  sgemm_.store(sgemm, std::memory_order_release);
}

void multiply_transposed(int m, int n, int k, const double* a, const double* b, double* c, int ldc) {
  call('T', 'N', n, m, k, b, k, a, k, 0.0, c, ldc);
}
void multiply_transposed(int m, int n, int k, const float* a, const float* b, float* c, int ldc) {
  call('T', 'N', n, m, k, b, k, a, k, 0.0f, c, ldc);
}
void multiply_add(bool transposed, int m, int n, int k, const double* a, int lda, const double* b, double* c) {
  call('N', transposed ? 'T' : 'N', n, m, k, b, n, a, lda, 1.0, c, n);
}
void multiply_add(bool transposed, int m, int n, int k, const float* a, int lda, const float* b, float* c) {
  call('N', transposed ? 'T' : 'N', n, m, k, b, n, a, lda, 1.0f, c, n);
}

}  // namespace mercer
