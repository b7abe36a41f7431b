// Saigo, Vert, Ueda & Akutsu 2004: a local alignment of s and t is a sequence of pairs of positions (i_1, j_1), …, (i_n, j_n),
// n ≥ 0, with i and j increasing; its score is Σ S(s_{i_k}, t_{j_k}) minus a penalty g(m) = d + e(m − 1) for every m > 0
// symbols that are skipped in s or in t between two pairs, and K(s, t) = Σ exp(β score) over all of them.
//
// Let M(i, j) be the part of K whose alignments end with the pair (i, j), and X and Y the same after a gap in s, and then
// one in t, up to (i, j). With H = 1 + M + X + Y,
//
//   M(i, j) = exp(β S(s_i, t_j)) H(i − 1, j − 1)
//   X(i, j) = exp(−βd) M(i − 1, j) + exp(−βe) X(i − 1, j)
//   Y(i, j) = exp(−βd) (M(i, j − 1) + X(i, j − 1)) + exp(−βe) Y(i, j − 1)
//
// and K = 1 + Σ M, the 1 for the empty alignment. A gap in s always comes before one in t, so each alignment counts once.
//
// Range. K passes 10^308 between strings of some hundred symbols, and one unit for a whole row will not do: where a long
// stretch of t has been matched, H can be 2^3000 times what it is where a still longer match is about to begin. But H changes
// by a bounded factor from column to column: with w = min(exp(−βd), exp(−βe)), H(i, j) ≥ w H(i, j − 1), and
// H(i, j − 1) ≥ w² H(i, j)/max exp(βS) up to a factor below the number of rows. So the columns are cut into blocks, each with
// a power of two of its own as a unit, which follows H at its last column; what underflows in a block is less than 2^-200 of
// every H in it.
#include "mercer/strings/local_alignment.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

#include "mercer/strings/lanes.hpp"
#include "mercer/strings/string_loops.hpp"

namespace mercer {

namespace {

constexpr double bound = 0x1p128;    // of H at the end of a block, in its unit
constexpr double range = 600;        // bits that the columns of a block, and one row more, may span
constexpr std::int64_t widest = 16;  // columns of a block
constexpr double ln2 = 0.693147180559945309417232;

double bits_per_column(const LocalAlignment& kernel) {
  double largest = std::max(1.0, kernel.weights ? 0.0 : std::max(kernel.match, kernel.mismatch));
  if (kernel.weights) largest = std::max(largest, *std::max_element(kernel.weights, kernel.weights + (kernel.symbols + 1) * (kernel.symbols + 1)));
  return 4.0 + std::log2(largest) - 2.0 * std::log2(std::min(kernel.open, kernel.extend));
}

// A number of any size: value·2^exponent.
struct Wide {
  double value = 0.0;
  std::int64_t exponent = 0;

  void add(double other, std::int64_t power) {
    if (other == 0.0) return;
    if (value == 0.0) exponent = power;
    if (power <= exponent) {
      value += scaled(other, power - exponent);
    } else {
      value = scaled(value, exponent - power) + other;
      exponent = power;
    }
    int shift = 0;
    value = std::frexp(value, &shift);
    exponent += shift;
  }

  static double scaled(double x, std::int64_t power) { return std::ldexp(x, static_cast<int>(std::max<std::int64_t>(power, -3000))); }
  double number() const { return std::ldexp(value, static_cast<int>(std::min<std::int64_t>(exponent, 3000))); }
};

// A few pairs side by side, row by row.
template <class Code>
class Aligner {
 public:
  Aligner(const LocalAlignment& kernel, const StringLoops& kernels)
      : kernel_(kernel), kernels_(kernels), lanes_(kernels.lanes),
        width_(std::clamp(static_cast<std::int64_t>(range / bits_per_column(kernel)) - 1, std::int64_t{1}, widest)) {}

  void operator()(std::span<const Couple<Code>> couples) {
    begin(couples);
    AlignmentRow row{kernel_.weights, nullptr,       columns_.data(),  kernel_.match, kernel_.mismatch, nullptr,
                     t_.data(),       blocks_,       width_,           kernel_.open,  kernel_.extend,   all_.data(),
                     gaps_.data(),    units_.data(), exchange_.data(), totals_.data()};
    for (std::int64_t i = 0; i < n_; ++i) {
      row.rows = rows_.data() + i * lanes_;
      row.s = s_.data() + i * lanes_;
      if (kernels_.align(row, bound)) rescale();
    }
    for (std::size_t l = 0; l < couples.size(); ++l) finish(couples[l], static_cast<std::int64_t>(l));
  }

 private:
  void begin(std::span<const Couple<Code>> couples) {
    const auto [n, m] = extent(couples);
    n_ = n;
    blocks_ = (m + width_ - 1) / width_;
    const auto size = [&](std::int64_t k) { return static_cast<std::size_t>(k * lanes_); };
    all_.assign(size(blocks_ * width_), 1.0);
    gaps_.assign(size(blocks_ * width_), 0.0);
    units_.assign(size(blocks_), 1.0);
    exchange_.assign(size(blocks_), 1.0);
    totals_.assign(size(blocks_), 0.0);
    exponents_.assign(size(blocks_), 0);
    sums_.assign(size(blocks_), Wide{});
    const auto stride = static_cast<std::int32_t>(kernel_.symbols + 1), none = static_cast<std::int32_t>(kernel_.symbols);
    const bool table = kernel_.weights != nullptr;
    rows_.resize(table ? size(n_) : 0);
    columns_.resize(table ? size(blocks_ * width_) : 0);
    s_.resize(table ? 0 : size(n_));
    t_.resize(table ? 0 : size(blocks_ * width_));
    for (std::int64_t l = 0; l < lanes_; ++l) {
      const bool used = l < static_cast<std::int64_t>(couples.size());
      const std::span<const Code> s = used ? couples[static_cast<std::size_t>(l)].s : std::span<const Code>{};
      const std::span<const Code> t = used ? couples[static_cast<std::size_t>(l)].t : std::span<const Code>{};
      if (table) {
        const auto symbol = [&](Code c) { return static_cast<std::int32_t>(std::min<std::int64_t>(c, none)); };
        interleave(s, l, lanes_, n_, none * stride, rows_.data(), [&](Code c) { return symbol(c) * stride; });
        interleave(t, l, lanes_, blocks_ * width_, none, columns_.data(), symbol);
      } else {
        const auto number = [](Code c) { return c < outside<Code> ? static_cast<double>(c) : -1.0; };
        interleave(s, l, lanes_, n_, -1.0, s_.data(), number);
        interleave(t, l, lanes_, blocks_ * width_, -1.0, t_.data(), number);
      }
    }
  }

  // New units for the blocks and lanes whose H has left its range; the others must not notice.
  void rescale() {
    for (std::int64_t b = 0; b < blocks_; ++b)
      for (std::int64_t l = 0; l < lanes_; ++l) {
        const double end = all_[at((b + 1) * width_ - 1, l)];
        if (end <= bound && end >= 1.0 / bound) continue;
        store(b, l);
        const int shift = std::ilogb(end);
        for (std::int64_t j = b * width_; j < (b + 1) * width_; ++j) {
          all_[at(j, l)] = std::ldexp(all_[at(j, l)], -shift);
          gaps_[at(j, l)] = std::ldexp(gaps_[at(j, l)], -shift);
        }
        exponents_[at(b, l)] += shift;
        units_[at(b, l)] = Wide::scaled(1.0, -exponents_[at(b, l)]);
        exchange(b, l);
        if (b + 1 < blocks_) exchange(b + 1, l);
      }
  }

  void exchange(std::int64_t b, std::int64_t l) {
    const std::int64_t left = b ? exponents_[at(b - 1, l)] : 0;
    exchange_[at(b, l)] = Wide::scaled(1.0, left - exponents_[at(b, l)]);
  }

  void store(std::int64_t b, std::int64_t l) {
    sums_[at(b, l)].add(totals_[at(b, l)], exponents_[at(b, l)]);
    totals_[at(b, l)] = 0.0;
  }

  void finish(const Couple<Code>& couple, std::int64_t l) {
    Wide sum;
    for (std::int64_t b = 0; b < blocks_; ++b) {
      store(b, l);
      sum.add(sums_[at(b, l)].value, sums_[at(b, l)].exponent);
    }
    const double number = sum.number();
    if (!kernel_.logarithm && !std::isfinite(number))
      throw std::overflow_error("records " + std::to_string(couple.i) + " and " + std::to_string(couple.j));
    const bool small = sum.exponent < 64;
    const double logarithm = small ? std::log1p(number) : std::log(sum.value) + static_cast<double>(sum.exponent) * ln2;
    *couple.out = kernel_.logarithm ? logarithm : 1.0 + number;
  }

  std::size_t at(std::int64_t k, std::int64_t l) const { return static_cast<std::size_t>(k * lanes_ + l); }

  const LocalAlignment& kernel_;
  const StringLoops& kernels_;
  std::int64_t lanes_, width_, n_ = 0, blocks_ = 0;
  std::vector<double> all_, gaps_, units_, exchange_, totals_, s_, t_;
  std::vector<std::int32_t> rows_, columns_;
  std::vector<std::int64_t> exponents_;  // log₂ of the unit of every block and lane
  std::vector<Wide> sums_;               // Σ M of every block and lane, up to its last change of unit
};

template <class Code>
void evaluate(const StringList<Code>& left, const StringList<Code>& right, const LocalAlignment& kernel, bool paired, bool symmetric, double* out,
              std::int64_t ld, const Execution& execution) {
  const StringLoops& kernels = string_loops();
  std::vector<Aligner<Code>> aligners(static_cast<std::size_t>(std::max(1, execution.threads)), Aligner<Code>(kernel, kernels));
  in_lanes(left, right, paired, symmetric, out, ld, kernels.lanes, execution,
           [&](std::span<const Couple<Code>> couples, int thread) { aligners[static_cast<std::size_t>(thread)](couples); });
}

}  // namespace

bool can_align(const LocalAlignment& kernel) { return 2.0 * bits_per_column(kernel) <= range; }

template <class Code>
void local_alignment_block(const StringList<Code>& left, const StringList<Code>& right, const LocalAlignment& kernel, bool symmetric, double* out,
                           std::int64_t ld, const Execution& execution) {
  evaluate(left, right, kernel, false, symmetric, out, ld, execution);
}

template <class Code>
void local_alignment_pairs(const StringList<Code>& left, const StringList<Code>& right, const LocalAlignment& kernel, double* out,
                           const Execution& execution) {
  evaluate(left, right, kernel, true, false, out, 0, execution);
}

template void local_alignment_block(const StringList<std::uint8_t>&, const StringList<std::uint8_t>&, const LocalAlignment&, bool, double*,
                                    std::int64_t, const Execution&);
template void local_alignment_block(const StringList<std::uint32_t>&, const StringList<std::uint32_t>&, const LocalAlignment&, bool, double*,
                                    std::int64_t, const Execution&);
template void local_alignment_pairs(const StringList<std::uint8_t>&, const StringList<std::uint8_t>&, const LocalAlignment&, double*,
                                    const Execution&);
template void local_alignment_pairs(const StringList<std::uint32_t>&, const StringList<std::uint32_t>&, const LocalAlignment&, double*,
                                    const Execution&);

}  // namespace mercer
