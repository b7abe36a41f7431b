// Row i of the recurrence (local_alignment.cpp), in units that differ from block to block.
template <bool table>
bool align_row(const AlignmentRow& row, double bound) {
  const Vec open = Vec{} + row.open, extend = Vec{} + row.extend, match = Vec{} + row.match, mismatch = Vec{} + row.mismatch;
  const Vec s = table ? Vec{} : *reinterpret_cast<const Vec*>(row.s);
  const Vec* t = reinterpret_cast<const Vec*>(row.t);
  Vec* all = reinterpret_cast<Vec*>(row.all);
  Vec* gaps = reinterpret_cast<Vec*>(row.gaps);
  const Vec* units = reinterpret_cast<const Vec*>(row.units);
  const Vec* exchange = reinterpret_cast<const Vec*>(row.exchange);
  Vec* totals = reinterpret_cast<Vec*>(row.totals);
  const Vec high = Vec{} + bound, low = Vec{} + 1.0 / bound;
  Vec before = Vec{} + 1.0;  // H(i−1, j−1)
  Vec right = {};            // Y(i, j)
  Mask outside = {};
  for (std::int64_t b = 0; b < row.blocks; ++b) {
    const Vec unit = units[b];
    Vec total = totals[b];
    before *= exchange[b];
    right *= exchange[b];
    for (std::int64_t j = b * row.width; j < (b + 1) * row.width; ++j) {
      Vec weight;
      if (table) {
        for (int l = 0; l < lanes; ++l) weight[l] = row.weights[row.rows[l] + row.columns[j * lanes + l]];
      } else {
        const Mask same = t[j] == s, none = (t[j] < 0.0) | (s < 0.0);
        weight = reinterpret_cast<Vec>(~none & ((same & reinterpret_cast<Mask>(match)) | (~same & reinterpret_cast<Mask>(mismatch))));
      }
      const Vec pair = weight * before, down = gaps[j], both = pair + down;  // M(i, j), X(i, j)
      total += pair;
      before = all[j];
      all[j] = unit + both + right;
      gaps[j] = open * pair + extend * down;
      right = open * both + extend * right;
    }
    totals[b] = total;
    const Vec end = all[(b + 1) * row.width - 1];
    outside |= (end > high) | (end < low);
  }
  std::int64_t any = 0;
  for (int l = 0; l < lanes; ++l) any |= outside[l];
  return any != 0;
}

bool align(const AlignmentRow& row, double bound) { return row.weights ? align_row<true>(row, bound) : align_row<false>(row, bound); }
