/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Singular values and vectors of a batch of small matrices, each by a block of threads, on GPUs: Hestenes's one-sided
 * Jacobi method.
 *
 * Columns of A are rotated in pairs until all are orthogonal: A V = W, where V is the product of the rotations.  Then the
 * lengths of W's columns are the singular values, and the columns divided by them are U's.  A sweep rotates every pair
 * once, in rounds of n / 2 pairs without a common column, as the rounds of a tournament; a pair whose cosine is below
 * sqrt(m) eps is orthogonal enough.  The longer column of a pair goes to the left (de Rijk), so that the columns come out
 * nearly sorted, in fewer sweeps.  W and V are in shared memory.
 *
 * A column so short that its square is nothing beside the others', of less than eps^2, is no longer rotated.  What U has
 * for it, and columns that `full` asks for, are made orthogonal to the others by reflectors: the last columns of the Q
 * of U's first ones.
 */
#include "kernels/prelude.h"
#include "kernels/math_types.h"
#include "kernels/linalg/svd_jacobi_params.h"

typedef typename mnp_real_of<MNP_T>::type mnp_real;

enum {
    MNP_EACH = 16 / sizeof(MNP_T), /* elements that a thread reads at once */
    MNP_SWEEPS = 40,
    MNP_WARP = 32,
    MNP_THREADS = 1024, /* of a block, at most */
};
static constexpr unsigned MNP_ALL_LANES = 0xffffffffu;
static constexpr mnp_real MNP_EPS = sizeof(mnp_real) == 8 ? 0x1p-52 : 0x1p-23;
static constexpr mnp_real MNP_NOTHING = MNP_EPS * MNP_EPS * MNP_EPS * MNP_EPS; /* the square of a column beside 1 */

struct alignas(16) mnp_some {
    MNP_T x[MNP_EACH];
};

/* ---- numbers ---- */

MNP_INLINE mnp_real mnp_size2(float x)
{
    return x * x;
}
MNP_INLINE mnp_real mnp_size2(double x)
{
    return x * x;
}
template <typename R> MNP_INLINE R mnp_size2(mnp_complex<R> x)
{
    return x.re * x.re + x.im * x.im;
}
MNP_INLINE mnp_real mnp_size(mnp_real x)
{
    return fabs(x);
}
template <typename R> MNP_INLINE R mnp_size(mnp_complex<R> x)
{
    return hypot(x.re, x.im);
}

/* A number divided by its size. */
MNP_INLINE mnp_real mnp_direction(mnp_real x, mnp_real)
{
    return x < 0 ? -1 : 1;
}
template <typename R> MNP_INLINE mnp_complex<R> mnp_direction(mnp_complex<R> x, R size)
{
    return {x.re / size, x.im / size};
}
template <typename R> MNP_INLINE R mnp_times(R x, R y)
{
    return x * y;
}
template <typename R> MNP_INLINE mnp_complex<R> mnp_times(R x, mnp_complex<R> y)
{
    return {x * y.re, x * y.im};
}
template <typename R> MNP_INLINE mnp_complex<R> mnp_times(mnp_complex<R> x, mnp_complex<R> y)
{
    return {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
}
template <typename R> MNP_INLINE R mnp_plus(R x, R y)
{
    return x + y;
}
template <typename R> MNP_INLINE mnp_complex<R> mnp_plus(mnp_complex<R> x, mnp_complex<R> y)
{
    return {x.re + y.re, x.im + y.im};
}
template <typename R> MNP_INLINE R mnp_conjugate(R x)
{
    return x;
}
template <typename R> MNP_INLINE mnp_complex<R> mnp_conjugate(mnp_complex<R> x)
{
    return {x.re, -x.im};
}
template <typename R> MNP_INLINE R mnp_largest_part(R x)
{
    return fabs(x);
}
template <typename R> MNP_INLINE R mnp_largest_part(mnp_complex<R> x)
{
    const R re = fabs(x.re), im = fabs(x.im);
    return re > im || re != re ? re : im;
}
template <typename R> MNP_INLINE R mnp_scale(R x, int exponent)
{
    return ldexp(x, exponent);
}
template <typename R> MNP_INLINE mnp_complex<R> mnp_scale(mnp_complex<R> x, int exponent)
{
    return {ldexp(x.re, exponent), ldexp(x.im, exponent)};
}
template <typename R> MNP_INLINE R mnp_of_real(R x, const R *)
{
    return x;
}
template <typename R> MNP_INLINE mnp_complex<R> mnp_of_real(R x, const mnp_complex<R> *)
{
    return {x, 0};
}
MNP_INLINE MNP_T mnp_number(mnp_real x)
{
    return mnp_of_real(x, (const MNP_T *)0);
}

/* The sum over so many neighbouring lanes, for each of them. */
template <typename R> MNP_INLINE R mnp_sum(R x, int lanes)
{
    for (int by = lanes / 2; by > 0; by /= 2)
        x += __shfl_xor_sync(MNP_ALL_LANES, x, by);
    return x;
}
template <typename R> MNP_INLINE mnp_complex<R> mnp_sum(mnp_complex<R> x, int lanes)
{
    return {mnp_sum(x.re, lanes), mnp_sum(x.im, lanes)};
}

/* ---- a matrix in shared memory ---- */

struct mnp_matrix {
    MNP_T *w,
        *v; /* columns of rows and v_rows elements, of which those behind m and n are 0; v: NULL without vectors */
    mnp_real *length;
    int *order; /* columns by their length */
    int *exponent;
    int rows, v_rows;
};

MNP_INLINE int mnp_whole(int rows)
{
    return (rows + MNP_EACH - 1) / MNP_EACH * MNP_EACH;
}

MNP_INLINE mnp_matrix mnp_layout(const mnp_svd_params &p)
{
    extern __shared__ __align__(16) unsigned char mnp_shared[];
    mnp_matrix x;
    x.rows = mnp_whole(p.m);
    x.v_rows = p.columns > 0 ? mnp_whole(p.n) : 0;
    x.w = (MNP_T *)mnp_shared;
    x.v = x.w + p.n * x.rows;
    x.length = (mnp_real *)(x.v + p.n * x.v_rows);
    x.order = (int *)(x.length + p.n);
    x.exponent = x.order + p.n;
    return x;
}

/* Read matrix b, divided by a power of two so that its largest part is in [1/2, 1).  Whether all its elements are finite. */
MNP_FUNCTION bool mnp_read(const mnp_svd_params &p, const mnp_matrix &x, int64_t b)
{
    enum { NOT_FINITE = 1 << 20 };
    const MNP_T *a = (const MNP_T *)p.a + b * p.a_step;
    int most = -NOT_FINITE;
    if (threadIdx.x == 0)
        *x.exponent = -NOT_FINITE;
    __syncthreads();
    for (int e = threadIdx.x; e < p.n * x.rows; e += blockDim.x) {
        const int column = e / x.rows, row = e - column * x.rows;
        const MNP_T element = row < p.m ? a[column * p.a_ld + row] : mnp_number(0);
        const mnp_real size = mnp_largest_part(element);
        int exponent = -NOT_FINITE;
        if (!(size < mnp_infinity<mnp_real>()))
            exponent = NOT_FINITE;
        else if (size > 0)
            frexp(size, &exponent);
        most = exponent > most ? exponent : most;
        x.w[e] = element;
    }
    atomicMax(x.exponent, most);
    __syncthreads();
    most = *x.exponent;
    if (most == NOT_FINITE)
        return false;
    const int down = most == -NOT_FINITE ? 0 : -most;
    for (int e = threadIdx.x; e < p.n * x.rows; e += blockDim.x)
        x.w[e] = mnp_scale(x.w[e], down);
    for (int e = threadIdx.x; e < p.n * x.v_rows; e += blockDim.x)
        x.v[e] = mnp_number(e / x.v_rows == e % x.v_rows ? 1 : 0);
    __syncthreads();
    if (threadIdx.x == 0)
        *x.exponent = -down;
    return true;
}

/* ---- rotations ---- */

/* x and y become x + (less x + q y) and y + (less y - conj(q) x): little is rounded where little is turned. */
struct mnp_rotation {
    mnp_real less; /* the cosine, less 1 */
    MNP_T q;
};

/* The rotation that makes columns orthogonal whose squares are xx and yy, and whose product is xy, of that size. */
MNP_INLINE mnp_rotation mnp_find_rotation(mnp_real xx, mnp_real yy, MNP_T xy, mnp_real size, mnp_real *sine_p)
{
    const mnp_real far = yy - xx, twice = 2 * size;
    mnp_real tangent;
    if (fabs(far) >= twice) {
        const mnp_real ratio = twice / far;
        tangent = ratio / (1 + sqrt(1 + ratio * ratio));
    } else {
        const mnp_real ratio = far / twice;
        tangent = (ratio < 0 ? (mnp_real)-1 : (mnp_real)1) / (fabs(ratio) + sqrt(1 + ratio * ratio));
    }
    const mnp_real cosine = 1 / sqrt(1 + tangent * tangent), sine = cosine * tangent;
    *sine_p = fabs(sine);
    return {-sine * sine / (1 + cosine), mnp_times(-sine, mnp_conjugate(mnp_direction(xy, size)))};
}

/* Rotate x and y, and interchange them if `swaps`. */
MNP_INLINE void mnp_rotate(MNP_T *x, MNP_T *y, int rows, int lane, int lanes, const mnp_rotation &by, bool swaps)
{
    const MNP_T back = mnp_times((mnp_real)-1, mnp_conjugate(by.q));
    for (int at = lane * MNP_EACH; at < rows; at += lanes * MNP_EACH) {
        mnp_some xs = *(const mnp_some *)(x + at), ys = *(const mnp_some *)(y + at);
#pragma unroll
        for (int i = 0; i < MNP_EACH; i++) {
            const MNP_T old = xs.x[i];
            xs.x[i] = mnp_plus(old, mnp_plus(mnp_times(by.less, old), mnp_times(by.q, ys.x[i])));
            ys.x[i] = mnp_plus(ys.x[i], mnp_plus(mnp_times(by.less, ys.x[i]), mnp_times(back, old)));
        }
        *(mnp_some *)((swaps ? y : x) + at) = xs;
        *(mnp_some *)((swaps ? x : y) + at) = ys;
    }
}

/* Rotate a pair, which is none if `live` is false; *cosine_p and *sine_p become the largest seen. */
MNP_INLINE void mnp_pair(const mnp_matrix &m, int left, int right, bool live, int lane, int lanes, mnp_real tolerance,
                         mnp_real *cosine_p, mnp_real *sine_p)
{
    MNP_T *x = m.w + left * m.rows, *y = m.w + right * m.rows, xy = mnp_number(0);
    mnp_real xx = 0, yy = 0;
    for (int at = lane * MNP_EACH; live && at < m.rows; at += lanes * MNP_EACH) {
        const mnp_some xs = *(const mnp_some *)(x + at), ys = *(const mnp_some *)(y + at);
#pragma unroll
        for (int i = 0; i < MNP_EACH; i++) {
            xx += mnp_size2(xs.x[i]);
            yy += mnp_size2(ys.x[i]);
            xy = mnp_plus(xy, mnp_times(mnp_conjugate(xs.x[i]), ys.x[i]));
        }
    }
    xx = mnp_sum(xx, lanes);
    yy = mnp_sum(yy, lanes);
    xy = mnp_sum(xy, lanes);
    const mnp_real size = mnp_size(xy), lengths = sqrt(xx) * sqrt(yy);
    if (!live || xx <= MNP_NOTHING || yy <= MNP_NOTHING || size <= tolerance * lengths)
        return;
    mnp_real sine;
    const mnp_rotation by = mnp_find_rotation(xx, yy, xy, size, &sine);
    mnp_rotate(x, y, m.rows, lane, lanes, by, xx < yy);
    mnp_rotate(m.v + left * m.v_rows, m.v + right * m.v_rows, m.v_rows, lane, lanes, by, xx < yy);
    *cosine_p = fmax(*cosine_p, size / lengths);
    *sine_p = fmax(*sine_p, sine);
}

/*
 * Sweeps until the columns are orthogonal; false: they are not after the most that are done.  The cosines after a sweep
 * are at most about n times the largest cosine times the largest sine in it, which spares a last sweep that rotates nothing.
 */
MNP_FUNCTION bool mnp_sweep_all(const mnp_svd_params &p, const mnp_matrix &x)
{
    const mnp_real tolerance = MNP_EPS * sqrt((mnp_real)p.m), little = sqrt(tolerance);
    const int players = p.n + p.n % 2, rounds = players - 1, pairs = players / 2;
    const int lane = threadIdx.x % p.lanes, first = threadIdx.x / p.lanes, step = blockDim.x / p.lanes;
    for (int sweep = 0; sweep < MNP_SWEEPS; sweep++) {
        mnp_real cosine = 0, sine = 0;
        for (int round = 0; round < rounds; round++) {
            for (int pair = first; pair - first < pairs; pair += step) {
                int i = pair == 0 ? rounds : round + pair, j = pair == 0 ? round : round - pair;
                i -= pair > 0 && i >= rounds ? rounds : 0;
                j += j < 0 ? rounds : 0;
                const bool live = pair < pairs && i < p.n && j < p.n;
                mnp_pair(x, live ? min(i, j) : 0, live ? max(i, j) : 0, live, lane, p.lanes, tolerance, &cosine, &sine);
            }
            __syncthreads();
        }
        if (!__syncthreads_or(cosine * p.n > little || sine > little))
            return true;
#ifdef MNP_COUNT
        if (threadIdx.x == 0)
            p.info[p.batch + blockIdx.x] = sweep;
#endif
    }
    return false;
}

/* ---- results ---- */

/* Lengths of the columns, their order, the longest first, and how many are not nothing. */
MNP_FUNCTION int mnp_sort(const mnp_svd_params &p, const mnp_matrix &x)
{
    const int lane = threadIdx.x % MNP_WARP, warp = threadIdx.x / MNP_WARP, warps = blockDim.x / MNP_WARP;
    for (int c = warp; c < p.n; c += warps) {
        mnp_real square = 0;
        for (int row = lane; row < p.m; row += MNP_WARP)
            square += mnp_size2(x.w[c * x.rows + row]);
        square = mnp_sum(square, MNP_WARP);
        if (lane == 0)
            x.length[c] = sqrt(square);
    }
    __syncthreads();
    bool counts = false;
    for (int c = threadIdx.x; c < p.n; c += blockDim.x) {
        const mnp_real own = x.length[c];
        int before = 0;
        for (int other = 0; other < p.n; other++)
            before += x.length[other] > own || (x.length[other] == own && other < c);
        x.order[before] = c;
        counts = own * own > MNP_NOTHING;
    }
    return __syncthreads_count(counts);
}

/* x -= factor times what the reflector `of` has in common with x, in the rows from k on, by a warp; each lane has its rows. */
MNP_INLINE void mnp_reflect(const MNP_T *of, mnp_real factor, MNP_T *x, int k, int m, int lane)
{
    const int first = lane + (k - lane + MNP_WARP - 1) / MNP_WARP * MNP_WARP;
    MNP_T product = mnp_number(0);
    for (int row = first; row < m; row += MNP_WARP)
        product = mnp_plus(product, mnp_times(mnp_conjugate(of[row]), x[row]));
    product = mnp_times(-factor, mnp_sum(product, MNP_WARP));
    for (int row = first; row < m; row += MNP_WARP)
        x[row] = mnp_plus(x[row], mnp_times(product, of[row]));
}

/* Columns of U from number `count` on, orthogonal to those before them, which are destroyed in x. */
MNP_FUNCTION void mnp_complete(const mnp_svd_params &p, const mnp_matrix &x, int count, MNP_T *u)
{
    const int lane = threadIdx.x % MNP_WARP, warp = threadIdx.x / MNP_WARP, warps = blockDim.x / MNP_WARP;
    for (int k = 0; k < count; k++) {
        MNP_T *column = x.w + x.order[k] * x.rows;
        if (warp == 0) {
            mnp_real square = 0;
            for (int row = k + lane; row < p.m; row += MNP_WARP)
                square += mnp_size2(column[row]);
            const mnp_real length = sqrt(mnp_sum(square, MNP_WARP)), own = mnp_size(column[k]);
            __syncwarp();
            if (lane == 0) {
                column[k] = own > 0 ? mnp_times(own + length, mnp_direction(column[k], own)) : mnp_number(length);
                x.length[k] = length > 0 ? 1 / (length * (length + own)) : 0;
            }
        }
        __syncthreads();
        for (int c = k + 1 + warp; c < count; c += warps)
            mnp_reflect(column, x.length[k], x.w + x.order[c] * x.rows, k, p.m, lane);
        __syncthreads();
    }
    for (int c = count + warp; c < p.columns; c += warps) {
        MNP_T *own = u + c * p.u_ld;
        for (int row = lane; row < p.m; row += MNP_WARP)
            own[row] = mnp_number(row == c ? 1 : 0);
        for (int k = count - 1; k >= 0; k--)
            mnp_reflect(x.w + x.order[k] * x.rows, x.length[k], own, k, p.m, lane);
    }
}

MNP_FUNCTION void mnp_give(const mnp_svd_params &p, const mnp_matrix &x, int64_t b)
{
    MNP_T *u = (MNP_T *)p.u + b * p.u_step, *vh = (MNP_T *)p.vh + b * p.vh_step;
    const int count = mnp_sort(p, x);
    for (int c = threadIdx.x; c < p.n; c += blockDim.x)
        ((mnp_real *)p.values)[b * p.n + c] = ldexp(x.length[x.order[c]], *x.exponent);
    if (p.columns == 0)
        return;
    for (int e = threadIdx.x; e < count * p.m; e += blockDim.x) {
        const int c = e / p.m, row = e - c * p.m;
        MNP_T *element = x.w + x.order[c] * x.rows + row;
        u[c * p.u_ld + row] = *element = mnp_times(1 / x.length[x.order[c]], *element);
    }
    for (int e = threadIdx.x; e < p.n * p.n; e += blockDim.x) {
        const int c = e / p.n, row = e - c * p.n;
        vh[c * p.vh_ld + row] = mnp_conjugate(x.v[x.order[row] * x.v_rows + c]);
    }
    __syncthreads();
    if (count < p.columns)
        mnp_complete(p, x, count, u);
}

/* What a matrix gets that has none: NaN. */
MNP_FUNCTION void mnp_give_none(const mnp_svd_params &p, int64_t b)
{
    const mnp_real nan = mnp_infinity<mnp_real>() - mnp_infinity<mnp_real>();
    for (int c = threadIdx.x; c < p.n; c += blockDim.x)
        ((mnp_real *)p.values)[b * p.n + c] = nan;
    for (int e = threadIdx.x; e < p.columns * p.m; e += blockDim.x)
        ((MNP_T *)p.u)[b * p.u_step + e / p.m * p.u_ld + e % p.m] = mnp_number(nan);
    for (int e = threadIdx.x; p.columns > 0 && e < p.n * p.n; e += blockDim.x)
        ((MNP_T *)p.vh)[b * p.vh_step + e / p.n * p.vh_ld + e % p.n] = mnp_number(nan);
}

MNP_FUNCTION void mnp_decompose(const mnp_svd_params &p)
{
    const mnp_matrix x = mnp_layout(p);
    for (int64_t b = blockIdx.x; b < p.batch; b += gridDim.x) {
        const bool found = mnp_read(p, x, b) && mnp_sweep_all(p, x);
        if (found)
            mnp_give(p, x, b);
        else
            mnp_give_none(p, b);
        if (threadIdx.x == 0)
            p.info[b] = !found;
        __syncthreads();
    }
}

extern "C" __global__ void __launch_bounds__(MNP_THREADS) svd_jacobi(const __grid_constant__ mnp_svd_params p)
{
    mnp_decompose(p);
}
