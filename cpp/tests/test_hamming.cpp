// Sums over pairs of windows against plain counting; words near those of a string.
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "check.hpp"
#include "mercer/strings/hamming.hpp"
#include "mercer/strings/neighbourhood.hpp"
#include "reference.hpp"

namespace {

template <class Code>
struct Strings {
  std::vector<Code> codes;
  std::vector<std::int64_t> offsets{0};
  mercer::StringList<Code> list() const { return {codes.data(), offsets.data(), static_cast<std::int64_t>(offsets.size()) - 1}; }
};

// Strings of the given lengths over `symbols` letters; one in `rare` symbols is outside.
template <class Code>
Strings<Code> random_strings(reference::Random& random, const std::vector<int>& lengths, int symbols, Code outside, int rare) {
  Strings<Code> strings;
  for (const int n : lengths) {
    for (int i = 0; i < n; ++i) {
      const auto letter = static_cast<Code>(random() % static_cast<unsigned>(symbols));
      strings.codes.push_back(rare && random() % static_cast<unsigned>(rare) == 0 ? outside : letter);
    }
    strings.offsets.push_back(static_cast<std::int64_t>(strings.codes.size()));
  }
  return strings;
}

template <class Code>
double plain(const mercer::HammingRule& rule, std::span<const Code> s, std::span<const Code> t) {
  constexpr Code most = std::numeric_limits<Code>::max();
  const auto width = static_cast<std::size_t>(rule.width);
  double sum = 0;
  for (std::size_t i = 0; i + width <= s.size(); ++i)
    for (std::size_t j = 0; j + width <= t.size(); ++j) {
      std::size_t distance = 0;
      bool valid = true;
      for (std::size_t k = 0; k < width; ++k) {
        valid = valid && s[i + k] != most && t[j + k] != most - 1;
        distance += s[i + k] != t[j + k];
      }
      if (valid && distance < rule.weights.size()) sum += rule.weights[distance];
    }
  return sum;
}

template <class Code>
void compare(const mercer::HammingRule& rule, int symbols, int rare, int strands) {
  constexpr Code most = std::numeric_limits<Code>::max();
  reference::Random random(static_cast<unsigned>(rule.width * 100 + symbols));
  const auto left = random_strings<Code>(random, {0, 3, 31, 33, 64, 100, 131}, symbols, most, rare);
  std::vector<int> lengths;
  for (int strand = 0; strand < strands; ++strand) lengths.insert(lengths.end(), {129, 40, 0, 7, 97});
  const auto right = random_strings<Code>(random, lengths, symbols, most - 1, rare);
  const std::int64_t n = left.list().n, m = right.list().n / strands;
  std::vector<double> block(static_cast<std::size_t>(n * m), -1.0), pairs(static_cast<std::size_t>(m), -1.0);
  mercer::hamming_block<Code>(rule, left.list(), right.list(), strands, false, block.data(), m, {2, {}});
  const mercer::StringList<Code> some{left.codes.data(), left.offsets.data(), m};
  mercer::hamming_pairs<Code>(rule, some, right.list(), strands, pairs.data(), {2, {}});
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < m; ++j) {
      double expected = 0;
      for (int strand = 0; strand < strands; ++strand) expected += plain<Code>(rule, left.list()[i], right.list()[j + strand * m]);
      CHECK(block[static_cast<std::size_t>(i * m + j)] == expected);
      if (i == j) CHECK(pairs[static_cast<std::size_t>(i)] == expected);
    }
}

const std::vector<mercer::HammingRule> rules{
    {1, {1}},
    {1, {2, 1}},
    {2, {7, 4, 2}},
    {3, {0, 0, 5}},
    {10, {210, 84, 28, 7, 1}},
    {6, {5530, 1000, 300, 60, 6}},
    {13, {1716, 924, 462, 210, 84, 28, 7, 1}},
    {20, {16777215, 70000, 3, 1}},
    {20, {4294967295.0, 1}},
    {20, {4294967296.0, 1}},
    {5, {0.5, 0.25}},
    {16, std::vector<double>(16, 3.0)},
    {17, std::vector<double>(17, 3.0)},
    {63, {9, 8, 7}},
    {64, {9, 8, 7}},
};

TEST(window_sums) {
  for (const auto& rule : rules) {
    compare<std::uint8_t>(rule, 2, 0, 1);
    compare<std::uint8_t>(rule, 4, 15, 2);
    compare<std::uint8_t>(rule, 25, 40, 1);
    compare<std::uint8_t>(rule, 254, 0, 1);
    compare<std::uint32_t>(rule, 4, 15, 2);
  }
}

TEST(symmetric_blocks_and_long_strings) {
  reference::Random random(3);
  const mercer::HammingRule rule{10, {210, 84, 28, 7, 1}};
  const auto strings = random_strings<std::uint8_t>(random, {5000, 90, 2048, 2057, 12, 70, 300}, 4, 255, 0);
  const std::int64_t n = strings.list().n;
  std::vector<double> whole(static_cast<std::size_t>(n * n)), half(whole.size());
  mercer::hamming_block<std::uint8_t>(rule, strings.list(), strings.list(), 1, false, whole.data(), n, {1, {}});
  mercer::hamming_block<std::uint8_t>(rule, strings.list(), strings.list(), 1, true, half.data(), n, {3, {}});
  CHECK(whole == half);
  CHECK(whole[1] == plain<std::uint8_t>(rule, strings.list()[0], strings.list()[1]));
}

TEST(sums_beyond_exact_integers) {
  const Strings<std::uint8_t> strings{std::vector<std::uint8_t>(3000, 1), {0, 3000}};
  const mercer::HammingRule rule{1, {4294967295.0}};
  double value = 0;
  mercer::hamming_pairs<std::uint8_t>(rule, strings.list(), strings.list(), 1, &value, {1, {}});
  CHECK(value == 4294967295.0 * 9000000.0);
}

TEST(words_near_those_of_a_string) {
  const Strings<std::uint8_t> strings{{0, 1, 2, 2, 9, 1, 1}, {0, 4, 7}};
  const std::uint8_t inside[] = {1, 1, 1, 1, 0, 1, 1};
  const auto rows = mercer::keyed_neighbourhoods<std::uint8_t>(strings.list(), inside, {2, 1, 3, 2}, {2, {}});
  for (std::int64_t s = 0; s < 2; ++s) {
    std::size_t at = static_cast<std::size_t>(rows.indptr[static_cast<std::size_t>(s)]);
    for (std::uint64_t a = 0; a < 3; ++a)
      for (std::uint64_t b = 0; b < 3; ++b) {
        const auto string = strings.list()[s];
        double count = 0;
        for (std::size_t i = 0; i + 1 < string.size(); ++i) {
          const auto* known = inside + strings.offsets[static_cast<std::size_t>(s)] + i;
          count += known[0] && known[1] && (string[i] != a) + (string[i + 1] != b) <= 1;
        }
        if (count == 0) continue;
        CHECK(rows.keys[at] == (1u << 4 | a << 2 | b) && rows.values[at] == count);
        ++at;
      }
    CHECK(at == static_cast<std::size_t>(rows.indptr[static_cast<std::size_t>(s) + 1]));
  }
}

}  // namespace
