#include "mercer/perceptron/perceptron.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mercer/gram/row_kernels.hpp"

namespace mercer {
namespace {

void poll(const Execution& execution) {
  if (execution.cancelled && execution.cancelled()) throw Interrupted{};
}

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

// Copies a row; the largest error that rounding makes.
double rounded(const double* row, std::int64_t n, float* out) {
  double worst[8] = {};
  const auto copy = [&](std::int64_t i, int lane) {
    out[i] = static_cast<float>(row[i]);
    const double error = std::abs(row[i] - static_cast<double>(out[i]));
    worst[lane] = error > worst[lane] ? error : worst[lane];
  };
  std::int64_t i = 0;
  for (; i + 8 <= n; i += 8)
    for (int lane = 0; lane < 8; ++lane) copy(i + lane, lane);
  for (; i < n; ++i) copy(i, 0);
  return *std::max_element(worst, worst + 8);
}

double dot(const double* x, const double* w, std::int64_t d) {
  double part[8] = {};
  std::int64_t k = 0;
  for (; k + 8 <= d; k += 8)
    for (std::int64_t l = 0; l < 8; ++l) part[l] += x[k + l] * w[k + l];
  for (; k < d; ++k) part[0] += x[k] * w[k];
  return ((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7]));
}

struct DenseRows {
  const double* data;
  std::int64_t stride, d;
  double product(std::int64_t i, const double* w) const { return dot(data + i * stride, w, d); }
  void add(std::int64_t i, double y, double* w) const {
    for (std::int64_t k = 0; k < d; ++k) w[k] += y * data[i * stride + k];
  }
};

template <class Index>
struct SparseRows {
  const Index *indptr, *indices;
  const double* values;
  double product(std::int64_t i, const double* w) const {
    double sum = 0.0;
    for (Index e = indptr[i]; e < indptr[i + 1]; ++e) sum += values[e] * w[indices[e]];
    return sum;
  }
  void add(std::int64_t i, double y, double* w) const {
    for (Index e = indptr[i]; e < indptr[i + 1]; ++e) w[indices[e]] += y * values[e];
  }
};

template <class Vectors>
Positions walk_vectors(const Vectors& x, std::int64_t d, const PassOptions& options, const double* label, double* w) {
  Positions mistakes;
  for (std::size_t p = 0; p < options.order.size(); ++p) {
    if (p % 4096 == 0) poll(options.execution);
    const std::int64_t i = options.order[p];
    if (label[i] * (x.product(i, w) + options.bias * w[d]) > 0.0) continue;
    x.add(i, label[i], w);
    w[d] += options.bias * label[i];
    mistakes.push_back(static_cast<std::int64_t>(p));
  }
  return mistakes;
}

template <class Index>
SparseRows<Index> sparse_rows(const CsrView& csr) {
  return {static_cast<const Index*>(csr.indptr), static_cast<const Index*>(csr.indices), static_cast<const double*>(csr.values)};
}

}  // namespace

// ---- kernels -------------------------------------------------------------------------------------------------------

// Some visits: f at their samples after them, the samples with mistakes, and what each machine adds of those.
struct KernelMachines::Block {
  Rows samples;
  std::vector<double> f;  // machines × samples
  std::vector<std::int64_t> rows;
  std::vector<std::vector<double>> steps;  // of each machine, one per row; 0 where it did not err
};

KernelMachines::KernelMachines(RowSource& source, std::int64_t machines, const double* label, double* f, std::int64_t cache_bytes)
    : source_(source), n_(source.n()), machines_(machines), label_(label), f_(f), slack_(at(machines), 0.0), slot_of_(at(n_), -1) {
  matrix_ = source.held(double{}, &ld_);
  capacity_ = matrix_ ? 0 : std::min(n_, cache_bytes / (4 * std::max<std::int64_t>(n_, 1)));
  if (capacity_ == 0) return;
  start_.assign(f, f + machines * n_);
  coef_.assign(at(machines * n_), 0.0);
}

// A block makes one product of its mistakes with all n samples, which is as dear as if it had some 8 rows more, and b values
// for each of them: b = √(8n/r) would be best for a share r of mistakes, and a quarter is not unusual.
std::vector<Positions> KernelMachines::pass(const PassOptions& options) {
  const auto visits = static_cast<std::int64_t>(options.order.size());
  const auto length = std::clamp<std::int64_t>(static_cast<std::int64_t>(std::sqrt(32.0 * static_cast<double>(visits))), 64, 2048);
  std::vector<Positions> mistakes(at(machines_));
  for (std::int64_t first = 0; first < visits;) {
    if (!doubtful(options.order[at(first)])) {
      ++first;
      continue;
    }
    poll(options.execution);
    const std::int64_t count = std::min(length, visits - first);
    const Block block = walk(options, first, count, mistakes);
    first += count;
    spread(options, block, options.final ? options.order.subspan(at(first)) : options.order);
  }
  return mistakes;
}

// Whether a machine errs at a sample, or might.
bool KernelMachines::doubtful(std::int64_t sample) const {
  for (std::int64_t m = 0; m < machines_; ++m)
    if (!(label_[m * n_ + sample] * f_[m * n_ + sample] > slack_[at(m)])) return true;
  return false;
}

// f from its definition at some samples.
void KernelMachines::expand(std::int64_t machine, Rows samples, double bias, double* out, const Execution& execution) {
  std::vector<std::int64_t> rows;
  std::vector<double> steps;
  double offset = 0.0;
  for (std::int64_t i = 0; i < n_; ++i) {
    const double step = coef_[at(machine * n_ + i)];
    if (step == 0.0) continue;
    rows.push_back(i);
    steps.push_back(step);
    offset += bias * step;
  }
  std::fill_n(out, samples.size(), 0.0);
  if (!rows.empty()) source_.product(rows, steps.data(), samples, out, execution);
  for (std::size_t c = 0; c < samples.size(); ++c) out[c] += start_[at(machine * n_ + samples[c])] + offset;
}

void KernelMachines::refine(std::int64_t machine, double bias, const Execution& execution) {
  if (slack_[at(machine)] == 0.0) return;
  std::vector<std::int64_t> all(at(n_));
  std::iota(all.begin(), all.end(), 0);
  expand(machine, all, bias, f_ + machine * n_, execution);
  slack_[at(machine)] = 0.0;
}

// Visits samples one by one. Rows within the block that are not kept are computed when the first of them is needed, together
// with those of all samples to come that would err by now.
KernelMachines::Block KernelMachines::walk(const PassOptions& options, std::int64_t first, std::int64_t count, std::vector<Positions>& mistakes) {
  Block block{
      options.order.subspan(at(first), at(count)), std::vector<double>(at(machines_ * count)), {}, std::vector<std::vector<double>>(at(machines_))};
  for (std::int64_t m = 0; m < machines_; ++m)
    for (std::int64_t s = 0; s < count; ++s) block.f[at(m * count + s)] = f_[m * n_ + block.samples[at(s)]];
  const auto wrong = [&](std::int64_t m, std::int64_t s) { return !(label_[m * n_ + block.samples[at(s)]] * block.f[at(m * count + s)] > 0.0); };
  const auto settle = [&](std::int64_t m, std::int64_t s) {
    double& f = block.f[at(m * count + s)];
    if (slack_[at(m)] > 0.0 && !(std::abs(f) > slack_[at(m)])) expand(m, block.samples.subspan(at(s), 1), options.bias, &f, options.execution);
  };
  std::vector<std::int64_t> place(at(count), -1);  // of each sample among the rows computed so far
  std::int64_t computed = 0;
  const auto compute = [&](std::int64_t s) {
    std::vector<std::int64_t> rows;
    for (std::int64_t t = s; t < count; ++t) {
      bool wanted = t == s;
      for (std::int64_t m = 0; m < machines_ && !wanted; ++m) wanted = wrong(m, t);
      if (!wanted || place[at(t)] >= 0 || slot_of_[at(block.samples[at(t)])] >= 0) continue;
      place[at(t)] = computed + static_cast<std::int64_t>(rows.size());
      rows.push_back(block.samples[at(t)]);
    }
    values_.resize(std::max(values_.size(), at(count) * (at(computed) + rows.size())));
    source_.block(rows, block.samples, values_.data() + computed * count, count, options.execution);
    computed += static_cast<std::int64_t>(rows.size());
  };
  for (std::int64_t s = 0; s < count; ++s) {
    bool fresh = true;
    for (std::int64_t m = 0; m < machines_; ++m) {
      settle(m, s);
      if (!wrong(m, s)) continue;
      const std::int64_t sample = block.samples[at(s)], slot = slot_of_[at(sample)];
      if (slot < 0 && place[at(s)] < 0) compute(s);
      mistakes[at(m)].push_back(first + s);
      if (fresh) {
        block.rows.push_back(sample);
        for (auto& steps : block.steps) steps.push_back(0.0);
        fresh = false;
      }
      const double y = label_[m * n_ + sample];
      block.steps[at(m)].back() = y;
      double* f = block.f.data() + m * count;
      if (capacity_ > 0) coef_[at(m * n_ + sample)] += y;
      if (slot >= 0) {
        slack_[at(m)] += rounding_[at(slot)];
        const float* row = store_.get() + slot * n_;
        for (std::int64_t t = 0; t < count; ++t) f[t] += y * (static_cast<double>(row[block.samples[at(t)]]) + options.bias);
      } else {
        const double* row = values_.data() + place[at(s)] * count;
        for (std::int64_t t = 0; t < count; ++t) f[t] += y * (row[t] + options.bias);
      }
    }
  }
  return block;
}

// Adds the mistakes of a block to f at some samples, by rows that are kept or as products of tiles.
void KernelMachines::spread(const PassOptions& options, const Block& block, Rows columns) {
  const auto before = static_cast<std::int64_t>(rounding_.size());
  if (!options.final) keep(block.rows, options.execution);
  Block computed{{}, {}, {}, std::vector<std::vector<double>>(at(machines_))}, kept = computed;
  std::vector<const float*> narrow;
  std::vector<const double*> held;
  for (std::size_t r = 0; r < block.rows.size(); ++r) {
    const std::int64_t sample = block.rows[r], slot = slot_of_[at(sample)];
    Block& side = matrix_ || slot >= 0 ? kept : computed;
    side.rows.push_back(sample);
    for (std::size_t m = 0; m < block.steps.size(); ++m) {
      side.steps[m].push_back(block.steps[m][r]);
      if (slot >= before && block.steps[m][r] != 0.0) slack_[m] += rounding_[at(slot)];  // of others it was added at the mistake
    }
    if (matrix_) held.push_back(matrix_ + sample * ld_);
    else if (slot >= 0) narrow.push_back(store_.get() + slot * n_);
  }
  if (matrix_) add_kept(kept, held, options.bias, options.execution);
  else if (!kept.rows.empty()) add_kept(kept, narrow, options.bias, options.execution);
  if (!computed.rows.empty()) add_computed(options, computed, columns);
  const std::size_t count = block.samples.size();
  for (std::size_t m = 0; m < block.steps.size(); ++m)
    for (std::size_t s = 0; s < count; ++s) f_[static_cast<std::int64_t>(m) * n_ + block.samples[s]] = block.f[m * count + s];
}

// Samples that err once tend to err in every pass: what is kept stays, the first come first.
void KernelMachines::keep(Rows rows, const Execution& execution) {
  std::vector<std::int64_t> fresh;
  for (const std::int64_t r : rows)
    if (slot_of_[at(r)] < 0 && rounding_.size() + fresh.size() < at(capacity_)) fresh.push_back(r);
  if (!store_ && capacity_ > 0) store_.reset(new float[at(capacity_ * n_)]);
  constexpr std::size_t most = 64;
  for (std::size_t first = 0; first < fresh.size(); first += most) {
    const Rows here = Rows(fresh).subspan(first, std::min(most, fresh.size() - first));
    values_.resize(std::max(values_.size(), here.size() * at(n_)));
    source_.rows(here, values_.data(), n_, execution);
    const std::size_t slot = rounding_.size();
    rounding_.resize(slot + here.size());
    TaskLoop loop(execution.threads, execution.cancelled);
    loop.run(static_cast<std::int64_t>(here.size()), Schedule::dynamic, [&](std::int64_t r, int) {
      slot_of_[at(here[at(r)])] = static_cast<std::int64_t>(slot) + r;
      rounding_[slot + at(r)] = rounded(values_.data() + r * n_, n_, store_.get() + (static_cast<std::int64_t>(slot) + r) * n_);
    });
  }
}

template <class T>
void KernelMachines::add_kept(const Block& block, const std::vector<const T*>& rows, double bias, const Execution& execution) {
  constexpr std::int64_t chunk = 2048;
  const auto accumulate = active_table().of<T>().accumulate;
  const std::int64_t chunks = (n_ + chunk - 1) / chunk;
  TaskLoop loop(static_cast<std::int64_t>(rows.size()) * n_ > (1 << 20) ? execution.threads : 1, execution.cancelled);
  loop.run(chunks * machines_, Schedule::dynamic, [&](std::int64_t task, int) {
    const std::int64_t m = task / chunks, first = task % chunks * chunk, width = std::min(chunk, n_ - first);
    std::vector<double> steps;
    std::vector<const T*> parts;
    double offset = 0.0;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const double step = block.steps[at(m)][r];
      if (step == 0.0) continue;
      steps.push_back(step);
      parts.push_back(rows[r] + first);
      offset += bias * step;
    }
    double* f = f_ + m * n_ + first;
    accumulate(steps.data(), parts.data(), static_cast<std::int64_t>(steps.size()), f, width);
    for (std::int64_t c = 0; c < width; ++c) f[c] += offset;
  });
}

// One machine has its tiles summed as they are made. Several share them, through panels of 32 MB.
void KernelMachines::add_computed(const PassOptions& options, const Block& block, Rows columns) {
  const std::size_t width = machines_ == 1 ? columns.size() : std::max<std::size_t>(256, (std::size_t{1} << 22) / block.rows.size());
  for (std::size_t first = 0; first < columns.size(); first += width) {
    const Rows here = columns.subspan(first, std::min(width, columns.size() - first));
    sums_.resize(here.size());
    if (machines_ > 1) {
      values_.resize(std::max(values_.size(), block.rows.size() * here.size()));
      source_.block(block.rows, here, values_.data(), static_cast<std::int64_t>(here.size()), options.execution);
    }
    for (std::int64_t m = 0; m < machines_; ++m) {
      const std::vector<double>& steps = block.steps[at(m)];
      double offset = 0.0;
      for (const double step : steps) offset += options.bias * step;
      if (machines_ == 1) {
        source_.product(block.rows, steps.data(), here, sums_.data(), options.execution);
      } else {
        std::fill(sums_.begin(), sums_.end(), 0.0);
        for (std::size_t r = 0; r < steps.size(); ++r)
          for (std::size_t c = 0; steps[r] != 0.0 && c < here.size(); ++c) sums_[c] += steps[r] * values_[r * here.size() + c];
      }
      for (std::size_t c = 0; c < here.size(); ++c) f_[m * n_ + here[c]] += sums_[c] + offset;
    }
  }
}

// ---- vectors -------------------------------------------------------------------------------------------------------

Positions primal_pass(const Operand& vectors, const PassOptions& options, const double* label, double* w) {
  if (vectors.storage == Storage::dense)
    return walk_vectors(DenseRows{static_cast<const double*>(vectors.right.data), vectors.right.row_stride, vectors.d}, vectors.d, options, label, w);
  if (vectors.csr.wide) return walk_vectors(sparse_rows<std::int64_t>(vectors.csr), vectors.d, options, label, w);
  return walk_vectors(sparse_rows<std::int32_t>(vectors.csr), vectors.d, options, label, w);
}

}  // namespace mercer
