// Windows of strings against dictionaries, keys in an index, and the loop over pairs of items.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "check.hpp"
#include "mercer/items/item_pairs.hpp"
#include "mercer/items/key_index.hpp"
#include "mercer/strings/windows.hpp"
#include "reference.hpp"

namespace {

using mercer::Template;
using mercer::WindowRule;

struct Strings {
  std::vector<std::uint8_t> codes;
  std::vector<std::int64_t> offsets{0};
  void add(const std::string& s) {
    codes.insert(codes.end(), s.begin(), s.end());
    offsets.push_back(static_cast<std::int64_t>(codes.size()));
  }
  mercer::StringList<std::uint8_t> list() const { return {codes.data(), offsets.data(), static_cast<std::int64_t>(offsets.size()) - 1}; }
};

Template word(std::int64_t width, double weight = 1.0) {
  Template t{width, {}, weight, 0};
  for (std::int64_t k = 0; k < width; ++k) t.kept.push_back(k);
  return t;
}

WindowRule rule_of(std::vector<Template> templates) {
  WindowRule rule;
  rule.templates = std::move(templates);
  return rule;
}

Strings random_strings(reference::Random& random, std::int64_t n) {
  Strings strings;
  for (std::int64_t i = 0; i < n; ++i) {
    std::string s;
    for (auto length = random() % 20; length > 0; --length) s += "abc"[random() % 3];
    strings.add(s);
  }
  return strings;
}

TEST(counts_of_words_are_those_of_a_dictionary) {
  reference::Random random(0);
  const Strings strings = random_strings(random, 700);
  for (const std::int64_t p : {1, 3, 7, 8, 12})
    for (const int threads : {1, 3}) {
      const auto rows = mercer::keyed_windows<std::uint8_t>(strings.list(), nullptr, rule_of({word(p, 0.5)}), {threads, {}});
      CHECK(rows.indptr.size() == 701 && rows.indptr.back() == static_cast<std::int64_t>(rows.keys.size()));
      for (std::int64_t i = 0; i < 700; ++i) {
        const auto s = strings.list()[i];
        std::map<std::string, double> counts;
        for (std::int64_t k = 0; k + p <= static_cast<std::int64_t>(s.size()); ++k) counts[std::string(s.begin() + k, s.begin() + k + p)] += 0.5;
        const auto first = rows.indptr[static_cast<std::size_t>(i)], last = rows.indptr[static_cast<std::size_t>(i + 1)];
        CHECK(last - first == static_cast<std::int64_t>(counts.size()));
        CHECK(std::is_sorted(rows.keys.begin() + first, rows.keys.begin() + last));
        double total = 0, squares = 0, expected = 0, expected_squares = 0;
        for (auto k = first; k < last; ++k)
          total += rows.values[static_cast<std::size_t>(k)],
              squares += rows.values[static_cast<std::size_t>(k)] * rows.values[static_cast<std::size_t>(k)];
        for (const auto& [w, c] : counts) expected += c, expected_squares += c * c;
        CHECK(total == expected && squares == expected_squares);
      }
    }
}

TEST(places_spell_their_keys) {
  reference::Random random(1);
  const Strings strings = random_strings(random, 50);
  Template gapped{4, {0, 3}, 1.0, 77};
  const WindowRule rule = rule_of({word(2), gapped});
  const auto rows = mercer::keyed_windows<std::uint8_t>(strings.list(), nullptr, rule, {1, {}});
  std::vector<std::uint64_t> wanted = rows.keys;
  std::sort(wanted.begin(), wanted.end());
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  const auto places = mercer::find_windows<std::uint8_t>(strings.list(), nullptr, rule, wanted);
  std::map<std::string, int> seen;
  for (const auto& place : places) {
    CHECK(place.start >= 0 && (place.index == 0 || place.index == 1));
    const auto* at = strings.codes.data() + place.start;
    ++seen[place.index == 0 ? std::string(at, at + 2) : std::string{static_cast<char>(at[0]), '.', '.', static_cast<char>(at[3])}];
  }
  for (const auto& [name, times] : seen) CHECK(times == 1);
  const std::vector<std::uint64_t> absent{1};
  CHECK(mercer::find_windows<std::uint8_t>(strings.list(), nullptr, rule, absent)[0].start == -1);
}

TEST(windows_with_symbols_outside_are_left_out) {
  Strings strings;
  strings.add("abcab");
  const std::vector<std::uint8_t> inside{1, 1, 0, 1, 1};
  const auto rows = mercer::keyed_windows<std::uint8_t>(strings.list(), inside.data(), rule_of({word(2)}), {1, {}});
  CHECK(rows.keys.size() == 1 && rows.values[0] == 2.0);
}

TEST(an_index_numbers_keys_as_they_come) {
  reference::Random random(2);
  mercer::KeyIndex index;
  std::vector<std::uint64_t> keys;
  for (int i = 0; i < 20000; ++i) keys.push_back((random() % 5000) * 0x9E3779B97F4A7C15u);
  std::vector<std::int32_t> numbers(keys.size()), found(keys.size());
  index.add(keys, numbers.data());
  index.find(keys, found.data());
  CHECK(numbers == found);
  for (std::size_t i = 0; i < keys.size(); ++i) CHECK(index.keys()[static_cast<std::size_t>(numbers[i])] == keys[i]);
  const std::vector<std::uint64_t> absent{12345};
  index.find(absent, found.data());
  CHECK(found[0] == -1);
}

TEST(every_pair_is_asked_for_once) {
  for (const auto& [left, right] : {std::pair<std::int64_t, std::int64_t>{1, 1}, {17, 65}, {130, 130}})
    for (const bool symmetric : {false, true})
      for (const int threads : {1, 3}) {
        if (symmetric && left != right) continue;
        const std::int64_t ld = right + 3;
        std::vector<double> out(static_cast<std::size_t>(left * ld), -1.0);
        mercer::fill_block(left, right, symmetric, out.data(), ld, {threads, {}},
                           [&](std::int64_t i, std::int64_t first, std::int64_t last, double* row, int) {
                             CHECK(first >= 0 && last <= right && last - first <= 64 && (!symmetric || first >= i));
                             for (std::int64_t j = first; j < last; ++j) row[j - first] = static_cast<double>(std::min(i, j) * 1000 + std::max(i, j));
                           });
        for (std::int64_t i = 0; i < left; ++i) {
          for (std::int64_t j = 0; j < right; ++j)
            CHECK(out[static_cast<std::size_t>(i * ld + j)] == static_cast<double>(std::min(i, j) * 1000 + std::max(i, j)));
          CHECK(out[static_cast<std::size_t>(i * ld + right)] == -1.0);
        }
        std::vector<double> pairs(static_cast<std::size_t>(left));
        mercer::fill_pairs(left, pairs.data(), {threads, {}}, [](std::int64_t i, int) { return static_cast<double>(i); });
        for (std::int64_t i = 0; i < left; ++i) CHECK(pairs[static_cast<std::size_t>(i)] == static_cast<double>(i));
      }
}

}  // namespace
