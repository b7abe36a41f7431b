#include "mercer/graphs/random_walk.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "mercer/runtime/hash.hpp"

namespace mercer {

namespace {

constexpr double precision = 1e-15;

// Sum of term(i), i < n, in lanes that the compiler can turn into vectors.
template <class Term>
double summed(std::size_t n, const Term& term) {
  constexpr std::size_t lanes = 8;
  double part[lanes] = {};
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes)
    for (std::size_t l = 0; l < lanes; ++l) part[l] += term(i + l);
  for (; i < n; ++i) part[i % lanes] += term(i);
  return ((part[0] + part[4]) + (part[2] + part[6])) + ((part[1] + part[5]) + (part[3] + part[7]));
}

double total(const std::vector<double>& x) {
  return summed(x.size(), [&](std::size_t i) { return x[i]; });
}

double dot(const std::vector<double>& x, const std::vector<double>& y) {
  return summed(x.size(), [&](std::size_t i) { return x[i] * y[i]; });
}

double largest(const std::vector<double>& x) {
  double most = 0.0;
  for (const double v : x) most = std::max(most, std::abs(v));
  return most;
}

// An order of spectra by their content.
bool earlier(const Spectrum& a, const Spectrum& b) {
  if (a.n != b.n) return a.n < b.n;
  const auto [x, y] = std::mismatch(a.values, a.values + a.n, b.values);
  if (x != a.values + a.n) return *x < *y;
  return std::lexicographical_compare(a.shares, a.shares + a.n, b.shares, b.shares + b.n);
}

// Runs over the labels that both graphs have.
template <class Visit>
void each_common(const WalkGraph& a, const WalkGraph& b, const Visit& visit) {
  for (std::size_t i = 0, j = 0; i < a.layers.size() && j < b.layers.size();) {
    if (a.layers[i].label == b.layers[j].label) visit(a.layers[i++], b.layers[j++]);
    else if (a.layers[i].label < b.layers[j].label) ++i;
    else ++j;
  }
}

}  // namespace

WalkGraph::WalkGraph(const GraphView& graph, bool is_symmetric)
    : n(graph.n), symmetric(is_symmetric), identity(mix(static_cast<std::uint64_t>(graph.n))) {
  struct Arc {
    std::uint64_t label;
    std::int32_t node;
    std::int64_t place;
  };
  std::vector<Arc> arcs;
  for (std::int32_t v = 0; v < n; ++v) {
    labels.push_back(graph.node_labels ? graph.node_labels[v] : 0);
    identity = combine(identity, labels.back());
    double sum = 0.0;
    for (std::int64_t e = graph.indptr[v]; e < graph.indptr[v + 1]; ++e) {
      const double weight = graph.weights ? graph.weights[e] : 1.0;
      arcs.push_back({graph.edge_labels ? graph.edge_labels[e] : 0, v, e});
      identity = combine(combine(combine(identity, arcs.back().label), static_cast<std::uint64_t>(graph.neighbors[e])),
                         std::bit_cast<std::uint64_t>(weight));
      sum += weight;
    }
    widest = std::max(widest, sum);
  }
  std::stable_sort(arcs.begin(), arcs.end(), [](const Arc& x, const Arc& y) { return x.label < y.label; });
  for (std::size_t i = 0; i < arcs.size(); ++i) {
    if (i == 0 || arcs[i].label != arcs[i - 1].label) layers.push_back({arcs[i].label, groups.size(), groups.size()});
    if (layers.back().first == groups.size() || arcs[i].node != arcs[i - 1].node) groups.push_back({arcs[i].node, i, i});
    layers.back().last = groups.size();
    groups.back().last = i + 1;
    heads.push_back(graph.neighbors[arcs[i].place]);
    weights.push_back(graph.weights ? graph.weights[arcs[i].place] : 1.0);
  }
}

// out = factor · A x, as the masked matrix of A₁ X A₂ᵀ.
void WalkValue::multiply(const WalkGraph& a, const WalkGraph& b, const std::vector<double>& x, double factor, std::vector<double>& out) {
  const auto width = static_cast<std::size_t>(b.n);
  out.assign(x.size(), 0.0);
  row_.resize(width);
  each_common(a, b, [&](const WalkGraph::Layer& left, const WalkGraph::Layer& right) {
    for (std::size_t g = left.first; g < left.last; ++g) {
      const WalkGraph::Group& from = a.groups[g];
      std::fill(row_.begin(), row_.end(), 0.0);
      for (std::size_t e = from.first; e < from.last; ++e) {
        const double weight = factor * a.weights[e];
        const double* source = x.data() + static_cast<std::size_t>(a.heads[e]) * width;
        for (std::size_t j = 0; j < width; ++j) row_[j] += weight * source[j];
      }
      const std::size_t at = static_cast<std::size_t>(from.node) * width;
      for (std::size_t h = right.first; h < right.last; ++h) {
        const WalkGraph::Group& to = b.groups[h];
        const std::size_t cell = at + static_cast<std::size_t>(to.node);
        if (mask_[cell] == 0.0) continue;
        double sum = 0.0;
        for (std::size_t e = to.first; e < to.last; ++e) sum += b.weights[e] * row_[static_cast<std::size_t>(b.heads[e])];
        out[cell] += sum;
      }
    }
  });
}

double WalkValue::operator()(const WalkGraph& a, const WalkGraph& b) {
  // One of the two orders for both: a value does not depend on the order in which two graphs are given.
  if (std::pair(b.n, b.identity) < std::pair(a.n, a.identity)) return (*this)(b, a);
  const auto width = static_cast<std::size_t>(b.n);
  mask_.resize(static_cast<std::size_t>(a.n) * width);
  for (std::size_t i = 0; i < a.labels.size(); ++i)
    for (std::size_t j = 0; j < width; ++j) mask_[i * width + j] = a.labels[i] == b.labels[j] ? 1.0 : 0.0;
  const double value = rule_.form == WalkForm::geometric && a.symmetric && b.symmetric ? conjugate_gradients(a, b) : series(a, b);
  if (!std::isfinite(value)) throw std::overflow_error("the value of two graphs exceeds the range of 64-bit numbers");
  return value;
}

double WalkValue::conjugate_gradients(const WalkGraph& a, const WalkGraph& b) {
  constexpr int restarts = 10, steps = 5000;
  double value = 0.0;
  x_.assign(mask_.size(), 0.0);
  r_ = mask_;
  for (int round = 0; round < restarts; ++round) {
    p_ = r_;
    double square = dot(r_, r_);
    for (int step = 0; step < steps && square > precision; ++step) {  // ‖r‖∞² ≤ ‖r‖²
      multiply(a, b, p_, rule_.decay, q_);
      for (std::size_t i = 0; i < q_.size(); ++i) q_[i] = p_[i] - q_[i];
      const double along = square / dot(p_, q_);
      for (std::size_t i = 0; i < q_.size(); ++i) {
        x_[i] += along * p_[i];
        r_[i] -= along * q_[i];
      }
      const double before = std::exchange(square, dot(r_, r_));
      for (std::size_t i = 0; i < q_.size(); ++i) p_[i] = r_[i] + square / before * p_[i];
    }
    multiply(a, b, x_, rule_.decay, q_);
    for (std::size_t i = 0; i < q_.size(); ++i) r_[i] = mask_[i] - x_[i] + q_[i];  // itself, not what the recursion says
    value = total(x_) + dot(r_, x_);
    if (dot(r_, r_) <= 4.0 * precision) break;
  }
  return value;
}

double WalkValue::series(const WalkGraph& a, const WalkGraph& b) {
  const bool steps = rule_.form == WalkForm::steps;
  const double nodes = total(mask_), rows = rule_.decay * a.widest * b.widest;
  p_ = mask_;
  double sum = steps ? rule_.coefficients[0] * nodes : nodes;
  for (std::size_t l = 1; !steps || l < rule_.coefficients.size(); ++l) {
    const double times = static_cast<double>(l);
    multiply(a, b, p_, rule_.form == WalkForm::exponential ? rule_.decay / times : rule_.decay, q_);
    std::swap(p_, q_);
    const double most = largest(p_);
    if (most == 0.0) break;  // no walk is that long
    sum += (steps ? rule_.coefficients[l] : 1.0) * total(p_);
    if (!std::isfinite(sum)) break;
    if (rule_.form == WalkForm::geometric && most <= precision) break;
    const double share = rows / (times + 1.0);
    if (rule_.form == WalkForm::exponential && share < 1.0 && nodes * most * share / (1.0 - share) <= precision * sum) break;
  }
  return sum;
}

double WalkValue::operator()(const Spectrum& a, const Spectrum& b) const {
  if (earlier(b, a)) return (*this)(b, a);
  double sum = 0.0;
  for (std::int64_t i = 0; i < a.n; ++i) {
    double part = 0.0;
    const double factor = rule_.decay * a.values[i];
    for (std::int64_t j = 0; j < b.n; ++j) {
      const double at = factor * b.values[j];
      double f = 0.0;
      if (rule_.form == WalkForm::geometric) f = 1.0 / (1.0 - at);
      else if (rule_.form == WalkForm::exponential) f = std::exp(at);
      else
        for (auto c = rule_.coefficients.rbegin(); c != rule_.coefficients.rend(); ++c) f = f * at + *c;
      part += f * b.shares[j];
    }
    sum += a.shares[i] * part;
  }
  if (!std::isfinite(sum)) throw std::overflow_error("the value of two graphs exceeds the range of 64-bit numbers");
  return sum;
}

}  // namespace mercer
