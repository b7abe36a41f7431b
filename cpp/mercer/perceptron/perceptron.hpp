// The perceptron: a pass over the samples that learns from mistakes, y f(x) ≤ 0, alone. Passes are exact: what is computed
// ahead in blocks changes no decision, so kernel, dual and primal forms err on the same samples.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "mercer/rows/row_source.hpp"

namespace mercer {

using Positions = std::vector<std::int64_t>;

struct PassOptions {
  Rows order;          // the samples in the order of their visits, each at most once
  double bias = 0.0;   // added to every value of the kernel: 1 for an intercept
  bool final = false;  // whether no pass will follow: f is then right at samples still to come only
  Execution execution;
};

// Kernel perceptrons that share a source: every mistake of machine m at x adds label · (k(x, ·) + bias) to f_m at all samples.
class KernelMachines {
 public:
  // label[m·n + i] = ±1 and f[m·n + i], the value of machine m at sample i to start from; f is changed in place, and both
  // must outlive this. Rows of samples that err, and may err again, are kept within `cache_bytes`. They are rounded to float,
  // and what that does to f is known: a value that is not larger is computed anew before it decides.
  KernelMachines(RowSource& source, std::int64_t machines, const double* label, double* f, std::int64_t cache_bytes);
  // For each machine the positions in `order` where it erred.
  std::vector<Positions> pass(const PassOptions& options);
  // Frees the values of a machine, at all samples, of what rounding has done to them.
  void refine(std::int64_t machine, double bias, const Execution& execution);

 private:
  struct Block;
  bool doubtful(std::int64_t sample) const;
  Block walk(const PassOptions& options, std::int64_t first, std::int64_t count, std::vector<Positions>& mistakes);
  void expand(std::int64_t machine, Rows samples, double bias, double* out, const Execution& execution);
  void spread(const PassOptions& options, const Block& block, Rows columns);
  void keep(Rows rows, const Execution& execution);
  template <class T>
  void add_kept(const Block& block, const std::vector<const T*>& rows, double bias, const Execution& execution);
  void add_computed(const PassOptions& options, const Block& block, Rows columns);

  RowSource& source_;
  std::int64_t n_, machines_, capacity_;
  const double* label_;
  double* f_;
  std::vector<double> start_, coef_;   // f before the first mistake; Σ of the labels of mistakes: both machines × n
  std::vector<double> slack_;          // f of each machine may be wrong by so much
  std::unique_ptr<float[]> store_;     // rows that are kept; pages are touched as they come
  std::vector<std::int64_t> slot_of_;  // of each sample in the store, or −1
  std::vector<double> rounding_;       // largest error of each kept row
  const double* matrix_ = nullptr;     // of a source that holds it
  std::int64_t ld_ = 0;
  std::vector<double> values_, sums_;
};

enum class Removal { forgetron, projectron, random };

// What a machine with a budget remembers between passes: f = Σ coef_j (k(x_j, ·) + bias), oldest first.
struct Memory {
  Removal removal = Removal::forgetron;
  std::int64_t budget = 1;
  double threshold = 0.0;  // projectron: samples as near to the span of the others are projected
  std::vector<std::int64_t> sample;
  std::vector<double> coef;
  std::int64_t mistakes = 0;  // forgetron: all so far,
  double damage = 0.0;        //   what removals may have cost,
  double largest = 0.0;       //   and the largest k(x, x) + bias of a mistake
  std::uint64_t state = 0;    // random: of the generator
};

// One pass of one machine that keeps at most `budget` samples; label[i] = ±1 for the samples of the source.
Positions budget_pass(RowSource& source, const PassOptions& options, const double* label, Memory& memory);

// One pass of the linear machine on the vectors of an operand of doubles, dense with contiguous rows or CSR:
// w (d numbers, then the intercept) += label_i (x_i, bias) at every mistake.
Positions primal_pass(const Operand& vectors, const PassOptions& options, const double* label, double* w);

}  // namespace mercer
