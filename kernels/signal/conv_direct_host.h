/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Direct convolution on the host: a worker computes tile after tile of its share.
 *
 * The window of input under a tile is gathered into a small buffer that stays in the cache, converted to the type of
 * the sums.  Two rows of `vectors` vectors of outputs are kept in registers: a vector of input is read once for both
 * rows, and a tap is broadcast once for a row.  Complex numbers lie in two planes, real and imaginary.
 */
#if defined(__AVX512F__)
enum { vector_bytes = 64, vectors = 4 };
#elif defined(__AVX__)
enum { vector_bytes = 32, vectors = 4 };
#else
enum { vector_bytes = 16, vectors = 4 };
#endif

/* The real type that sums consist of, and in how many planes they lie: one, or two for complex numbers. */
template <typename T> struct parts {
    typedef T real;
    enum { planes = 1 };
    static MNP_INLINE void split(T x, real *to, int64_t)
    {
        *to = x;
    }
    static MNP_INLINE T join(const real *from, int64_t)
    {
        return *from;
    }
};
template <typename R> struct parts<mnp_complex<R>> {
    typedef R real;
    enum { planes = 2 };
    static MNP_INLINE void split(mnp_complex<R> x, real *to, int64_t plane)
    {
        to[0] = x.re;
        to[plane] = x.im;
    }
    static MNP_INLINE mnp_complex<R> join(const real *from, int64_t plane)
    {
        return mnp_complex<R>{from[0], from[plane]};
    }
};

typedef parts<MNP_SUM>::real real;
enum { planes = parts<MNP_SUM>::planes, lanes = vector_bytes / sizeof(real), group = vectors * lanes };
typedef real vector __attribute__((vector_size(vector_bytes)));
typedef real loose_vector __attribute__((vector_size(vector_bytes), aligned(sizeof(real)), may_alias));

/* The buffers' sizes: the last group of a row may extend beyond the tile. */
enum {
    tile_width = (MNP_TX + group - 1) / group * group,
    window_stride = tile_width + MNP_CX - 1,
    window_rows = MNP_TY + MNP_CY,
    window_plane = window_rows * window_stride,
    tap_plane = MNP_CY * MNP_CX,
    sum_plane = (MNP_TY + 1) * tile_width
};

struct buffers {
    real window[planes * window_plane], taps[planes * tap_plane], sums[planes * sum_plane];
};

/* Gather so much of the window whose first element is (i0, i1, i2, i3), with zeros beyond the extended box. */
static void load_window(const mnp_conv_params &p, real *window, int64_t rows, int64_t columns, int64_t i0, int64_t i1,
                        int64_t i2, int64_t i3)
{
    const plane plane = find_plane(p.in, i0, i1);
    for (int64_t y = 0; y < rows; y++) {
        real *target = window + y * window_stride;
        int64_t width = i2 + y < p.in.extended[2] ? p.in.extended[3] - i3 : 0;
        if (width > columns)
            width = columns;
        if (width > 0) {
            row source = find_row(plane, i2 + y);
            int64_t begin = source.begin - i3, end = source.end - i3, c = 0;
            for (; c < width && c < begin; c++)
                parts<MNP_SUM>::split(mnp_to<MNP_SUM>::from(source.edge[i3 + c]), target + c, window_plane);
            int64_t last = end < width ? end : width;
            if (source.stride == 1) /* a loop of its own, so that it is vectorised */
                for (; c < last; c++)
                    parts<MNP_SUM>::split(mnp_to<MNP_SUM>::from(source.middle[c - begin]), target + c, window_plane);
            for (; c < last; c++)
                parts<MNP_SUM>::split(mnp_to<MNP_SUM>::from(source.middle[(c - begin) * source.stride]), target + c,
                                      window_plane);
            for (; c < width; c++)
                parts<MNP_SUM>::split(mnp_to<MNP_SUM>::from(source.edge[i3 + c - (source.end - source.begin)]),
                                      target + c, window_plane);
        }
        for (int plane = 0; plane < planes; plane++)
            for (int64_t c = width > 0 ? width : 0; c < columns; c++)
                target[plane * window_plane + c] = 0;
    }
}

static void load_taps(const mnp_conv_params &p, real *taps, int64_t k0, int64_t k1, int64_t k2, int64_t k3, int rows,
                      int columns)
{
    const MNP_SUM *source = (const MNP_SUM *)p.taps + ((k0 * p.extent[1] + k1) * p.extent[2] + k2) * p.extent[3] + k3;
    for (int y = 0; y < rows; y++)
        for (int x = 0; x < columns; x++)
            parts<MNP_SUM>::split(source[y * p.extent[3] + x], taps + y * MNP_CX + x, tap_plane);
}

/* A row of outputs in registers. */
struct outputs {
    vector part[planes][vectors];
};

MNP_INLINE vector broadcast(real x)
{
    return x - vector{};
}

MNP_INLINE void multiply_add(outputs &sums, int v, const vector *x, const vector *tap)
{
    if constexpr (planes == 1) {
        sums.part[0][v] += tap[0] * x[0];
    } else {
        sums.part[0][v] += tap[0] * x[0];
        sums.part[0][v] -= tap[1] * x[1];
        sums.part[planes - 1][v] += tap[0] * x[1];
        sums.part[planes - 1][v] += tap[1] * x[0];
    }
}

/* Keep a vector in a register: GCC would load it again for every use, and loads are the bottleneck. */
MNP_INLINE void keep(vector &x)
{
#if defined(__x86_64__) && defined(__GNUC__)
    asm("" : "+v"(x));
#endif
    (void)x;
}

/* Add one row of input: to `first` with taps a, if to_first, and to `second` with b, the row of taps before a. */
template <bool to_first, bool to_second>
MNP_INLINE void add_row(outputs &first, outputs &second, const real *window, const real *a, const real *b, int columns)
{
    for (int k = 0; k < columns; k++) {
        vector tap_a[planes], tap_b[planes];
        for (int plane = 0; plane < planes; plane++) {
            if (to_first)
                tap_a[plane] = broadcast(a[plane * tap_plane + k]);
            if (to_second)
                tap_b[plane] = broadcast(b[plane * tap_plane + k]);
        }
#pragma GCC unroll 8
        for (int v = 0; v < vectors; v++) {
            vector x[planes];
            for (int plane = 0; plane < planes; plane++) {
                x[plane] = *(const loose_vector *)(window + plane * window_plane + k + v * lanes);
                if (to_first && to_second)
                    keep(x[plane]);
            }
            if (to_first)
                multiply_add(first, v, x, tap_a);
            if (to_second)
                multiply_add(second, v, x, tap_b);
        }
    }
}

MNP_INLINE outputs load_outputs(const real *sums)
{
    outputs result;
    for (int plane = 0; plane < planes; plane++)
#pragma GCC unroll 8
        for (int v = 0; v < vectors; v++)
            result.part[plane][v] = *(const loose_vector *)(sums + plane * sum_plane + v * lanes);
    return result;
}

MNP_INLINE void store_outputs(const outputs &values, real *sums)
{
    for (int plane = 0; plane < planes; plane++)
#pragma GCC unroll 8
        for (int v = 0; v < vectors; v++)
            *(loose_vector *)(sums + plane * sum_plane + v * lanes) = values.part[plane][v];
}

/* Add the taps in the buffer to all outputs of the tile. */
static void accumulate(buffers *b, int64_t height, int64_t width, int rows, int columns)
{
    for (int64_t y = 0; y < height; y += 2) {
        for (int64_t x = 0; x < width; x += group) {
            const real *window = b->window + y * window_stride + x;
            real *sums = b->sums + y * tile_width + x;
            outputs first = load_outputs(sums), second = load_outputs(sums + tile_width);
            add_row<true, false>(first, second, window, b->taps, b->taps, columns);
            if (y + 1 == height) { /* an odd last row, or the only row of a one-dimensional array */
                for (int k = 1; k < rows; k++)
                    add_row<true, false>(first, second, window + k * window_stride, b->taps + k * MNP_CX, b->taps,
                                         columns);
                store_outputs(first, sums);
                continue;
            }
            for (int k = 1; k < rows; k++)
                add_row<true, true>(first, second, window + k * window_stride, b->taps + k * MNP_CX,
                                    b->taps + (k - 1) * MNP_CX, columns);
            add_row<false, true>(first, second, window + rows * window_stride, b->taps, b->taps + (rows - 1) * MNP_CX,
                                 columns);
            store_outputs(first, sums);
            store_outputs(second, sums + tile_width);
        }
    }
}

static void store_tile(const mnp_conv_params &p, const real *sums, const int64_t *origin, int64_t height, int64_t width)
{
    MNP_OUT *out = (MNP_OUT *)p.tiles.out + origin[0] * p.tiles.stride[0] + origin[1] * p.tiles.stride[1] +
                   origin[2] * p.tiles.stride[2] + origin[3] * p.tiles.stride[3];
    for (int64_t y = 0; y < height; y++)
        for (int64_t x = 0; x < width; x++)
            out[y * p.tiles.stride[2] + x * p.tiles.stride[3]] =
                finish<MNP_OUT>::from(parts<MNP_SUM>::join(sums + y * tile_width + x, sum_plane));
}

static void compute_tile(const mnp_conv_params &p, buffers *b, int64_t tile)
{
    int64_t origin[MNP_CONV_DIMS];
    tile_origin(p, tile, origin);
    int64_t height = p.tiles.extent[2] - origin[2] < MNP_TY ? p.tiles.extent[2] - origin[2] : MNP_TY;
    int64_t width = p.tiles.extent[3] - origin[3] < MNP_TX ? p.tiles.extent[3] - origin[3] : MNP_TX;
    const int64_t across = (width + group - 1) / group * group; /* sums of a row */
    for (int plane = 0; plane < planes; plane++)
        for (int64_t y = 0; y <= height; y++)
            memset(b->sums + plane * sum_plane + y * tile_width, 0, across * sizeof(real));
    for (int64_t k0 = 0; k0 < p.extent[0]; k0++)
        for (int64_t k1 = 0; k1 < p.extent[1]; k1++)
            for (int64_t k2 = 0; k2 < p.extent[2]; k2 += MNP_CY)
                for (int64_t k3 = 0; k3 < p.extent[3]; k3 += MNP_CX) {
                    int rows = p.extent[2] - k2 < MNP_CY ? (int)(p.extent[2] - k2) : MNP_CY;
                    int columns = p.extent[3] - k3 < MNP_CX ? (int)(p.extent[3] - k3) : MNP_CX;
                    load_window(p, b->window, height + rows - 1, across + columns - 1, origin[0] + k0, origin[1] + k1,
                                origin[2] + k2, origin[3] + k3);
                    load_taps(p, b->taps, k0, k1, k2, k3, rows, columns);
                    accumulate(b, height, width, rows, columns);
                }
    store_tile(p, b->sums, origin, height, width);
}

MNP_KERNEL(conv_direct, mnp_conv_params)
{
    static thread_local buffers b;
    MNP_FOR (i, p.tiles.count)
        compute_tile(p, &b, p.tiles.list[i]);
}
