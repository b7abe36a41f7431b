// Elementary functions written so that a compiler turns a loop over them into vector code without fast-math flags:
// no branches, no library calls, every step a plain operation. Included into a namespace of each instruction set.
//
// exp: x = n ln2 + r with |r| ≤ ln2/2, n found by adding a large constant, exp(r) = 1 + r + r² q(r) with q a Chebyshev
// fit (error 1e-17 and 8e-9), 2ⁿ put together in the exponent bits as a product of two powers, so that results overflow
// to infinity and underflow gradually without a branch. Measured: below one unit in the last place.

template <class T>
struct Float;

template <>
struct Float<double> {
  using Int = std::uint64_t;
  static constexpr double log2e = 1.4426950408889634074, ln2_hi = 6.93147180369123816490e-01, ln2_lo = 1.90821492927058770002e-10;
  static constexpr double shifter = 0x1.8p52;  // adding it leaves the nearest integer in the low bits
  static constexpr int mantissa = 52;
  static constexpr Int bias = 1023;
  static constexpr double limit = 1400;  // exp is 0 or infinite well before it, and half its exponent is a normal one
  static double q(double r) {
    double p = 2.510038549551032e-08;
    p = p * r + 2.7620088445409746e-07;
    p = p * r + 2.7557268459997064e-06;
    p = p * r + 2.4801521295954376e-05;
    p = p * r + 0.00019841269863053618;
    p = p * r + 0.0013888888917213717;
    p = p * r + 0.008333333333330062;
    p = p * r + 0.04166666666662413;
    p = p * r + 0.16666666666666669;
    return p * r + 0.5000000000000001;
  }
};

template <>
struct Float<float> {
  using Int = std::uint32_t;
  static constexpr float log2e = 1.44269504f, ln2_hi = 0.693359375f, ln2_lo = -2.12194440e-4f;
  static constexpr float shifter = 0x1.8p23f;
  static constexpr int mantissa = 23;
  static constexpr Int bias = 127;
  static constexpr float limit = 170;
  static float q(float r) {
    float p = 0.0013926183587713494f;
    p = p * r + 0.008363179052722578f;
    p = p * r + 0.041666554617204574f;
    p = p * r + 0.16666576989698775f;
    return p * r + 0.5f;
  }
};

template <class To, class From>
inline To bits(From x) {
  To y;
  __builtin_memcpy(&y, &x, sizeof y);
  return y;
}

// a b + c with one rounding where the instruction set has it. A compiler is free to round either product of a b + c d first, and
// chooses differently for the vector part and the rest of a loop: a value would depend on its place in memory. It is also free to
// round the products of a sum in one version of a loop and not in another, which it takes where arrays are close together.
inline double multiply_add(double a, double b, double c) {
#ifdef __FMA__
  return __builtin_fma(a, b, c);
#else
  return a * b + c;
#endif
}
inline float multiply_add(float a, float b, float c) {
#ifdef __FMA__
  return __builtin_fmaf(a, b, c);
#else
  return a * b + c;
#endif
}

// exp(r) − 1 for r = x − n ln2.
template <class T>
inline T expm1_reduced(T x, T n) {
  using F = Float<T>;
  const T r = (x - n * F::ln2_hi) - n * F::ln2_lo;
  return r + r * r * F::q(r);
}

template <class T>
inline T power_of_two(typename Float<T>::Int n) {  // n, or the bits of n + shifter: the shift drops all but n
  return bits<T>(static_cast<typename Float<T>::Int>((n + Float<T>::bias) << Float<T>::mantissa));
}

template <class T>
inline T vexp(T x) {
  using F = Float<T>;
  // Written so that NaN passes through and both bounds become single instructions.
  T y = -F::limit > x ? -F::limit : x;
  y = F::limit < y ? F::limit : y;
  const T t = y * F::log2e + F::shifter;
  const T n = t - F::shifter;
  const T half = n * T(0.5) + F::shifter;
  const T first = power_of_two<T>(bits<typename F::Int>(half));
  const T second = power_of_two<T>(bits<typename F::Int>(t) - bits<typename F::Int>(half));
  return ((T(1) + expm1_reduced(y, n)) * first) * second;
}

// expm1 for 0 ≤ x: 2ⁿ(exp(r) − 1) + (2ⁿ − 1), exact to rounding because the two parts never cancel there.
template <class T>
inline T vexpm1_positive(T x) {
  using F = Float<T>;
  const T t = x * F::log2e + F::shifter;
  const T p = power_of_two<T>(bits<typename F::Int>(t));
  return p * expm1_reduced(x, t - F::shifter) + (p - T(1));
}

// tanh |x| = m / (m + 2), m = expm1(2|x|); beyond 20 it is 1 to rounding.
template <class T>
inline T vtanh(T x) {
  const T a = x < T(0) ? -x : x;
  const T m = vexpm1_positive(T(2) * (a > T(20) ? T(20) : a));
  const T y = m / (m + T(2));
  return x < T(0) ? -y : y;
}

// A positive normal number as 2ᵉ m with m in [√½, √2), and log m = 2 atanh s with s = (m − 1)/(m + 1), |s| ≤ 0.1716, by its
// series: `first` is 2s, `second` the rest, `sum` both.
template <class T>
struct Logarithm {
  T e, first, second, sum;
};

template <class T>
inline Logarithm<T> log_parts(T u) {
  using F = Float<T>;
  using I = typename F::Int;
  constexpr T root_half = T(0.70710678118654752440);
  const I offset = bits<I>(u) - bits<I>(root_half);
  // Arithmetic shifts of 64-bit lanes do not exist before AVX-512: shift a positive number instead.
  const I positive = offset + (F::bias << F::mantissa);
  const T e = static_cast<T>(static_cast<std::int32_t>(static_cast<typename std::make_unsigned<I>::type>(positive) >> F::mantissa)) - T(F::bias);
  const T m = bits<T>(static_cast<I>((offset & ((I(1) << F::mantissa) - 1)) + bits<I>(root_half)));
  const T s = (m - T(1)) / (m + T(1)), z = s * s;
  T p;
  if constexpr (sizeof(T) == 8) {
    p = T(2.0 / 21);
    p = p * z + T(2.0 / 19);
    p = p * z + T(2.0 / 17);
    p = p * z + T(2.0 / 15);
    p = p * z + T(2.0 / 13);
    p = p * z + T(2.0 / 11);
    p = p * z + T(2.0 / 9);
  } else {
    p = T(2.0 / 9);
  }
  p = p * z + T(2.0 / 7);
  p = p * z + T(2.0 / 5);
  p = p * z + T(2.0 / 3);
  const T first = s + s;
  return {e, first, s * z * p, multiply_add(s * z, p, first)};
}

// log u for a positive normal number, and log(1 + x) for x ≥ 0.
template <class T>
inline T vlog(T u) {
  const Logarithm<T> log = log_parts(u);
  return multiply_add(log.e, Float<T>::ln2_hi, log.first + multiply_add(log.e, Float<T>::ln2_lo, log.second));
}

template <class T>
inline T vlog1p(T x) {
  const T u = T(1) + x;
  const T lost = u > T(4) / std::numeric_limits<T>::epsilon() ? (u > std::numeric_limits<T>::max() ? u : T(0)) : (x - (u - T(1))) / u;
  const T value = vlog(u > std::numeric_limits<T>::max() ? std::numeric_limits<T>::max() : u);
  return value + lost;
}

// x^p for x ≥ 0 and 0 < p ≤ 4, within a few units in the last place: with x = 2ᵉ m, it is 2ⁿ exp(r), n the integer next to p e.
// exp(p log x) would lose as many digits as p log x has before the point. The exponent is split so that e·high is exact.
template <class T>
struct Exponent {
  T high, low;
  explicit Exponent(T p) {
    using I = typename Float<T>::Int;
    high = bits<T>(static_cast<I>(bits<I>(p) & ~((I(1) << (sizeof(T) == 8 ? 14 : 10)) - 1)));
    low = p - high;
  }
};

template <class T>
inline T vpow(T x, Exponent<T> p) {
  using F = Float<T>;
  using I = typename F::Int;
  constexpr T least = std::numeric_limits<T>::min(), most = std::numeric_limits<T>::max();
  constexpr T lift = sizeof(T) == 8 ? T(0x1p54) : T(0x1p25f), lifted = sizeof(T) == 8 ? T(54) : T(25);
  constexpr T bound = sizeof(T) == 8 ? T(2000) : T(240);  // 2ⁿ is 0 or infinite beyond it, and half of it a normal exponent
  const Logarithm<T> log = log_parts(x < least ? x * lift : x);
  const T e = x < least ? log.e - lifted : log.e;
  const T whole = e * p.high, n = (whole + F::shifter) - F::shifter;
  const T r = multiply_add(multiply_add(e, p.low, whole - n), T(0.69314718055994530942), (p.high + p.low) * log.sum);
  const T k = (r * F::log2e + F::shifter) - F::shifter;
  T power = n + k;
  power = power < -bound ? -bound : power;
  power = power > bound ? bound : power;
  const T half = power * T(0.5) + F::shifter;
  const T first = power_of_two<T>(bits<I>(half)), second = power_of_two<T>(bits<I>(power + F::shifter) - bits<I>(half));
  const T y = ((T(1) + expm1_reduced(r, k)) * first) * second;
  const T finite = x <= most ? y : x;  // two choices: && would be a branch
  return x > T(0) ? finite : x;        // 0 and NaN
}
