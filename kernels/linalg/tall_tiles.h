/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Eight rows of a tall matrix in one warp, as tensor cores want them in float64.
 *
 * Columns are in bands of 16, and a lane has a group, lane / 4, and a place in it, lane % 4.  The instruction that is
 * used (m16n8k8) adds the product of 16 x 8 and 8 x 8 elements to 16 x 8; lane (group, place) gives of the left factor
 * rows `group` and `group + 8`, of the right one column `group`, and receives columns 2 place and 2 place + 1 of those
 * rows.  Which row, column or term of a sum has which number is free, and is chosen so that no element ever moves from
 * one lane to another, and that memory is accessed in pairs:
 *
 *   a row of a product that is received  is column 2 group of a band, or 2 group + 1 where it is `group + 8`
 *   a column that is received            is a row of the tall matrix
 *   a term                               is a row (sums over rows), or columns 2 place and 2 place + 1 of half a band
 *
 * So the product of eight rows and a matrix is computed transposed, and what a lane receives is what it has to give for
 * the Gram matrix of the product.
 */
#include "kernels/copy_ahead_cuda.h"

/* What a lane has of eight rows: of each band columns 2 group and 2 group + 1, each in two rows. */
struct mnp_rows {
    double at[MNP_BANDS][2][2]; /* band, column, row */
};

enum { MNP_PAIRS = MNP_TALL_BAND / 2 * MNP_BANDS, MNP_STAGE = 2 * MNP_PAIRS * MNP_TALL_ROWS };

template <typename T> struct __align__(2 * sizeof(T)) mnp_pair
{
    T x, y;
};

/* c += left right, of 8 x 8, 8 x 4 and 4 x 8 elements. */
MNP_INLINE void mnp_add_tile(double &c0, double &c1, double left, double right)
{
#if MNP_PTX
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                 : "+d"(c0), "+d"(c1)
                 : "d"(left), "d"(right));
#else
    const int lane = (int)threadIdx.x % 32, row = lane / 4, column = lane % 4 * 2;
    for (int k = 0; k < 4; k++) {
        const double a = __shfl_sync(0xffffffffu, left, 4 * row + k);
        c0 += a * __shfl_sync(0xffffffffu, right, 4 * column + k);
        c1 += a * __shfl_sync(0xffffffffu, right, 4 * (column + 1) + k);
    }
#endif
}

/* c += left right; left has columns (rows 0 to 3 and 4 to 7 of the sum) of two elements each. */
MNP_INLINE void mnp_add_product(double (&c)[4], const double (&left)[4], double right0, double right1)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
                 : "d"(left[0]), "d"(left[1]), "d"(left[2]), "d"(left[3]), "d"(right0), "d"(right1));
#else
    const double right[2] = {right0, right1};
    for (int k = 0; k < 2; k++)
        for (int half = 0; half < 2; half++)
            mnp_add_tile(c[2 * half], c[2 * half + 1], left[2 * k + half], right[k]);
#endif
}

/* ---- eight rows in shared memory ---- */

/*
 * Where a pair of columns is: pairs of a row are exchanged so that no two lanes that read together hit the same bank.
 */
MNP_INLINE int mnp_place_of(int row, int pair)
{
    return row * MNP_PAIRS + (pair ^ ((row & 1) << 2 | (row & 2)));
}

template <typename T> MNP_INLINE void mnp_read_pair(const T *stage, int row, int pair, double &x, double &y)
{
    const mnp_pair<T> both = ((const mnp_pair<T> *)stage)[mnp_place_of(row, pair)];
    x = both.x;
    y = both.y;
}

template <typename T> MNP_INLINE void mnp_write_pair(T *stage, int row, int pair, double x, double y)
{
    ((mnp_pair<T> *)stage)[mnp_place_of(row, pair)] = {(T)x, (T)y};
}

/* Begin to fetch eight rows; with MNP_PAIRED all rows begin at the address of a pair.  Beyond the ends there are 0. */
MNP_INLINE void mnp_fetch(MNP_T *stage, const mnp_tall_pass_params &p, int64_t first, int lane)
{
    constexpr int each = MNP_PAIRED ? 2 : 1, row_copies = 2 * MNP_PAIRS / each;
#pragma unroll
    for (int i = 0; i < MNP_TALL_ROWS * row_copies / 32; i++) {
        const int number = lane + 32 * i, row = number / row_copies, column = number % row_copies * each;
        const bool there = first + row < p.rows && column < p.columns;
        const MNP_T *from = (const MNP_T *)p.a + (there ? (first + row) * p.columns + column : 0);
        mnp_copy_ahead_if<each *(int)sizeof(MNP_T)>(there, stage + 2 * mnp_place_of(row, column / 2) + column % 2,
                                                    from);
    }
}

/* Wait for all batches of the warp's copies but the last `later` ones. */
template <int later> MNP_INLINE void mnp_await(void)
{
    mnp_await_batches<later>();
    __syncwarp();
}

/* What a lane needs for sums over the rows. */
MNP_INLINE void mnp_take(mnp_rows &rows, const MNP_T *stage, int lane)
{
    const int group = lane / 4, place = lane % 4;
#pragma unroll
    for (int band = 0; band < MNP_BANDS; band++)
        for (int half = 0; half < 2; half++)
            mnp_read_pair(stage, place + 4 * half, 8 * band + group, rows.at[band][0][half], rows.at[band][1][half]);
}

/* ---- products with a matrix ---- */

enum {
    MNP_TRIANGLE = MNP_BANDS * (MNP_BANDS + 1) / 2,
    MNP_TILES = MNP_PRODUCT == 2 ? MNP_BANDS * MNP_BANDS : MNP_TRIANGLE
};

/* The tile of band `from` of the terms and band `to` of the results, from <= to in an upper triangle. */
MNP_INLINE int mnp_tile_of(int from, int to)
{
    return MNP_PRODUCT == 2 ? to * MNP_BANDS + from : to * (to + 1) / 2 + from;
}

/* The matrix, times `sign`, by tiles, in each of which a lane's elements come in four pairs. */
MNP_INLINE void mnp_arrange(double *tiles, const double *matrix, int columns, double sign)
{
    for (int e = threadIdx.x; e < MNP_BANDS * MNP_BANDS * MNP_TALL_TILE; e += blockDim.x) {
        const int from = e / MNP_TALL_TILE % MNP_BANDS, to = e / MNP_TALL_TILE / MNP_BANDS, at = e % MNP_TALL_TILE;
        const int quarter = at / 64, group = at % 64 / 8, place = at % 8 / 2, second = at % 2;
        const int row = MNP_TALL_BAND * from + 8 * (quarter / 2) + 2 * place + quarter % 2;
        const int column = MNP_TALL_BAND * to + 2 * group + second;
        if (MNP_PRODUCT == 2 || from <= to)
            tiles[mnp_tile_of(from, to) * MNP_TALL_TILE + at] =
                row < columns && column < columns ? sign * matrix[row * columns + column] : 0;
    }
}

/* rows += stage times the matrix. */
template <typename T> MNP_INLINE void mnp_multiply(mnp_rows &rows, const T *stage, const double *tiles, int lane)
{
    double terms[MNP_BANDS][4];
#pragma unroll
    for (int band = 0; band < MNP_BANDS; band++)
        for (int half = 0; half < 2; half++)
            mnp_read_pair(stage, lane / 4, 8 * band + 4 * half + lane % 4, terms[band][2 * half],
                          terms[band][2 * half + 1]);
#pragma unroll
    for (int to = 0; to < MNP_BANDS; to++) {
        double c[4] = {rows.at[to][0][0], rows.at[to][0][1], rows.at[to][1][0], rows.at[to][1][1]};
#pragma unroll
        for (int from = 0; from < (MNP_PRODUCT == 2 ? MNP_BANDS : to + 1); from++) {
            const mnp_pair<double> *pairs =
                (const mnp_pair<double> *)(tiles + mnp_tile_of(from, to) * MNP_TALL_TILE) + lane;
#pragma unroll
            for (int half = 0; half < 2; half++) {
                const mnp_pair<double> first = pairs[64 * half], second = pairs[64 * half + 32];
                const double left[4] = {first.x, first.y, second.x, second.y};
                mnp_add_product(c, left, terms[from][2 * half], terms[from][2 * half + 1]);
            }
        }
        rows.at[to][0][0] = c[0];
        rows.at[to][0][1] = c[1];
        rows.at[to][1][0] = c[2];
        rows.at[to][1][1] = c[3];
    }
}

/* Write the rows of a product. */
MNP_INLINE void mnp_put(const mnp_rows &rows, const mnp_tall_pass_params &p, int64_t first, int lane)
{
#pragma unroll
    for (int second = 0; second < 2; second++) {
        const int64_t row = first + 2 * (lane % 4) + second;
        MNP_T *to = (MNP_T *)p.q + row * p.columns;
#pragma unroll
        for (int band = 0; band < MNP_BANDS; band++) {
            const int column = MNP_TALL_BAND * band + 2 * (lane / 4);
            const MNP_T x = (MNP_T)rows.at[band][0][second], y = (MNP_T)rows.at[band][1][second];
            if (row < p.rows && column < p.columns) {
                if (MNP_PAIRED) {
                    *(mnp_pair<MNP_T> *)(to + column) = {x, y};
                } else {
                    to[column] = x;
                    if (column + 1 < p.columns)
                        to[column + 1] = y;
                }
            }
        }
    }
}
