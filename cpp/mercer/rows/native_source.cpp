#include "mercer/rows/native_source.hpp"

#include <algorithm>
#include <type_traits>

namespace mercer {

NativeSource::NativeSource(const Program& program, const Side& side) : program_(program), side_(side) {}
NativeSource::~NativeSource() = default;

std::vector<std::int64_t> NativeSource::translated(Rows rows) const {
  std::vector<std::int64_t> data(rows.size());
  std::transform(rows.begin(), rows.end(), data.begin(), [&](std::int64_t r) { return side_.row(r); });
  return data;
}

Side NativeSource::view(const std::vector<std::int64_t>& rows) const {
  Side chosen = side_;
  chosen.selection = rows.data();
  chosen.n = static_cast<std::int64_t>(rows.size());
  return chosen;
}

void NativeSource::diagonal(double* out) { paired(Problem<double>(program_, side_, side_, {}), out, {1, {}}); }

template <class T>
void NativeSource::serve(Rows rows, T* out, std::int64_t ld, const Execution& execution) {
  const auto chosen = translated(rows);
  const Side left = view(chosen);
  const Problem<T> problem(program_, left, side_, {});
  auto& panels = [&]() -> std::unique_ptr<ColumnPanels<T>>& {
    if constexpr (std::is_same_v<T, float>) return single_;
    else return twice_;
  }();
  if (!panels) {
    TaskLoop loop(execution.threads, execution.cancelled);
    panels = std::make_unique<ColumnPanels<T>>(problem, loop);
  }
  gram(problem, *panels, out, ld, execution);
}

void NativeSource::rows(Rows rows, float* out, std::int64_t ld, const Execution& execution) { serve(rows, out, ld, execution); }
void NativeSource::rows(Rows rows, double* out, std::int64_t ld, const Execution& execution) { serve(rows, out, ld, execution); }

void NativeSource::dense(float* out, std::int64_t ld, const Execution& execution) {
  gram(Problem<float>(program_, side_, side_, {}), true, out, ld, execution);
}

void NativeSource::dense(double* out, std::int64_t ld, const Execution& execution) {
  gram(Problem<double>(program_, side_, side_, {}), true, out, ld, execution);
}

void NativeSource::block(Rows rows, Rows cols, double* out, std::int64_t ld, const Execution& execution) {
  const auto left_rows = translated(rows), right_rows = translated(cols);
  const Side left = view(left_rows), right = view(right_rows);
  gram(Problem<double>(program_, left, right, {}), false, out, ld, execution);
}

void NativeSource::product(Rows rows, const double* v, Rows cols, double* out, const Execution& execution) {
  const auto left_rows = translated(rows), right_rows = translated(cols);
  const Side left = view(left_rows), right = cols.empty() ? side_ : view(right_rows);
  weighted_sum(Problem<double>(program_, left, right, {}), v, out, execution);
}

void NativeSource::rough_product(Rows rows, const double* v, double* out, const Execution& execution) {
  const auto left_rows = translated(rows);
  const Side left = view(left_rows);
  weighted_sum(Problem<float>(program_, left, side_, {}), v, out, execution);
}

void NativeSource::self_product(Rows rows, const double* v, double* out, const Execution& execution) {
  const auto chosen = translated(rows);
  const Side side = view(chosen);
  matmul(Problem<double>(program_, side, side, {}), true, v, 1, out, execution);
}

std::unique_ptr<RowSource> NativeSource::subset(Rows rows) {
  auto part = std::make_unique<NativeSource>(program_, side_);
  part->selection_ = translated(rows);
  part->side_.selection = part->selection_.data();
  part->side_.n = static_cast<std::int64_t>(rows.size());
  return part;
}

}  // namespace mercer
