/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Singular values and vectors of a batch of small matrices, each by a block of threads, on GPUs: Hestenes's one-sided
 * Jacobi method, of the triangle of a QR factorisation, as LAPACK's gejsv (Drmac, Veselic: New fast and accurate Jacobi
 * SVD algorithm, 2008).
 *
 * First A P = Q R, with the longest column that is left as the next one.  Then columns of W = R^H are rotated in pairs
 * until all are orthogonal: W J = Y, where J is the product of the rotations.  A sweep rotates every pair once, in
 * rounds of n / 2 pairs without a common column, as the rounds of a tournament; a pair whose cosine is below sqrt(n)
 * eps is orthogonal enough.  The longer column of a pair goes to the left (de Rijk).  R^H takes about 8 sweeps, A
 * itself would take 30 or more if it is graded.  The lengths of Y's columns are the singular values, and with Y = X S
 *
 *   A = (Q J) S (P X)^H.
 *
 * A column so short that its square is nothing beside the others', of less than eps^2, is no longer rotated.  What X
 * has for it is made orthogonal to the other columns by reflectors.  W and J are in shared memory, where R was before;
 * the reflectors of Q replace A.
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
        *v; /* W, and J unless values alone are wanted: columns of `rows` elements, of which those behind n are 0 */
    mnp_real *length; /* of columns */
    mnp_real *square; /* of what is left of them, twice: of this step and of the next one */
    int *order;       /* of columns, by their length */
    int *pivot;       /* the columns of R */
    int *exponent;
    int rows, a_rows; /* in memory: n, and m */
};

MNP_INLINE int mnp_whole(int rows)
{
    return (rows + MNP_EACH - 1) / MNP_EACH * MNP_EACH;
}

MNP_INLINE mnp_matrix mnp_layout(const mnp_svd_params &p)
{
    extern __shared__ __align__(16) unsigned char mnp_shared[];
    mnp_matrix x;
    x.rows = mnp_whole(p.n);
    x.a_rows = mnp_whole(p.m);
    x.w = (MNP_T *)mnp_shared;
    x.v = x.w + p.n * x.rows;
    x.length = (mnp_real *)(x.w + p.n * max(x.a_rows, p.columns > 0 ? 2 * x.rows : 0));
    x.square = x.length + p.n;
    x.order = (int *)(x.square + 2 * p.n);
    x.pivot = x.order + p.n;
    x.exponent = x.pivot + p.n;
    return x;
}

/* Threads that work on one column or pair together, and such groups of a block. */
struct mnp_group {
    int lane, lanes, number, count;
};

MNP_INLINE mnp_group mnp_group_of(int lanes)
{
    return {(int)threadIdx.x % lanes, lanes, (int)threadIdx.x / lanes, (int)blockDim.x / lanes};
}

/*
 * Read a matrix, divided by a power of two so that its largest part is in [1/2, 1).  Whether all its elements are
 * finite.
 */
MNP_FUNCTION bool mnp_read(const mnp_svd_params &p, const mnp_matrix &x, const MNP_T *a)
{
    enum { NOT_FINITE = 1 << 20 };
    int most = -NOT_FINITE;
    if (threadIdx.x == 0)
        *x.exponent = -NOT_FINITE;
    __syncthreads();
    for (int e = threadIdx.x; e < p.n * x.a_rows; e += blockDim.x) {
        const int column = e / x.a_rows, row = e - column * x.a_rows;
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
    for (int e = threadIdx.x; e < p.n * x.a_rows; e += blockDim.x)
        x.w[e] = mnp_scale(x.w[e], down);
    __syncthreads();
    if (threadIdx.x == 0)
        *x.exponent = -down;
    return true;
}

/* ---- reflectors ---- */

/*
 * The reflector of a column x, from row k on: I - factor v v^H, where v is x but for its first element, which is
 * `head`.  It makes x `to` times the first unit vector.
 */
struct mnp_reflector {
    const MNP_T *x;
    MNP_T head, to;
    mnp_real factor;
    int k;
};

MNP_INLINE mnp_reflector mnp_reflector_of(const MNP_T *x, int k, mnp_real length)
{
    const mnp_real own = mnp_size(x[k]);
    const MNP_T direction = own > 0 ? mnp_direction(x[k], own) : mnp_number(1);
    return {x, mnp_times(own + length, direction), mnp_times(-length, direction),
            length > 0 ? 1 / (length * (length + own)) : 0, k};
}

/* Reflect y, and the square of what it has below row k. */
MNP_INLINE mnp_real mnp_reflect(const mnp_reflector &by, MNP_T *y, int m, const mnp_group &g)
{
    const int first = g.lane + (by.k - g.lane + g.lanes - 1) / g.lanes * g.lanes; /* each lane has its rows */
    MNP_T product = mnp_number(0);
    mnp_real square = 0;
    for (int row = first; row < m; row += g.lanes)
        product = mnp_plus(product, mnp_times(mnp_conjugate(row == by.k ? by.head : by.x[row]), y[row]));
    product = mnp_times(-by.factor, mnp_sum(product, g.lanes));
    for (int row = first; row < m; row += g.lanes) {
        const MNP_T element = mnp_plus(y[row], mnp_times(product, row == by.k ? by.head : by.x[row]));
        square += row > by.k ? mnp_size2(element) : 0;
        y[row] = element;
    }
    return mnp_sum(square, g.lanes);
}

MNP_INLINE mnp_real mnp_square_of(const MNP_T *y, int from, int m, const mnp_group &g)
{
    mnp_real square = 0;
    for (int row = from + g.lane; row < m; row += g.lanes)
        square += mnp_size2(y[row]);
    return mnp_sum(square, g.lanes);
}

/* Squares of all columns in shared memory, of m elements each; they are `rows` apart. */
MNP_INLINE void mnp_square_all(const mnp_svd_params &p, const mnp_matrix &x, const int &rows, const int &m,
                               const mnp_group &g)
{
    for (int first = 0; first < p.n; first += g.count) {
        const int c = first + g.number;
        const mnp_real square = mnp_square_of(x.w + (c < p.n ? c : 0) * rows, 0, m, g);
        if (c < p.n && g.lane == 0)
            x.square[c] = square;
    }
    __syncthreads();
}

/* The column with the largest square, the first if there are several; found by each warp. */
MNP_INLINE int mnp_longest(const mnp_real *square, int n)
{
    mnp_real most = -1;
    int at = n;
    for (int c = threadIdx.x % MNP_WARP; c < n; c += MNP_WARP) {
        if (square[c] > most) {
            most = square[c];
            at = c;
        }
    }
    for (int by = MNP_WARP / 2; by > 0; by /= 2) {
        const mnp_real other = __shfl_xor_sync(MNP_ALL_LANES, most, by);
        const int there = __shfl_xor_sync(MNP_ALL_LANES, at, by);
        if (other > most || (other == most && there < at)) {
            most = other;
            at = there;
        }
    }
    return at;
}

/*
 * A P = Q R of the matrix in shared memory; all of it to `a`: R without its diagonal, the reflectors' columns, and
 * lengths of columns.
 */
MNP_FUNCTION void mnp_factor(const mnp_svd_params &p, const mnp_matrix &x, MNP_T *a)
{
    const mnp_group g = mnp_group_of(p.lanes);
    mnp_square_all(p, x, x.a_rows, p.m, g);
    for (int k = 0; k < p.n; k++) {
        const mnp_real *now = x.square + k % 2 * p.n;
        mnp_real *next = x.square + (k + 1) % 2 * p.n;
        const int pivot = mnp_longest(now, p.n);
        const mnp_real length = now[pivot] > MNP_NOTHING ? sqrt(now[pivot]) : 0;
        const mnp_reflector by = mnp_reflector_of(x.w + pivot * x.a_rows, k, length);
        for (int first = 0; first < p.n; first += g.count) {
            const int c = first + g.number;
            const bool left = c < p.n && c != pivot && now[c] >= 0;
            const mnp_real square = mnp_reflect(by, x.w + (left ? c : 0) * x.a_rows, left ? p.m : 0, g);
            if (c < p.n && g.lane == 0)
                next[c] = left ? square : -1;
        }
        if (threadIdx.x == 0) {
            x.pivot[k] = pivot;
            x.length[k] = length;
        }
        __syncthreads();
    }
    for (int e = threadIdx.x; e < p.n * p.m; e += blockDim.x) {
        const int column = e / p.m, row = e - column * p.m;
        a[column * p.a_ld + row] = x.w[column * x.a_rows + row];
    }
    __syncthreads();
}

/* W = R^H, and J = I. */
MNP_FUNCTION void mnp_begin(const mnp_svd_params &p, const mnp_matrix &x, const MNP_T *a)
{
    for (int e = threadIdx.x; e < p.n * x.rows; e += blockDim.x) {
        const int column = e / x.rows, row = e - column * x.rows;
        MNP_T element = mnp_number(0);
        if (row > column && row < p.n)
            element = a[x.pivot[row] * p.a_ld + column];
        else if (row == column)
            element = mnp_reflector_of(a + x.pivot[row] * p.a_ld, row, x.length[row]).to;
        x.w[e] = mnp_conjugate(element);
        if (p.columns > 0)
            x.v[e] = mnp_number(row == column ? 1 : 0);
    }
    __syncthreads();
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
MNP_INLINE void mnp_rotate(MNP_T *x, MNP_T *y, int rows, const mnp_group &g, const mnp_rotation &by, bool swaps)
{
    const MNP_T back = mnp_times((mnp_real)-1, mnp_conjugate(by.q));
    for (int at = g.lane * MNP_EACH; at < rows; at += g.lanes * MNP_EACH) {
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
MNP_INLINE void mnp_pair(const mnp_matrix &m, int left, int right, bool live, bool vectors, const mnp_group &g,
                         mnp_real tolerance, mnp_real *cosine_p, mnp_real *sine_p)
{
    MNP_T *x = m.w + left * m.rows, *y = m.w + right * m.rows, xy = mnp_number(0);
    mnp_real xx = 0, yy = 0;
    for (int at = g.lane * MNP_EACH; live && at < m.rows; at += g.lanes * MNP_EACH) {
        const mnp_some xs = *(const mnp_some *)(x + at), ys = *(const mnp_some *)(y + at);
#pragma unroll
        for (int i = 0; i < MNP_EACH; i++) {
            xx += mnp_size2(xs.x[i]);
            yy += mnp_size2(ys.x[i]);
            xy = mnp_plus(xy, mnp_times(mnp_conjugate(xs.x[i]), ys.x[i]));
        }
    }
    xx = mnp_sum(xx, g.lanes);
    yy = mnp_sum(yy, g.lanes);
    xy = mnp_sum(xy, g.lanes);
    const mnp_real size = mnp_size(xy), lengths = sqrt(xx) * sqrt(yy);
    if (!live || xx <= MNP_NOTHING || yy <= MNP_NOTHING || size <= tolerance * lengths)
        return;
    mnp_real sine;
    const mnp_rotation by = mnp_find_rotation(xx, yy, xy, size, &sine);
    mnp_rotate(x, y, m.rows, g, by, xx < yy);
    if (vectors)
        mnp_rotate(m.v + left * m.rows, m.v + right * m.rows, m.rows, g, by, xx < yy);
    *cosine_p = fmax(*cosine_p, size / lengths);
    *sine_p = fmax(*sine_p, sine);
}

/*
 * Sweeps until the columns are orthogonal; false: they are not after the most that are done.  The cosines after a sweep
 * are at most about n times the largest cosine times the largest sine in it, which spares a last sweep that rotates
 * nothing.
 */
MNP_FUNCTION bool mnp_sweep_all(const mnp_svd_params &p, const mnp_matrix &x)
{
    const mnp_real tolerance = MNP_EPS * sqrt((mnp_real)p.n), little = sqrt(tolerance);
    const int players = p.n + p.n % 2, rounds = players - 1, pairs = players / 2;
    const mnp_group g = mnp_group_of(p.lanes);
    for (int sweep = 0; sweep < MNP_SWEEPS; sweep++) {
        mnp_real cosine = 0, sine = 0;
        for (int round = 0; round < rounds; round++) {
            for (int first = 0; first < pairs; first += g.count) {
                const int pair = first + g.number;
                int i = pair == 0 ? rounds : round + pair, j = pair == 0 ? round : round - pair;
                i -= pair > 0 && i >= rounds ? rounds : 0;
                j += j < 0 ? rounds : 0;
                const bool live = pair < pairs && i < p.n && j < p.n;
                mnp_pair(x, live ? min(i, j) : 0, live ? max(i, j) : 0, live, p.columns > 0, g, tolerance, &cosine,
                         &sine);
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
    mnp_square_all(p, x, x.rows, p.n, mnp_group_of(p.lanes));
    bool counts = false;
    for (int c = threadIdx.x; c < p.n; c += blockDim.x) {
        const mnp_real own = x.square[c];
        int before = 0;
        for (int other = 0; other < p.n; other++)
            before += x.square[other] > own || (x.square[other] == own && other < c);
        x.order[before] = c;
        counts = own > MNP_NOTHING;
    }
    return __syncthreads_count(counts);
}

/* Rows of V^H = (P X)^H, by the order of the values. */
MNP_FUNCTION void mnp_give_vh(const mnp_svd_params &p, const mnp_matrix &x, int begin, int end, MNP_T *vh)
{
    for (int e = threadIdx.x; e < (end - begin) * p.n; e += blockDim.x) {
        const int j = e / (end - begin), row = begin + e - j * (end - begin);
        vh[x.pivot[j] * p.vh_ld + row] = mnp_conjugate(x.w[x.order[row] * x.rows + j]);
    }
}

/*
 * Columns of X from number `count` on, orthogonal to those before them, which are destroyed: the last ones of their Q.
 */
MNP_FUNCTION void mnp_complete(const mnp_svd_params &p, const mnp_matrix &x, int count)
{
    const mnp_group g = mnp_group_of(p.lanes);
    mnp_real *length = x.square;
    for (int k = 0; k < count; k++) {
        const MNP_T *column = x.w + x.order[k] * x.rows;
        const mnp_real own = sqrt(mnp_square_of(column, k, p.n, g));
        const mnp_reflector by = mnp_reflector_of(column, k, own);
        for (int first = k + 1; first < count; first += g.count) {
            const int c = first + g.number;
            mnp_reflect(by, x.w + x.order[c < count ? c : 0] * x.rows, c < count ? p.n : 0, g);
        }
        if (threadIdx.x == 0)
            length[k] = own;
        __syncthreads();
    }
    for (int first = count; first < p.n; first += g.count) {
        const int c = first + g.number;
        MNP_T *own = x.w + x.order[c < p.n ? c : 0] * x.rows;
        for (int row = g.lane; c < p.n && row < p.n; row += g.lanes)
            own[row] = mnp_number(row == c ? 1 : 0);
        for (int k = count - 1; k >= 0; k--)
            mnp_reflect(mnp_reflector_of(x.w + x.order[k] * x.rows, k, length[k]), own, c < p.n ? p.n : 0, g);
    }
    __syncthreads();
}

/* U = Q J, or of more columns Q (J, and the identity below it). */
MNP_FUNCTION void mnp_give_u(const mnp_svd_params &p, const mnp_matrix &x, const MNP_T *a, MNP_T *u)
{
    const mnp_group g = mnp_group_of(p.lanes);
    for (int first = 0; first < p.columns; first += g.count) {
        const int c = first + g.number;
        const int m = c < p.columns ? p.m : 0;
        MNP_T *own = u + (m > 0 ? c : 0) * p.u_ld;
        for (int row = g.lane; row < m; row += g.lanes)
            own[row] = c < p.n && row < p.n ? x.v[x.order[c] * x.rows + row] : mnp_number(row == c ? 1 : 0);
        for (int k = p.n - 1; k >= 0; k--)
            mnp_reflect(mnp_reflector_of(a + x.pivot[k] * p.a_ld, k, x.length[k]), own, m, g);
    }
}

MNP_FUNCTION void mnp_give(const mnp_svd_params &p, const mnp_matrix &x, const MNP_T *a, int64_t b)
{
    MNP_T *vh = (MNP_T *)p.vh + b * p.vh_step;
    const int count = mnp_sort(p, x);
    for (int c = threadIdx.x; c < p.n; c += blockDim.x)
        ((mnp_real *)p.values)[b * p.n + c] = ldexp(sqrt(x.square[x.order[c]]), *x.exponent);
    if (p.columns == 0)
        return;
    for (int e = threadIdx.x; e < count * p.n; e += blockDim.x) {
        MNP_T *element = x.w + x.order[e / p.n] * x.rows + e % p.n;
        *element = mnp_times(1 / sqrt(x.square[x.order[e / p.n]]), *element);
    }
    __syncthreads();
    mnp_give_vh(p, x, 0, count, vh);
    mnp_give_u(p, x, a, (MNP_T *)p.u + b * p.u_step);
    if (count < p.n) {
        __syncthreads();
        mnp_complete(p, x, count);
        mnp_give_vh(p, x, count, p.n, vh);
    }
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
        MNP_T *a = (MNP_T *)p.a + b * p.a_step;
        bool found = mnp_read(p, x, a);
        if (found) {
            mnp_factor(p, x, a);
            mnp_begin(p, x, a);
            found = mnp_sweep_all(p, x);
        }
        if (found)
            mnp_give(p, x, a, b);
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
