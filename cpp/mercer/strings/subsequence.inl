// Levels q = lo, …, lo + G − 1 of one row i of the recurrence (subsequence.cpp), from their sums S_q(i−1, ·) to S_q(i, ·).
// Groups of levels run from the top down, since M_{q+1} needs S_q of the row above. `below` holds the sums of level lo − 1,
// or is null if lo = 1. `last` collects M of level lo + G, if that is p.
template <int G, bool blended>
void levels(const Vec* __restrict t, std::int64_t m, const Vec* __restrict s, double lambda, Vec* __restrict sums, const Vec* __restrict below,
            Vec* __restrict totals, Vec* __restrict last) {
  const Vec code = *s, decay = Vec{} + lambda;
  Vec run[G] = {}, old[G] = {}, total[G] = {}, sum = {}, under = below ? Vec{} : Vec{} + 1.0;
  for (std::int64_t j = 0; j < m; ++j) {
    const Mask match = t[j] == code;
    sum += reinterpret_cast<Vec>(match & reinterpret_cast<Mask>(old[G - 1]));
    for (int q = G - 1; q >= 0; --q) {
      const Vec ends = reinterpret_cast<Vec>(match & reinterpret_cast<Mask>(q ? old[q - 1] : under));  // M_q(i, j)
      if (blended) total[q] += ends;
      run[q] = run[q] * decay + ends;
      old[q] = sums[q * m + j];
      sums[q * m + j] = old[q] * decay + run[q];
    }
    if (below) under = below[j];
  }
  if (blended)
    for (int q = 0; q < G; ++q) totals[q] += total[q];
  if (last) *last += sum;
}

template <bool blended>
void subsequence_rows(const SubsequenceBatch& batch) {
  const Vec* s = reinterpret_cast<const Vec*>(batch.s);
  const Vec* t = reinterpret_cast<const Vec*>(batch.t);
  Vec* sums = reinterpret_cast<Vec*>(batch.sums);
  Vec* totals = reinterpret_cast<Vec*>(batch.totals);
  const std::int64_t m = batch.m, top = batch.p - 1;  // levels whose sums are kept
  for (std::int64_t i = 0; i < batch.n; ++i) {
    if (top == 0)
      for (std::int64_t j = 0; j < m; ++j) totals[0] += reinterpret_cast<Vec>((t[j] == s[i]) & reinterpret_cast<Mask>(Vec{} + 1.0));
    for (std::int64_t high = top; high > 0;) {
      const std::int64_t count = high < 4 ? high : 4, low = high - count;
      Vec* here = sums + low * m;
      const Vec* below = low ? here - m : nullptr;
      Vec* last = high == top ? totals + top : nullptr;
      switch (count) {
        case 1: levels<1, blended>(t, m, s + i, batch.decay, here, below, totals + low, last); break;
        case 2: levels<2, blended>(t, m, s + i, batch.decay, here, below, totals + low, last); break;
        case 3: levels<3, blended>(t, m, s + i, batch.decay, here, below, totals + low, last); break;
        default: levels<4, blended>(t, m, s + i, batch.decay, here, below, totals + low, last);
      }
      high = low;
    }
  }
}

void subsequence(const SubsequenceBatch& batch) { batch.blended ? subsequence_rows<true>(batch) : subsequence_rows<false>(batch); }
