// The inner loops of string kernels, compiled once per instruction set. In kernels that align two strings, several pairs of
// strings run side by side, a lane each: number k of lane l is at [k·lanes + l]. No lane sees another, so a value does not
// depend on which pairs it shares a batch with, nor on how many lanes there are.
#pragma once

#include <cstdint>

#include "mercer/strings/hamming_rows.hpp"

namespace mercer {

// Longest and shortest string of `lanes` pairs; shorter ones are padded with codes that match nothing.
struct SubsequenceBatch {
  const double* s;  // n codes
  const double* t;  // m codes
  std::int64_t n, m;
  std::int64_t p;
  double decay;
  double* sums;    // (p − 1)·m numbers
  double* totals;  // p numbers, of which only the last is used unless `blended`
  bool blended;
};

// One row of the sums over local alignments; columns come in blocks of `width`, each with a power of two for a unit.
struct AlignmentRow {
  const double* weights;        // exp(β score) by symbols: row of s, column of t; null if symbols just match or do not
  const std::int32_t* rows;     // lanes: where the row of the weights for the symbol of s begins
  const std::int32_t* columns;  // blocks·width·lanes: symbols of t
  double match, mismatch;       // exp(β score) if `weights` is null
  const double* s;              // lanes: the symbol of s, and
  const double* t;              // symbols of t as numbers; below 0 for those that cannot be aligned
  std::int64_t blocks, width;
  double open, extend;     // exp(−β gap_open), exp(−β gap_extend)
  double* all;             // H: alignments of the row above that end here or before, gaps included
  double* gaps;            // U: those that have a gap in t here, for this row
  const double* units;     // blocks·lanes: what 1 is in the unit of the block
  const double* exchange;  // blocks·lanes: the unit of the block to the left, in that of the block
  double* totals;          // blocks·lanes: sums over alignments that end with a pair in the block
};

struct StringLoops {
  std::int64_t lanes;
  void (*subsequence)(const SubsequenceBatch& batch);
  // counts[d − 1] = number of places where d bits in a row are set, for d = 1, …, degree; the words are used up.
  void (*runs)(std::uint64_t* words, std::int64_t n, std::int64_t degree, std::int64_t* counts);
  // Whether some H at the end of a block has left [1/bound, bound].
  bool (*align)(const AlignmentRow& row, double bound);
  HammingSum hamming;  // null where bytes cannot be shuffled
};

// Those for the instruction set in use.
const StringLoops& string_loops();

}  // namespace mercer
