// Makes the layout that hamming_rows.hpp describes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mercer/strings/hamming.hpp"
#include "mercer/strings/hamming_rows.hpp"

namespace mercer {

// Whether the layout holds windows of this width and weights of this size; the sums it gives are exact below 2⁵³.
bool fits_profile(const HammingRule& rule);

// One string as the fast loop reads it; laid out again and again in the same memory, O(symbols · length) bytes.
class ProfileLayout {
 public:
  explicit ProfileLayout(const HammingRule& rule);
  ProfileLayout(const ProfileLayout&) = delete;  // the profile points into it
  ProfileLayout& operator=(const ProfileLayout&) = delete;
  void lay_out(std::span<const std::uint8_t> s);  // |s| ≥ width
  const HammingProfile& profile() const { return profile_; }

 private:
  int offset(std::int64_t j) const { return j < profile_.width - 1 ? barred : least_; }

  static constexpr int barred = -64;  // keeps M below 0 whatever the number of matches, up to 63
  int least_;                         // −(g − last): M is 0 at the least number of matches with a weight
  HammingProfile profile_{};
  std::vector<std::uint8_t> bytes_, start_, base_;
  std::uint32_t entering_[256], leaving_[256];
};

}  // namespace mercer
