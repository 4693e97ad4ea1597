/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inverse hyperbolic functions and the arc cosine of complex numbers: Hull, Fairgrieve and Tang, "Implementing the
 * complex arcsine and arccosine functions using exception handling", 1997; Kahan, 1987, for the inverse tangent.
 *
 * With R and S the distances of z from i and -i and A = (R + S) / 2, B = y / A, the inverse hyperbolic sine of z is
 * (log(A + sqrt(A*A - 1)), asin(B)).  A - 1 and A - y are formed without cancellation where they are small.
 */
constexpr double mnp_epsilon = 0x1p-52, mnp_half_pi = 1.57079632679489661923, mnp_ln2 = 0.693147180559945309417;

/* (hypot(a, b) - b) / 2 of a >= 0, given the hypotenuse. */
MNP_INLINE double mnp_half_excess(double a, double b, double hypotenuse)
{
    return b < 0 ? (hypotenuse - b) / 2 : b == 0 ? a / 2 : a * a / (hypotenuse + b) / 2;
}

/*
 * For x, y >= 0, neither tiny nor huge both: the real part, and the tangent of the imaginary one as opposite /
 * adjacent.
 */
struct mnp_arc {
    double real, opposite, adjacent;
};
MNP_FUNCTION mnp_arc mnp_find_arc(double x, double y)
{
    const double r = hypot(x, y + 1), s = hypot(x, y - 1);
    const double a = (r + s) / 2 > 1 ? (r + s) / 2 : 1;
    const bool off_the_cut = x >= mnp_epsilon * fabs(y - 1);
    const double sum = mnp_half_excess(x, 1 + y, r), tiny = 4 / mnp_epsilon / mnp_epsilon;
    mnp_arc arc;
    if (a >= 10) {
        arc.real = log(a + sqrt(a * a - 1));
    } else if (y == 1 && x < mnp_epsilon * mnp_epsilon / 128) {
        arc.real = sqrt(x);
    } else if (off_the_cut) {
        const double less = sum + mnp_half_excess(x, 1 - y, s); /* a - 1 */
        arc.real = log1p(less + sqrt(less * (a + 1)));
    } else if (y < 1) {
        arc.real = x / sqrt((1 - y) * (1 + y));
    } else {
        arc.real = log1p((y - 1) + sqrt((y - 1) * (y + 1)));
    }
    arc.opposite = y;
    if (y / a <= 0.6417) { /* no cancellation in a - y */
        arc.adjacent = sqrt((a - y) * (a + y));
    } else if (y == 1 && x < mnp_epsilon / 128) {
        arc.adjacent = sqrt(x) * sqrt((a + y) / 2);
    } else if (off_the_cut) {
        arc.adjacent = sqrt((sum + mnp_half_excess(x, y - 1, s)) * (a + y));
    } else if (y > 1) { /* scaled, as it may underflow */
        arc.adjacent = x * tiny * y / sqrt((y + 1) * (y - 1));
        arc.opposite = y * tiny;
    } else {
        arc.adjacent = sqrt((1 - y) * (1 + y));
    }
    return arc;
}

MNP_FUNCTION mnp_complex128 mnp_arcsinh(mnp_complex128 z)
{
    const double x = z.re, y = z.im, ax = fabs(x), ay = fabs(y), large = 1 / mnp_epsilon, nan = mnp_nan<double>();
    if (x != x || y != y) {
        if (ax == mnp_infinity<double>())
            return mnp_complex128{x, nan};
        if (ay == mnp_infinity<double>())
            return mnp_complex128{ay, nan};
        return mnp_complex128{nan, y == 0 ? y : nan};
    }
    if (ax > large || ay > large)
        return mnp_complex128{copysign(mnp_log_absolute(x, y) + mnp_ln2, x), copysign(atan2(ay, ax), y)};
    if (ax < 1e-8 && ay < 1e-8)
        return z;
    const mnp_arc arc = mnp_find_arc(ax, ay);
    return mnp_complex128{copysign(arc.real, x), copysign(atan2(arc.opposite, arc.adjacent), y)};
}

MNP_FUNCTION mnp_complex128 mnp_arccos(mnp_complex128 z)
{
    const double x = z.re, y = z.im, ax = fabs(x), ay = fabs(y), large = 1 / mnp_epsilon, nan = mnp_nan<double>();
    if (x != x || y != y) {
        if (ax == mnp_infinity<double>())
            return mnp_complex128{nan, -mnp_infinity<double>()};
        if (ay == mnp_infinity<double>())
            return mnp_complex128{nan, -y};
        return mnp_complex128{x == 0 ? mnp_half_pi : nan, nan};
    }
    if (ax > large || ay > large)
        return mnp_complex128{fabs(atan2(y, x)), -copysign(mnp_log_absolute(x, y) + mnp_ln2, y)};
    if (x == 1 && y == 0)
        return mnp_complex128{0, -y};
    if (ax < 1e-8 && ay < 1e-8)
        return mnp_complex128{mnp_half_pi - x, -y};
    const mnp_arc arc = mnp_find_arc(ay, ax);
    return mnp_complex128{atan2(arc.adjacent, copysign(arc.opposite, x)), -copysign(arc.real, y)};
}

MNP_FUNCTION mnp_complex128 mnp_arccosh(mnp_complex128 z)
{
    const mnp_complex128 w = mnp_arccos(z);
    if (w.re != w.re && w.im != w.im)
        return w;
    if (w.re != w.re)
        return mnp_complex128{fabs(w.im), w.re};
    if (w.im != w.im)
        return mnp_complex128{w.im, z.re == 0 ? mnp_half_pi : w.im};
    return mnp_complex128{fabs(w.im), copysign(w.re, z.im)};
}

/* x / (x*x + y*y) of large numbers. */
MNP_INLINE double mnp_real_of_reciprocal(double x, double y)
{
    const double ax = fabs(x), ay = fabs(y);
    if (ax == mnp_infinity<double>() || ay == mnp_infinity<double>())
        return copysign(0.0, x);
    return ax >= ay ? 1 / (x + y * (y / x)) : x / y / (y + x * (x / y));
}

MNP_FUNCTION mnp_complex128 mnp_arctanh(mnp_complex128 z)
{
    const double x = z.re, y = z.im, ax = fabs(x), ay = fabs(y), large = 1 / mnp_epsilon, nan = mnp_nan<double>();
    if (y == 0 && ax <= 1)
        return mnp_complex128{atanh(x), y};
    if (x == 0)
        return mnp_complex128{x, atan(y)};
    if (x != x || y != y) {
        if (ax == mnp_infinity<double>())
            return mnp_complex128{copysign(0.0, x), nan};
        if (ay == mnp_infinity<double>())
            return mnp_complex128{copysign(0.0, x), copysign(mnp_half_pi, y)};
        return mnp_complex128{nan, nan};
    }
    if (ax > large || ay > large)
        return mnp_complex128{mnp_real_of_reciprocal(x, y), copysign(mnp_half_pi, y)};
    if (ax < 1e-8 && ay < 1e-8)
        return z;
    const double square = ay < 0x1p-511 ? 0 : ay * ay;
    const double re =
        ax == 1 && ay < mnp_epsilon ? (mnp_ln2 - log(ay)) / 2 : log1p(4 * ax / ((ax - 1) * (ax - 1) + square)) / 4;
    const double im = ax == 1 ? atan2(2.0, -ay) : atan2(2 * ay, (1 - ax) * (1 + ax) - square);
    return mnp_complex128{copysign(re, x), copysign(im / 2, y)};
}
