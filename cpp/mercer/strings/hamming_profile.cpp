#include "mercer/strings/hamming_profile.hpp"

#include <algorithm>
#include <cmath>

namespace mercer {

namespace {

constexpr std::int64_t joint_bytes = 16384;  // up to which a table by both symbols stays in the fastest cache

std::int64_t last_distance(const HammingRule& rule) { return std::min(static_cast<std::int64_t>(rule.weights.size()) - 1, rule.width); }

// Bits of the largest weight; −1 if some weight is not a natural number below 2³².
int weight_bits(const HammingRule& rule) {
  double largest = 0.0;
  for (const double w : rule.weights) {
    if (!(w >= 0.0 && w < 4294967296.0) || w != std::floor(w)) return -1;
    largest = std::max(largest, w);
  }
  int bits = 0;
  for (; largest >= 1.0; largest /= 2) ++bits;
  return bits;
}

}  // namespace

bool fits_profile(const HammingRule& rule) { return rule.width <= hamming_width && last_distance(rule) < hamming_weights && weight_bits(rule) >= 0; }

ProfileLayout::ProfileLayout(const HammingRule& rule) {
  const std::int64_t last = last_distance(rule);
  const int bits = std::max(1, weight_bits(rule));
  const int wide = (bits + 7) / 8, narrow = (bits + 5) / 6;
  profile_.bits = narrow <= hamming_planes && 3 * narrow <= 4 * wide ? 6 : 8;  // instructions for four registers: 9 and 12 per plane
  profile_.planes = profile_.bits == 6 ? narrow : wide;
  profile_.width = rule.width;
  least_ = static_cast<int>(last - rule.width);
  for (std::int64_t m = 0; m <= last; ++m) {
    const auto weight = static_cast<std::uint64_t>(rule.weights[static_cast<std::size_t>(last - m)]);
    for (int p = 0; p < profile_.planes; ++p)
      profile_.table[p][m] = static_cast<std::uint8_t>(weight >> (p * profile_.bits) & ((1u << profile_.bits) - 1));
  }
}

void ProfileLayout::lay_out(std::span<const std::uint8_t> s) {
  const auto length = static_cast<std::int64_t>(s.size()), width = profile_.width;
  const std::int64_t lanes = (length + hamming_lanes - 1) / hamming_lanes * hamming_lanes;
  const std::int64_t stride = length + lanes;  // j < P, and the diagonals of all registers behind it
  std::uint32_t slot[256] = {};                // 0 for symbols that do not occur
  std::uint32_t slots = 1;
  for (const std::uint8_t c : s)
    if (!slot[c]) slot[c] = slots++;
  const bool joint = slots * slots * stride <= joint_bytes;

  start_.resize(static_cast<std::size_t>(lanes));
  for (std::int64_t o = 0; o < lanes; ++o)
    start_[static_cast<std::size_t>(o)] = static_cast<std::uint8_t>(offset((o + length - 1) % length) + (o < length ? 0 : barred));
  base_.resize(static_cast<std::size_t>(stride));
  for (std::int64_t x = 0, j = 0, before = length - 1; x < stride; ++x, before = j, j = j + 1 == length ? 0 : j + 1)
    base_[static_cast<std::size_t>(x)] = static_cast<std::uint8_t>(offset(j) - offset(before));

  bytes_.resize(static_cast<std::size_t>(stride * slots * (joint ? slots : 2)));
  std::uint8_t* enter = bytes_.data();
  const std::int64_t rows = joint ? slots * slots : slots;
  for (std::int64_t r = 0; r < rows; ++r) std::copy(base_.begin(), base_.end(), enter + r * stride);
  std::uint8_t* leave = enter + rows * stride;
  if (!joint) std::fill(leave, leave + slots * stride, std::uint8_t{0});
  const std::int64_t apart = joint ? slots * stride : stride;  // from one entering symbol to the next
  for (std::int64_t x = 0, j = 0, gone = (length - width % length) % length; x < stride; ++x) {
    const std::int64_t now = slot[s[static_cast<std::size_t>(j)]], then = slot[s[static_cast<std::size_t>(gone)]];
    if (joint) {
      for (std::int64_t c = 0; c < slots; ++c) ++enter[now * apart + c * stride + x];
      for (std::int64_t c = 0; c < slots; ++c) --enter[c * apart + then * stride + x];
    } else {
      ++enter[now * apart + x];
      leave[then * stride + x] = 1;
    }
    if (++j == length) j = 0;
    if (++gone == length) gone = 0;
  }
  for (int c = 0; c < 256; ++c) {
    entering_[c] = slot[c] * static_cast<std::uint32_t>(apart);
    leaving_[c] = slot[c] * static_cast<std::uint32_t>(stride);
  }
  profile_.length = length;
  profile_.start = start_.data();
  profile_.enter = enter;
  profile_.leave = joint ? nullptr : leave;
  profile_.entering = entering_;
  profile_.leaving = leaving_;
}

}  // namespace mercer
