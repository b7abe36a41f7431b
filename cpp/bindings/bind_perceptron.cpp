#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "mercer/perceptron/perceptron.hpp"
#include "side.hpp"
#include "source.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace mercer::bindings;

namespace {

using mercer::Memory;
using mercer::PassOptions;
using Table = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Decisions = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Weights = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

mercer::Rows visits(const Integers& order, std::int64_t n) {
  for (std::size_t p = 0; p < order.shape(0); ++p) require(order.data()[p] >= 0 && order.data()[p] < n, "a visit lies outside the samples");
  return {order.data(), order.shape(0)};
}

nb::object array(mercer::Positions positions) {
  auto* kept = new mercer::Positions(std::move(positions));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<mercer::Positions*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, std::int64_t, nb::ndim<1>>(kept->data(), {kept->size()}, owner));
}

// Machines together with what they read and write.
struct Machines {
  nb::object owner;
  const Source& source;
  Table label;
  Decisions f;
  mercer::KernelMachines machines;

  Machines(nb::object given, Table y, Decisions start, std::int64_t cache_bytes)
      : owner(given), source(nb::cast<const Source&>(given)), label(y), f(start),
        machines(*source.rows, static_cast<std::int64_t>(y.shape(0)), y.data(), start.data(), cache_bytes) {
    require(y.shape(0) > 0 && start.shape(0) == y.shape(0), "label and f need one row per machine");
    require(static_cast<std::int64_t>(y.shape(1)) == source.rows->n() && start.shape(1) == y.shape(1), "label and f need one column per sample");
  }
  nb::list pass(Integers order, double bias, bool final, int threads) {
    const PassOptions options{visits(order, source.rows->n()), bias, final, {threads, signalled}};
    std::vector<mercer::Positions> mistakes;
    without_gil([&] { mistakes = machines.pass(options); });
    nb::list lists;
    for (auto& positions : mistakes) lists.append(array(std::move(positions)));
    return lists;
  }
  void refine(std::int64_t machine, double bias, int threads) {
    require(machine >= 0 && machine < static_cast<std::int64_t>(label.shape(0)), "there is no such machine");
    without_gil([&] { machines.refine(machine, bias, {threads, signalled}); });
  }
};

nb::object budget_pass(const Source& source, Integers order, Doubles label, Memory& memory, double bias, int threads) {
  const std::int64_t n = source.rows->n();
  require(static_cast<std::int64_t>(label.shape(0)) == n, "label needs one number per sample");
  for (const std::int64_t i : memory.sample) require(i >= 0 && i < n, "a remembered sample lies outside the matrix");
  const PassOptions options{visits(order, n), bias, false, {threads, signalled}};
  mercer::Positions mistakes;
  without_gil([&] { mistakes = mercer::budget_pass(*source.rows, options, label.data(), memory); });
  return array(std::move(mistakes));
}

nb::object primal_pass(const OwnedSide& side, Integers order, Doubles label, Weights w, double bias) {
  const mercer::Side& s = side.side();
  require(s.operands.size() == 1 && !s.selection, "the side must hold one operand, all of it");
  const mercer::Operand& x = s.operands[0];
  require(x.storage == mercer::Storage::csr ? !x.csr.single : !x.right.single && (x.right.col_stride == 1 || x.d <= 1),
          "the vectors must be rows of doubles");
  require(static_cast<std::int64_t>(label.shape(0)) == s.n && static_cast<std::int64_t>(w.shape(0)) == x.d + 1, "label or w do not fit the vectors");
  const PassOptions options{visits(order, s.n), bias, false, {1, signalled}};
  mercer::Positions mistakes;
  without_gil([&] { mistakes = mercer::primal_pass(x, options, label.data(), w.data()); });
  return array(std::move(mistakes));
}

}  // namespace

void bind_perceptron(nb::module_& m) {
  nb::enum_<mercer::Removal>(m, "Removal")
      .value("forgetron", mercer::Removal::forgetron)
      .value("projectron", mercer::Removal::projectron)
      .value("random", mercer::Removal::random);

  nb::class_<Memory>(m, "Memory")
      .def(
          "__init__",
          [](Memory* self, mercer::Removal removal, std::int64_t budget, double threshold, std::vector<std::int64_t> sample, std::vector<double> coef,
             std::int64_t mistakes, double damage, double largest, std::uint64_t state) {
            require(budget >= 1 && sample.size() == coef.size() && static_cast<std::int64_t>(sample.size()) <= budget,
                    "the memory does not fit its budget");
            new (self) Memory{removal, budget, threshold, std::move(sample), std::move(coef), mistakes, damage, largest, state};
          },
          "removal"_a, "budget"_a, "threshold"_a, "sample"_a, "coef"_a, "mistakes"_a, "damage"_a, "largest"_a, "state"_a)
      .def_ro("sample", &Memory::sample)
      .def_ro("coef", &Memory::coef)
      .def_ro("mistakes", &Memory::mistakes)
      .def_ro("damage", &Memory::damage)
      .def_ro("largest", &Memory::largest)
      .def_ro("state", &Memory::state);

  nb::class_<Machines>(m, "KernelMachines")
      .def(nb::init<nb::object, Table, Decisions, std::int64_t>(), "source"_a, "label"_a.noconvert(), "f"_a.noconvert(), "cache_bytes"_a)
      .def("run", &Machines::pass, "order"_a.noconvert(), "bias"_a, "final"_a, "threads"_a)
      .def("refine", &Machines::refine, "machine"_a, "bias"_a, "threads"_a);
  m.def("budget_pass", &budget_pass, "source"_a, "order"_a.noconvert(), "label"_a.noconvert(), "memory"_a, "bias"_a, "threads"_a);
  m.def("primal_pass", &primal_pass, "side"_a, "order"_a.noconvert(), "label"_a.noconvert(), "w"_a.noconvert(), "bias"_a);
}
