// The loop described in strings/hamming_rows.hpp, included into the namespace of each instruction set.

#ifdef __AVX2__

// Rows [first, last) of t for `blocks` registers of diagonals from `diagonal` on; j runs ahead by one per row, around s.
template <int blocks, int planes, bool narrow, bool joint>
class HammingGroup {
 public:
  HammingGroup(const HammingProfile& s, const std::uint8_t* t, std::int64_t diagonal) : s_(s), t_(t), shift_(diagonal) {
    for (int b = 0; b < blocks; ++b) matches_[b] = load(s.start + diagonal + b * hamming_lanes);
    for (int p = 0; p < planes; ++p) {
      table_[p] = _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(s.table[p])));
      sum_[p] = _mm256_setzero_si256();
    }
  }

  std::uint64_t run(std::int64_t n) {
    rows<false, false>(0, s_.width - 1);
    rows<false, true>(s_.width - 1, s_.width);
    rows<true, true>(s_.width, n);
    std::uint64_t total = 0;
    for (int p = 0; p < planes; ++p) {
      alignas(32) std::uint64_t part[4];
      _mm256_store_si256(reinterpret_cast<__m256i*>(part), sum_[p]);
      total += (part[0] + part[1] + part[2] + part[3]) << (p * (narrow ? 6 : 8));
    }
    return total;
  }

 private:
  static __m256i load(const std::uint8_t* p) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)); }

  template <bool leaves, bool counts>
  void rows(std::int64_t first, std::int64_t last) {
    while (first < last) {  // a piece up to where j comes round to 0 again
      const std::int64_t piece = last - first < s_.length - j_ ? last : first + s_.length - j_;
      piece_of_rows<leaves, counts>(first, piece);
      j_ += piece - first;
      if (j_ == s_.length) j_ = 0;
      first = piece;
    }
  }

  template <bool leaves, bool counts>
  void piece_of_rows(std::int64_t first, std::int64_t last) {
    __m256i matches[blocks], sum[planes], table[planes];
    for (int b = 0; b < blocks; ++b) matches[b] = matches_[b];
    for (int p = 0; p < planes; ++p) sum[p] = sum_[p], table[p] = table_[p];
    const std::uint8_t* enter = s_.enter + shift_ + j_;
    const std::uint8_t* leave = joint ? nullptr : s_.leave + shift_ + j_;
    const std::uint32_t* entering = s_.entering;
    const std::uint32_t* leaving = s_.leaving;
    const std::uint8_t *now = t_ + first, *stop = t_ + last, *before = leaves ? now - s_.width : now;
    const __m256i zero = _mm256_setzero_si256();
    for (; now != stop; ++now, ++before, ++enter) {
      const std::uint8_t* change = enter + entering[*now];
      if constexpr (joint && leaves) change += leaving[*before];
      for (int b = 0; b < blocks; ++b) matches[b] = _mm256_add_epi8(matches[b], load(change + b * hamming_lanes));
      if constexpr (leaves && !joint) {
        const std::uint8_t* gone = leave + leaving[*before];
        for (int b = 0; b < blocks; ++b) matches[b] = _mm256_sub_epi8(matches[b], load(gone + b * hamming_lanes));
      }
      if constexpr (!joint) ++leave;
      if constexpr (counts)
        for (int p = 0; p < planes; ++p) {
          __m256i weight = _mm256_shuffle_epi8(table[p], matches[0]);
          if constexpr (narrow) {  // four weights below 64 fit into a byte
            for (int b = 1; b < blocks; ++b) weight = _mm256_add_epi8(weight, _mm256_shuffle_epi8(table[p], matches[b]));
            sum[p] = _mm256_add_epi64(sum[p], _mm256_sad_epu8(weight, zero));
          } else {
            __m256i total = _mm256_sad_epu8(weight, zero);
            for (int b = 1; b < blocks; ++b) total = _mm256_add_epi64(total, _mm256_sad_epu8(_mm256_shuffle_epi8(table[p], matches[b]), zero));
            sum[p] = _mm256_add_epi64(sum[p], total);
          }
        }
    }
    for (int b = 0; b < blocks; ++b) matches_[b] = matches[b];
    for (int p = 0; p < planes; ++p) sum_[p] = sum[p];
  }

  const HammingProfile& s_;
  const std::uint8_t* t_;
  std::int64_t shift_, j_ = 0;
  __m256i matches_[blocks], sum_[planes], table_[planes];
};

template <int planes, bool narrow, bool joint>
std::uint64_t hamming_groups(const HammingProfile& s, const std::uint8_t* t, std::int64_t n) {
  std::uint64_t total = 0;
  std::int64_t block = 0;
  const std::int64_t blocks = (s.length + hamming_lanes - 1) / hamming_lanes;
  for (; block + 4 <= blocks; block += 4) total += HammingGroup<4, planes, narrow, joint>(s, t, block * hamming_lanes).run(n);
  switch (blocks - block) {
    case 3: return total + HammingGroup<3, planes, narrow, joint>(s, t, block * hamming_lanes).run(n);
    case 2: return total + HammingGroup<2, planes, narrow, joint>(s, t, block * hamming_lanes).run(n);
    case 1: return total + HammingGroup<1, planes, narrow, joint>(s, t, block * hamming_lanes).run(n);
    default: return total;
  }
}

template <bool narrow, bool joint>
std::uint64_t hamming_planes_of(const HammingProfile& s, const std::uint8_t* t, std::int64_t n) {
  switch (s.planes) {
    case 1: return hamming_groups<1, narrow, joint>(s, t, n);
    case 2: return hamming_groups<2, narrow, joint>(s, t, n);
    case 3: return hamming_groups<3, narrow, joint>(s, t, n);
    default: return hamming_groups<4, narrow, joint>(s, t, n);
  }
}

std::uint64_t hamming_sum(const HammingProfile& s, const std::uint8_t* t, std::int64_t n) {
  if (s.leave) return s.bits == 6 ? hamming_planes_of<true, false>(s, t, n) : hamming_planes_of<false, false>(s, t, n);
  return s.bits == 6 ? hamming_planes_of<true, true>(s, t, n) : hamming_planes_of<false, true>(s, t, n);
}

#else

constexpr HammingSum hamming_sum = nullptr;  // nothing to shuffle bytes with

#endif
