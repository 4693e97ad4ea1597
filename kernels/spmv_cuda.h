/*
 * Products on a GPU.  What is stored side by side is read by threads side by side.
 */

#if MNP_FORMAT_CSR && !MNP_WIDE

template <typename R> MNP_INLINE R from_lane(R x, int distance)
{
    return __shfl_xor_sync(0xffffffffu, x, distance);
}
template <typename R> MNP_INLINE mnp_complex<R> from_lane(mnp_complex<R> x, int distance)
{
    return mnp_complex<R>{from_lane(x.re, distance), from_lane(x.im, distance)};
}

/* MNP_LANES threads share a row.  All threads of a warp stay together, whichever lines there are. */
MNP_KERNEL(spmv, mnp_spmv_params)
{
    const part a = open_part(p);
    const int64_t groups = (int64_t)gridDim.x * blockDim.x / MNP_LANES, per_warp = 32 / MNP_LANES;
    const int64_t group = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) / MNP_LANES;
    const int lane = threadIdx.x % MNP_LANES;
    for (int64_t first = group / per_warp * per_warp; first < p.lines; first += groups) {
        const int64_t line = first + group % per_warp;
        MNP_VECTOR sum = {};
        if (line < p.lines)
            for (int64_t k = a.offsets[line] + lane; k < (int64_t)a.offsets[line + 1]; k += MNP_LANES)
                add_product(sum, matrix_value(a.values[k]), a.x[a.indices[k]]);
        for (int distance = MNP_LANES / 2; distance > 0; distance /= 2)
            add(sum, from_lane(sum, distance));
        if (line < p.lines && lane == 0)
            store(a.y + (a.rows_of ? a.rows_of[line] : line), sum);
    }
}

#elif MNP_FORMAT_CSR

/* A thread for each row and vector: those of a row read x side by side. */
MNP_KERNEL(spmv, mnp_spmv_params)
{
    const part a = open_part(p);
    for MNP_RANGE (i, p.lines * a.width) {
        const int64_t line = i / a.width, c = i % a.width;
        MNP_VECTOR sum = {};
        for (int64_t k = a.offsets[line]; k < (int64_t)a.offsets[line + 1]; k++)
            add_product(sum, matrix_value(a.values[k]), a.x[a.indices[k] * a.width + c]);
        store(a.y + (a.rows_of ? a.rows_of[line] : line) * a.width + c, sum);
    }
}

#elif MNP_FORMAT_CSC || MNP_FORMAT_COO

template <typename R> MNP_INLINE void add_atomically(R *sum, R x)
{
    atomicAdd(sum, x);
}
template <typename R> MNP_INLINE void add_atomically(mnp_complex<R> *sum, mnp_complex<R> x)
{
    atomicAdd(&sum->re, x.re);
    atomicAdd(&sum->im, x.im);
}

#if MNP_FORMAT_COO
MNP_INLINE int64_t column_of(const part &a, int64_t, int64_t k)
{
    return a.indices[k];
}
MNP_INLINE int64_t row_of(const part &a, int64_t k)
{
    return a.rows_of[k];
}
#else
/* The column that entry k is in: the last that begins at or before it. */
MNP_INLINE int64_t column_of(const part &a, int64_t columns, int64_t k)
{
    int64_t low = 0, high = columns;
    while (high - low > 1) {
        const int64_t middle = (low + high) / 2;
        if ((int64_t)a.offsets[middle] <= k)
            low = middle;
        else
            high = middle;
    }
    return low;
}
MNP_INLINE int64_t row_of(const part &a, int64_t k)
{
    return a.indices[k];
}
#endif

/* A thread for each entry and vector.  Sums come in no fixed order. */
MNP_KERNEL(spmv, mnp_spmv_params)
{
    const part a = open_part(p);
    for MNP_RANGE (i, p.count * a.width) {
        const int64_t k = i / a.width, c = i % a.width;
        MNP_VECTOR product = {};
        add_product(product, matrix_value(a.values[k]), a.x[column_of(a, p.columns, k) * a.width + c]);
        add_atomically(a.y + row_of(a, k) * a.width + c, product);
    }
}

#elif MNP_FORMAT_DIA

/* A thread for each row and vector: those of neighbouring rows read a diagonal side by side. */
MNP_KERNEL(spmv, mnp_spmv_params)
{
    const part a = open_part(p);
    for MNP_RANGE (i, p.rows * a.width) {
        const int64_t row = i / a.width, c = i % a.width;
        MNP_VECTOR sum = {};
#pragma unroll 4
        for (int64_t d = 0; d < p.lines; d++) {
            const int64_t column = row + a.indices[d];
            if (column >= 0 && column < p.columns)
                add_product(sum, matrix_value(a.values[d * p.rows + row]), a.x[column * a.width + c]);
        }
        store(a.y + i, sum);
    }
}

#elif MNP_FORMAT_BSR

/* A thread for each row and vector. */
MNP_KERNEL(spmv, mnp_spmv_params)
{
    const part a = open_part(p);
    for MNP_RANGE (i, p.rows * a.width) {
        const int64_t row = i / a.width, c = i % a.width, line = row / MNP_BLOCK;
        MNP_VECTOR sum = {};
        for (int64_t b = a.offsets[line]; b < (int64_t)a.offsets[line + 1]; b++) {
            const MNP_VALUE *values = a.values + (b * MNP_BLOCK + row % MNP_BLOCK) * MNP_BLOCK;
            const int64_t column = (int64_t)a.indices[b] * MNP_BLOCK;
#pragma unroll
            for (int j = 0; j < MNP_BLOCK; j++)
                if (column + j < p.columns)
                    add_product(sum, matrix_value(values[j]), a.x[(column + j) * a.width + c]);
        }
        store(a.y + i, sum);
    }
}

#elif MNP_FORMAT_SELL

/* A thread for each row, a warp for a slice; vectors one after the other. */
MNP_KERNEL(spmv, mnp_spmv_params)
{
    const part a = open_part(p);
    for MNP_RANGE (row, p.rows) {
        const int64_t begin = a.offsets[row / MNP_SPMV_SLICE] + row % MNP_SPMV_SLICE;
        const int length = a.rows_of[row];
        for (int64_t c = 0; c < a.width; c++) {
            MNP_VECTOR sum = {};
#pragma unroll 4
            for (int j = 0; j < length; j++) {
                const int64_t k = begin + (int64_t)j * MNP_SPMV_SLICE;
                add_product(sum, matrix_value(a.values[k]), a.x[a.indices[k] * a.width + c]);
            }
            store(a.y + row * a.width + c, sum);
        }
    }
}

#endif
