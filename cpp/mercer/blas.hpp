// The one BLAS routine the core needs, handed in by the caller at start-up (the core links no BLAS of its own).
#pragma once

namespace mercer {

template <class T>
using Gemm = void (*)(char* transa, char* transb, int* m, int* n, int* k, T* alpha, T* a, int* lda, T* b, int* ldb, T* beta, T* c,
                      int* ldc);

void set_gemm(Gemm<double> dgemm, Gemm<float> sgemm);

// C = A Bᵀ for row-major A (m × k), B (n × k), C (m × n, leading dimension ldc). Throws std::logic_error before set_gemm.
void multiply_transposed(int m, int n, int k, const double* a, const double* b, double* c, int ldc);
void multiply_transposed(int m, int n, int k, const float* a, const float* b, float* c, int ldc);

// C += op(A) B for row-major A, B (· × n, leading dimension n), C (m × n, leading dimension n); op(A) is m × k, and
// A is stored m × k (or k × m if `transposed`) with leading dimension lda.
void multiply_add(bool transposed, int m, int n, int k, const double* a, int lda, const double* b, double* c);
void multiply_add(bool transposed, int m, int n, int k, const float* a, int lda, const float* b, float* c);

}  // namespace mercer
