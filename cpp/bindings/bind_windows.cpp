#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "items.hpp"
#include "mercer/items/key_index.hpp"
#include "mercer/runtime/hash.hpp"
#include "mercer/strings/windows.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace mercer::bindings;

namespace {

using Keys = nb::ndarray<const std::uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

using TemplateTuple = std::tuple<std::int64_t, std::vector<std::int64_t>, double, std::uint64_t>;  // width, kept, weight, salt

struct Rule : mercer::WindowRule {
  Rule(const std::vector<TemplateTuple>& shapes, int symbol_bits, std::optional<Keys> partners, std::optional<Doubles> weights, bool at_position,
       bool once)
      : partners_(std::move(partners)), weights_(std::move(weights)) {
    require(symbol_bits >= 1 && symbol_bits <= 64, "bits must be between 1 and 64");
    for (const auto& [width, kept, weight, salt] : shapes) {
      require(!kept.empty() && kept.front() >= 0 && kept.back() < width, "a template must keep positions within its width");
      for (std::size_t k = 1; k < kept.size(); ++k) require(kept[k] > kept[k - 1], "kept positions must ascend");
      templates.push_back({width, kept, weight, salt});
    }
    bits = symbol_bits;
    positional = at_position;
    presence = once;
    if (partners_) complement = {partners_->data(), partners_->shape(0)};
    if (weights_) position_weights = {weights_->data(), weights_->shape(0)};
  }

 private:
  std::optional<Keys> partners_;
  std::optional<Doubles> weights_;
};

template <class Code>
mercer::StringList<Code> checked(const Codes<Code>& codes, const Integers& offsets, const std::optional<Inside>& inside, const Rule& rule) {
  const auto strings = string_list(codes, offsets);
  require(!inside || inside->shape(0) == codes.shape(0), "inside needs one truth value per symbol");
  for (std::int64_t i = 0; i < strings.n; ++i)
    require(rule.position_weights.empty() || strings[i].size() <= rule.position_weights.size(), "a string is longer than the position weights");
  if (!rule.complement.empty())
    for (std::size_t i = 0; i < codes.shape(0); ++i)
      require(static_cast<std::uint64_t>(codes.data()[i]) < rule.complement.size(), "a symbol has no complement");
  return strings;
}

template <class Code>
void declare_windows(nb::module_& m) {
  m.def(
      "keyed_windows",
      [](Codes<Code> codes, Integers offsets, std::optional<Inside> inside, const Rule& rule, int threads) {
        const auto strings = checked(codes, offsets, inside, rule);
        mercer::KeyedRows rows;
        without_gil([&] { rows = mercer::keyed_windows<Code>(strings, flags(inside), rule, {threads, signalled}); });
        return std::make_tuple(handed_over(std::move(rows.indptr)), handed_over(std::move(rows.keys)), handed_over(std::move(rows.values)));
      },
      "codes"_a.noconvert(), "offsets"_a.noconvert(), "inside"_a.noconvert().none(), "rule"_a, "threads"_a);
  m.def(
      "find_windows",
      [](Codes<Code> codes, Integers offsets, std::optional<Inside> inside, const Rule& rule, Keys wanted) {
        const auto strings = checked(codes, offsets, inside, rule);
        std::vector<mercer::Found> places;
        without_gil([&] { places = mercer::find_windows<Code>(strings, flags(inside), rule, {wanted.data(), wanted.shape(0)}); });
        std::vector<std::int64_t> starts, indices, flipped;
        for (const auto& p : places) starts.push_back(p.start), indices.push_back(p.index), flipped.push_back(p.flipped);
        return std::make_tuple(handed_over(std::move(starts)), handed_over(std::move(indices)), handed_over(std::move(flipped)));
      },
      "codes"_a.noconvert(), "offsets"_a.noconvert(), "inside"_a.noconvert().none(), "rule"_a, "wanted"_a.noconvert());
}

}  // namespace

void bind_windows(nb::module_& m) {
  nb::class_<Rule>(m, "WindowRule")
      .def(nb::init<const std::vector<TemplateTuple>&, int, std::optional<Keys>, std::optional<Doubles>, bool, bool>(), "templates"_a, "bits"_a,
           "complement"_a.noconvert().none() = nb::none(), "position_weights"_a.noconvert().none() = nb::none(), "positional"_a = false,
           "presence"_a = false);
  declare_windows<std::uint8_t>(m);
  declare_windows<std::uint32_t>(m);
  declare_windows<std::uint64_t>(m);
  m.def(
      "combine_keys",
      [](Keys keys, Keys next) {
        require(keys.shape(0) == next.shape(0), "every key needs a number to take in");
        std::vector<std::uint64_t> out(keys.shape(0));
        for (std::size_t i = 0; i < out.size(); ++i) out[i] = mercer::combine(keys.data()[i], next.data()[i]);
        return handed_over(std::move(out));
      },
      "keys"_a.noconvert(), "next"_a.noconvert());
  nb::class_<mercer::KeyIndex>(m, "KeyIndex")
      .def(nb::init<>())
      .def(
          "add",
          [](mercer::KeyIndex& self, Keys keys) {
            std::vector<std::int32_t> out(keys.shape(0));
            self.add({keys.data(), keys.shape(0)}, out.data());
            return handed_over(std::move(out));
          },
          "keys"_a.noconvert())
      .def(
          "find",
          [](const mercer::KeyIndex& self, Keys keys) {
            std::vector<std::int32_t> out(keys.shape(0));
            self.find({keys.data(), keys.shape(0)}, out.data());
            return handed_over(std::move(out));
          },
          "keys"_a.noconvert())
      .def("__len__", [](const mercer::KeyIndex& self) { return self.keys().size(); })
      .def("keys", [](const mercer::KeyIndex& self) { return handed_over(std::vector<std::uint64_t>(self.keys())); });
}
