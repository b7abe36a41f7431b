#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "check.hpp"
#include "mercer/gram/row_kernels.hpp"
#include "mercer/rows/matrix_source.hpp"
#include "mercer/rows/row_cache.hpp"
#include "reference.hpp"

namespace {

using mercer::Execution;
using mercer::RowCache;
using mercer::Rows;

using List = std::vector<std::int64_t>;

// K_ij = 1000 min(i, j) + max(i, j), with a diary of what was asked for.
class Diary final : public mercer::RowSource {
 public:
  explicit Diary(std::int64_t n) : n_(n) {}
  static double value(std::int64_t i, std::int64_t j) { return static_cast<double>(1000 * std::min(i, j) + std::max(i, j)); }
  std::int64_t n() const override { return n_; }
  void diagonal(double* out) override {
    for (std::int64_t i = 0; i < n_; ++i) out[i] = value(i, i);
  }
  void rows(Rows rows, float* out, std::int64_t ld, const Execution&) override { serve(rows, out, ld); }
  void rows(Rows rows, double* out, std::int64_t ld, const Execution&) override { serve(rows, out, ld); }
  void dense(float* out, std::int64_t ld, const Execution&) override { all(out, ld); }
  void dense(double* out, std::int64_t ld, const Execution&) override { all(out, ld); }
  void block(Rows, Rows, double*, std::int64_t, const Execution&) override { throw std::logic_error("not of a cache"); }
  void product(Rows, const double*, Rows, double*, const Execution&) override { throw std::logic_error("not of a cache"); }
  std::unique_ptr<RowSource> subset(Rows) override { throw std::logic_error("not of a cache"); }

  List computed;  // rows, in the order they were asked for
  int whole = 0;  // calls of dense

 private:
  template <class T>
  void serve(Rows rows, T* out, std::int64_t ld) {
    for (const std::int64_t r : rows) {
      for (std::int64_t c = 0; c < n_; ++c) out[c] = static_cast<T>(value(r, c));
      out += ld;
      computed.push_back(r);
    }
  }
  template <class T>
  void all(T* out, std::int64_t ld) {
    for (std::int64_t r = 0; r < n_; ++r)
      for (std::int64_t c = 0; c < n_; ++c) out[r * ld + c] = static_cast<T>(value(r, c));
    ++whole;
  }

  std::int64_t n_;
};

template <class T>
void fetch(RowCache<T>& cache, const List& rows, std::int64_t n) {
  std::vector<const T*> out(rows.size());
  cache.fetch(rows, out.data(), {});
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (std::int64_t c = 0; c < n; ++c) CHECK(out[r][c] == static_cast<T>(Diary::value(rows[r], c)));
}

List range(std::int64_t first, std::int64_t last) {
  List rows(static_cast<std::size_t>(last - first));
  std::iota(rows.begin(), rows.end(), first);
  return rows;
}

template <class T>
constexpr std::int64_t row_bytes(std::int64_t n) {
  return mercer::padded<T>(n) * static_cast<std::int64_t>(sizeof(T));
}

template <class T>
void holds_what_fits() {
  for (const std::int64_t n : {1, 5, 16, 17, 100}) {
    Diary source(n);
    CHECK(RowCache<T>(source, 0, 0).capacity() == std::min<std::int64_t>(n, 16));
    CHECK(RowCache<T>(source, -1, 0).capacity() == std::min<std::int64_t>(n, 16));
    CHECK(RowCache<T>(source, 20 * row_bytes<T>(n), 0).capacity() == std::min<std::int64_t>(n, 20));
    CHECK(RowCache<T>(source, 21 * row_bytes<T>(n) - 1, 0).capacity() == std::min<std::int64_t>(n, 20));
    CHECK(RowCache<T>(source, std::int64_t{1} << 60, 0).capacity() == n);
    CHECK(source.computed.empty() && source.whole == 0);
  }
}

TEST(row_cache_capacity_is_what_the_bytes_hold) {
  holds_what_fits<float>();
  holds_what_fits<double>();
}

template <class T>
void serves_any_order() {
  const std::int64_t n = 90;
  reference::Random random(0);
  for (const std::int64_t capacity : {16, 40, 90}) {
    Diary source(n);
    RowCache<T> cache(source, capacity * row_bytes<T>(n), 0);
    List order = range(0, n);
    for (int call = 0; call < 120; ++call) {
      std::shuffle(order.begin(), order.end(), random);
      const List rows(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(random() % static_cast<std::uint64_t>(capacity + 1)));
      List absent;
      for (const std::int64_t r : rows)
        if (!cache.has({&r, 1})) absent.push_back(r);
      source.computed.clear();
      fetch(cache, rows, n);
      CHECK(source.computed == absent);  // what is there is not computed again
      if (call > 0 || !rows.empty()) CHECK(cache.has(rows));
    }
    CHECK(source.whole == 0 && !cache.complete());
  }
}

TEST(row_cache_computes_what_it_does_not_have) {
  serves_any_order<float>();
  serves_any_order<double>();
}

TEST(row_cache_gives_up_the_longest_unused) {
  const std::int64_t n = 64;
  Diary source(n);
  RowCache<double> cache(source, 0, 0);
  for (const std::int64_t r : range(0, 16)) fetch(cache, {r}, n);
  fetch(cache, range(4, 8), n);
  fetch(cache, {20, 21, 22}, n);
  for (const std::int64_t r : range(0, 16)) CHECK(cache.has({&r, 1}) == (r > 2));  // 0, 1 and 2 came first
  fetch(cache, {30, 31, 32, 33, 34}, n);
  CHECK(cache.has(List{4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 30, 31, 32, 33, 34}));
  // Rows of the same call never make room for each other, however old they were.
  fetch(cache, {12, 13, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53}, n);
  CHECK(cache.has(List{12, 13, 40, 53}) && !cache.has(List{30}));
}

TEST(row_cache_refuses_more_than_its_room) {
  const std::int64_t n = 40;
  Diary source(n);
  RowCache<float> cache(source, 0, 0);
  std::vector<const float*> out(17);
  const List many = range(0, 17);
  CHECK_THROWS(std::logic_error, cache.fetch(many, out.data(), {}));
  fetch(cache, range(10, 26), n);
  CHECK_THROWS(std::logic_error, cache.fetch(many, out.data(), {}));
  fetch(cache, range(0, 16), n);
}

template <class T>
void computes_all_at_once() {
  const std::int64_t n = 50;
  Diary source(n);
  RowCache<T> cache(source, std::int64_t{1} << 30, n);
  CHECK(source.whole == 0);  // not before it is needed
  for (int call = 0; call < 3; ++call) fetch(cache, {3, 1, 49}, n);
  fetch(cache, range(0, n), n);
  CHECK(cache.complete() && cache.capacity() == n && cache.has(range(0, n)));
  CHECK(source.whole == 1 && source.computed.empty());
  RowCache<T> small(source, 49 * row_bytes<T>(n), n), large(source, std::int64_t{1} << 30, n - 1);
  fetch(small, {7}, n);
  fetch(large, {7}, n);
  CHECK(!small.complete() && !large.complete());
  CHECK(source.whole == 1 && source.computed == (List{7, 7}));
}

TEST(row_cache_computes_a_small_matrix_at_once) {
  computes_all_at_once<float>();
  computes_all_at_once<double>();
}

TEST(row_cache_reads_a_held_matrix_in_place) {
  const std::int64_t n = 30, ld = 33;
  std::vector<float> matrix(static_cast<std::size_t>(n * ld));
  Diary(n).dense(matrix.data(), ld, {});
  mercer::MatrixSource<float> source(matrix.data(), ld, n);
  RowCache<float> cache(source, 0, 0);
  CHECK(cache.complete() && cache.capacity() == n && cache.has(range(0, n)));
  fetch(cache, range(0, n), n);
  const List rows{29, 4};
  const float* out[2];
  cache.fetch(rows, out, {});
  CHECK(out[0] == matrix.data() + 29 * ld && out[1] == matrix.data() + 4 * ld);
  RowCache<double> other(source, 0, 0);  // not the type the matrix has
  CHECK(!other.complete() && other.capacity() == 16);
  fetch(other, rows, n);
}

}  // namespace
