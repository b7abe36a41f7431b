#include "mercer/strings/windows.hpp"

#include <algorithm>
#include <utility>

#include "mercer/items/key_index.hpp"
#include "mercer/runtime/hash.hpp"

namespace mercer {

namespace {

using Entry = std::pair<std::uint64_t, double>;

// Reads the key of one window; `step` is −1 for the other strand, where symbols are complemented and read backwards.
template <class Code>
class Reader {
 public:
  Reader(const Template& shape, const WindowRule& rule)
      : shape_(shape), rule_(rule), packs_(static_cast<std::int64_t>(shape.kept.size()) * rule.bits < 64),
        limit_(rule.bits < 64 ? std::uint64_t{1} << rule.bits : 0) {}

  std::uint64_t key(const Code* window, std::int64_t start, bool* flipped = nullptr) const {
    std::uint64_t key = word([&](std::int64_t k) { return static_cast<std::uint64_t>(window[k]); });
    if (!rule_.complement.empty()) {
      const Code* last = window + shape_.width - 1;
      const std::uint64_t other = word([&](std::int64_t k) { return rule_.complement[static_cast<std::size_t>(*(last - k))]; });
      if (flipped) *flipped = other < key;
      key = std::min(key, other);
    }
    return rule_.positional ? combine(key, static_cast<std::uint64_t>(start)) : key;
  }

 private:
  template <class Symbol>
  std::uint64_t word(const Symbol& symbol) const {
    std::uint64_t all = 0, packed = 1;
    if (shape_.kept.size() == 1 && rule_.bits == 64) return combine_if(shape_.salt, symbol(shape_.kept[0]));
    if (packs_) {
      for (const std::int64_t k : shape_.kept) {
        const std::uint64_t c = symbol(k);
        all |= c;
        packed = packed << rule_.bits | c;
      }
      if (all < limit_) return combine_if(shape_.salt, packed);
    }
    std::uint64_t h = shape_.salt + static_cast<std::uint64_t>(shape_.kept.size());
    for (const std::int64_t k : shape_.kept) h = combine(h, symbol(k));
    return h;
  }
  static std::uint64_t combine_if(std::uint64_t salt, std::uint64_t word) { return salt ? combine(salt, word) : word; }

  const Template& shape_;
  const WindowRule& rule_;
  bool packs_;
  std::uint64_t limit_;
};

// visit(start) for every place of the string where the template reads only symbols that belong.
template <class Visit>
void each_place(std::int64_t length, const std::uint8_t* inside, const Template& shape, const Visit& visit) {
  for (std::int64_t start = 0; start + shape.width <= length; ++start) {
    if (inside && !std::all_of(shape.kept.begin(), shape.kept.end(), [&](std::int64_t k) { return inside[start + k] != 0; })) continue;
    visit(start);
  }
}

// The features of one string, gathered into `entries` or, where all have one weight, into `plain`.
template <class Code>
void read_string(std::span<const Code> string, const std::uint8_t* inside, const WindowRule& rule, std::vector<std::uint64_t>& plain,
                 std::vector<Entry>& entries) {
  plain.clear();
  entries.clear();
  const bool uniform = rule.templates.size() == 1 && rule.position_weights.empty();
  for (const Template& shape : rule.templates) {
    const Reader<Code> reader(shape, rule);
    each_place(static_cast<std::int64_t>(string.size()), inside, shape, [&](std::int64_t start) {
      const std::uint64_t key = reader.key(string.data() + start, start);
      if (uniform) plain.push_back(key);
      else
        entries.emplace_back(key,
                             rule.position_weights.empty() ? shape.weight : shape.weight * rule.position_weights[static_cast<std::size_t>(start)]);
    });
  }
  std::sort(plain.begin(), plain.end());
  std::sort(entries.begin(), entries.end());
}

void append(std::vector<std::uint64_t>& keys, std::vector<double>& values, const std::vector<std::uint64_t>& plain, const std::vector<Entry>& entries,
            const WindowRule& rule) {
  for (std::size_t i = 0; i < plain.size();) {
    std::size_t j = i + 1;
    while (j < plain.size() && plain[j] == plain[i]) ++j;
    keys.push_back(plain[i]);
    values.push_back(rule.templates[0].weight * (rule.presence ? 1.0 : static_cast<double>(j - i)));
    i = j;
  }
  for (std::size_t i = 0; i < entries.size();) {
    double sum = entries[i].second;
    std::size_t j = i + 1;
    for (; j < entries.size() && entries[j].first == entries[i].first; ++j)
      if (!rule.presence) sum += entries[j].second;
    keys.push_back(entries[i].first);
    values.push_back(sum);
    i = j;
  }
}

}  // namespace

template <class Code>
KeyedRows keyed_windows(StringList<Code> strings, const std::uint8_t* inside, const WindowRule& rule, const Execution& execution) {
  struct Scratch {
    std::vector<std::uint64_t> plain;
    std::vector<Entry> entries;
  };
  std::vector<Scratch> of_thread(static_cast<std::size_t>(std::max(execution.threads, 1)));
  return gather_rows(strings.n, execution, [&](std::int64_t i, int thread, std::vector<std::uint64_t>& keys, std::vector<double>& values) {
    auto& [plain, entries] = of_thread[static_cast<std::size_t>(thread)];
    read_string(strings[i], inside ? inside + strings.offsets[i] : nullptr, rule, plain, entries);
    append(keys, values, plain, entries, rule);
  });
}

template <class Code>
std::vector<Found> find_windows(StringList<Code> strings, const std::uint8_t* inside, const WindowRule& rule, std::span<const std::uint64_t> wanted) {
  std::vector<Found> places(wanted.size(), {-1, -1, false});
  std::size_t missing = wanted.size();
  KeyIndex index;
  std::vector<std::int32_t> numbers(wanted.size());
  index.add(wanted, numbers.data());
  for (std::int64_t i = 0; i < strings.n && missing; ++i) {
    const auto string = strings[i];
    for (std::size_t t = 0; t < rule.templates.size(); ++t) {
      const Reader<Code> reader(rule.templates[t], rule);
      each_place(static_cast<std::int64_t>(string.size()), inside ? inside + strings.offsets[i] : nullptr, rule.templates[t],
                 [&](std::int64_t start) {
                   bool flipped = false;
                   const std::uint64_t key = reader.key(string.data() + start, start, &flipped);
                   std::int32_t at;
                   index.find({&key, 1}, &at);
                   if (at < 0 || places[static_cast<std::size_t>(at)].start >= 0) return;
                   places[static_cast<std::size_t>(at)] = {strings.offsets[i] + start, static_cast<std::int64_t>(t), flipped};
                   --missing;
                 });
    }
  }
  return places;
}

#define MERCER_FOR(Code)                                                                                              \
  template KeyedRows keyed_windows<Code>(StringList<Code>, const std::uint8_t*, const WindowRule&, const Execution&); \
  template std::vector<Found> find_windows<Code>(StringList<Code>, const std::uint8_t*, const WindowRule&, std::span<const std::uint64_t>);
MERCER_FOR(std::uint8_t)
MERCER_FOR(std::uint32_t)
MERCER_FOR(std::uint64_t)
#undef MERCER_FOR

}  // namespace mercer
