// The operators and functions of Rust, with Rust's meaning: integers wrap, casts saturate, NaN loses in max and min.
template <class T> struct pd_wide { typedef pd_u32 type; };
template <> struct pd_wide<pd_i64> { typedef pd_u64 type; };
template <> struct pd_wide<pd_u64> { typedef pd_u64 type; };
template <class T> struct pd_is_float { static const bool value = false; };
template <> struct pd_is_float<float> { static const bool value = true; };
template <> struct pd_is_float<double> { static const bool value = true; };

template <class T> PD_FN T pd_add(T a, T b) { typedef typename pd_wide<T>::type U; return (T)((U)a + (U)b); }
template <class T> PD_FN T pd_sub(T a, T b) { typedef typename pd_wide<T>::type U; return (T)((U)a - (U)b); }
template <class T> PD_FN T pd_mul(T a, T b) { typedef typename pd_wide<T>::type U; return (T)((U)a * (U)b); }
PD_FN double pd_add(double a, double b) { return a + b; }
PD_FN float pd_add(float a, float b) { return a + b; }
template <class T> PD_FN T pd_neg(T a) { return pd_sub((T)0, a); }
template <class T> PD_FN constexpr bool pd_signed() { return (T)-1 < (T)0; }
template <class T> PD_FN constexpr T pd_least() { return pd_signed<T>() ? (T)((pd_u64)1 << (8 * sizeof(T) - 1)) : (T)0; }
template <class T> PD_FN constexpr T pd_greatest() { return (T)~pd_least<T>(); }

// what panics in Rust is recorded under that number; the value is one that does no harm
template <class T> PD_FN T pd_div(pd_array<pd_u64> record, pd_u64 zero, pd_u64 overflow, T a, T b) {
  if (b == (T)0) { pd_fail(record, zero, 0, 0, 0); return (T)0; }
  if (pd_signed<T>() && b == (T)-1 && a == pd_least<T>()) { pd_fail(record, overflow, 0, 0, 0); return (T)0; }
  return (T)(a / b);
}
template <class T> PD_FN T pd_rem(pd_array<pd_u64> record, pd_u64 zero, pd_u64 overflow, T a, T b) {
  if (b == (T)0) { pd_fail(record, zero, 0, 0, 0); return (T)0; }
  if (pd_signed<T>() && b == (T)-1) {
    if (a == pd_least<T>()) pd_fail(record, overflow, 0, 0, 0);
    return (T)0;
  }
  return (T)(a % b);
}
template <class T> PD_FN T pd_div_euclid(pd_array<pd_u64> record, pd_u64 zero, pd_u64 overflow, T a, T b) {
  const T q = pd_div(record, zero, overflow, a, b);
  if (!pd_signed<T>() || b == (T)0 || b == (T)-1 || !((T)(a % b) < (T)0)) return q;
  return (T)(b > (T)0 ? q - 1 : q + 1);
}
template <class T> PD_FN T pd_rem_euclid(pd_array<pd_u64> record, pd_u64 zero, pd_u64 overflow, T a, T b) {
  const T r = pd_rem(record, zero, overflow, a, b);
  if (!(r < (T)0)) return r;
  return b < (T)0 ? pd_sub(r, b) : pd_add(r, b);
}
template <class T> PD_FN T pd_div_ceil(pd_array<pd_u64> record, pd_u64 zero, pd_u64 overflow, T a, T b) {
  const T q = pd_div(record, zero, overflow, a, b);
  return b != (T)0 && a % b != (T)0 ? (T)(q + 1) : q;
}
template <class T> PD_FN T pd_next_multiple_of(pd_array<pd_u64> record, pd_u64 zero, pd_u64 overflow, T a, T b) {
  const T r = pd_rem(record, zero, overflow, a, b);
  return r == (T)0 ? a : pd_add(a, pd_sub(b, r));
}
template <class T> PD_FN T pd_next_power_of_two(T a) {
  T power = (T)1;
  while (power < a && power != (T)0) power = pd_add(power, power);
  return power;
}
template <class T> PD_FN T pd_clamp_int(pd_array<pd_u64> record, pd_u64 site, T x, T least, T greatest) {
  if (greatest < least) { pd_fail(record, site, 0, 0, 0); return x; }
  return x < least ? least : greatest < x ? greatest : x;
}
template <class T> PD_FN T pd_clamp(pd_array<pd_u64> record, pd_u64 site, T x, T least, T greatest) {
  if (!(least <= greatest)) { pd_fail(record, site, pd_bits_of(least), pd_bits_of(greatest), 0); return x; }
  return x < least ? least : x > greatest ? greatest : x;
}
template <class T> PD_FN T pd_isqrt(pd_array<pd_u64> record, pd_u64 site, T a) {
  if (a < (T)0) { pd_fail(record, site, 0, 0, 0); return (T)0; }
  const pd_u64 v = (pd_u64)a, most = 0xffffffffull;
  pd_u64 r = (pd_u64)sqrt((double)v);
  if (r > most) r = most;
  while (r * r > v) r--;
  while (r < most && (r + 1) * (r + 1) <= v) r++;
  return (T)r;
}
// the bits of an integer, without those of a sign that is extended
template <class T> PD_FN pd_u64 pd_plain(T a) { return (pd_u64)a & (~0ull >> (64 - 8 * sizeof(T))); }
template <class T> PD_FN pd_u32 pd_leading_zeros(T a) {
  pd_u32 n = 8 * sizeof(T);
  for (pd_u64 v = pd_plain(a); v; v >>= 1) n--;
  return n;
}
template <class T> PD_FN pd_u32 pd_count_ones(T a) {
  pd_u32 n = 0;
  for (pd_u64 v = pd_plain(a); v; v &= v - 1) n++;
  return n;
}
template <class T> PD_FN pd_u32 pd_count_zeros(T a) { return 8 * sizeof(T) - pd_count_ones(a); }
template <class T> PD_FN pd_u32 pd_trailing_zeros(T a) {
  const pd_u64 v = pd_plain(a);
  return v == 0 ? 8 * sizeof(T) : pd_count_ones(~v & (v - 1));
}
template <class T> PD_FN T pd_reverse_bits(T a) {
  const pd_u64 v = pd_plain(a);
  pd_u64 r = 0;
  for (pd_u32 k = 0; k < 8 * sizeof(T); k++) r = r << 1 | (v >> k & 1);
  return (T)r;
}
template <class T> PD_FN bool pd_is_power_of_two(T a) { return pd_count_ones(a) == 1; }
template <class T> PD_FN pd_u32 pd_ilog2(pd_array<pd_u64> record, pd_u64 site, T a) {
  if (a <= (T)0) { pd_fail(record, site, 0, 0, 0); return 0; }
  return 8 * sizeof(T) - 1 - pd_leading_zeros(a);
}
template <class T> PD_FN T pd_rotate_left(T a, pd_u32 by) {
  const pd_u32 bits = 8 * sizeof(T), k = by & (bits - 1);
  const pd_u64 v = pd_plain(a);
  return k == 0 ? a : (T)(v << k | v >> (bits - k));
}
template <class T> PD_FN T pd_rotate_right(T a, pd_u32 by) { return pd_rotate_left(a, 0u - by); }
template <class T, class S> PD_FN T pd_shl(T a, S by) {
  typedef typename pd_wide<T>::type U;
  return (T)((U)a << ((pd_u32)by & (8 * sizeof(T) - 1)));
}
template <class T, class S> PD_FN T pd_shr(T a, S by) { return (T)(a >> ((pd_u32)by & (8 * sizeof(T) - 1))); }

template <class T> PD_FN T pd_min(T a, T b) { return b < a ? b : a; }
template <class T> PD_FN T pd_max(T a, T b) { return b < a ? a : b; }
PD_FN double pd_min(double a, double b) { return fmin(a, b); }
PD_FN double pd_max(double a, double b) { return fmax(a, b); }
PD_FN float pd_min(float a, float b) { return fminf(a, b); }
PD_FN float pd_max(float a, float b) { return fmaxf(a, b); }
template <class T> PD_FN T pd_abs_int(T a) { return a < (T)0 ? pd_neg(a) : a; }
template <class T> PD_FN T pd_signum_int(T a) { return (T)((a > (T)0) - (a < (T)0)); }
template <class T> PD_FN T pd_pow_int(T a, pd_u32 e) {
  T r = (T)1;
  for (; e; e >>= 1) { if (e & 1) r = pd_mul(r, a); a = pd_mul(a, a); }
  return r;
}
template <class U, class T> PD_FN U pd_abs_diff(T a, T b) { return a < b ? (U)((U)b - (U)a) : (U)((U)a - (U)b); }
template <class T> PD_FN T pd_saturating_add(T a, T b) {
  T s = pd_add(a, b);
  if (!pd_signed<T>()) return s < a ? pd_greatest<T>() : s;
  if (b >= (T)0) return s < a ? pd_greatest<T>() : s;
  return s > a ? pd_least<T>() : s;
}
template <class T> PD_FN T pd_saturating_sub(T a, T b) {
  T s = pd_sub(a, b);
  if (!pd_signed<T>()) return b > a ? (T)0 : s;
  if (b >= (T)0) return s > a ? pd_least<T>() : s;
  return s < a ? pd_greatest<T>() : s;
}
template <class T> PD_FN bool pd_checked_add_ok(T a, T b) {
  const T s = pd_add(a, b);
  return pd_signed<T>() && b < (T)0 ? s < a : s >= a;
}
template <class T> PD_FN bool pd_checked_sub_ok(T a, T b) {
  const T s = pd_sub(a, b);
  return pd_signed<T>() && b < (T)0 ? s > a : s <= a;
}
template <class T> PD_FN bool pd_checked_mul_ok(T a, T b) {
  if (a == (T)0 || b == (T)0) return true;
  if (pd_signed<T>() && ((a == (T)-1 && b == pd_least<T>()) || (b == (T)-1 && a == pd_least<T>()))) return false;
  return (T)(pd_mul(a, b) / b) == a;
}
template <class T> PD_FN T pd_saturating_mul(T a, T b) {
  if (pd_checked_mul_ok(a, b)) return pd_mul(a, b);
  return (a < (T)0) == (b < (T)0) ? pd_greatest<T>() : pd_least<T>();
}
// quotient and remainder of a positive divisor: of 32 bits they take a quarter of the time
PD_FN pd_u64 pd_part(pd_u64 a, pd_u64 b) { return (a | b) >> 32 ? a / b : (pd_u64)((pd_u32)a / (pd_u32)b); }
PD_FN pd_u64 pd_rest(pd_u64 a, pd_u64 b) { return (a | b) >> 32 ? a % b : (pd_u64)((pd_u32)a % (pd_u32)b); }
template <class T> PD_FN pd_u64 pd_trip_count(T lo, T hi, pd_u64 step) {
  if (!(lo < hi)) return 0;
  pd_u64 d = (pd_u64)hi - (pd_u64)lo;
  if (step == 0) step = 1;
  return d / step + (d % step != 0);
}

template <class T, class F> PD_FN T pd_saturate(F v) {
  if (!(v == v)) return (T)0;
  // both bounds as floats: the greatest may round up, and what is as large saturates
  const F least = (F)pd_least<T>(), above = (F)pd_greatest<T>();
  if (v <= least) return pd_least<T>();
  if (v >= above) return pd_greatest<T>();
  return (T)v;
}
template <class T, class F, bool saturates> struct pd_casting { PD_FN T of(F v) { return (T)v; } };
template <class T, class F> struct pd_casting<T, F, true> { PD_FN T of(F v) { return pd_saturate<T, F>(v); } };
template <class T, class F> PD_FN T pd_cast(F v) {
  return pd_casting<T, F, pd_is_float<F>::value && !pd_is_float<T>::value>::of(v);
}

#define PD_FLOAT1(name, f64, f32) \
  PD_FN double name(double x) { return f64(x); } \
  PD_FN float name(float x) { return f32(x); }
PD_FLOAT1(pd_exp, exp, expf)
PD_FLOAT1(pd_exp2, exp2, exp2f)
PD_FLOAT1(pd_exp_m1, expm1, expm1f)
PD_FLOAT1(pd_ln, log, logf)
PD_FLOAT1(pd_ln_1p, log1p, log1pf)
PD_FLOAT1(pd_log2, log2, log2f)
PD_FLOAT1(pd_log10, log10, log10f)
PD_FLOAT1(pd_sqrt, sqrt, sqrtf)
PD_FLOAT1(pd_cbrt, cbrt, cbrtf)
PD_FLOAT1(pd_sin, sin, sinf)
PD_FLOAT1(pd_cos, cos, cosf)
PD_FLOAT1(pd_tan, tan, tanf)
PD_FLOAT1(pd_asin, asin, asinf)
PD_FLOAT1(pd_acos, acos, acosf)
PD_FLOAT1(pd_atan, atan, atanf)
PD_FLOAT1(pd_sinh, sinh, sinhf)
PD_FLOAT1(pd_cosh, cosh, coshf)
PD_FLOAT1(pd_tanh, tanh, tanhf)
PD_FLOAT1(pd_asinh, asinh, asinhf)
PD_FLOAT1(pd_acosh, acosh, acoshf)
PD_FLOAT1(pd_atanh, atanh, atanhf)
PD_FLOAT1(pd_abs, fabs, fabsf)
PD_FLOAT1(pd_floor, floor, floorf)
PD_FLOAT1(pd_ceil, ceil, ceilf)
PD_FLOAT1(pd_round, round, roundf)
PD_FLOAT1(pd_round_ties_even, rint, rintf)
PD_FLOAT1(pd_trunc, trunc, truncf)
#define PD_FLOAT2(name, f64, f32) \
  PD_FN double name(double x, double y) { return f64(x, y); } \
  PD_FN float name(float x, float y) { return f32(x, y); }
PD_FLOAT2(pd_atan2, atan2, atan2f)
PD_FLOAT2(pd_powf, pow, powf)
PD_FLOAT2(pd_hypot, hypot, hypotf)
PD_FLOAT2(pd_copysign, copysign, copysignf)
PD_FLOAT2(pd_fmod, fmod, fmodf)
// without overflow, as std does
PD_FN double pd_midpoint(double x, double y) {
  return fabs(x) <= 0x1p1022 && fabs(y) <= 0x1p1022 ? (x + y) / 2 : x / 2 + y / 2;
}
PD_FN float pd_midpoint(float x, float y) { return (float)(((double)x + y) / 2); }
// what CUDA does not have of the gamma function: as the runtime's `math/special/gamma.rs`
#define PD_PI 3.14159265358979323846
PD_FN double pd_cot_pi(double x) { return 1.0 / tan(PD_PI * (x - round(x))); }
PD_FN double pd_horner(const double *p, int n, double x) {
  double sum = 0.0;
  while (n--) sum = sum * x + p[n];
  return sum;
}
PD_FN double pd_digamma(double x) {
  if (x == 0.0) return -1.0 / x;
  double sum = 0.0;
  if (x < 0.0) {
    if (x == trunc(x)) return PD_NAN;
    sum = 1.0 / x + PD_PI * pd_cot_pi(x);
    x = -x;
  }
  for (; x < 10.0; x += 1.0) sum += 1.0 / x;
  const double series[7] = {1.0 / 12, -1.0 / 120, 1.0 / 252, -1.0 / 240, 1.0 / 132, -691.0 / 32760, 1.0 / 12};
  const double square = 1.0 / (x * x);
  return log(x) - 0.5 / x - pd_horner(series, 7, square) * square - sum;
}
PD_FN double pd_polygamma(double x, pd_i32 n) {
  if (n == 0) return pd_digamma(x);
  if (n < 0 || (x < 0.0 && (x == trunc(x) || n > 30))) return PD_NAN;
  double below = 0.0, sign = n % 2 ? 1.0 : -1.0;
  if (x < 0.0) {
    double p[33] = {0.0, PD_PI};
    for (int degree = 1; degree <= n; ++degree) {
      double next[33] = {0.0};
      for (int k = 1; k <= degree; ++k) {
        const double slope = -PD_PI * k * p[k];
        next[k - 1] += slope;
        next[k + 1] += slope;
      }
      for (int k = 0; k < 33; ++k) p[k] = next[k];
    }
    below = pd_horner(p, n + 2, pd_cot_pi(x));
    sign = -1.0;
    x = 1.0 - x;
  }
  double sum = 0.0, factorial = 1.0;
  for (; x < 10.0 + n; x += 1.0) sum += n * pow(x, -1.0 - n);
  for (int k = 2; k < n; ++k) factorial *= k;
  const double bernoulli[8] = {1.0 / 6, -1.0 / 30, 1.0 / 42, -1.0 / 30, 5.0 / 66, -691.0 / 2730, 7.0 / 6, -3617.0 / 510};
  double series = 1.0 + 0.5 * n / x, term = 1.0;
  for (int k = 1; k <= 8; ++k) {
    term *= (n + 2.0 * k - 2.0) * (n + 2.0 * k - 1.0) / (2.0 * k * (2.0 * k - 1.0)) / (x * x);
    series += bernoulli[k - 1] * term;
  }
  return sign * factorial * (sum + series * pow(x, -(double)n)) - below;
}
PD_FN float pd_digamma(float x) { return (float)pd_digamma((double)x); }
PD_FN float pd_polygamma(float x, pd_i32 n) { return (float)pd_polygamma((double)x, n); }
PD_FN double pd_mul_add(double a, double b, double c) { return fma(a, b, c); }
PD_FN float pd_mul_add(float a, float b, float c) { return fmaf(a, b, c); }
template <class T> PD_FN T pd_recip(T x) { return (T)1 / x; }
template <class T> PD_FN T pd_log(T x, T base) { return pd_ln(x) / pd_ln(base); }
template <class T> PD_FN T pd_fract(T x) { return x - pd_trunc(x); }
template <class T> PD_FN bool pd_is_nan(T x) { return !(x == x); }
template <class T> PD_FN bool pd_is_infinite(T x) { return pd_abs(x) == (T)PD_INF; }
template <class T> PD_FN bool pd_is_finite(T x) { return pd_abs(x) < (T)PD_INF; }
template <class T> PD_FN bool pd_is_sign_negative(T x) { return pd_copysign((T)1, x) < (T)0; }
template <class T> PD_FN bool pd_is_sign_positive(T x) { return !pd_is_sign_negative(x); }
template <class T> PD_FN T pd_signum(T x) { return pd_is_nan(x) ? x : pd_copysign((T)1, x); }
template <class T> PD_FN T pd_to_degrees(T x) { return x * (T)57.295779513082320876798154814105; }
template <class T> PD_FN T pd_to_radians(T x) { return x * (T)0.017453292519943295769236907684886; }
template <class T> PD_FN T pd_rem_euclid_float(T a, T b) { T r = pd_fmod(a, b); return r < (T)0 ? r + pd_abs(b) : r; }
template <class T> PD_FN T pd_div_euclid_float(T a, T b) {
  T q = pd_trunc(a / b);
  return pd_fmod(a, b) < (T)0 ? (b > (T)0 ? q - (T)1 : q + (T)1) : q;
}
template <class T> PD_FN T pd_powi(T x, pd_i32 e) {
  const bool under = e < 0;
  pd_u32 n = under ? 0u - (pd_u32)e : (pd_u32)e;
  T r = (T)1;
  for (; n; n >>= 1) { if (n & 1) r *= x; x *= x; }
  return under ? (T)1 / r : r;
}
