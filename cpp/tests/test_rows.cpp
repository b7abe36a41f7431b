// The inner loops of the selected instruction set against long double.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>

#include "check.hpp"
#include "mercer/gram/row_kernels.hpp"
#include "reference.hpp"

namespace {

using mercer::Op;
using mercer::Step;
using reference::Random;

template <class T>
const mercer::RowKernels<T>& kernels() {
  return mercer::active_table().of<T>();
}

template <class T>
constexpr const char* name = sizeof(T) == 8 ? "double" : "float";

// |got − want| in units of the last place of want; 0 for equal infinities and for NaN meeting NaN.
template <class T>
double ulps(T got, long double want) {
  using Limits = std::numeric_limits<T>;
  if (std::isnan(want) || std::isnan(got)) return std::isnan(want) && std::isnan(got) ? 0 : INFINITY;
  int exponent;
  std::frexp(std::min(std::abs(want), static_cast<long double>(Limits::max())), &exponent);
  const long double unit = std::ldexp(1.0L, std::max(exponent, Limits::min_exponent) - Limits::digits);
  // Infinity stands one unit above the largest number, for results and for what rounds to it.
  const long double top = std::ldexp(1.0L, Limits::max_exponent);
  return static_cast<double>(std::abs(std::clamp<long double>(got, -top, top) - std::clamp(want, -top, top)) / unit);
}

// Every size from subnormal to overflow, both signs, the ends of each range, infinities and quiet NaNs of each kind.
template <class T>
std::vector<T> arguments() {
  using Limits = std::numeric_limits<T>;
  Random random(1);
  std::vector<T> x;
  const auto uniform = [&](double low, double high, int count) {
    std::uniform_real_distribution<double> u(low, high);
    for (int i = 0; i < count; ++i) x.push_back(static_cast<T>(u(random)));
  };
  const double bottom = std::log(static_cast<double>(Limits::denorm_min()));  // −744.4, −103.3
  const double smallest = std::log(static_cast<double>(Limits::min())), largest = std::log(static_cast<double>(Limits::max()));
  uniform(-1, 1, 3000);
  uniform(-40, 40, 3000);
  uniform(smallest, largest, 3000);
  uniform(bottom - 2, smallest, 2000);  // results of exp that are subnormal
  uniform(largest - 1, largest + 1, 500);
  uniform(bottom - 2000, bottom, 200);
  for (int e = Limits::min_exponent - Limits::digits; e < Limits::max_exponent; ++e)
    for (const double m : {0.5, 0.6, 0.99}) x.push_back(static_cast<T>(std::ldexp(m, e)));
  for (const T v : {T(0), Limits::denorm_min(), Limits::min(), Limits::epsilon(), T(1), std::nextafter(T(1), T(0)), Limits::max(), Limits::infinity(),
                    Limits::quiet_NaN(), static_cast<T>(largest), static_cast<T>(bottom), static_cast<T>(smallest)})
    x.push_back(v);
  const std::size_t count = x.size();
  for (std::size_t i = 0; i < count; ++i) x.push_back(-x[i]);
  return x;
}

using Bound = std::function<double(long double)>;

// Runs one map over the arguments and compares each result; the arguments are cut into ragged lengths on the way.
template <class T>
void check_map(const char* what, const Step& step, const std::vector<T>& x, const Bound& bound, const double* pool = nullptr) {
  std::vector<T> y = x;
  std::size_t done = 0;
  for (std::size_t length = 1; done < y.size(); length = length % 97 + 1) {
    std::vector<T> part(y.begin() + static_cast<std::ptrdiff_t>(done), y.begin() + static_cast<std::ptrdiff_t>(std::min(y.size(), done + length)));
    kernels<T>().map(step, pool, part.data(), static_cast<std::int64_t>(part.size()), T(0), nullptr);
    std::copy(part.begin(), part.end(), y.begin() + static_cast<std::ptrdiff_t>(done));
    done += part.size();
  }
  const Step rounded{step.op, step.arg, static_cast<double>(static_cast<T>(step.a)), static_cast<double>(static_cast<T>(step.b))};
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double error = ulps(y[i], reference::map(rounded, pool, x[i], 0, 0));
    if (!(error <= bound(x[i])))
      check::fail(what, 0,
                  std::string(name<T>) + "(" + std::to_string(x[i]) + ") = " + std::to_string(y[i]) + " is off by " + std::to_string(error) +
                      " ulp, allowed " + std::to_string(bound(x[i])));
  }
}

template <class T>
std::vector<T> only(const std::vector<T>& x, bool (*keep)(T)) {
  std::vector<T> kept;
  std::copy_if(x.begin(), x.end(), std::back_inserter(kept), keep);
  return kept;
}

Bound at_most(double ulps) {
  return [=](long double) { return ulps; };
}

template <class T>
void elementary() {
  const std::vector<T> x = arguments<T>();
  check_map<T>("exp", {Op::exp, 0, 1, 0}, x, at_most(2));
  check_map<T>("tanh", {Op::tanh, 0, 0, 0}, x, at_most(3));
  check_map<T>("log1p", {Op::log1p, 0, 0, 0}, x, at_most(2));
  check_map<T>("sqrt", {Op::sqrt, 0, 0, 0}, x, at_most(0.51));
  for (const double a : {0.05, 0.75, 1.3, 2.0, 3.9}) check_map<T>("power", {Op::power, 0, a, 0}, x, at_most(1.5 + a));
  for (const double a : {4.1, 9.5}) check_map<T>("power", {Op::power, 0, a, 0}, x, at_most(1));
  check_map<T>("is_zero", {Op::is_zero, 0, 0, 0}, x, at_most(0));
  check_map<T>("power_int", {Op::power_int, 0, 0, 0}, x, at_most(0));
  check_map<T>("power_int", {Op::power_int, 1, 0, 0}, x, at_most(0));
  check_map<T>("power_int", {Op::power_int, 2, 0, 0}, x, at_most(0.51));
}

TEST(rows_elementary_functions_double) { elementary<double>(); }
TEST(rows_elementary_functions_float) { elementary<float>(); }

template <class T>
void composed() {
  const std::vector<T> finite = only<T>(arguments<T>(), [](T v) { return std::isfinite(v) && std::abs(v) < T(1e6); });
  const std::vector<T> distances = only<T>(finite, [](T v) { return v >= 0; });
  const std::vector<T> powers = only<T>(finite, [](T v) { return std::abs(v) > T(1e-4) && std::abs(v) < T(30); });
  // Where exp(−u) is subnormal its digits are gone before the polynomial multiplies it.
  const std::vector<T> normal = only<T>(distances, [](T v) { return v < T(-0.7) * std::log(std::numeric_limits<T>::min()); });
  // The argument of exp is rounded, so an error of ε|u| comes in.
  const auto exponent = [](double a) { return [=](long double v) { return 4 + std::abs(a * static_cast<double>(v)); }; };
  check_map<T>("exp(a v)", {Op::exp, 0, -0.7, 0}, finite, exponent(0.7));
  check_map<T>("matern32", {Op::matern32, 0, 1.3, 0}, normal, exponent(1.3));
  check_map<T>("matern52", {Op::matern52, 0, 0.9, 0}, normal, exponent(0.9));
  for (const double a : {0.5, 3.0})
    check_map<T>("rational_quadratic", {Op::rational_quadratic, 0, a, 0.25}, finite,
                 [=](long double v) { return 4 + 4 * a * static_cast<double>(std::log1p(0.25L * std::fmax(v, 0.0L))); });
  for (const int e : {3, 4, 7, 13}) check_map<T>("power_int", {Op::power_int, e, 0, 0}, powers, at_most(e));
  // Positive coefficients and arguments: Horner's rule loses at most about 2 ulp a term.
  const double pool[] = {9, 1, 0.5, 0.25, 2, 9};
  check_map<T>("polynomial", {Op::polynomial, 1, 4, 0}, distances, at_most(8), pool);
  check_map<T>("polynomial", {Op::polynomial, 5, 1, 0}, finite, at_most(0), pool);
  const std::vector<T> positive = only<T>(finite, [](T v) { return v > 0; });
  check_map<T>("affine", {Op::affine, 0, 1.5, 0.25}, positive, at_most(1.5));
}

// However far apart: zero, not the NaN of 0·∞.
template <class T>
void far_apart() {
  using Limits = std::numeric_limits<T>;
  for (const Step& s : {Step{Op::exp, 0, -1, 0}, Step{Op::matern32, 0, 1, 0}, Step{Op::matern52, 0, 1, 0}}) {
    T v[] = {T(1000), T(1e10), T(1e30), Limits::max(), Limits::infinity(), Limits::quiet_NaN()};
    kernels<T>().map(s, nullptr, v, 6, T(0), nullptr);
    for (int i = 0; i < 5; ++i) CHECK(v[i] == T(0));
    CHECK(std::isnan(v[5]));
  }
}

// A loop has a vector part and a rest; which numbers belong to which depends on the length and the place in memory.
template <class T>
void same_anywhere(const Step& step) {
  Random random(4);
  std::uniform_real_distribution<double> u(0.0, 3.0);
  std::vector<T> x(61);
  for (T& v : x) v = static_cast<T>(u(random));
  std::vector<T> whole = x;
  kernels<T>().map(step, nullptr, whole.data(), static_cast<std::int64_t>(whole.size()), T(0), nullptr);
  for (std::size_t first = 0; first < 17; ++first) {
    std::vector<T> part = x;
    kernels<T>().map(step, nullptr, part.data() + first, static_cast<std::int64_t>(part.size() - first), T(0), nullptr);
    for (std::size_t i = first; i < x.size(); ++i) CHECK(part[i] == whole[i]);
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    T alone = x[i];
    kernels<T>().map(step, nullptr, &alone, 1, T(0), nullptr);
    CHECK(alone == whole[i]);
  }
}

TEST(rows_maps_do_not_depend_on_the_place) {
  for (const Step& step :
       {Step{Op::exp, 0, -1.0, 0}, Step{Op::power, 0, 0.525, 0}, Step{Op::power, 0, 1.3, 0}, Step{Op::log1p, 0, 0, 0}, Step{Op::tanh, 0, 0, 0}}) {
    same_anywhere<double>(step);
    same_anywhere<float>(step);
  }
}

TEST(rows_maps_of_far_points_vanish) {
  far_apart<double>();
  far_apart<float>();
}

TEST(rows_composed_maps_double) { composed<double>(); }
TEST(rows_composed_maps_float) { composed<float>(); }

template <class T>
void outer_and_joins() {
  Random random(2);
  for (const std::int64_t n : {1, 5, 16, 33}) {
    const auto v = reference::random_numbers(random, n, 0, 1), c = reference::random_numbers(random, n, 1, 2);
    const std::vector<T> from(c.begin(), c.end());
    for (const Op op : {Op::outer_scale, Op::outer_ratio, Op::add, Op::multiply}) {
      std::vector<T> top(v.begin(), v.end());
      if (is_join(op)) kernels<T>().join(op, top.data(), from.data(), n);
      else kernels<T>().map({op, 0, 0, 0}, nullptr, top.data(), n, T(1.5), from.data());
      for (std::size_t j = 0; j < v.size(); ++j) {
        const long double a = v[j], b = c[j];
        const long double want = op == Op::add ? a + b : op == Op::multiply ? a * b : reference::map({op, 0, 0, 0}, nullptr, a, 1.5L, b);
        CHECK(ulps(top[j], want) <= 4);
      }
    }
  }
  T zero[] = {0}, none[] = {0};
  kernels<T>().map({Op::outer_ratio, 0, 0, 0}, nullptr, zero, 1, T(0), none);
  CHECK(zero[0] == T(1));  // two empty sets are equal
}

TEST(rows_outer_maps_and_joins) {
  outer_and_joins<double>();
  outer_and_joins<float>();
}

template <class T>
bool close(T got, long double want) {
  return std::abs(got - want) <= 64 * std::numeric_limits<T>::epsilon() * std::abs(want);
}

template <class T>
void coordinate_sources() {
  Random random(3);
  const Step steps[] = {{Op::l1, 0, 0, 0},          {Op::chi2, 0, 0, 0},        {Op::additive_chi2, 0, 0, 0}, {Op::min_sum, 0, 0, 0},
                        {Op::mismatch, 0, 0, 0},    {Op::min_product, 0, 0, 0}, {Op::anova_dot, 0, 1, 0},     {Op::anova_dot, 0, 3, 0},
                        {Op::anova_dot, 0, 16, 0},  {Op::anova_rbf, 0, 2, 0.7}, {Op::power_sum, 0, 0.5, 0},   {Op::power_sum, 0, 1.5, 0},
                        {Op::power_sum, 0, 1.3, 0}, {Op::power_sum, 0, 4, 0},   {Op::power_sum, 0, 7.5, 0}};
  for (const std::int64_t n : {1, 15, 16, 17, 40})
    for (const std::int64_t d : {1, 3, 17}) {
      const auto x = reference::random_matrix(random, 1, d, 0, 1, 0.3), z = reference::random_matrix(random, n, d, 0, 1, 0.3);
      const std::int64_t chunks = (n + mercer::lanes<T> - 1) / mercer::lanes<T>, padded = chunks * mercer::lanes<T>;
      const auto widths = reference::random_numbers(random, d, 0.5, 2);
      const std::vector<T> a(x.values.begin(), x.values.end()), scale(widths.begin(), widths.end());
      std::vector<T> panel(static_cast<std::size_t>(padded * d), T(0)), out(static_cast<std::size_t>(padded));
      for (std::int64_t j = 0; j < n; ++j)
        for (std::int64_t k = 0; k < d; ++k)
          panel[static_cast<std::size_t>((j / mercer::lanes<T> * d + k) * mercer::lanes<T> + j % mercer::lanes<T>)] = static_cast<T>(z(j, k));
      const std::vector<long double> left(x.values.begin(), x.values.end()), right(z.values.begin(), z.values.end());
      for (const Step& s : steps) {
        kernels<T>().coordinates(s, a.data(), panel.data(), nullptr, d, out.data(), n);
        for (std::int64_t j = 0; j < n; ++j)
          CHECK(close(out[static_cast<std::size_t>(j)], reference::source(s, left.data(), right.data() + j * d, d)));
      }
      for (const Step& s : {Step{Op::l1, 0, 0, 0}, Step{Op::mismatch, 0, 0, 0}, Step{Op::power_sum, 0, 0.7, 0}, Step{Op::power_sum, 0, 1.5, 0}}) {
        kernels<T>().coordinates(s, a.data(), panel.data(), scale.data(), d, out.data(), n);
        for (std::int64_t j = 0; j < n; ++j) {
          long double want = 0;
          for (std::int64_t k = 0; k < d; ++k)
            want += widths[static_cast<std::size_t>(k)] * reference::source(s, left.data() + k, right.data() + j * d + k, 1);
          CHECK(close(out[static_cast<std::size_t>(j)], want));
        }
      }
    }
}

TEST(rows_coordinate_sources) {
  coordinate_sources<double>();
  coordinate_sources<float>();
}

TEST(rows_squared_distances_report_close_pairs) {
  const double g[] = {1, 0, 0.999}, norms[] = {1, 1, 1};
  double out[3];
  CHECK(kernels<double>().sqdist(g, 1, norms, 0.01, out, 3));
  CHECK(out[0] == 0 && out[1] == 2 && std::abs(out[2] - 0.002) < 1e-15);
  CHECK(!kernels<double>().sqdist(g + 1, 1, norms, 0.01, out, 1));
  const double beyond[] = {1.5};
  CHECK(kernels<double>().sqdist(beyond, 1, norms, 0.01, out, 1));
  CHECK(out[0] == 0);  // rounding never makes a distance negative
}

TEST(rows_table_is_chosen_by_name) {
  const std::string before = mercer::active_table().name;
  int count = 0;
  for (auto t = mercer::available_tables(); *t; ++t, ++count) {
    mercer::select_table((*t)->name);
    CHECK(&mercer::active_table() == *t);
  }
  CHECK(count >= 1);
  CHECK_THROWS(std::invalid_argument, mercer::select_table("pentium"));
  CHECK_THROWS(std::invalid_argument, mercer::select_table(""));
  mercer::select_table("auto");
  CHECK(&mercer::active_table() == mercer::available_tables()[0]);
  mercer::select_table(before.c_str());
}

}  // namespace
