// Products of packed panels, included into the namespace of each instruction set.
//
// The plan of Goto & van de Geijn (doi:10.1145/1356052.1356053): a block of A stays in the second cache, a strip of B
// streams past it, and tall × wide vectors of sums stay in registers. A library BLAS would pack again what is packed already,
// and would have to be held to one thread for the whole process while ours run.

#if defined(__AVX512F__)
constexpr int vector_bytes = 64, sums_in_registers = 24;
#elif defined(__AVX2__)
constexpr int vector_bytes = 32, sums_in_registers = 12;
#else
constexpr int vector_bytes = 16, sums_in_registers = 12;
#endif
constexpr std::int64_t strip_depth = 1024;  // a strip of B is 64 kB, read in order; shorter ones add to c more often

template <class T>
constexpr int vector_lanes = vector_bytes / static_cast<int>(sizeof(T));

template <class T>
struct Simd {
  typedef T Vector __attribute__((vector_size(vector_bytes), aligned(sizeof(T)), may_alias));
};

template <int tall, int wide, class T>
void multiply_block(Strided<T> a, const T* __restrict b, std::int64_t depth, T* __restrict c, std::int64_t ld, bool add) {
  using Vector = typename Simd<T>::Vector;
  constexpr int step = vector_lanes<T>;
  Vector sum[tall][wide];
  for (int r = 0; r < tall; ++r)
    for (int v = 0; v < wide; ++v) sum[r][v] = Vector{};
  for (std::int64_t k = 0; k < depth; ++k) {
    Vector right[wide];
    for (int v = 0; v < wide; ++v) right[v] = *reinterpret_cast<const Vector*>(b + k * lanes<T> + v * step);
#pragma GCC unroll 24
    for (int r = 0; r < tall; ++r) {
      const T left = a.data[r * a.row_stride + k * a.col_stride];
      for (int v = 0; v < wide; ++v) sum[r][v] += right[v] * left;
    }
  }
  for (int r = 0; r < tall; ++r)
    for (int v = 0; v < wide; ++v) {
      Vector* into = reinterpret_cast<Vector*>(c + r * ld + v * step);
      *into = add ? *into + sum[r][v] : sum[r][v];
    }
}

// The last rows, fewer than a full block: the instance for just that many.
template <int tall, int wide, class T>
void multiply_rest(std::int64_t rows, Strided<T> a, const T* b, std::int64_t depth, T* c, std::int64_t ld, bool add) {
  if constexpr (tall > 0) {
    if (rows == tall) multiply_block<tall, wide>(a, b, depth, c, ld, add);
    else multiply_rest<tall - 1, wide>(rows, a, b, depth, c, ld, add);
  }
}

template <int wide, class T>
void multiply_strip(Strided<T> a, const T* b, std::int64_t m, std::int64_t depth, T* c, std::int64_t ld, bool add) {
  constexpr int tall = sums_in_registers / wide;
  const auto from = [&](std::int64_t row) { return Strided<T>{a.data + row * a.row_stride, a.row_stride, a.col_stride}; };
  std::int64_t i = 0;
  for (; i + tall <= m; i += tall) multiply_block<tall, wide>(from(i), b, depth, c + i * ld, ld, add);
  multiply_rest<tall - 1, wide>(m - i, from(i), b, depth, c + i * ld, ld, add);
}

// A chunk of which only `columns` lanes are wanted takes no more vectors than those fill.
template <int wide, class T>
void multiply_columns(std::int64_t columns, Strided<T> a, const T* b, std::int64_t m, std::int64_t depth, T* c, std::int64_t ld, bool add) {
  if constexpr (wide > 1) {
    if (columns <= (wide - 1) * vector_lanes<T>) return multiply_columns<wide - 1>(columns, a, b, m, depth, c, ld, add);
  }
  multiply_strip<wide>(a, b, m, depth, c, ld, add);
}

template <class T>
void product(Strided<T> a, Chunked<T> b, std::int64_t m, std::int64_t n, std::int64_t depth, T* c, std::int64_t ld, bool add) {
  const std::int64_t strips = (depth + strip_depth - 1) / strip_depth;
  for (std::int64_t s = 0; s < strips; ++s) {  // of nearly equal depth: a short last one would cost as much to start
    const std::int64_t k = s * depth / strips, strip = (s + 1) * depth / strips - k;
    const Strided<T> left{a.data + k * a.col_stride, a.row_stride, a.col_stride};
    for (std::int64_t j = 0; j < n; j += lanes<T>)
      multiply_columns<lanes<T> / vector_lanes<T>>(n - j, left, b.data + j / lanes<T> * b.chunk_stride + k * lanes<T>, m, strip, c + j, ld,
                                                   add || k > 0);
  }
}

// Sums of `wide` vectors stay in registers while all columns pass.
template <int wide, class T>
void combine_rows(const T* steps, const T* const* columns, std::int64_t count, T* __restrict out, std::int64_t first, bool add) {
  using Vector = typename Simd<T>::Vector;
  constexpr int step = vector_lanes<T>;
  Vector sum[wide];
  for (int v = 0; v < wide; ++v) sum[v] = add ? *reinterpret_cast<const Vector*>(out + first + v * step) : Vector{};
  for (std::int64_t s = 0; s < count; ++s) {
    const T* column = columns[s] + first;
    for (int v = 0; v < wide; ++v) sum[v] += *reinterpret_cast<const Vector*>(column + v * step) * steps[s];
  }
  for (int v = 0; v < wide; ++v) *reinterpret_cast<Vector*>(out + first + v * step) = sum[v];
}

template <class T>
void combine(const T* steps, const T* const* columns, std::int64_t count, T* out, std::int64_t n, bool add) {
  constexpr int line = lanes<T> / vector_lanes<T>;
  std::int64_t j = 0;
  for (; j + 4 * lanes<T> <= n; j += 4 * lanes<T>) combine_rows<4 * line>(steps, columns, count, out, j, add);
  for (; j < n; j += lanes<T>) combine_rows<line>(steps, columns, count, out, j, add);
}
