#include "mercer/items/keyed_rows.hpp"

#include <algorithm>

namespace mercer {

namespace {

KeyedRows gathered(std::int64_t n, std::int64_t step, const Execution& execution, const ReadLongRow& read) {
  struct Chunk {
    std::vector<std::uint64_t> keys;
    std::vector<double> values;
  };
  KeyedRows rows;
  rows.indptr.assign(static_cast<std::size_t>(n + 1), 0);
  std::vector<Chunk> chunks(static_cast<std::size_t>((n + step - 1) / step));
  TaskLoop loop(execution.threads, execution.cancelled);
  loop.run(static_cast<std::int64_t>(chunks.size()), Schedule::dynamic, [&](std::int64_t task, int thread) {
    Chunk& chunk = chunks[static_cast<std::size_t>(task)];
    for (std::int64_t i = task * step; i < std::min((task + 1) * step, n) && !loop.stop(); ++i) {
      read(i, thread, loop, chunk.keys, chunk.values);
      rows.indptr[static_cast<std::size_t>(i + 1)] = static_cast<std::int64_t>(chunk.keys.size());
    }
  });
  std::size_t total = 0;
  for (std::size_t c = 0; c < chunks.size(); ++c) {  // from ends within a chunk to ends within all
    const std::int64_t first = static_cast<std::int64_t>(c) * step;
    for (std::int64_t i = first; i < std::min(first + step, n); ++i) rows.indptr[static_cast<std::size_t>(i + 1)] += static_cast<std::int64_t>(total);
    total += chunks[c].keys.size();
  }
  rows.keys.reserve(total);
  rows.values.reserve(total);
  for (Chunk& chunk : chunks) {
    rows.keys.insert(rows.keys.end(), chunk.keys.begin(), chunk.keys.end());
    rows.values.insert(rows.values.end(), chunk.values.begin(), chunk.values.end());
    chunk = {};
  }
  return rows;
}

}  // namespace

KeyedRows gather_rows(std::int64_t n, const Execution& execution, const ReadRow& read) {
  return gathered(n, 256, execution, [&](std::int64_t i, int thread, TaskLoop&, auto& keys, auto& values) { read(i, thread, keys, values); });
}

KeyedRows gather_long_rows(std::int64_t n, const Execution& execution, const ReadLongRow& read) { return gathered(n, 8, execution, read); }

}  // namespace mercer
