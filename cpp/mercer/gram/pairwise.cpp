#include "mercer/gram/pairwise.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <stdexcept>
#include <vector>

namespace mercer {
namespace {

// Rows and columns of a tile. Row tiles divide column tiles, so that a tile lies either wholly above the diagonal
// block of its column tile or wholly inside it.
struct Shape {
  std::int64_t rows, columns;
};

template <class T>
std::int64_t widest(const Problem<T>& problem) {
  std::int64_t d = 1;
  for (const Operand& o : problem.left.operands)
    if (o.storage == Storage::dense) d = std::max(d, o.d);
  return d;
}

// The largest shape whose right panel stays within 4 MB: very wide rows get narrower tiles, so that memory stays small and
// the wait between two polls short. 48 rows of up to a thousand numbers stay in a 512 kB cache beside the tile.
template <class T>
Shape tile_shape(const Problem<T>& problem) {
  const std::int64_t d = widest(problem);
  constexpr std::int64_t panel_bytes = 4 << 20;
  for (const std::int64_t columns : {192, 96, 48})
    if (columns * d * static_cast<std::int64_t>(sizeof(T)) <= panel_bytes) return {columns / 4, columns};
  return {4, 16};
}

}  // namespace

template <class T>
ColumnPanels<T>::ColumnPanels(const Problem<T>& problem, TaskLoop& loop) {
  const std::int64_t columns = tile_shape(problem).columns, n = problem.right.n;
  panels_.resize(static_cast<std::size_t>((n + columns - 1) / columns));
  loop.run(size(), Schedule::dynamic, [&](std::int64_t task, int) {
    panels_[static_cast<std::size_t>(task)].load(problem.right, problem.needs, Place::right, task * columns, std::min(columns, n - task * columns));
  });
}

namespace {

// Threads worth waking: a team costs some microseconds, and many more on a busy machine.
template <class T>
int team(const Problem<T>& problem, const Execution& execution) {
  constexpr double least = 2e6;  // operations of one thread
  const double work = static_cast<double>(problem.left.n) * static_cast<double>(problem.right.n) * static_cast<double>(widest(problem) + 16);
  return static_cast<int>(std::clamp(work / least, 1.0, static_cast<double>(std::max(1, execution.threads))));
}

// The tiles of one call, one per thread, made when a thread first needs its own; they share the packed left rows.
template <class T>
class Tiles {
 public:
  Tiles(const Problem<T>& problem, std::int64_t column_tiles, TaskLoop& loop)
      : problem_(problem), left_rows_(problem.left, problem.needs, column_tiles, loop), tiles_(static_cast<std::size_t>(loop.threads())) {}
  Tile<T>& of(int thread) {
    auto& slot = tiles_[static_cast<std::size_t>(thread)];
    if (!slot) slot = std::make_unique<Tile<T>>(problem_, &left_rows_);
    return *slot;
  }

 private:
  const Problem<T>& problem_;
  LeftRows<T> left_rows_;
  std::vector<std::unique_ptr<Tile<T>>> tiles_;
};

template <class T>
void mirror_diagonal(T* out, std::int64_t ld, std::int64_t first, std::int64_t last) {
  for (std::int64_t i = first; i < last; ++i)
    for (std::int64_t j = i + 1; j < last; ++j) out[j * ld + i] = out[i * ld + j];
}

template <class T>
void symmetric_gram(const Problem<T>& problem, T* out, std::int64_t ld, TaskLoop& loop) {
  const Shape shape = tile_shape(problem);
  const std::int64_t n = problem.left.n, tasks = (n + shape.columns - 1) / shape.columns;
  Tiles<T> tiles(problem, tasks, loop);
  const auto transpose = active_table().of<T>().transpose;
  loop.run(tasks, Schedule::dynamic, [&](std::int64_t task, int thread) {
    Tile<T>& tile = tiles.of(thread);
    const std::int64_t j0 = (tasks - 1 - task) * shape.columns, j1 = std::min(j0 + shape.columns, n);  // longest first
    tile.load_right(j0, j1 - j0);
    for (std::int64_t i0 = 0; i0 < j1; i0 += shape.rows) {
      if (loop.stop()) return;
      const std::int64_t i1 = std::min(i0 + shape.rows, j1);
      tile.load_left(i0, i1 - i0);
      tile.evaluate(out + i0 * ld + j0, ld);
      if (i0 < j0) transpose(out + i0 * ld + j0, ld, i1 - i0, j1 - j0, out + j0 * ld + i0);
    }
    mirror_diagonal(out, ld, j0, j1);
  });
}

template <class T>
void rectangular_gram(const Problem<T>& problem, T* out, std::int64_t ld, TaskLoop& loop) {
  const Shape shape = tile_shape(problem);
  const std::int64_t m = problem.left.n, n = problem.right.n;
  const std::int64_t across = (n + shape.columns - 1) / shape.columns;
  // Enough tasks for every thread, yet each loads its right panel for many left ones.
  const std::int64_t row_tiles = (m + shape.rows - 1) / shape.rows;
  const std::int64_t parts =
      std::clamp<std::int64_t>(4 * loop.threads() / std::max<std::int64_t>(across, 1), 1, std::max<std::int64_t>(row_tiles, 1));
  const std::int64_t part = (row_tiles + parts - 1) / parts * shape.rows;
  Tiles<T> tiles(problem, across, loop);
  loop.run(across * parts, Schedule::dynamic, [&](std::int64_t task, int thread) {
    Tile<T>& tile = tiles.of(thread);
    const std::int64_t j0 = task / parts * shape.columns, begin = task % parts * part, end = std::min(begin + part, m);
    if (begin >= end) return;
    tile.load_right(j0, std::min(shape.columns, n - j0));
    for (std::int64_t i0 = begin; i0 < end; i0 += shape.rows) {
      if (loop.stop()) return;
      tile.load_left(i0, std::min(shape.rows, end - i0));
      tile.evaluate(out + i0 * ld + j0, ld);
    }
  });
}

// As above, with right panels that are there already.
template <class T>
void panelled_gram(const Problem<T>& problem, const ColumnPanels<T>& panels, T* out, std::int64_t ld, TaskLoop& loop) {
  const std::int64_t rows = tile_shape(problem).rows, m = problem.left.n;
  Tiles<T> tiles(problem, panels.size(), loop);
  loop.run(panels.size(), Schedule::dynamic, [&](std::int64_t task, int thread) {
    Tile<T>& tile = tiles.of(thread);
    tile.use_right(panels[task]);
    for (std::int64_t i0 = 0; i0 < m; i0 += rows) {
      if (loop.stop()) return;
      tile.load_left(i0, std::min(rows, m - i0));
      tile.evaluate(out + i0 * ld + panels[task].first, ld);
    }
  });
}

// The right-hand sides of a product in the layout of a right panel, so that any run of rows of V is one.
template <class T>
class Vectors {
 public:
  Vectors(const T* v, std::int64_t n, std::int64_t columns)
      : columns_(columns), stride_(n * lanes<T>), data_(static_cast<std::size_t>(n * padded<T>(columns)), T(0)) {
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t c = 0; c < columns; ++c)
        data_[static_cast<std::size_t>(c / lanes<T> * stride_ + i * lanes<T> + c % lanes<T>)] = v[i * columns + c];
  }
  Chunked<T> rows_from(std::int64_t first) const { return {data_.data() + first * lanes<T>, stride_}; }
  std::int64_t columns() const { return columns_; }

 private:
  std::int64_t columns_, stride_;
  std::vector<T> data_;
};

// sum (m × padded columns) += A V with the rows of V from `first` on; float products are added in double.
template <class T>
void add_product(Strided<T> a, const Vectors<T>& v, std::int64_t first, std::int64_t m, std::int64_t depth, double* sum, std::vector<T>& scratch) {
  const auto product = active_table().of<T>().product;
  const std::int64_t width = padded<T>(v.columns());
  if constexpr (sizeof(T) == 8) {
    product(a, v.rows_from(first), m, v.columns(), depth, sum, width, true);
  } else {
    scratch.resize(static_cast<std::size_t>(m * width));
    product(a, v.rows_from(first), m, v.columns(), depth, scratch.data(), width, false);
    for (std::int64_t i = 0; i < m; ++i)
      for (std::int64_t c = 0; c < v.columns(); ++c) sum[i * width + c] += static_cast<double>(scratch[static_cast<std::size_t>(i * width + c)]);
  }
}

// What a thread needs to multiply tiles as they come.
template <class T>
struct Multiplier {
  std::vector<T> tile, scratch;
  std::vector<double> sum;
};

template <class T>
void symmetric_matmul(const Problem<T>& problem, const Vectors<T>& v, double* out, TaskLoop& loop) {
  const Shape shape = tile_shape(problem);
  const std::int64_t n = problem.left.n, tasks = (n + shape.columns - 1) / shape.columns, width = padded<T>(v.columns());
  Tiles<T> tiles(problem, tasks, loop);
  std::vector<Multiplier<T>> multipliers(static_cast<std::size_t>(loop.threads()));
  loop.run(tasks, Schedule::cyclic, [&](std::int64_t task, int thread) {
    Tile<T>& tile = tiles.of(thread);
    auto& [block, scratch, sum] = multipliers[static_cast<std::size_t>(thread)];
    block.resize(static_cast<std::size_t>(shape.rows * shape.columns));
    sum.resize(static_cast<std::size_t>(n * width), 0.0);
    const std::int64_t j0 = (tasks - 1 - task) * shape.columns, j1 = std::min(j0 + shape.columns, n);
    tile.load_right(j0, j1 - j0);
    for (std::int64_t i0 = 0; i0 < j1; i0 += shape.rows) {
      if (loop.stop()) return;
      const std::int64_t m = std::min(i0 + shape.rows, j1) - i0;
      tile.load_left(i0, m);
      tile.evaluate(block.data(), shape.columns);
      add_product<T>({block.data(), shape.columns, 1}, v, j0, m, j1 - j0, sum.data() + i0 * width, scratch);
      if (i0 < j0) add_product<T>({block.data(), 1, shape.columns}, v, i0, j1 - j0, m, sum.data() + j0 * width, scratch);
    }
  });
  std::fill_n(out, n * v.columns(), 0.0);
  for (const auto& multiplier : multipliers)
    for (std::int64_t i = 0; i < (multiplier.sum.empty() ? 0 : n); ++i)
      for (std::int64_t c = 0; c < v.columns(); ++c) out[i * v.columns() + c] += multiplier.sum[static_cast<std::size_t>(i * width + c)];
}

// Sums of every group of columns, which begin at `starts`; `out` is groups × m × columns.
template <class T>
void rectangular_matmul(const Problem<T>& problem, std::span<const std::int64_t> starts, const Vectors<T>& v, double* out, TaskLoop& loop) {
  const Shape shape = tile_shape(problem);
  const std::int64_t m = problem.left.n, n = problem.right.n, width = padded<T>(v.columns());
  const std::int64_t groups = static_cast<std::int64_t>(starts.size()) - 1;
  Tiles<T> tiles(problem, 1, loop);  // a left panel meets every right one in turn: nothing to pack ahead
  const bool many = m > shape.rows && n * widest(problem) * static_cast<std::int64_t>(sizeof(T)) <= (std::int64_t{64} << 20);
  const std::optional<ColumnPanels<T>> panels = many ? std::optional<ColumnPanels<T>>(std::in_place, problem, loop) : std::nullopt;
  std::vector<Multiplier<T>> multipliers(static_cast<std::size_t>(loop.threads()));
  // A task owns its rows of the result, so threads share no sums.
  loop.run((m + shape.rows - 1) / shape.rows, Schedule::dynamic, [&](std::int64_t task, int thread) {
    Tile<T>& tile = tiles.of(thread);
    auto& [block, scratch, sum] = multipliers[static_cast<std::size_t>(thread)];
    block.resize(static_cast<std::size_t>(shape.rows * shape.columns));
    sum.assign(static_cast<std::size_t>(groups * shape.rows * width), 0.0);
    const std::int64_t i0 = task * shape.rows, rows = std::min(shape.rows, m - i0);
    tile.load_left(i0, rows);
    std::int64_t group = 0;
    for (std::int64_t j0 = 0; j0 < n; j0 += shape.columns) {
      if (loop.stop()) return;
      const std::int64_t columns = std::min(shape.columns, n - j0);
      if (panels) tile.use_right((*panels)[j0 / shape.columns]);
      else tile.load_right(j0, columns);
      tile.evaluate(block.data(), shape.columns);
      for (std::int64_t from = j0; from < j0 + columns;) {
        while (starts[static_cast<std::size_t>(group + 1)] <= from) ++group;
        const std::int64_t to = std::min(j0 + columns, starts[static_cast<std::size_t>(group + 1)]);
        add_product<T>({block.data() + (from - j0), shape.columns, 1}, v, from, rows, to - from, sum.data() + group * shape.rows * width, scratch);
        from = to;
      }
    }
    for (std::int64_t g = 0; g < groups; ++g)
      for (std::int64_t i = 0; i < rows; ++i)
        std::copy_n(sum.data() + (g * shape.rows + i) * width, v.columns(), out + (g * m + i0 + i) * v.columns());
  });
}

// ---- paired rows ---------------------------------------------------------------------------------------------------

double paired_dot(const Operand& a, std::int64_t i, const Operand& b, std::int64_t j) {
  if (a.storage == Storage::csr) return sparse_dot(a, i, b, j);
  double sum = 0.0;
  for (std::int64_t k = 0; k < a.d; ++k) sum += element(a.left, i, k) * element(b.right, j, k);
  return sum;
}

// Working memory of `paired_coordinates`.
template <class T>
struct PairedRows {
  std::vector<T> x, z, scale;
};

template <class T>
T paired_coordinates(const Program& program, const Step& s, const Operand& a, std::int64_t i, const Operand& b, std::int64_t j,
                     const RowKernels<T>& kernels, PairedRows<T>& rows) {
  if (a.storage == Storage::csr) return static_cast<T>(sparse_coordinate_sum(s.op, a, i, b, j));
  rows.x.resize(static_cast<std::size_t>(a.d));
  rows.z.assign(static_cast<std::size_t>(a.d * lanes<T>), T(0));
  if (a.scale) rows.scale.assign(a.scale, a.scale + a.d);
  for (std::int64_t k = 0; k < a.d; ++k) {
    rows.x[static_cast<std::size_t>(k)] = static_cast<T>(element(a.left, i, k));
    rows.z[static_cast<std::size_t>(k * lanes<T>)] = static_cast<T>(element(b.right, j, k));
  }
  T out[lanes<T>];
  if (s.op == Op::interactions) kernels.interactions(program.interactions(s), rows.x.data(), rows.z.data(), out, lanes<T>);
  else kernels.coordinates(s, rows.x.data(), rows.z.data(), a.scale ? rows.scale.data() : nullptr, a.d, out, lanes<T>);
  return out[0];
}

}  // namespace

template <class T>
void gram(const Problem<T>& problem, bool symmetric, T* out, std::int64_t ld, const Execution& execution) {
  if (symmetric && problem.left.n != problem.right.n) throw std::invalid_argument("gram: a symmetric matrix needs equal sides");
  TaskLoop loop(team(problem, execution), execution.cancelled);
  if (symmetric) symmetric_gram(problem, out, ld, loop);
  else rectangular_gram(problem, out, ld, loop);
}

template <class T>
void gram(const Problem<T>& problem, const ColumnPanels<T>& panels, T* out, std::int64_t ld, const Execution& execution) {
  TaskLoop loop(team(problem, execution), execution.cancelled);
  panelled_gram(problem, panels, out, ld, loop);
}

template <class T>
void matmul(const Problem<T>& problem, bool symmetric, const T* v, std::int64_t columns, double* out, const Execution& execution) {
  if (symmetric && problem.left.n != problem.right.n) throw std::invalid_argument("matmul: a symmetric matrix needs equal sides");
  TaskLoop loop(team(problem, execution), execution.cancelled);
  const Vectors<T> vectors(v, problem.right.n, columns);
  const std::array<std::int64_t, 2> whole = {0, problem.right.n};
  if (symmetric) symmetric_matmul(problem, vectors, out, loop);
  else rectangular_matmul<T>(problem, whole, vectors, out, loop);
}

template <class T>
void grouped_matmul(const Problem<T>& problem, std::span<const std::int64_t> starts, const T* v, std::int64_t columns, double* out,
                    const Execution& execution) {
  if (starts.size() < 2 || starts.front() != 0 || starts.back() != problem.right.n || !std::ranges::is_sorted(starts))
    throw std::invalid_argument("grouped_matmul: groups must be consecutive and hold every right sample");
  TaskLoop loop(team(problem, execution), execution.cancelled);
  rectangular_matmul(problem, starts, Vectors<T>(v, problem.right.n, columns), out, loop);
}

template <class T>
void weighted_sum(const Problem<T>& problem, const double* v, double* out, const Execution& execution) {
  const Shape shape = tile_shape(problem);
  const std::int64_t m = problem.left.n, n = problem.right.n, tasks = (n + shape.columns - 1) / shape.columns;
  const auto accumulate = active_table().of<T>().accumulate;
  TaskLoop loop(team(problem, execution), execution.cancelled);
  Tiles<T> tiles(problem, tasks, loop);
  loop.run(tasks, Schedule::dynamic, [&](std::int64_t task, int thread) {
    Tile<T>& tile = tiles.of(thread);
    const std::int64_t j0 = task * shape.columns, columns = std::min(shape.columns, n - j0);
    std::vector<T> block(static_cast<std::size_t>(shape.rows * shape.columns));
    std::vector<const T*> rows;
    for (std::int64_t r = 0; r < shape.rows; ++r) rows.push_back(block.data() + r * shape.columns);
    std::fill_n(out + j0, columns, 0.0);
    tile.load_right(j0, columns);
    for (std::int64_t i0 = 0; i0 < m; i0 += shape.rows) {
      if (loop.stop()) return;
      const std::int64_t here = std::min(shape.rows, m - i0);
      tile.load_left(i0, here);
      tile.evaluate(block.data(), shape.columns);
      accumulate(v + i0, rows.data(), here, out + j0, columns);
    }
  });
}

template <class T>
void paired(const Problem<T>& problem, T* out, const Execution& execution) {
  if (problem.left.n != problem.right.n) throw std::invalid_argument("paired: both sides need the same number of rows");
  constexpr std::int64_t chunk = 256;
  const RowKernels<T>& kernels = active_table().of<T>();
  TaskLoop loop(execution.threads, execution.cancelled);
  loop.run((problem.left.n + chunk - 1) / chunk, Schedule::dynamic, [&](std::int64_t task, int) {
    const std::int64_t first = task * chunk, n = std::min(chunk, problem.left.n - first);
    std::vector<std::vector<T>> stack(static_cast<std::size_t>(problem.program.depth()), std::vector<T>(static_cast<std::size_t>(n)));
    PairedRows<T> rows;
    std::vector<T> factor(static_cast<std::size_t>(n));
    std::size_t height = 0;
    for (const Step& s : problem.program.steps()) {
      const auto arg = static_cast<std::size_t>(s.arg);
      if (is_source(s.op)) {
        auto& top = stack[height++];
        for (std::int64_t p = 0; p < n; ++p) {
          const std::int64_t i = problem.left.row(first + p), j = problem.right.row(first + p);
          T& value = top[static_cast<std::size_t>(p)];
          if (s.op == Op::constant) value = static_cast<T>(s.a);
          else if (s.op == Op::input) value = problem.inputs[arg].data[(first + p) * problem.inputs[arg].row_stride];
          else if (s.op == Op::dot) value = static_cast<T>(paired_dot(problem.left.operands[arg], i, problem.right.operands[arg], j));
          else if (s.op == Op::sqdist) value = static_cast<T>(exact_sqdist(problem.left.operands[arg], i, problem.right.operands[arg], j));
          else value = paired_coordinates(problem.program, s, problem.left.operands[arg], i, problem.right.operands[arg], j, kernels, rows);
        }
      } else if (is_join(s.op)) {
        --height;
        kernels.join(s.op, stack[height - 1].data(), stack[height].data(), n);
      } else {
        if (is_outer(s.op))  // both factors in one: their product for a scale, their sum for a ratio
          for (std::int64_t p = 0; p < n; ++p) {
            const double l = problem.left.factors[arg][problem.left.row(first + p)], r = problem.right.factors[arg][problem.right.row(first + p)];
            factor[static_cast<std::size_t>(p)] = static_cast<T>(s.op == Op::outer_scale ? l * r : l + r);
          }
        kernels.map(s, problem.program.pool(), stack[height - 1].data(), n, s.op == Op::outer_scale ? T(1) : T(0), factor.data());
      }
    }
    std::copy_n(stack[0].data(), n, out + first);
  });
}

template void gram<float>(const Problem<float>&, bool, float*, std::int64_t, const Execution&);
template void gram<double>(const Problem<double>&, bool, double*, std::int64_t, const Execution&);
template class ColumnPanels<float>;
template class ColumnPanels<double>;
template void gram<float>(const Problem<float>&, const ColumnPanels<float>&, float*, std::int64_t, const Execution&);
template void gram<double>(const Problem<double>&, const ColumnPanels<double>&, double*, std::int64_t, const Execution&);
template void matmul<float>(const Problem<float>&, bool, const float*, std::int64_t, double*, const Execution&);
template void matmul<double>(const Problem<double>&, bool, const double*, std::int64_t, double*, const Execution&);
template void grouped_matmul<float>(const Problem<float>&, std::span<const std::int64_t>, const float*, std::int64_t, double*, const Execution&);
template void grouped_matmul<double>(const Problem<double>&, std::span<const std::int64_t>, const double*, std::int64_t, double*, const Execution&);
template void weighted_sum<float>(const Problem<float>&, const double*, double*, const Execution&);
template void weighted_sum<double>(const Problem<double>&, const double*, double*, const Execution&);
template void paired<float>(const Problem<float>&, float*, const Execution&);
template void paired<double>(const Problem<double>&, double*, const Execution&);

}  // namespace mercer
