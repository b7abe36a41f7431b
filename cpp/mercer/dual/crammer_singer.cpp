// The sequential dual method of Keerthi, Sundararajan, Chang, Hsieh & Lin (2008, doi:10.1145/1401890.1401942): one sample at
// a time is solved exactly. The worst samples form a block that is optimised on its own rows; then the change is carried to
// the gradient of all. That is kept in double and computed anew in double before anything is called done.
#include "mercer/dual/crammer_singer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>

#include "mercer/dual/constants.hpp"
#include "mercer/dual/sample_step.hpp"
#include "mercer/gram/row_kernels.hpp"
#include "mercer/rows/row_cache.hpp"

namespace mercer {
namespace {

// One sample; its gradient has the given stride.
double violation_of(const double* beta, const double* gradient, std::int64_t stride, std::int64_t classes, std::int64_t label, double bound) {
  double high = -infinity, low = infinity;
  for (std::int64_t m = 0; m < classes; ++m) {
    const double g = gradient[m * stride];
    high = std::max(high, g);
    if (beta[m] < (m == label ? bound : 0.0)) low = std::min(low, g);
  }
  return high - low;
}

// β (by samples), its gradient (by classes, so that a row of K is added to it in one go) and what the run has cost so far.
struct State {
  double* beta;
  std::vector<double> gradient;                    // follows every step, with the rounding of the rows
  std::vector<double> exact_beta, exact_gradient;  // where the gradient was last computed in double
  std::int64_t iterations = 0;
  bool negative_curvature = false;
  double largest = 0;  // |K_ii| seen
};

std::vector<double> violations(const CrammerSingerProblem& p, const State& state) {
  std::vector<double> v(at(p.n));
  for (std::int64_t i = 0; i < p.n; ++i)
    v[at(i)] = violation_of(state.beta + i * p.classes, state.gradient.data() + i, p.n, p.classes, p.label[i], p.bound[i]);
  return v;
}

double largest(const std::vector<double>& v) {
  return std::transform_reduce(v.begin(), v.end(), 0.0, [](double a, double b) { return std::max(a, b); }, [](double x) { return std::abs(x); });
}

// gradient_m += Σ_r steps_rm rows_r for every class m. `steps` are by rows.
template <class T>
void spread(const std::vector<double>& steps, const std::vector<const T*>& rows, std::int64_t classes, std::int64_t n, double* gradient,
            const Execution& execution) {
  constexpr std::int64_t chunk = 256;  // of the columns: a block of rows stays in the cache from class to class
  std::vector<std::vector<double>> step(at(classes));
  std::vector<std::vector<const T*>> row(at(classes));
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (std::int64_t m = 0; m < classes; ++m)
      if (const double s = steps[r * at(classes) + at(m)]; s != 0.0) step[at(m)].push_back(s), row[at(m)].push_back(rows[r]);
  TaskLoop loop(n > 8 * chunk ? execution.threads : 1, execution.cancelled);
  loop.run((n + chunk - 1) / chunk, Schedule::dynamic, [&](std::int64_t task, int) {
    const std::int64_t first = task * chunk;
    std::vector<const T*> here;
    for (std::int64_t m = 0; m < classes; ++m) {
      here = row[at(m)];
      for (auto& r : here) r += first;
      active_table().of<T>().accumulate(step[at(m)].data(), here.data(), static_cast<std::int64_t>(here.size()), gradient + m * n + first,
                                        std::min(chunk, n - first));
    }
  });
}

template <class T>
class BlockDescent {
 public:
  BlockDescent(RowSource& source, const CrammerSingerProblem& problem, const DualOptions& options, State& state)
      : source_(source), problem_(problem), options_(options), state_(state), step_(problem.classes),
        cache_(source, options.cache_bytes, source.cheap() ? 0 : whole_limit) {}

  // Steps until the gradient at hand violates no condition by more than tol, or the iterations are used up, or no step helps.
  void run(double tol);
  // Computes the gradient from β alone, in double.
  void refresh();

 private:
  struct Block {
    std::vector<std::int64_t> set;  // ascending
    std::vector<const T*> rows;     // whole
    std::vector<const T*> among;    // over the set only, gathered when they are first needed
    std::vector<double> beta, gradient;
    std::int64_t stride = 0;  // of the gradient, from class to class
    std::int64_t size() const { return static_cast<std::int64_t>(set.size()); }
  };
  std::int64_t room() const { return std::max<std::int64_t>(1, std::min(options_.working_set, cache_.capacity())); }
  double rounding() const;
  double noise() const;
  std::vector<std::int64_t> choose(const std::vector<double>& violation) const;
  Block gather(std::vector<std::int64_t> set);
  const T* among(Block& block, std::int64_t a);
  bool optimise(Block& block, double tol);
  void carry(const Block& block);

  RowSource& source_;
  const CrammerSingerProblem& problem_;
  const DualOptions& options_;
  State& state_;
  SampleStep step_;
  RowCache<T> cache_;
  std::unique_ptr<T[]> store_;  // of rows among a block, kept from one to the next
  std::int64_t stored_ = 0;
};

// The most violating samples, as far as there is room.
template <class T>
std::vector<std::int64_t> BlockDescent<T>::choose(const std::vector<double>& violation) const {
  std::vector<std::int64_t> set;
  for (std::int64_t i = 0; i < problem_.n; ++i)
    if (violation[at(i)] > 0) set.push_back(i);
  if (static_cast<std::int64_t>(set.size()) > room()) {
    // Ties, which is all there is at the start, are broken by a scattering of the numbers, not by their order.
    const auto scattered = [](std::int64_t i) { return static_cast<std::uint64_t>(i) * 0x9E3779B97F4A7C15u; };
    std::nth_element(set.begin(), set.begin() + room(), set.end(), [&](std::int64_t a, std::int64_t b) {
      return violation[at(a)] != violation[at(b)] ? violation[at(a)] > violation[at(b)] : scattered(a) < scattered(b);
    });
    set.resize(at(room()));
    std::sort(set.begin(), set.end());
  }
  return set;
}

template <class T>
typename BlockDescent<T>::Block BlockDescent<T>::gather(std::vector<std::int64_t> set) {
  Block block;
  block.set = std::move(set);
  const std::int64_t s = block.size(), n = problem_.n, k = problem_.classes;
  block.rows.resize(block.set.size());
  cache_.fetch(block.set, block.rows.data(), options_.execution);
  block.among.assign(block.set.size(), nullptr);
  if (s == n) block.among = block.rows;
  else if (stored_ < s * s) store_ = std::make_unique_for_overwrite<T[]>(at(s * s)), stored_ = s * s;
  block.stride = s + 8;  // a power of two would map all classes of a sample to the same lines of the cache
  block.beta.resize(at(s * k));
  block.gradient.resize(at(block.stride * k));
  for (std::int64_t a = 0; a < s; ++a) {
    const std::int64_t i = block.set[at(a)];
    state_.largest = std::max(state_.largest, std::abs(static_cast<double>(block.rows[at(a)][i])));
    std::copy_n(state_.beta + i * k, k, block.beta.data() + a * k);
    for (std::int64_t m = 0; m < k; ++m) block.gradient[at(m * block.stride + a)] = state_.gradient[at(m * n + i)];
  }
  return block;
}

template <class T>
const T* BlockDescent<T>::among(Block& block, std::int64_t a) {
  const T*& known = block.among[at(a)];
  if (known) return known;
  T* part = store_.get() + a * block.size();
  std::transform(block.set.begin(), block.set.end(), part, [whole = block.rows[at(a)]](std::int64_t j) { return whole[j]; });
  return known = part;
}

// Sweeps over the block until none of it violates by more than tol. Only samples near the worst of the sweep before are worth
// a step: finding out costs far less than taking it. Says whether anything has moved.
template <class T>
bool BlockDescent<T>::optimise(Block& block, double tol) {
  constexpr std::int64_t poll = 512, most_sweeps = 1000;
  const std::int64_t s = block.size(), k = problem_.classes, stride = block.stride;
  const auto& kernels = active_table().of<T>();
  const double tiny = tiny_share * (state_.largest > 0 ? state_.largest : 1.0);
  std::vector<double> gradient(at(k)), before(at(k));
  double bar = tol;
  bool moved = false;
  for (std::int64_t sweep = 0; sweep < most_sweeps; ++sweep) {
    double worst = 0.0;
    bool swept = false;
    for (std::int64_t a = 0; a < s; ++a) {
      const std::int64_t i = block.set[at(a)], label = problem_.label[i];
      double* beta = block.beta.data() + a * k;
      const double v = violation_of(beta, block.gradient.data() + a, stride, k, label, problem_.bound[i]);
      worst = std::max(worst, v);
      if (!(v > bar)) continue;
      if (options_.exhausted(state_.iterations)) return moved || swept;
      if (state_.iterations++ % poll == poll - 1 && options_.execution.cancelled && options_.execution.cancelled()) throw Interrupted{};
      for (std::int64_t m = 0; m < k; ++m) gradient[at(m)] = block.gradient[at(m * stride + a)];
      std::copy_n(beta, k, before.begin());
      const T* row = among(block, a);
      step_.solve(std::max(static_cast<double>(row[a]), tiny), gradient.data(), label, problem_.bound[i], beta);
      swept |= !std::equal(before.begin(), before.end(), beta);
      for (std::int64_t m = 0; m < k; ++m)
        if (const double step = beta[m] - before[at(m)]; step != 0.0) kernels.accumulate(&step, &row, 1, block.gradient.data() + m * stride, s);
    }
    moved |= swept;
    if (!(worst > tol) || (!swept && bar <= tol)) break;
    bar = std::max(tol, 0.5 * worst);
  }
  return moved;
}

// gradient += K Δβ over all samples. Before that, the block shows the curvature of K along Δβ.
template <class T>
void BlockDescent<T>::carry(const Block& block) {
  const std::int64_t s = block.size(), n = problem_.n, k = problem_.classes;
  std::vector<double> steps = block.beta;
  for (std::int64_t m = 0; m < k; ++m) {
    double curvature = 0.0, square = 0.0, absolute = 0.0, high = 0.0;
    for (std::int64_t a = 0; a < s; ++a) {
      const std::int64_t i = block.set[at(a)];
      const double step = steps[at(a * k + m)] -= state_.beta[i * k + m], gradient = block.gradient[at(m * block.stride + a)];
      curvature += step * (gradient - state_.gradient[at(m * n + i)]);
      square += step * step;
      absolute += std::abs(step);
      high = std::max(high, std::abs(gradient));
    }
    state_.negative_curvature |= curvature < -negative_share<T> * state_.largest * square - 1e-12 * high * absolute;
  }
  for (std::int64_t a = 0; a < s; ++a) std::copy_n(block.beta.data() + a * k, k, state_.beta + block.set[at(a)] * k);
  spread(steps, block.rows, k, n, state_.gradient.data(), options_.execution);
}

// Of the gradient, computed in double: nothing below it can be asked for.
template <class T>
double BlockDescent<T>::rounding() const {
  const double bound = *std::max_element(problem_.bound, problem_.bound + problem_.n);
  return 16 * std::numeric_limits<double>::epsilon() * std::max(largest(state_.gradient), bound * state_.largest);
}

// What the rounding of the rows can make of the gradient.
template <class T>
double BlockDescent<T>::noise() const {
  double sum = 0.0;
  for (std::int64_t i = 0; i < problem_.n; ++i) sum += state_.beta[i * problem_.classes + problem_.label[i]];
  return static_cast<double>(std::numeric_limits<T>::epsilon()) * state_.largest * sum;
}

template <class T>
void BlockDescent<T>::run(double tol) {
  const std::int64_t patience = 100 + 10 * (problem_.n / room());
  double lowest = infinity;
  for (std::int64_t stale = 0; !options_.exhausted(state_.iterations);) {
    const std::vector<double> violation = violations(problem_, state_);
    const double worst = largest(violation);
    if (options_.progress) options_.progress->round(worst);
    if (!(worst > std::max(tol, 0.0)) || !(worst > rounding())) return;
    // Rounded rows need not be symmetric: then there may be no end to it once the violation is down to their noise.
    if (worst < 0.9 * lowest) lowest = worst, stale = 0;
    else if (worst < noise() && ++stale > patience) return;
    Block block = gather(choose(violation));
    if (!optimise(block, std::max(0.5 * tol, 0.5 * worst))) return;  // more would overshoot, as the others stand still
    carry(block);
  }
}

// What has changed since the gradient was last exact costs rows in double; the rest is exact already. Rows, not a product per
// class, since each of these would compute the same values.
template <class T>
void BlockDescent<T>::refresh() {
  const std::int64_t n = problem_.n, k = problem_.classes;
  std::vector<std::int64_t> changed;
  for (std::int64_t i = 0; i < n; ++i)
    if (!std::equal(state_.beta + i * k, state_.beta + (i + 1) * k, state_.exact_beta.begin() + i * k)) changed.push_back(i);
  if (source_.dear() && state_.iterations > 0 && !(sizeof(T) == 8 && cache_.has(changed))) return;
  const std::int64_t ld = padded<double>(n), together = std::max<std::int64_t>(1, (std::int64_t{1} << 21) / std::max<std::int64_t>(ld, 1));
  std::vector<double> store;
  for (std::size_t first = 0; first < changed.size();) {
    const std::size_t count = std::min({changed.size() - first, at(together), at(cache_.capacity())});
    const Rows part = Rows(changed).subspan(first, count);
    std::vector<const double*> rows(count);
    if constexpr (sizeof(T) == 8) {
      cache_.fetch(part, rows.data(), options_.execution);
    } else {
      store.resize(count * at(ld));
      source_.rows(part, store.data(), ld, options_.execution);
      for (std::size_t r = 0; r < count; ++r) rows[r] = store.data() + r * at(ld);
    }
    std::vector<double> steps;
    for (const std::int64_t i : part)
      for (std::int64_t m = 0; m < k; ++m) steps.push_back(state_.beta[i * k + m] - state_.exact_beta[at(i * k + m)]);
    spread(steps, rows, k, n, state_.exact_gradient.data(), options_.execution);
    first += count;
  }
  std::copy_n(state_.beta, n * k, state_.exact_beta.begin());
  state_.gradient = state_.exact_gradient;
}

void check(const RowSource& source, const CrammerSingerProblem& p) {
  const auto refuse = [](const std::string& what) { throw std::invalid_argument("crammer_singer: " + what); };
  if (source.n() != p.n) refuse("the source has " + std::to_string(source.n()) + " rows for " + std::to_string(p.n) + " samples");
  for (std::int64_t i = 0; i < p.n; ++i) {
    const auto at_sample = [i](auto value) { return std::to_string(value) + " of sample " + std::to_string(i); };
    if (p.label[i] < 0 || p.label[i] >= p.classes) refuse("label " + at_sample(p.label[i]) + " is not in [0, " + std::to_string(p.classes) + ")");
    if (!(p.bound[i] > 0 && std::isfinite(p.bound[i]))) refuse("bound " + at_sample(p.bound[i]) + " is not positive and finite");
  }
}

// Objective and gap. Σ_m β_im G_im + C_i (max_m G_im − G_{i,y_i}) is what sample i adds to the gap; in slacks all its terms are ≥ 0.
void certify(const CrammerSingerProblem& problem, const State& state, CrammerSingerResult& result) {
  const std::int64_t n = problem.n, k = problem.classes;
  for (std::int64_t i = 0; i < n; ++i) {
    const double* beta = state.beta + i * k;
    double high = -infinity;
    for (std::int64_t m = 0; m < k; ++m) high = std::max(high, state.gradient[at(m * n + i)]);
    for (std::int64_t m = 0; m < k; ++m) {
      const double g = state.gradient[at(m * n + i)], own = m == problem.label[i];
      result.objective += beta[m] * (g + (1 - own)) / 2;
      result.gap += (own * problem.bound[i] - beta[m]) * (high - g);
    }
  }
}

}  // namespace

CrammerSingerResult solve_crammer_singer(RowSource& source, const CrammerSingerProblem& problem, double* beta, const DualOptions& given) {
  constexpr int most_refinements = 30;
  check(source, problem);
  const DualOptions options = given.bounded(problem.n);
  const std::int64_t n = problem.n, k = problem.classes;
  State state{beta, {}, std::vector<double>(at(n * k), 0.0), std::vector<double>(at(n * k), 1.0)};
  std::vector<double> slack(at(k));
  for (std::int64_t i = 0; i < n; ++i) {
    state.exact_gradient[at(problem.label[i] * n + i)] = 0.0;
    for (std::int64_t m = 0; m < k; ++m) slack[at(m)] = (m == problem.label[i] ? problem.bound[i] : 0.0) - beta[i * k + m];
    settle(slack, problem.label[i], problem.bound[i], beta + i * k);
  }
  std::optional<BlockDescent<float>> coarse;
  std::optional<BlockDescent<double>> fine;
  if (source.prefers_float()) coarse.emplace(source, problem, options, state).refresh();
  else fine.emplace(source, problem, options, state).refresh();
  const auto out_of_steps = [&] { return options.exhausted(state.iterations); };

  CrammerSingerResult result;
  const double goal = 0.9 * options.tol;  // leaves something for the rounding of the rows
  double worst = infinity;
  for (int refinement = 0;; ++refinement) {
    coarse ? coarse->run(goal) : fine->run(goal);
    coarse ? coarse->refresh() : fine->refresh();
    const double now = largest(violations(problem, state));
    const bool closer = now - goal <= 0.5 * (worst - goal);
    worst = now;
    if (!(now > options.tol) || out_of_steps()) break;
    if (coarse && !closer) {  // rounded rows do not get closer: go on in double
      coarse.reset();
      fine.emplace(source, problem, options, state);
    } else if (refinement >= most_refinements) {
      result.status = DualStatus::precision;
      break;
    }
  }
  certify(problem, state, result);
  result.violation = worst;
  result.iterations = state.iterations;
  if (worst > options.tol && out_of_steps()) result.status = DualStatus::max_iter;
  else if (!std::isfinite(result.objective)) result.status = DualStatus::precision;
  else if (state.negative_curvature && result.status == DualStatus::converged) result.status = DualStatus::not_psd;
  return result;
}

}  // namespace mercer
