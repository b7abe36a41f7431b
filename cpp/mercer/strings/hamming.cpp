#include "mercer/strings/hamming.hpp"

#include <algorithm>
#include <deque>
#include <limits>
#include <span>

#include "mercer/items/item_pairs.hpp"
#include "mercer/strings/hamming_profile.hpp"
#include "mercer/strings/string_loops.hpp"

namespace mercer {

namespace {

constexpr double exact = 9007199254740992.0;  // 2⁵³: integers up to here are doubles
constexpr std::int64_t longest = 2048;        // piece of a left string; bounds what is laid out at a time

// Stretches of symbols that belong, at least one window long: the windows of a string are those of its runs.
template <class Code>
class Runs {
 public:
  Runs(StringList<Code> strings, Code outside, std::int64_t width)
      : first_(static_cast<std::size_t>(strings.n) + 1), windows_(static_cast<std::size_t>(strings.n)) {
    for (std::int64_t i = 0; i < strings.n; ++i) {
      const auto string = strings[i];
      for (auto begin = string.begin(); begin != string.end();) {
        const auto end = std::find(begin, string.end(), outside);
        if (end - begin >= width) {
          runs_.push_back(string.subspan(static_cast<std::size_t>(begin - string.begin()), static_cast<std::size_t>(end - begin)));
          windows_[static_cast<std::size_t>(i)] += end - begin - width + 1;
        }
        begin = end == string.end() ? end : end + 1;
      }
      first_[static_cast<std::size_t>(i) + 1] = runs_.size();
    }
  }

  std::span<const std::span<const Code>> operator[](std::int64_t i) const {
    const auto at = static_cast<std::size_t>(i);
    return std::span(runs_).subspan(first_[at], first_[at + 1] - first_[at]);
  }
  double windows(std::int64_t i) const { return static_cast<double>(windows_[static_cast<std::size_t>(i)]); }

 private:
  std::vector<std::size_t> first_;
  std::vector<std::int64_t> windows_;
  std::vector<std::span<const Code>> runs_;
};

// counts[d] += pairs of windows at distance d, for d < counts.size(): along every diagonal the matches of a window are those
// of the one before, with a cell more and a cell less.
template <class Code>
void count_distances(std::span<const Code> s, std::span<const Code> t, std::int64_t width, std::span<std::uint64_t> counts) {
  const auto n = static_cast<std::int64_t>(s.size()), m = static_cast<std::int64_t>(t.size());
  for (std::int64_t o = width - n; o <= m - width; ++o) {
    const Code* a = s.data() + std::max<std::int64_t>(-o, 0);
    const Code* b = t.data() + std::max<std::int64_t>(o, 0);
    const std::int64_t cells = std::min(n - std::max<std::int64_t>(-o, 0), m - std::max<std::int64_t>(o, 0));
    std::int64_t distance = 0;
    for (std::int64_t k = 0; k < cells; ++k) {
      distance += a[k] != b[k];
      if (k + 1 < width) continue;
      if (distance < static_cast<std::int64_t>(counts.size())) ++counts[static_cast<std::size_t>(distance)];
      distance -= a[k + 1 - width] != b[k + 1 - width];
    }
  }
}

// Both sides of one call.
template <class Code>
struct HammingCall {
  HammingCall(const HammingRule& kernel, StringList<Code> left_strings, StringList<Code> right_strings, int strand_count)
      : rule(kernel), strands(strand_count), items(right_strings.n / strand_count),
        heaviest(*std::max_element(kernel.weights.begin(), kernel.weights.end())),
        sum(sizeof(Code) == 1 && fits_profile(kernel) ? string_loops().hamming : nullptr),
        left(left_strings, std::numeric_limits<Code>::max(), kernel.width), right(right_strings, std::numeric_limits<Code>::max() - 1, kernel.width) {
  }

  const HammingRule& rule;
  int strands;
  std::int64_t items;
  double heaviest;
  HammingSum sum;
  Runs<Code> left, right;
};

// What a thread needs: the left string of the moment, laid out, against any right one.
template <class Code>
class Comparison {
 public:
  explicit Comparison(const HammingCall<Code>& call) : call_(call), counts_(call.rule.weights.size()) {}

  void take(std::int64_t i) {
    left_ = i;
    pieces_ = 0;
    if constexpr (sizeof(Code) == 1) {
      if (!call_.sum) return;
      const std::int64_t width = call_.rule.width, step = longest - width + 1;
      for (const auto run : call_.left[i]) {
        const auto windows = static_cast<std::int64_t>(run.size()) - width + 1;
        for (std::int64_t at = 0; at < windows; at += step) {  // pieces overlap, so that each window is in one of them
          if (pieces_ == layouts_.size()) layouts_.emplace_back(call_.rule);
          layouts_[pieces_++].lay_out(run.subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(std::min(step, windows - at) + width - 1)));
        }
      }
    }
  }

  double with(std::int64_t j) {
    double windows = 0.0;
    for (int strand = 0; strand < call_.strands; ++strand) windows += call_.right.windows(j + strand * call_.items);
    windows *= call_.left.windows(left_);
    if (windows == 0.0) return 0.0;
    return call_.sum && windows * call_.heaviest < exact ? summed(j) : counted(j);
  }

 private:
  double summed(std::int64_t j) const {
    std::uint64_t total = 0;
    if constexpr (sizeof(Code) == 1)
      for (int strand = 0; strand < call_.strands; ++strand)
        for (const auto run : call_.right[j + strand * call_.items])
          for (std::size_t p = 0; p < pieces_; ++p) total += call_.sum(layouts_[p].profile(), run.data(), static_cast<std::int64_t>(run.size()));
    return static_cast<double>(total);
  }

  // The same number where every partial sum is an integer below 2⁵³, and else rounded in one fixed order.
  double counted(std::int64_t j) {
    std::fill(counts_.begin(), counts_.end(), 0);
    for (int strand = 0; strand < call_.strands; ++strand)
      for (const auto t : call_.right[j + strand * call_.items])
        for (const auto s : call_.left[left_]) count_distances<Code>(s, t, call_.rule.width, counts_);
    double sum = 0.0;
    for (std::size_t d = 0; d < counts_.size(); ++d) sum += call_.rule.weights[d] * static_cast<double>(counts_[d]);
    return sum;
  }

  const HammingCall<Code>& call_;
  std::vector<std::uint64_t> counts_;
  std::deque<ProfileLayout> layouts_;  // which stay where they are
  std::size_t pieces_ = 0;
  std::int64_t left_ = -1;
};

template <class Code>
std::deque<Comparison<Code>> comparisons(const HammingCall<Code>& call, int threads) {
  std::deque<Comparison<Code>> of_thread;
  for (int t = 0; t < std::max(threads, 1); ++t) of_thread.emplace_back(call);
  return of_thread;
}

}  // namespace

template <class Code>
void hamming_block(const HammingRule& rule, StringList<Code> left, StringList<Code> right, int strands, bool symmetric, double* out, std::int64_t ld,
                   const Execution& execution) {
  const HammingCall<Code> call(rule, left, right, strands);
  auto of_thread = comparisons(call, execution.threads);
  fill_block(left.n, call.items, symmetric, out, ld, execution, [&](std::int64_t i, std::int64_t first, std::int64_t last, double* row, int thread) {
    auto& comparison = of_thread[static_cast<std::size_t>(thread)];
    comparison.take(i);
    for (std::int64_t j = first; j < last; ++j) row[j - first] = comparison.with(j);
  });
}

template <class Code>
void hamming_pairs(const HammingRule& rule, StringList<Code> left, StringList<Code> right, int strands, double* out, const Execution& execution) {
  const HammingCall<Code> call(rule, left, right, strands);
  auto of_thread = comparisons(call, execution.threads);
  fill_pairs(left.n, out, execution, [&](std::int64_t i, int thread) {
    auto& comparison = of_thread[static_cast<std::size_t>(thread)];
    comparison.take(i);
    return comparison.with(i);
  });
}

#define MERCER_FOR(Code)                                                                                                                         \
  template void hamming_block<Code>(const HammingRule&, StringList<Code>, StringList<Code>, int, bool, double*, std::int64_t, const Execution&); \
  template void hamming_pairs<Code>(const HammingRule&, StringList<Code>, StringList<Code>, int, double*, const Execution&);
MERCER_FOR(std::uint8_t)
MERCER_FOR(std::uint32_t)
#undef MERCER_FOR

}  // namespace mercer
