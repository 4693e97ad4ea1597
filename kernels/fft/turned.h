/* SPDX-License-Identifier: BSD-3-Clause */
/* Points of the unit circle. */

/* The cosine and the sine of number / points turns, 0 <= number < points: exact where an axis is met. */
MNP_INLINE mnp_complex128 mnp_turned(int64_t number, int64_t points)
{
    const int64_t quarter = 4 * number / points;                                  /* the nearest axis before it */
    const double rest = (double)(4 * number - quarter * points) / (double)points; /* quarters of a turn, below 1 */
#if MNP_CUDA
    const double c = cospi(rest / 2), s = sinpi(rest / 2);
#else
    const double angle = rest * 1.5707963267948966, c = __builtin_cos(angle), s = __builtin_sin(angle);
#endif
    switch (quarter) {
    case 0:
        return {c, s};
    case 1:
        return {-s, c};
    case 2:
        return {-c, -s};
    default:
        return {s, -c};
    }
}
