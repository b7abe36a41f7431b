// Sparse rows whose columns are named by 64-bit keys.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "mercer/gram/pairwise.hpp"

namespace mercer {

struct KeyedRows {
  std::vector<std::int64_t> indptr;
  std::vector<std::uint64_t> keys;  // ascending within a row, each once
  std::vector<double> values;
};

// Appends the keys and values of row i.
using ReadRow = std::function<void(std::int64_t i, int thread, std::vector<std::uint64_t>& keys, std::vector<double>& values)>;

// n rows, read in parallel.
KeyedRows gather_rows(std::int64_t n, const Execution& execution, const ReadRow& read);

// The same for rows that take long: tasks have few of them, and reading one may leave early when loop.stop() says so.
using ReadLongRow = std::function<void(std::int64_t i, int thread, TaskLoop& loop, std::vector<std::uint64_t>& keys, std::vector<double>& values)>;
KeyedRows gather_long_rows(std::int64_t n, const Execution& execution, const ReadLongRow& read);

}  // namespace mercer
