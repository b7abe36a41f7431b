#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <memory>
#include <optional>

#include "bindings.hpp"
#include "callback_source.hpp"
#include "mercer/dual/crammer_singer.hpp"
#include "mercer/dual/feature_ascent.hpp"
#include "mercer/dual/machines.hpp"
#include "mercer/rows/matrix_source.hpp"
#include "mercer/rows/native_source.hpp"
#include "side.hpp"
#include "source.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace mercer::bindings;

namespace {

using Values = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

Source native_source(nb::object program, nb::object side) {
  return {std::make_unique<mercer::NativeSource>(nb::cast<const mercer::Program&>(program), nb::cast<const OwnedSide&>(side).side()),
          {program, side}};
}

template <class T>
Source matrix_source(nb::ndarray<const T, nb::ndim<2>, nb::device::cpu> matrix) {
  require(matrix.shape(0) == matrix.shape(1) && (matrix.stride(1) == 1 || matrix.shape(1) <= 1), "the matrix must be square with contiguous rows");
  return {std::make_unique<mercer::MatrixSource<T>>(matrix.data(), matrix.stride(0), static_cast<std::int64_t>(matrix.shape(0))), {nb::cast(matrix)}};
}

// report(done, violation) -> whether to end early.
mercer::Progress listened(const std::optional<nb::callable>& report) {
  if (!report) return mercer::Progress({});
  return mercer::Progress([call = *report](std::int64_t done, double violation) {
    nb::gil_scoped_acquire gil;
    return nb::cast<bool>(call(done, violation));
  });
}

// The machines of one call: their arrays lie one after the other, machine m has the entries starts[m] … starts[m + 1].
std::vector<mercer::DualResult> solve(const Source& source, Integers members, Integers starts, Integers splits, Doubles linear, Doubles lower,
                                      Doubles upper, std::optional<Doubles> kink, Values beta, const mercer::DualOptions& given,
                                      std::optional<nb::callable> report) {
  const std::size_t total = members.shape(0), machines = splits.shape(0);
  require(
      linear.shape(0) == total && lower.shape(0) == total && upper.shape(0) == total && beta.shape(0) == total && (!kink || kink->shape(0) == total),
      "every array needs one number per variable");
  require(starts.shape(0) == machines + 1 && starts.data()[0] == 0 && starts.data()[machines] == static_cast<std::int64_t>(total),
          "starts do not fit the machines");
  for (std::size_t t = 0; t < total; ++t) {
    require(members.data()[t] >= 0 && members.data()[t] < source.rows->n(), "a member lies outside the matrix");
    require(lower.data()[t] <= beta.data()[t] && beta.data()[t] <= upper.data()[t], "beta must lie within its bounds");
  }
  std::vector<mercer::Machine> list;
  for (std::size_t m = 0; m < machines; ++m) {
    const std::int64_t begin = starts.data()[m], n = starts.data()[m + 1] - begin, split = splits.data()[m];
    require(n > 0 && split >= 0 && split <= n, "starts and splits do not fit the machines");
    list.push_back({{members.data() + begin, static_cast<std::size_t>(n)},
                    {n, linear.data() + begin, lower.data() + begin, upper.data() + begin, kink ? kink->data() + begin : nullptr, split},
                    beta.data() + begin});
  }
  mercer::DualOptions options = given;
  options.execution.cancelled = signalled;
  mercer::Progress progress = listened(report);
  if (report) options.progress = &progress;
  std::vector<mercer::DualResult> results;
  without_gil([&] { results = mercer::solve_machines(*source.rows, list, options); });
  return results;
}

// The machines of one call, as above but with one group each, on rows of features.
template <class T>
std::vector<mercer::FeatureResult> solve_features(nb::ndarray<const T, nb::ndim<2>, nb::device::cpu> features, Integers members, Integers starts,
                                                  Doubles linear, Doubles lower, Doubles upper, std::optional<Doubles> kink, Values beta, double tol,
                                                  std::int64_t max_iter, std::uint64_t seed, int threads, std::optional<nb::callable> report) {
  const std::size_t total = members.shape(0);
  const mercer::FeatureRows<T> rows{features.data(), features.stride(0), static_cast<std::int64_t>(features.shape(0)),
                                    static_cast<std::int64_t>(features.shape(1))};
  require(features.stride(1) == 1 || features.shape(1) <= 1, "the rows of the features must be contiguous");
  require(
      linear.shape(0) == total && lower.shape(0) == total && upper.shape(0) == total && beta.shape(0) == total && (!kink || kink->shape(0) == total),
      "every array needs one number per variable");
  require(starts.shape(0) >= 1 && starts.data()[0] == 0 && starts.data()[starts.shape(0) - 1] == static_cast<std::int64_t>(total),
          "starts do not fit the machines");
  require(tol >= 0, "tol must not be negative");
  for (std::size_t t = 0; t < total; ++t) {
    require(members.data()[t] >= 0 && members.data()[t] < rows.n, "a member lies outside the features");
    require(lower.data()[t] <= beta.data()[t] && beta.data()[t] <= upper.data()[t], "beta must lie within its bounds");
    require(std::isfinite(lower.data()[t]) && std::isfinite(upper.data()[t]) && std::isfinite(linear.data()[t]),
            "bounds and linear terms must be finite");
    require(!kink || (kink->data()[t] >= 0 && std::isfinite(kink->data()[t])), "kinks must be finite and not negative");
  }
  std::vector<mercer::FeatureMachine> list;
  for (std::size_t m = 0; m + 1 < starts.shape(0); ++m) {
    const std::int64_t begin = starts.data()[m], n = starts.data()[m + 1] - begin;
    require(n > 0 && n < std::int64_t{1} << 32, "starts do not fit the machines");
    list.push_back({{members.data() + begin, static_cast<std::size_t>(n)},
                    {n, linear.data() + begin, lower.data() + begin, upper.data() + begin, kink ? kink->data() + begin : nullptr, n},
                    beta.data() + begin});
  }
  mercer::Progress progress = listened(report);
  const mercer::FeatureOptions options{tol, max_iter, seed, {threads, signalled}, report ? &progress : nullptr};
  std::vector<mercer::FeatureResult> results;
  without_gil([&] { results = mercer::solve_on_features(rows, list, options); });
  return results;
}

template <class T>
void bind_features(nb::module_& m) {
  m.def("solve_features", &solve_features<T>, "features"_a.noconvert(), "members"_a.noconvert(), "starts"_a.noconvert(), "linear"_a.noconvert(),
        "lower"_a.noconvert(), "upper"_a.noconvert(), "kink"_a.noconvert().none(), "beta"_a.noconvert(), "tol"_a, "max_iter"_a, "seed"_a, "threads"_a,
        "report"_a.none() = nb::none());
}

// β of the Crammer–Singer machine (n × classes), in place.
mercer::CrammerSingerResult solve_multiclass(const Source& source, Integers label, Doubles bound,
                                             nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu> beta, const mercer::DualOptions& given,
                                             std::optional<nb::callable> report) {
  const auto n = static_cast<std::int64_t>(label.shape(0)), classes = static_cast<std::int64_t>(beta.shape(1));
  require(source.rows->n() == n && static_cast<std::int64_t>(bound.shape(0)) == n && static_cast<std::int64_t>(beta.shape(0)) == n,
          "every array needs one entry per sample");
  for (std::int64_t i = 0; i < n; ++i) require(label.data()[i] >= 0 && label.data()[i] < classes, "a label lies outside the classes");
  mercer::DualOptions options = given;
  options.execution.cancelled = signalled;
  mercer::Progress progress = listened(report);
  if (report) options.progress = &progress;
  mercer::CrammerSingerResult result;
  without_gil([&] { result = mercer::solve_crammer_singer(*source.rows, {n, classes, label.data(), bound.data()}, beta.data(), options); });
  return result;
}

}  // namespace

void bind_dual(nb::module_& m) {
  nb::class_<Source>(m, "RowSource")
      .def_static("native", &native_source, "program"_a, "side"_a)
      .def_static("matrix", &matrix_source<float>, "matrix"_a.noconvert())
      .def_static("matrix", &matrix_source<double>, "matrix"_a.noconvert())
      .def_static(
          "callback",
          [](std::int64_t n, nb::callable block, Doubles diagonal) { return Source{std::make_unique<CallbackSource>(n, block, diagonal), {}}; },
          "n"_a, "block"_a, "diagonal"_a.noconvert())
      .def_prop_ro("n", [](const Source& s) { return s.rows->n(); })
      .def_prop_ro("single", [](const Source& s) { return s.rows->prefers_float(); });

  nb::enum_<mercer::DualStatus>(m, "DualStatus")
      .value("converged", mercer::DualStatus::converged)
      .value("max_iter", mercer::DualStatus::max_iter)
      .value("not_psd", mercer::DualStatus::not_psd)
      .value("precision", mercer::DualStatus::precision);

  nb::class_<mercer::DualOptions>(m, "DualOptions")
      .def(
          "__init__",
          [](mercer::DualOptions* self, double tol, std::int64_t max_iter, std::int64_t cache_bytes, std::int64_t working_set,
             std::int64_t most_polished, bool shrinking, int threads) {
            new (self) mercer::DualOptions{tol, max_iter, cache_bytes, working_set, most_polished, shrinking, true, true, {threads, {}}, nullptr};
          },
          "tol"_a, "max_iter"_a, "cache_bytes"_a, "working_set"_a, "most_polished"_a, "shrinking"_a, "threads"_a);

  nb::class_<mercer::DualResult>(m, "DualResult")
      .def_prop_ro("gradient",
                   [](mercer::DualResult& r) { return nb::ndarray<nb::numpy, double, nb::ndim<1>>(r.gradient.data(), {r.gradient.size()}).cast(); })
      .def_prop_ro("bias", [](const mercer::DualResult& r) { return nb::make_tuple(r.bias[0], r.bias[1]); })
      .def_ro("objective", &mercer::DualResult::objective)
      .def_ro("gap", &mercer::DualResult::gap)
      .def_ro("violation", &mercer::DualResult::violation)
      .def_ro("iterations", &mercer::DualResult::iterations)
      .def_ro("rounds", &mercer::DualResult::rounds)
      .def_ro("free", &mercer::DualResult::free)
      .def_ro("polished", &mercer::DualResult::polished)
      .def_ro("status", &mercer::DualResult::status);

  m.def("solve_dual", &solve, "source"_a, "members"_a.noconvert(), "starts"_a.noconvert(), "splits"_a.noconvert(), "linear"_a.noconvert(),
        "lower"_a.noconvert(), "upper"_a.noconvert(), "kink"_a.noconvert().none(), "beta"_a.noconvert(), "options"_a, "report"_a.none() = nb::none());

  using Feature = mercer::FeatureResult;
  nb::class_<Feature>(m, "FeatureResult")
      .def_prop_ro("weights", [](Feature& r) { return nb::ndarray<nb::numpy, double, nb::ndim<1>>(r.weights.data(), {r.weights.size()}).cast(); })
      .def_prop_ro("gradient", [](Feature& r) { return nb::ndarray<nb::numpy, double, nb::ndim<1>>(r.gradient.data(), {r.gradient.size()}).cast(); })
      .def_ro("bias", &Feature::bias)
      .def_ro("objective", &Feature::objective)
      .def_ro("gap", &Feature::gap)
      .def_ro("violation", &Feature::violation)
      .def_ro("iterations", &Feature::iterations)
      .def_ro("steps", &Feature::steps)
      .def_ro("free", &Feature::free)
      .def_ro("status", &Feature::status);
  bind_features<float>(m);
  bind_features<double>(m);

  nb::class_<mercer::CrammerSingerResult>(m, "CrammerSingerResult")
      .def_ro("objective", &mercer::CrammerSingerResult::objective)
      .def_ro("gap", &mercer::CrammerSingerResult::gap)
      .def_ro("violation", &mercer::CrammerSingerResult::violation)
      .def_ro("iterations", &mercer::CrammerSingerResult::iterations)
      .def_ro("status", &mercer::CrammerSingerResult::status);
  m.def("solve_crammer_singer", &solve_multiclass, "source"_a, "label"_a.noconvert(), "bound"_a.noconvert(), "beta"_a.noconvert(), "options"_a,
        "report"_a.none() = nb::none());
}
