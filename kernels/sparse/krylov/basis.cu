/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sets of vectors: the kernels of orthogonalisation and of the Rayleigh-Ritz method.  Orthogonalisation multiplies a
 * set with one vector:
 *
 *   MNP_BASIS_DOTS      coefficients c[k] = <v[k], x>, conjugated in v
 *   MNP_BASIS_COMBINE   x = factor * ((x or 0) + sign * sum of c[k] v[k]); if no vector is used, x is unchanged
 *
 * All vectors are read once.  The host divides the elements into pieces that stay in the first-level cache while all
 * vectors of the set are applied to them.  Workers add up their sums as in workers.h.  The Rayleigh-Ritz method uses
 * sets as tall matrices:
 *
 *   MNP_BASIS_INNER     the small matrix of all inner products of one set with another, for every chunk of the rows
 *   MNP_BASIS_ADD       the sum over the chunks, in their order
 *   MNP_BASIS_MULTIPLY  a set times a small matrix; it may be in place
 *
 * Elements have type MNP_T; sums and coefficients have the wide type MNP_W.
 */
#include "kernels/prelude.h"
#include "kernels/numbers.h"
#include "kernels/sparse/step/step_params.h"
#include "kernels/workers.h"

typedef MNP_T mnp_t;
typedef MNP_W mnp_w;

#if MNP_BASIS_DOTS || MNP_BASIS_COMBINE

#if !MNP_CUDA
/* Elements of a piece; vectors that are read at the same time, which is faster than one by one (measured). */
enum { MNP_PIECE = 2048, MNP_SIDE_BY_SIDE = 4 };
#endif

MNP_INLINE bool mnp_is_over(const mnp_basis_params &p)
{
    return ((const mnp_step_control *)p.state)->done != MNP_GOING && !p.always;
}

MNP_INLINE int64_t mnp_vectors_used(const mnp_basis_params &p)
{
    const int64_t limit = p.limit ? (int64_t) * (const double *)p.limit : p.vectors;
    return limit < p.vectors ? limit : p.vectors;
}

MNP_INLINE const mnp_t *mnp_vector(const mnp_basis_params &p, int64_t k)
{
    return ((const mnp_t *const *)p.basis)[k];
}

#else

MNP_INLINE mnp_t *mnp_column(const mnp_columns &set, int64_t k)
{
    return ((mnp_t *const *)set.addresses)[k];
}

#endif

#if MNP_BASIS_DOTS
#if MNP_CUDA

/* Warps of a block; vectors whose sums a block has room for; vectors that a thread reads at the same time. */
enum { MNP_WARPS = MNP_STEP_BLOCK / 32, MNP_GROUP = 32, MNP_AT_ONCE = 8 };

/* The products of `many` vectors from k on, summed over this warp; a few at a time, so that their loads overlap. */
MNP_INLINE void mnp_dots(const mnp_basis_params &p, mnp_worker w, int64_t k, int many, mnp_w *warp_sums)
{
    const mnp_t *const x = (const mnp_t *)p.vector;
    mnp_w sums[MNP_AT_ONCE];
    for (int j = 0; j < MNP_AT_ONCE; j++)
        sums[j] = mnp_number_of<mnp_w>::from(0);
    for (int64_t i = w.first_thread(); i < p.count; i += w.all_threads()) {
        const mnp_w right = mnp_widen<mnp_w>(x[i]);
#pragma unroll
        for (int j = 0; j < MNP_AT_ONCE; j++)
            if (j < many)
                sums[j] += conjugate(mnp_widen<mnp_w>(mnp_vector(p, k + j)[i])) * right;
    }
#pragma unroll
    for (int j = 0; j < MNP_AT_ONCE; j++) {
        if (j < many) {
            const mnp_w sum = mnp_warp_sum(sums[j]);
            if (threadIdx.x % 32 == 0)
                warp_sums[j] = sum;
        }
    }
}

/* The last block to arrive adds up the sums of all blocks, a warp for each vector. */
MNP_KERNEL(basis_dots, mnp_basis_params)
{
    if (mnp_is_over(p))
        return;
    MNP_WORKER(w);
    __shared__ mnp_w warps[MNP_WARPS][MNP_GROUP];
    __shared__ bool last;
    const int64_t used = mnp_vectors_used(p);
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    mnp_w *const partials = (mnp_w *)p.partials;
    for (int64_t first = 0; first < used; first += MNP_GROUP) {
        const int group = used - first < MNP_GROUP ? (int)(used - first) : (int)MNP_GROUP;
        __syncthreads(); /* the sums of the previous group have been used */
        for (int k = 0; k < group; k += MNP_AT_ONCE)
            mnp_dots(p, w, first + k, group - k < MNP_AT_ONCE ? group - k : (int)MNP_AT_ONCE, warps[warp] + k);
        __syncthreads();
        if ((int)threadIdx.x < group) {
            mnp_w sum = warps[0][threadIdx.x];
            for (int i = 1; i < MNP_WARPS; i++)
                sum += warps[i][threadIdx.x];
            partials[(first + threadIdx.x) * gridDim.x + blockIdx.x] = sum;
        }
    }
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        last = atomicAdd((unsigned *)p.arrived, 1u) == gridDim.x - 1;
    __syncthreads();
    if (!last)
        return;
    __threadfence();
    for (int64_t k = warp; k < used; k += MNP_WARPS) {
        mnp_w sum = mnp_number_of<mnp_w>::from(0);
        for (int i = lane; i < (int)gridDim.x; i += 32)
            sum += partials[k * gridDim.x + i];
        sum = mnp_warp_sum(sum);
        if (lane == 0)
            ((mnp_w *)p.coefficients)[k] = sum;
    }
    if (threadIdx.x == 0)
        *(unsigned *)p.arrived = 0;
}

#else

template <typename T> struct mnp_real_of {
    typedef T type;
};
template <typename R> struct mnp_real_of<mnp_complex<R>> {
    typedef R type;
};
typedef mnp_real_of<mnp_t>::type mnp_r;

/*
 * Real and imaginary parts are multiplied as they lie in memory, eight at a time, with vector types on every processor:
 * from plain loops over several vectors compilers make code with shuffled loads, which is half as fast (measured).
 */
typedef mnp_r mnp_eight_stored __attribute__((vector_size(8 * sizeof(mnp_r)), aligned(alignof(mnp_r)), may_alias));
typedef double mnp_eight __attribute__((vector_size(8 * sizeof(double))));
enum { MNP_PARTS = sizeof(mnp_t) / sizeof(mnp_r), MNP_EIGHTS = 2 }; /* numbers of an element; independent sums */

static MNP_INLINE mnp_eight mnp_load(const mnp_r *from)
{
    return __builtin_convertvector(*(const mnp_eight_stored *)from, mnp_eight);
}

/* Exchange real and imaginary parts. */
static MNP_INLINE mnp_eight mnp_exchange(mnp_eight x)
{
    return mnp_eight{x[1], x[0], x[3], x[2], x[5], x[4], x[7], x[6]};
}

/* Sums of conj(v) x: the products of like parts, and for complex numbers those of unlike parts. */
struct mnp_products {
    mnp_eight like, unlike;

    MNP_INLINE void add(mnp_eight v, mnp_eight x, mnp_eight exchanged)
    {
        like += v * x;
        if (MNP_PARTS == 2)
            unlike += v * exchanged;
    }
    MNP_INLINE void add_to(double *sum) const
    {
        for (int j = 0; j < 8; j++)
            *sum += like[j];
    }
    MNP_INLINE void add_to(mnp_complex<double> *sum) const
    {
        for (int j = 0; j < 8; j++) {
            sum->re += like[j];
            sum->im += j % 2 == 0 ? unlike[j] : -unlike[j];
        }
    }
};

/* Add to the sums the products of vectors k .. k + Many - 1 with x, over a piece that is in the cache. */
template <int Many>
static void mnp_piece(const mnp_basis_params &p, int64_t k, int64_t from, int64_t count, mnp_w *sums)
{
    enum { STEP = 8 * MNP_EIGHTS / MNP_PARTS };
    const mnp_t *const x = (const mnp_t *)p.vector + from, *v[Many];
    mnp_products products[Many][MNP_EIGHTS] = {};
    int64_t i = 0;
    for (int n = 0; n < Many; n++)
        v[n] = mnp_vector(p, k + n) + from;
    for (; i + STEP <= count; i += STEP) {
        for (int e = 0; e < MNP_EIGHTS; e++) {
            const mnp_eight right = mnp_load((const mnp_r *)(x + i) + 8 * e), exchanged = mnp_exchange(right);
            for (int n = 0; n < Many; n++)
                products[n][e].add(mnp_load((const mnp_r *)(v[n] + i) + 8 * e), right, exchanged);
        }
    }
    for (int n = 0; n < Many; n++) {
        mnp_w sum = mnp_number_of<mnp_w>::from(0);
        for (int e = 0; e < MNP_EIGHTS; e++)
            products[n][e].add_to(&sum);
        for (int64_t rest = i; rest < count; rest++)
            sum += conjugate(mnp_widen<mnp_w>(v[n][rest])) * mnp_widen<mnp_w>(x[rest]);
        sums[n] += sum;
    }
}

/* The products of `many` vectors from k on with x, over this worker's elements. */
MNP_INLINE void mnp_dots(const mnp_basis_params &p, mnp_worker w, int64_t k, int many, mnp_w *sums)
{
    const int64_t end = mnp_share_begin(p.count, w.worker + 1, w.workers);
    for (int64_t from = mnp_share_begin(p.count, w.worker, w.workers); from < end; from += MNP_PIECE) {
        const int64_t count = end - from < MNP_PIECE ? end - from : MNP_PIECE;
        int n = 0;
        for (; n + MNP_SIDE_BY_SIDE <= many; n += MNP_SIDE_BY_SIDE)
            mnp_piece<MNP_SIDE_BY_SIDE>(p, k + n, from, count, sums + n);
        for (; n < many; n++)
            mnp_piece<1>(p, k + n, from, count, sums + n);
    }
}

/*
 * Groups of vectors are taken one after the other.  Each has its own count of arrivals, as workers do not wait for one
 * another.
 */
MNP_KERNEL(basis_dots, mnp_basis_params)
{
    if (mnp_is_over(p))
        return;
    MNP_WORKER(w);
    const int64_t used = mnp_vectors_used(p);
    for (int64_t k = 0, group = 0; k < used; k += MNP_STEP_GROUP, group++) {
        const int many = used - k < MNP_STEP_GROUP ? (int)(used - k) : (int)MNP_STEP_GROUP;
        mnp_w sums[MNP_STEP_GROUP];
        for (int j = 0; j < MNP_STEP_GROUP; j++)
            sums[j] = mnp_number_of<mnp_w>::from(0);
        mnp_dots(p, w, k, many, sums);
        mnp_w *const partials = (mnp_w *)p.partials + group * MNP_STEP_GROUP * MNP_STEP_WORKERS;
        if (mnp_join<MNP_STEP_GROUP>(w, sums, partials, (unsigned *)p.arrived + group))
            for (int j = 0; j < many; j++)
                ((mnp_w *)p.coefficients)[k + j] = sums[j];
    }
}

#endif

#elif MNP_BASIS_COMBINE

#if MNP_CUDA
MNP_KERNEL(basis_combine, mnp_basis_params)
{
    const int64_t used = mnp_vectors_used(p);
    if (mnp_is_over(p) || (used == 0 && p.add))
        return;
    mnp_t *const x = (mnp_t *)p.vector;
    const mnp_t factor = mnp_number_of<mnp_t>::from(p.factor ? *(const double *)p.factor : 1);
    MNP_FOR (i, p.count) {
        mnp_t sum = p.add ? x[i] : mnp_number_of<mnp_t>::from(0);
#pragma unroll 8
        for (int64_t k = 0; k < used; k++) {
            const mnp_t c = mnp_narrow<mnp_t>(((const mnp_w *)p.coefficients)[k]);
            sum += mnp_number_of<mnp_t>::from(p.sign) * c * mnp_vector(p, k)[i];
        }
        x[i] = p.factor ? factor * sum : sum;
    }
}
#else

/* x += sign * the sum of c[k] v[k] over `Many` vectors from k on. */
template <int Many> MNP_INLINE void mnp_add(const mnp_basis_params &p, int64_t k, int64_t from, int64_t count)
{
    mnp_t c[Many], *const x = (mnp_t *)p.vector + from;
    const mnp_t *v[Many];
    for (int j = 0; j < Many; j++) {
        c[j] = mnp_number_of<mnp_t>::from(p.sign) * mnp_narrow<mnp_t>(((const mnp_w *)p.coefficients)[k + j]);
        v[j] = mnp_vector(p, k + j) + from;
    }
    _Pragma("GCC ivdep") for (int64_t i = 0; i < count; i++)
    {
        mnp_t sum = x[i];
        for (int j = 0; j < Many; j++)
            sum += c[j] * v[j][i];
        x[i] = sum;
    }
}

static void mnp_multiply(double factor, mnp_t *x, int64_t count)
{
    _Pragma("GCC ivdep") for (int64_t i = 0; i < count; i++) x[i] = mnp_number_of<mnp_t>::from(factor) * x[i];
}

MNP_KERNEL(basis_combine, mnp_basis_params)
{
    const int64_t used = mnp_vectors_used(p), end = mnp_share_begin(p.count, worker + 1, workers);
    if (mnp_is_over(p) || (used == 0 && p.add))
        return;
    for (int64_t from = mnp_share_begin(p.count, worker, workers); from < end; from += MNP_PIECE) {
        const int64_t count = end - from < MNP_PIECE ? end - from : MNP_PIECE;
        mnp_t *const x = (mnp_t *)p.vector + from;
        int64_t k = 0;
        if (!p.add)
            memset(x, 0, count * sizeof *x);
        for (; k + MNP_SIDE_BY_SIDE <= used; k += MNP_SIDE_BY_SIDE)
            mnp_add<MNP_SIDE_BY_SIDE>(p, k, from, count);
        for (; k < used; k++)
            mnp_add<1>(p, k, from, count);
        if (p.factor)
            mnp_multiply(*(const double *)p.factor, x, count);
    }
}
#endif

#elif MNP_BASIS_INNER

enum { MNP_SIDE = 32, MNP_ROWS = 32 }; /* of a panel of the result; rows loaded at a time */

MNP_INLINE int64_t mnp_chunk_begin(const mnp_inner_params &p, int64_t chunk)
{
    return p.rows * chunk / p.chunks;
}

#if MNP_CUDA

typedef mnp_t mnp_tile[MNP_SIDE][MNP_ROWS + 1];

/* Load columns from `first` on of rows from .. end - 1, with zeros beyond; neighbouring threads read neighbours. */
MNP_INLINE void mnp_load(mnp_tile &tile, const mnp_columns &set, int64_t first, int64_t from, int64_t end)
{
    for (int t = threadIdx.x; t < MNP_SIDE * MNP_ROWS; t += blockDim.x) {
        const int k = set.stride == 1 ? t / MNP_ROWS : t % MNP_SIDE;
        const int i = set.stride == 1 ? t % MNP_ROWS : t / MNP_SIDE;
        tile[k][i] = first + k < set.count && from + i < end ? mnp_column(set, first + k)[(from + i) * set.stride]
                                                             : mnp_number_of<mnp_t>::from(0);
    }
}

/* Compute a panel of the result, by a block of 16 x 16 threads with 2 x 2 sums each. */
MNP_INLINE void mnp_panel(const mnp_inner_params &p, int64_t k, int64_t l, int64_t begin, int64_t end, mnp_w *partials)
{
    __shared__ mnp_tile left, right;
    const int x = threadIdx.x % 16, y = threadIdx.x / 16;
    mnp_w sum[2][2];
    for (int e = 0; e < 4; e++)
        sum[e / 2][e % 2] = mnp_number_of<mnp_w>::from(0);
    for (int64_t from = begin; from < end; from += MNP_ROWS) {
        __syncthreads(); /* the previous tiles have been used */
        mnp_load(left, p.left, k, from, end);
        mnp_load(right, p.right, l, from, end);
        __syncthreads();
        for (int i = 0; i < MNP_ROWS; i++) {
            const mnp_w a[] = {conjugate(mnp_widen<mnp_w>(left[y][i])), conjugate(mnp_widen<mnp_w>(left[y + 16][i]))};
            const mnp_w b[] = {mnp_widen<mnp_w>(right[x][i]), mnp_widen<mnp_w>(right[x + 16][i])};
#pragma unroll
            for (int e = 0; e < 4; e++)
                sum[e / 2][e % 2] += a[e / 2] * b[e % 2];
        }
    }
    for (int e = 0; e < 4; e++)
        if (k + y + e / 2 * 16 < p.left.count && l + x + e % 2 * 16 < p.right.count)
            partials[(k + y + e / 2 * 16) * p.right.count + l + x + e % 2 * 16] = sum[e / 2][e % 2];
}

MNP_KERNEL(basis_inner, mnp_inner_params)
{
    const int64_t chunk = blockIdx.x, begin = mnp_chunk_begin(p, chunk), end = mnp_chunk_begin(p, chunk + 1);
    mnp_w *const partials = (mnp_w *)p.partials + chunk * p.left.count * p.right.count;
    for (int64_t k = 0; k < p.left.count; k += MNP_SIDE)
        for (int64_t l = 0; l < p.right.count; l += MNP_SIDE)
            mnp_panel(p, k, l, begin, end, partials);
}

#else

/* Copy rows of a set to a tile, row by row. */
static void mnp_load(mnp_w (*tile)[MNP_SIDE], const mnp_columns &set, int64_t first, int many, int64_t from, int rows)
{
    for (int k = 0; k < many; k++) {
        const mnp_t *const column = mnp_column(set, first + k) + from * set.stride;
        for (int i = 0; i < rows; i++)
            tile[i][k] = mnp_widen<mnp_w>(column[i * set.stride]);
    }
}

static void mnp_panel(const mnp_inner_params &p, int64_t k, int64_t l, int64_t begin, int64_t end, mnp_w *partials)
{
    mnp_w sum[MNP_SIDE][MNP_SIDE], left[MNP_ROWS][MNP_SIDE], right[MNP_ROWS][MNP_SIDE];
    const int many_left = p.left.count - k < MNP_SIDE ? (int)(p.left.count - k) : (int)MNP_SIDE;
    const int many_right = p.right.count - l < MNP_SIDE ? (int)(p.right.count - l) : (int)MNP_SIDE;
    memset(sum, 0, sizeof sum);
    for (int64_t from = begin; from < end; from += MNP_ROWS) {
        const int rows = end - from < MNP_ROWS ? (int)(end - from) : (int)MNP_ROWS;
        mnp_load(left, p.left, k, many_left, from, rows);
        mnp_load(right, p.right, l, many_right, from, rows);
        for (int i = 0; i < rows; i++) {
            for (int a = 0; a < many_left; a++) {
                const mnp_w factor = conjugate(left[i][a]);
                _Pragma("GCC ivdep") for (int b = 0; b < many_right; b++) sum[a][b] += factor * right[i][b];
            }
        }
    }
    for (int a = 0; a < many_left; a++)
        memcpy(partials + (k + a) * p.right.count + l, sum[a], many_right * sizeof(mnp_w));
}

MNP_KERNEL(basis_inner, mnp_inner_params)
{
    MNP_FOR (chunk, p.chunks) {
        mnp_w *const partials = (mnp_w *)p.partials + chunk * p.left.count * p.right.count;
        for (int64_t k = 0; k < p.left.count; k += MNP_SIDE)
            for (int64_t l = 0; l < p.right.count; l += MNP_SIDE)
                mnp_panel(p, k, l, mnp_chunk_begin(p, chunk), mnp_chunk_begin(p, chunk + 1), partials);
    }
}

#endif

#elif MNP_BASIS_ADD

MNP_KERNEL(basis_add, mnp_inner_params)
{
    const int64_t size = p.left.count * p.right.count;
    MNP_FOR (i, size) {
        mnp_w sum = mnp_number_of<mnp_w>::from(0);
        for (int64_t chunk = 0; chunk < p.chunks; chunk++)
            sum += ((const mnp_w *)p.partials)[chunk * size + i];
        ((mnp_w *)p.sums)[i] = sum;
    }
}

#else

/*
 * A set times a small matrix, for as many rows at a time as a buffer holds.  All vectors are read there before any is
 * written, so the product may be in place.
 */
enum { MNP_ROOM = (MNP_CUDA ? 40960 : 131072) / sizeof(mnp_t), MNP_MOST_ROWS = 64, MNP_AT_ONCE = 4 };

MNP_INLINE int mnp_rows_at_once(const mnp_multiply_params &p)
{
    int rows = MNP_MOST_ROWS;
    while (rows > 1 && rows * p.from.count > MNP_ROOM)
        rows /= 2;
    return rows;
}

#if MNP_CUDA

/* Threads form groups of `rows`, a thread for each row; each group computes some vectors of the result. */
MNP_INLINE void mnp_multiply(const mnp_multiply_params &p, const mnp_t *tile, int rows, int row, int64_t at)
{
    const int64_t count = p.to.count, step = (int64_t)blockDim.x / rows * MNP_AT_ONCE;
    const mnp_w *const matrix = (const mnp_w *)p.matrix;
    for (int64_t l = (int64_t)threadIdx.x / rows * MNP_AT_ONCE; l < count; l += step) {
        mnp_w sum[MNP_AT_ONCE];
        for (int j = 0; j < MNP_AT_ONCE; j++)
            sum[j] = mnp_number_of<mnp_w>::from(0);
        for (int64_t k = 0; k < p.from.count; k++) {
            const mnp_w x = mnp_widen<mnp_w>(tile[k * rows + row]);
#pragma unroll
            for (int j = 0; j < MNP_AT_ONCE; j++)
                if (l + j < count)
                    sum[j] += matrix[k * count + l + j] * x;
        }
        for (int j = 0; j < MNP_AT_ONCE; j++)
            if (l + j < count)
                mnp_column(p.to, l + j)[at * p.to.stride] = mnp_narrow<mnp_t>(sum[j]);
    }
}

MNP_KERNEL(basis_multiply, mnp_multiply_params)
{
    __shared__ mnp_t tile[MNP_ROOM];
    const int rows = mnp_rows_at_once(p), row = threadIdx.x % rows;
    const int64_t size = rows * p.from.count;
    for (int64_t from = (int64_t)blockIdx.x * rows; from < p.rows; from += (int64_t)gridDim.x * rows) {
        __syncthreads(); /* the previous tile has been used */
        for (int64_t t = threadIdx.x; t < size; t += blockDim.x) {
            const int64_t k = p.from.stride == 1 ? t / rows : t % p.from.count;
            const int64_t i = p.from.stride == 1 ? t % rows : t / p.from.count;
            if (from + i < p.rows)
                tile[k * rows + i] = mnp_column(p.from, k)[(from + i) * p.from.stride];
        }
        __syncthreads();
        if (from + row < p.rows)
            mnp_multiply(p, tile, rows, row, from + row);
    }
}

#else

/* Compute one vector of the result in the rows of the tile. */
static void mnp_multiply(const mnp_multiply_params &p, const mnp_t *tile, int64_t l, int64_t from, int rows)
{
    mnp_w sum[MNP_MOST_ROWS];
    memset(sum, 0, sizeof sum);
    for (int64_t k = 0; k < p.from.count; k++) {
        const mnp_w factor = ((const mnp_w *)p.matrix)[k * p.to.count + l];
        const mnp_t *const x = tile + k * rows;
        _Pragma("GCC ivdep") for (int i = 0; i < rows; i++) sum[i] += factor * mnp_widen<mnp_w>(x[i]);
    }
    mnp_t *const y = mnp_column(p.to, l) + from * p.to.stride;
    for (int i = 0; i < rows; i++)
        y[i * p.to.stride] = mnp_narrow<mnp_t>(sum[i]);
}

MNP_KERNEL(basis_multiply, mnp_multiply_params)
{
    mnp_t tile[MNP_ROOM];
    const int at_once = mnp_rows_at_once(p);
    const int64_t end = mnp_share_begin(p.rows, worker + 1, workers);
    for (int64_t from = mnp_share_begin(p.rows, worker, workers); from < end; from += at_once) {
        const int rows = end - from < at_once ? (int)(end - from) : at_once;
        for (int64_t k = 0; k < p.from.count; k++) {
            const mnp_t *const x = mnp_column(p.from, k) + from * p.from.stride;
            for (int i = 0; i < rows; i++)
                tile[k * rows + i] = x[i * p.from.stride];
        }
        for (int64_t l = 0; l < p.to.count; l++)
            mnp_multiply(p, tile, l, from, rows);
    }
}

#endif

#endif
