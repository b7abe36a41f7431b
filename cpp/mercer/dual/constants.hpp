// Constants that the dual solvers share.
#pragma once

#include <cstdint>
#include <limits>

namespace mercer {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Up to this order one working set may hold every variable, and K is computed at once, by symmetry.
constexpr std::int64_t whole_limit = 4096;

// A curvature below this share of the largest diagonal entry is rounding; one below minus the second share is negative.
constexpr double tiny_share = 1e-12;
template <class T>
constexpr double negative_share = sizeof(T) == 4 ? 1e-4 : 1e-10;

}  // namespace mercer
