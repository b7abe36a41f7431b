// A row source as Python holds it.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <vector>

#include "mercer/rows/row_source.hpp"

namespace mercer::bindings {

// A row source together with what it reads.
struct Source {
  std::unique_ptr<mercer::RowSource> rows;
  std::vector<nanobind::object> owners;
};

}  // namespace mercer::bindings
