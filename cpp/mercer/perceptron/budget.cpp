#include <algorithm>
#include <cmath>

#include "mercer/perceptron/perceptron.hpp"

namespace mercer {
namespace {

// The Cholesky factor of a Gram matrix that grows by samples: projections onto their span.
class Span {
 public:
  // k (one value per sample) becomes the coefficients of the projection; returns the squared distance to the span.
  double project(std::vector<double>& k, double own) {
    half_.resize(k.size());
    for (std::size_t i = 0; i < k.size(); ++i) {
      const double* row = factor_.data() + i * (i + 1) / 2;
      double value = k[i];
      for (std::size_t j = 0; j < i; ++j) value -= row[j] * half_[j];
      half_[i] = value / row[i];
    }
    double distance = own;
    for (const double h : half_) distance -= h * h;
    k = half_;
    for (std::size_t i = k.size(); i-- > 0;) {
      const double* row = factor_.data() + i * (i + 1) / 2;
      k[i] /= row[i];
      for (std::size_t j = 0; j < i; ++j) k[j] -= row[j] * k[i];
    }
    return distance;
  }
  // Takes in the sample that was projected last.
  void append(double distance) {
    factor_.insert(factor_.end(), half_.begin(), half_.end());
    factor_.push_back(std::sqrt(distance));
  }

 private:
  std::vector<double> factor_, half_;  // rows of the lower triangle, one after the other
};

// The share φ ≤ 1 by which the Forgetron shrinks f before it removes a sample of weight σ and margin μ, the largest with
// Ψ(φσ, φμ) + damage ≤ 15/32 mistakes, Ψ(σ, μ) = σ² + 2σ − 2σμ (Dekel, Shalev-Shwartz, Singer 2008, section 5).
double psi(double weight, double margin) { return weight * weight + 2.0 * weight - 2.0 * weight * margin; }

double shrinkage(double weight, double margin, double room) {
  const double a = weight * weight - 2.0 * weight * margin, b = 2.0 * weight;
  if (a + b <= room) return 1.0;
  // a φ² + b φ − room is negative at 0 and positive at 1: its root between them, in the form that does not cancel.
  return std::min(1.0, 2.0 * room / (b + std::sqrt(std::max(0.0, b * b + 4.0 * a * room))));
}

// SplitMix64 (Steele, Lea, Flood 2014): a number below `size`.
std::size_t draw(std::uint64_t& state, std::size_t size) {
  std::uint64_t z = state += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return static_cast<std::size_t>(((z ^ (z >> 31)) >> 32) * size >> 32);
}

// Blocks of visits are computed against what is remembered and against each other; f is summed anew at every visit.
class BudgetPass {
 public:
  BudgetPass(RowSource& source, const PassOptions& options, const double* label, Memory& memory)
      : source_(source), options_(options), label_(label), memory_(memory) {
    if (memory.removal == Removal::projectron) restore_span();
  }

  Positions run() {
    const Rows order = options_.order;
    for (std::size_t first = 0; first < order.size();) {
      if (options_.execution.cancelled && options_.execution.cancelled()) throw Interrupted{};
      const std::size_t length = std::clamp<std::size_t>(memory_.sample.size(), 64, 256);
      const Rows block = order.subspan(first, std::min(length, order.size() - first));
      load(block);
      for (std::size_t s = 0; s < block.size(); ++s) {
        const double y = label_[block[s]];
        if (y * value(s) > 0.0) continue;
        mistakes_.push_back(static_cast<std::int64_t>(first + s));
        learn(s, block[s], y);
      }
      first += block.size();
    }
    return std::move(mistakes_);
  }

 private:
  // Rows: the block, then the oldest samples, which the Forgetron may remove. Columns: all that is remembered, the block.
  void load(Rows block) {
    std::vector<std::int64_t> rows(block.begin(), block.end()), columns = memory_.sample;
    before_ = columns.size();
    columns.insert(columns.end(), block.begin(), block.end());
    if (memory_.removal == Removal::forgetron) {
      const std::size_t oldest = std::min(before_, block.size());
      rows.insert(rows.end(), columns.begin(), columns.begin() + static_cast<std::ptrdiff_t>(oldest));
    }
    width_ = columns.size();
    values_.resize(rows.size() * width_);
    source_.block(rows, columns, values_.data(), static_cast<std::int64_t>(width_), options_.execution);
    for (double& v : values_) v += options_.bias;
    column_.resize(before_);
    row_.resize(before_);
    for (std::size_t j = 0; j < before_; ++j) {
      column_[j] = j;
      row_[j] = block.size() + j;  // beyond the end for those that will outlive the block
    }
  }

  double value(std::size_t row) const {
    const double* k = values_.data() + row * width_;
    double sum = 0.0;
    for (std::size_t j = 0; j < column_.size(); ++j) sum += memory_.coef[j] * k[column_[j]];
    return sum;
  }
  double own(std::size_t s) const { return values_[s * width_ + before_ + s]; }

  void learn(std::size_t s, std::int64_t sample, double y) {
    switch (memory_.removal) {
      case Removal::forgetron: return forget(s, sample, y);
      case Removal::projectron: return project(s, sample, y);
      case Removal::random: return replace(s, sample, y);
    }
  }

  void add(std::size_t s, std::int64_t sample, double y) {
    memory_.sample.push_back(sample);
    memory_.coef.push_back(y);
    column_.push_back(before_ + s);
    row_.push_back(s);
  }

  void forget(std::size_t s, std::int64_t sample, double y) {
    ++memory_.mistakes;
    memory_.largest = std::max(memory_.largest, own(s));
    add(s, sample, y);
    if (static_cast<std::int64_t>(memory_.sample.size()) <= memory_.budget) return;
    // The theory is for k(x, x) ≤ 1: margins are those of the kernel divided by its largest such value.
    const double weight = std::abs(memory_.coef[0]), scale = memory_.coef[0] < 0.0 ? -memory_.largest : memory_.largest;
    const double margin = scale != 0.0 ? value(row_[0]) / scale : 0.0;
    const double share = shrinkage(weight, margin, 15.0 / 32.0 * static_cast<double>(memory_.mistakes) - memory_.damage);
    memory_.damage += psi(share * weight, share * margin);
    for (double& c : memory_.coef) c *= share;
    memory_.sample.erase(memory_.sample.begin());
    memory_.coef.erase(memory_.coef.begin());
    column_.erase(column_.begin());
    row_.erase(row_.begin());
  }

  void replace(std::size_t s, std::int64_t sample, double y) {
    if (static_cast<std::int64_t>(memory_.sample.size()) < memory_.budget) return add(s, sample, y);
    const std::size_t j = draw(memory_.state, memory_.sample.size());
    memory_.sample[j] = sample;
    memory_.coef[j] = y;
    column_[j] = before_ + s;
  }

  void project(std::size_t s, std::int64_t sample, double y) {
    std::vector<double> k(column_.size());
    for (std::size_t j = 0; j < k.size(); ++j) k[j] = values_[s * width_ + column_[j]];
    const double distance = span_.project(k, own(s));
    const bool full = static_cast<std::int64_t>(k.size()) >= memory_.budget;
    if (full || distance <= nearness(own(s))) {
      for (std::size_t j = 0; j < k.size(); ++j) memory_.coef[j] += y * k[j];
      return;
    }
    span_.append(distance);
    add(s, sample, y);
  }

  // Squared distances below rounding are zero, whatever the threshold.
  double nearness(double own) const { return std::max(memory_.threshold * memory_.threshold, 1e-12 * std::abs(own)); }

  void restore_span() {
    const std::size_t n = memory_.sample.size();
    std::vector<double> gram(n * n);
    if (n > 0) source_.block(memory_.sample, memory_.sample, gram.data(), static_cast<std::int64_t>(n), options_.execution);
    for (std::size_t i = 0; i < n; ++i) {
      std::vector<double> k(gram.begin() + static_cast<std::ptrdiff_t>(i * n), gram.begin() + static_cast<std::ptrdiff_t>(i * n + i));
      for (double& v : k) v += options_.bias;
      const double own = gram[i * n + i] + options_.bias;
      span_.append(std::max(span_.project(k, own), nearness(own)));
    }
  }

  RowSource& source_;
  const PassOptions& options_;
  const double* label_;
  Memory& memory_;
  Span span_;
  Positions mistakes_;
  std::size_t before_ = 0, width_ = 0;  // samples remembered when the block was loaded; length of a row
  std::vector<double> values_;
  std::vector<std::size_t> column_, row_;  // of each remembered sample in `values_`
};

}  // namespace

Positions budget_pass(RowSource& source, const PassOptions& options, const double* label, Memory& memory) {
  return BudgetPass(source, options, label, memory).run();
}

}  // namespace mercer
