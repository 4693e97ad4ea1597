/*
 * Sets of vectors.  Products with one vector, as orthogonalisation needs them:
 *
 *   MNP_BASIS_DOTS      coefficients c[k] = <v[k], x>, conjugated in v
 *   MNP_BASIS_COMBINE   x = (x or 0) + sign * sum of c[k] v[k]
 *
 * All vectors are read once.  Elements go by pieces that stay in the nearest cache while all vectors of the set pass
 * over them.  Sums are added as in workers.h.  And sets as tall matrices, as the method of Rayleigh and Ritz needs
 * them:
 *
 *   MNP_BASIS_INNER     the small matrix of all products of one set with another, of every chunk of the rows
 *   MNP_BASIS_ADD       the sum over the chunks, in their order
 *   MNP_BASIS_MULTIPLY  a set times a small matrix, also in place
 *
 * Sums and coefficients are MNP_W, elements MNP_T.
 */
#include "prelude.h"
#include "numbers.h"
#include "step.h"
#include "workers.h"

typedef MNP_T mnp_t;
typedef MNP_W mnp_w;

#if MNP_BASIS_DOTS || MNP_BASIS_COMBINE

enum { MNP_PIECE = 2048, MNP_LANES = 32, MNP_AT_ONCE = 8 };

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

enum { MNP_WARPS = MNP_STEP_BLOCK / 32, MNP_GROUP = 32 }; /* of a block; vectors whose sums it has room for */

MNP_INLINE mnp_w mnp_warp_sum(mnp_w x)
{
    for (int distance = 16; distance > 0; distance /= 2)
        x = x + mnp_shuffle_down(x, distance);
    return x;
}

/* This warp's sums of `many` vectors from k on, a few at a time, so that their elements are fetched together. */
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

/* The last block that comes through adds what all have come to, a warp every vector. */
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
        __syncthreads(); /* the sums before have been used */
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

static mnp_w mnp_piece(const mnp_t *v, const mnp_t *x, int64_t count)
{
    mnp_w lane[MNP_LANES], sum = mnp_number_of<mnp_w>::from(0);
    int64_t from = 0;
    memset(lane, 0, sizeof lane);
    for (; from + MNP_LANES <= count; from += MNP_LANES)
        for (int j = 0; j < MNP_LANES; j++)
            lane[j] += conjugate(mnp_widen<mnp_w>(v[from + j])) * mnp_widen<mnp_w>(x[from + j]);
    for (int j = 0; from + j < count; j++)
        lane[j] += conjugate(mnp_widen<mnp_w>(v[from + j])) * mnp_widen<mnp_w>(x[from + j]);
    for (int j = 0; j < MNP_LANES; j++)
        sum += lane[j];
    return sum;
}

/* The coefficients k .. k + MNP_AT_ONCE, of which there are `many`, of this worker's elements. */
MNP_INLINE void mnp_dots(const mnp_basis_params &p, mnp_worker w, int64_t k, int many, mnp_w *sums)
{
    const mnp_t *const x = (const mnp_t *)p.vector;
    const int64_t begin = mnp_share_begin(p.count, w.worker, w.workers);
    const int64_t end = mnp_share_begin(p.count, w.worker + 1, w.workers);
    for (int64_t from = begin; from < end; from += MNP_PIECE) {
        const int64_t count = end - from < MNP_PIECE ? end - from : MNP_PIECE;
        for (int j = 0; j < many; j++)
            sums[j] += mnp_piece(mnp_vector(p, k + j) + from, x + from, count);
    }
}

/*
 * Groups of vectors one after the other, each with a count of arrivals of its own, as nobody waits for the others.
 */
MNP_KERNEL(basis_dots, mnp_basis_params)
{
    if (mnp_is_over(p))
        return;
    MNP_WORKER(w);
    const int64_t used = mnp_vectors_used(p);
    for (int64_t k = 0, group = 0; k < used; k += MNP_AT_ONCE, group++) {
        const int many = used - k < MNP_AT_ONCE ? (int)(used - k) : (int)MNP_AT_ONCE;
        mnp_w sums[MNP_AT_ONCE];
        for (int j = 0; j < MNP_AT_ONCE; j++)
            sums[j] = mnp_number_of<mnp_w>::from(0);
        mnp_dots(p, w, k, many, sums);
        mnp_w *const partials = (mnp_w *)p.partials + group * MNP_AT_ONCE * MNP_STEP_WORKERS;
        if (mnp_join<MNP_AT_ONCE>(w, sums, partials, (unsigned *)p.arrived + group))
            for (int j = 0; j < many; j++)
                ((mnp_w *)p.coefficients)[k + j] = sums[j];
    }
}

#endif

#elif MNP_BASIS_COMBINE

#if MNP_CUDA
MNP_KERNEL(basis_combine, mnp_basis_params)
{
    if (mnp_is_over(p))
        return;
    const int64_t used = mnp_vectors_used(p);
    mnp_t *const x = (mnp_t *)p.vector;
    for MNP_RANGE (i, p.count) {
        mnp_t sum = p.add ? x[i] : mnp_number_of<mnp_t>::from(0);
#pragma unroll 8
        for (int64_t k = 0; k < used; k++) {
            const mnp_t c = mnp_narrow<mnp_t>(((const mnp_w *)p.coefficients)[k]);
            sum += mnp_number_of<mnp_t>::from(p.sign) * c * mnp_vector(p, k)[i];
        }
        x[i] = sum;
    }
}
#else
static void mnp_add_piece(mnp_t c, const mnp_t *v, mnp_t *x, int64_t count)
{
    _Pragma("GCC ivdep") for (int64_t i = 0; i < count; i++) x[i] = x[i] + c * v[i];
}

MNP_KERNEL(basis_combine, mnp_basis_params)
{
    if (mnp_is_over(p))
        return;
    const int64_t used = mnp_vectors_used(p), end = mnp_share_begin(p.count, worker + 1, workers);
    for (int64_t from = mnp_share_begin(p.count, worker, workers); from < end; from += MNP_PIECE) {
        const int64_t count = end - from < MNP_PIECE ? end - from : MNP_PIECE;
        mnp_t *const x = (mnp_t *)p.vector + from;
        if (!p.add)
            memset(x, 0, count * sizeof *x);
        for (int64_t k = 0; k < used; k++) {
            const mnp_t c = mnp_narrow<mnp_t>(((const mnp_w *)p.coefficients)[k]);
            mnp_add_piece(mnp_number_of<mnp_t>::from(p.sign) * c, mnp_vector(p, k) + from, x, count);
        }
    }
}
#endif

#elif MNP_BASIS_INNER

enum { MNP_SIDE = 32, MNP_ROWS = 32 }; /* of a panel of the result; of what is brought near at a time */

MNP_INLINE int64_t mnp_chunk_begin(const mnp_inner_params &p, int64_t chunk)
{
    return p.rows * chunk / p.chunks;
}

#if MNP_CUDA

typedef mnp_t mnp_tile[MNP_SIDE][MNP_ROWS + 1];

/* Columns from `first` on, rows from .. end; what is not there is 0.  Threads side by side read what lies so. */
MNP_INLINE void mnp_load(mnp_tile &tile, const mnp_columns &set, int64_t first, int64_t from, int64_t end)
{
    for (int t = threadIdx.x; t < MNP_SIDE * MNP_ROWS; t += blockDim.x) {
        const int k = set.stride == 1 ? t / MNP_ROWS : t % MNP_SIDE;
        const int i = set.stride == 1 ? t % MNP_ROWS : t / MNP_SIDE;
        tile[k][i] = first + k < set.count && from + i < end ? mnp_column(set, first + k)[(from + i) * set.stride]
                                                             : mnp_number_of<mnp_t>::from(0);
    }
}

/* A panel of the result, by a block of 16 x 16 threads with 2 x 2 sums each. */
MNP_INLINE void mnp_panel(const mnp_inner_params &p, int64_t k, int64_t l, int64_t begin, int64_t end, mnp_w *partials)
{
    __shared__ mnp_tile left, right;
    const int x = threadIdx.x % 16, y = threadIdx.x / 16;
    mnp_w sum[2][2];
    for (int e = 0; e < 4; e++)
        sum[e / 2][e % 2] = mnp_number_of<mnp_w>::from(0);
    for (int64_t from = begin; from < end; from += MNP_ROWS) {
        __syncthreads(); /* the tiles before have been used */
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

/* Rows of a set, one after the other. */
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
    for MNP_RANGE (chunk, p.chunks) {
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
    for MNP_RANGE (i, size) {
        mnp_w sum = mnp_number_of<mnp_w>::from(0);
        for (int64_t chunk = 0; chunk < p.chunks; chunk++)
            sum += ((const mnp_w *)p.partials)[chunk * size + i];
        ((mnp_w *)p.sums)[i] = sum;
    }
}

#else

/*
 * Some rows at a time, as many as have room, of which all vectors are read before any is written.
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

/* Threads are `rows` beside each other, and in groups of these, which take some vectors of the result each. */
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
        __syncthreads(); /* the tile before has been used */
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

/* One vector of the result, at these rows. */
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
