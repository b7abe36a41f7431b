// Kernels of trees against the same recursions written plainly, over random trees.
#include <algorithm>
#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "mercer/trees/partial_tree.hpp"
#include "mercer/trees/subset_tree.hpp"
#include "reference.hpp"

namespace {

// Trees in preorder, with labels 1, 2, 3 and productions that are exact: a number in base 5, up to 8 children.
struct Forest {
  std::vector<std::uint64_t> labels, productions;
  std::vector<std::int32_t> sizes, n_children;
  std::vector<std::int64_t> offsets{0};

  mercer::Preorder nodes() const { return {labels.data(), sizes.data(), n_children.data(), static_cast<std::int64_t>(labels.size())}; }

  // A tree of some nodes whose children have random sizes, at most 8 of them.
  void grow(reference::Random& random, std::int32_t nodes) {
    add(random, nodes);
    offsets.push_back(static_cast<std::int64_t>(labels.size()));
  }

  void add(reference::Random& random, std::int32_t nodes) {
    const std::size_t v = labels.size();
    labels.push_back(1 + random() % 3);
    sizes.push_back(nodes);
    n_children.push_back(0);
    for (std::int32_t left = nodes - 1; left > 0; ++n_children[v]) {
      const std::int32_t size = n_children[v] == 7 ? left : 1 + static_cast<std::int32_t>(random() % static_cast<std::uint64_t>(left));
      add(random, size);
      left -= size;
    }
  }

  void finish() {
    for (std::size_t v = 0; v < labels.size(); ++v) {
      std::uint64_t code = labels[v];
      for (const std::size_t c : children(v)) code = 5 * code + labels[c];
      productions.push_back(n_children[v] > 0 ? code : 1'000'000'000 + code);
    }
  }

  std::vector<std::size_t> children(std::size_t v) const {
    std::vector<std::size_t> found;
    for (std::size_t c = v + 1; c < v + static_cast<std::size_t>(sizes[v]); c += static_cast<std::size_t>(sizes[c])) found.push_back(c);
    return found;
  }
};

double subset_delta(const Forest& f, std::size_t u, std::size_t v, double decay) {
  if (f.n_children[u] == 0 || f.productions[u] != f.productions[v]) return 0;
  const auto a = f.children(u), b = f.children(v);
  double product = decay;
  for (std::size_t k = 0; k < a.size(); ++k) product *= 1 + subset_delta(f, a[k], b[k], decay);
  return product;
}

double partial_delta(const Forest& f, std::size_t u, std::size_t v, double decay, double mu, double terminal) {
  if (f.labels[u] != f.labels[v]) return 0;
  if (f.n_children[u] == 0 && f.n_children[v] == 0) return terminal * mu * decay * decay;
  const auto a = f.children(u), b = f.children(v);
  std::vector<double> ending(a.size() * b.size());  // S(i, j), with the double sum over what comes before written out
  double total = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < b.size(); ++j) {
      double before = 1;
      for (std::size_t p = 0; p < i; ++p)
        for (std::size_t q = 0; q < j; ++q) before += std::pow(decay, static_cast<double>(i - p + j - q - 2)) * ending[p * b.size() + q];
      ending[i * b.size() + j] = before * partial_delta(f, a[i], b[j], decay, mu, terminal);
      total += ending[i * b.size() + j];
    }
  return mu * (decay * decay + total);
}

template <class Delta>
double over_nodes(const Forest& f, std::size_t i, std::size_t j, const Delta& delta) {
  double total = 0;
  for (auto u = static_cast<std::size_t>(f.offsets[i]); u < static_cast<std::size_t>(f.offsets[i + 1]); ++u)
    for (auto v = static_cast<std::size_t>(f.offsets[j]); v < static_cast<std::size_t>(f.offsets[j + 1]); ++v) total += delta(u, v);
  return total;
}

Forest random_forest() {
  reference::Random random(0);
  Forest forest;
  for (const std::int32_t nodes : {1, 1, 2, 3, 5, 8, 13, 21, 34, 70, 130, 150}) forest.grow(random, nodes);
  forest.finish();
  return forest;
}

template <class Delta>
void compare(const Forest& forest, const mercer::TreeKernel& kernel, const std::vector<std::uint64_t>& keys, bool leaves, const Delta& delta) {
  const auto n = static_cast<std::int64_t>(forest.offsets.size()) - 1;
  const mercer::TreeList list(forest.nodes(), keys.data(), forest.offsets.data(), n, leaves);
  const mercer::TreeChoice all{&list, nullptr, n};
  std::vector<double> block(static_cast<std::size_t>(n * n)), full(block.size()), pairs(static_cast<std::size_t>(n));
  mercer::tree_block(kernel, all, all, true, block.data(), n, {2, {}});
  mercer::tree_block(kernel, all, all, false, full.data(), n, {1, {}});
  mercer::tree_pairs(kernel, all, all, pairs.data(), {2, {}});
  CHECK(block == full);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      const double slow = over_nodes(forest, static_cast<std::size_t>(i), static_cast<std::size_t>(j), delta);
      const double fast = block[static_cast<std::size_t>(i * n + j)];
      CHECK(std::abs(fast - slow) <= 1e-12 * slow);
      if (i == j) CHECK(pairs[static_cast<std::size_t>(i)] == fast);
    }
  const std::vector<std::int64_t> rows{5, 0, 11, 5};
  std::vector<double> chosen(static_cast<std::size_t>(4 * n));
  mercer::tree_block(kernel, {&list, rows.data(), 4}, all, false, chosen.data(), n, {1, {}});
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::int64_t j = 0; j < n; ++j)
      CHECK(chosen[i * static_cast<std::size_t>(n) + static_cast<std::size_t>(j)] == block[static_cast<std::size_t>(rows[i] * n + j)]);
}

TEST(subset_trees) {
  const Forest f = random_forest();
  for (const double decay : {0.4, 0.9}) {
    const auto inner = [&](std::size_t u, std::size_t v) { return subset_delta(f, u, v, decay); };
    compare(f, mercer::SubsetTree(decay), f.productions, false, inner);
    compare(f, mercer::SubsetTree(decay), f.productions, true, [&](std::size_t u, std::size_t v) {
      return f.n_children[u] == 0 && f.n_children[v] == 0 ? decay * (f.labels[u] == f.labels[v]) : inner(u, v);
    });
  }
}

TEST(partial_trees) {
  const Forest f = random_forest();
  for (const double terminal : {1.0, 5.0})
    compare(f, mercer::PartialTree(0.4, 0.3, terminal), f.labels, true,
            [&](std::size_t u, std::size_t v) { return partial_delta(f, u, v, 0.4, 0.3, terminal); });
}

TEST(values_too_large_are_refused) {
  Forest forest;
  forest.labels.assign(4001, 1);
  forest.sizes.assign(4001, 1);
  forest.n_children.assign(4001, 0);
  forest.sizes[0] = 4001;
  forest.n_children[0] = 4000;
  forest.offsets.push_back(4001);
  const mercer::TreeList list(forest.nodes(), forest.labels.data(), forest.offsets.data(), 1, true);
  double out = 0;
  CHECK_THROWS(std::overflow_error, mercer::tree_pairs(mercer::PartialTree(1, 1, 1), {&list, nullptr, 1}, {&list, nullptr, 1}, &out, {1, {}}));
}

TEST(complete_subtrees) {
  const Forest f = random_forest();
  std::vector<std::uint64_t> keys(f.labels.size());
  std::vector<std::int32_t> inner(f.labels.size());
  mercer::subtrees(f.nodes(), keys.data(), inner.data());
  for (std::size_t u = 0; u < keys.size(); ++u) {
    const auto span = [&](std::size_t v, const auto& array) {
      const auto begin = array.begin() + static_cast<std::ptrdiff_t>(v);
      return std::vector(begin, begin + f.sizes[v]);
    };
    const auto own = span(u, f.n_children);
    CHECK(inner[u] == std::count_if(own.begin(), own.end(), [](std::int32_t n) { return n > 0; }));
    for (std::size_t v = 0; v < u; ++v)
      CHECK((keys[u] == keys[v]) == (f.sizes[u] == f.sizes[v] && own == span(v, f.n_children) && span(u, f.labels) == span(v, f.labels)));
  }
}

TEST(what_is_no_tree) {
  const Forest good = random_forest();
  const auto n = static_cast<std::int64_t>(good.offsets.size()) - 1;
  CHECK(mercer::are_trees(good.nodes(), good.offsets.data(), n));
  CHECK(!mercer::are_trees(good.nodes(), good.offsets.data(), n - 1));
  for (const std::int32_t change : {-1000, -1, 1, 1000})
    for (std::size_t v = 0; v < good.labels.size(); v += 7) {
      Forest size = good, children = good;
      size.sizes[v] += change;
      children.n_children[v] += change;
      CHECK(!mercer::are_trees(size.nodes(), good.offsets.data(), n));
      CHECK(!mercer::are_trees(children.nodes(), good.offsets.data(), n));
    }
}

}  // namespace
