#include "mercer/strings/neighbourhood.hpp"

#include <algorithm>
#include <utility>

namespace mercer {

namespace {

using Entry = std::pair<std::uint64_t, double>;

class Spread {
 public:
  Spread(const Neighbourhood& rule, std::vector<Entry>& entries) : rule_(rule), entries_(entries), mask_((std::uint64_t{1} << rule.bits) - 1) {}

  // All words that differ from this one in at most `left` of the places from `first` on, each once: changed places ascend.
  // Goes as deep as there are mismatches.
  void operator()(std::uint64_t word, std::int64_t first, std::int64_t left, double count) const {
    entries_.emplace_back(word, count);
    if (left == 0) return;
    for (std::int64_t place = first; place < rule_.length; ++place) {
      const auto shift = static_cast<int>(place * rule_.bits);
      const std::uint64_t own = word >> shift & mask_, others = word & ~(mask_ << shift);
      for (std::uint64_t c = 0; c < static_cast<std::uint64_t>(rule_.symbols); ++c)
        if (c != own) (*this)(others | c << shift, place + 1, left - 1, count);
    }
  }

 private:
  const Neighbourhood& rule_;
  std::vector<Entry>& entries_;
  std::uint64_t mask_;
};

// Words of the string that hold no symbol outside, in order of occurrence.
template <class Code>
void read_words(std::span<const Code> string, const std::uint8_t* inside, const Neighbourhood& rule, std::vector<std::uint64_t>& words) {
  const std::uint64_t lead = std::uint64_t{1} << (rule.length * rule.bits);
  std::uint64_t word = 0;
  std::int64_t known = 0;  // symbols since the last one outside
  for (std::size_t i = 0; i < string.size(); ++i) {
    known = inside && !inside[i] ? 0 : known + 1;
    if (known == 0) continue;
    word = (word << rule.bits | static_cast<std::uint64_t>(string[i])) & (lead - 1);
    if (known >= rule.length) words.push_back(lead | word);
  }
}

}  // namespace

template <class Code>
KeyedRows keyed_neighbourhoods(StringList<Code> strings, const std::uint8_t* inside, const Neighbourhood& rule, const Execution& execution) {
  struct Scratch {
    std::vector<std::uint64_t> words;
    std::vector<Entry> entries;
  };
  std::vector<Scratch> of_thread(static_cast<std::size_t>(std::max(execution.threads, 1)));
  return gather_rows(strings.n, execution, [&](std::int64_t i, int thread, std::vector<std::uint64_t>& keys, std::vector<double>& values) {
    auto& [words, entries] = of_thread[static_cast<std::size_t>(thread)];
    words.clear();
    entries.clear();
    read_words(strings[i], inside ? inside + strings.offsets[i] : nullptr, rule, words);
    std::sort(words.begin(), words.end());
    const Spread spread(rule, entries);
    for (auto word = words.begin(); word != words.end();) {  // each different word once
      const auto next = std::upper_bound(word, words.end(), *word);
      spread(*word, 0, rule.mismatches, static_cast<double>(next - word));
      word = next;
    }
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.first < b.first; });
    for (std::size_t e = 0; e < entries.size();) {
      double count = 0.0;
      const std::uint64_t key = entries[e].first;
      for (; e < entries.size() && entries[e].first == key; ++e) count += entries[e].second;
      keys.push_back(key);
      values.push_back(count);
    }
  });
}

#define MERCER_FOR(Code) template KeyedRows keyed_neighbourhoods<Code>(StringList<Code>, const std::uint8_t*, const Neighbourhood&, const Execution&);
MERCER_FOR(std::uint8_t)
MERCER_FOR(std::uint32_t)
#undef MERCER_FOR

}  // namespace mercer
