// Kernels that align strings, against sums in long double; no lane sees another.
#include <cmath>
#include <span>
#include <stdexcept>
#include <utility>

#include "check.hpp"
#include "mercer/strings/local_alignment.hpp"
#include "mercer/strings/subsequence.hpp"
#include "mercer/strings/weighted_degree.hpp"
#include "reference.hpp"

namespace {

using Code = std::uint8_t;

double uniform(reference::Random& random, double low, double high) { return std::uniform_real_distribution<double>(low, high)(random); }

struct Words {
  std::vector<Code> codes;
  std::vector<std::int64_t> offsets{0};

  void add(const std::vector<Code>& word) {
    codes.insert(codes.end(), word.begin(), word.end());
    offsets.push_back(static_cast<std::int64_t>(codes.size()));
  }
  std::int64_t size() const { return static_cast<std::int64_t>(offsets.size()) - 1; }
  mercer::StringList<Code> list() const { return {codes.data(), offsets.data(), size()}; }
};

Words random_words(reference::Random& random, int count, int longest, int symbols) {
  Words words;
  for (int i = 0; i < count; ++i) {
    std::vector<Code> word(static_cast<std::size_t>(uniform(random, 0, longest + 1)));
    for (Code& c : word) c = static_cast<Code>(uniform(random, 0, symbols));
    words.add(word);
  }
  return words;
}

long double subsequence(std::span<const Code> s, std::span<const Code> t, const mercer::Subsequence& kernel) {
  const std::size_t n = s.size(), m = t.size();
  std::vector<long double> sums((n + 1) * (m + 1), 1.0L), next;
  long double total = 0;
  for (std::int64_t q = 1; q <= kernel.p; ++q) {
    next.assign((n + 1) * (m + 1), 0.0L);
    long double level = 0;
    for (std::size_t i = 1; i <= n; ++i)
      for (std::size_t j = 1; j <= m; ++j) {
        const long double d = kernel.decay, ends = s[i - 1] == t[j - 1] ? d * d * sums[(i - 1) * (m + 1) + j - 1] : 0.0L;
        level += ends;
        next[i * (m + 1) + j] = ends + d * next[(i - 1) * (m + 1) + j] + d * next[i * (m + 1) + j - 1] - d * d * next[(i - 1) * (m + 1) + j - 1];
      }
    if (kernel.blended || q == kernel.p) total += level;
    sums.swap(next);
  }
  return total;
}

long double weighted_degree(std::span<const Code> s, std::span<const Code> t, const mercer::WeightedDegree& kernel) {
  long double total = 0;
  const auto degree = static_cast<long double>(kernel.degree);
  for (std::size_t i = 0; i < s.size(); ++i)
    for (std::size_t j = 0; j < t.size(); ++j) {
      const std::int64_t apart = std::abs(static_cast<std::int64_t>(i) - static_cast<std::int64_t>(j));
      if (apart > kernel.shift) continue;
      const long double weight =
          (kernel.roots ? kernel.roots[i] * kernel.roots[j] : 1.0L) / (apart ? 2.0L * (static_cast<long double>(apart) + 1) : 1.0L);
      for (std::size_t d = 1; d <= static_cast<std::size_t>(kernel.degree) && i + d <= s.size() && j + d <= t.size(); ++d) {
        if (s[i + d - 1] != t[j + d - 1]) break;
        total += weight * 2.0L * (degree - static_cast<long double>(d) + 1) / (degree * (degree + 1));
      }
    }
  return total;
}

// ln K from the recurrence in long double, whose exponents reach 2^16383.
long double local_alignment(std::span<const Code> s, std::span<const Code> t, const mercer::LocalAlignment& kernel) {
  const std::size_t n = s.size(), m = t.size(), width = m + 1;
  std::vector<long double> M((n + 1) * width), X(M), Y(M);
  long double sum = 0;
  for (std::size_t i = 1; i <= n; ++i)
    for (std::size_t j = 1; j <= m; ++j) {
      const std::size_t here = i * width + j, up = here - width, left = here - 1, corner = up - 1;
      const double weight = kernel.weights         ? kernel.weights[s[i - 1] * (kernel.symbols + 1) + t[j - 1]]
                            : s[i - 1] == t[j - 1] ? kernel.match
                                                   : kernel.mismatch;
      M[here] = weight * (1.0L + M[corner] + X[corner] + Y[corner]);
      X[here] = kernel.open * M[up] + kernel.extend * X[up];
      Y[here] = kernel.open * (M[left] + X[left]) + kernel.extend * Y[left];
      sum += M[here];
    }
  return std::log1p(sum);
}

// All words with all words: as the slow twin says, whatever the number of threads, and the same to the bit in any company.
template <class Kernel, class Block, class Pairs, class Slow>
void agree(const Words& words, const Kernel& kernel, Block&& block, Pairs&& pairs, Slow&& slow, long double tolerance) {
  const auto list = words.list();
  const std::int64_t n = list.n;
  std::vector<double> square(static_cast<std::size_t>(n * n)), other(square), diagonal(static_cast<std::size_t>(n));
  block(list, list, kernel, true, square.data(), n, {1, {}});
  block(list, list, kernel, false, other.data(), n, {3, {}});
  pairs(list, list, kernel, diagonal.data(), {2, {}});
  for (std::int64_t i = 0; i < n; ++i) {
    CHECK(diagonal[static_cast<std::size_t>(i)] == square[static_cast<std::size_t>(i * n + i)]);
    for (std::int64_t j = 0; j < n; ++j) {
      const double value = square[static_cast<std::size_t>(i * n + j)];
      const long double expected = slow(list[i], list[j], kernel);
      CHECK(value == other[static_cast<std::size_t>(i * n + j)]);
      CHECK(std::abs(value - expected) <= tolerance * std::abs(expected));
    }
  }
  const Words alone{{words.codes.begin() + list.offsets[n - 1], words.codes.end()}, {0, list.offsets[n] - list.offsets[n - 1]}};
  double value = 0;
  block(list, alone.list(), kernel, false, square.data(), 1, {1, {}});
  block(alone.list(), alone.list(), kernel, true, &value, 1, {1, {}});
  CHECK(value == diagonal.back());
  for (std::int64_t i = 0; i < n; ++i) CHECK(square[static_cast<std::size_t>(i)] == other[static_cast<std::size_t>(i * n + n - 1)]);
}

TEST(subsequences_of_every_length) {
  reference::Random random(0);
  const Words words = random_words(random, 13, 40, 3);
  for (const std::int64_t p : {1, 2, 4, 5, 6, 9, 41})
    for (const bool blended : {false, true})
      agree(words, mercer::Subsequence{p, 0.7, blended}, mercer::subsequence_block<Code>, mercer::subsequence_pairs<Code>, subsequence, 1e-12L);
  const mercer::Subsequence huge{300, 1.0, false};
  Words long_word;
  long_word.add(std::vector<Code>(1000, 1));
  double out = 0;
  CHECK_THROWS(std::overflow_error, mercer::subsequence_block(long_word.list(), long_word.list(), huge, true, &out, 1, {1, {}}));
}

TEST(weighted_degrees_with_shifts_and_weights) {
  reference::Random random(1);
  const Words words = random_words(random, 9, 140, 2);
  std::vector<double> roots(140);
  for (double& root : roots) root = uniform(random, 0, 2);
  for (const std::int64_t degree : {1, 3, 70})
    for (const std::int64_t shift : {0, 2, 200})
      for (const double* weights : {static_cast<const double*>(nullptr), static_cast<const double*>(roots.data())})
        agree(words, mercer::WeightedDegree{degree, shift, weights}, mercer::weighted_degree_block<Code>, mercer::weighted_degree_pairs<Code>,
              weighted_degree, 1e-13L);
}

TEST(local_alignments_beyond_the_range_of_doubles) {
  reference::Random random(2);
  Words words = random_words(random, 9, 60, 3);
  std::vector<Code> u(280), v(340);
  for (std::vector<Code>* part : {&u, &v})
    for (Code& c : *part) c = static_cast<Code>(uniform(random, 0, 3));
  for (const auto& [first, second] : {std::pair{u, v}, std::pair{v, u}}) {
    std::vector<Code> word = first;
    word.insert(word.end(), second.begin(), second.end());
    words.add(word);
  }
  std::vector<double> weights(16, 0.0);
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b) weights[static_cast<std::size_t>(4 * a + b)] = a == b ? 20.0 : 0.3 + 0.1 * (a + b);
  for (const double open : {1.0, 0.05, 1e-20}) {
    const mercer::LocalAlignment pair{nullptr, 0, 9.0, 0.5, open, 0.6, true}, table{weights.data(), 3, 0, 0, open, 0.6, true};
    agree(words, pair, mercer::local_alignment_block<Code>, mercer::local_alignment_pairs<Code>, local_alignment, 1e-12L);
    agree(words, table, mercer::local_alignment_block<Code>, mercer::local_alignment_pairs<Code>, local_alignment, 1e-12L);
  }
  const mercer::LocalAlignment raw{nullptr, 0, 9.0, 0.5, 0.1, 0.6, false};
  std::vector<double> out(static_cast<std::size_t>(words.size() * words.size()));
  CHECK_THROWS(std::overflow_error, mercer::local_alignment_block(words.list(), words.list(), raw, true, out.data(), words.size(), {1, {}}));
  CHECK(!mercer::can_align({nullptr, 0, 9.0, 0.5, 1e-60, 0.6, true}));
}

}  // namespace
