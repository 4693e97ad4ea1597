/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Products of float matrices by products of small integers: the Ozaki scheme II (Ozaki, Uchino and Imamura, "Ozaki
 * Scheme II: A GEMM-oriented emulation of floating-point matrix multiplication using an integer modular technique",
 * arXiv:2504.08009, 2025).
 *
 * Each row of A and each column of B is multiplied by a power of two and rounded to integers, so that the Euclidean
 * norm of a row and of a column is at most L.  By the inequality of Cauchy and Schwarz, the product of the two matrices
 * of integers has elements of at most L^2, which is a bit less than half the product M of a few moduli of at most 256
 * without common factors.  So it is known from its residues, and these are products of the matrices' residues, which
 * have 8 bits and which tensor cores multiply exactly.  It is rounded once, and divided by the powers of two.
 *
 * Errors: the integers of row a are as many units of at most 2 |a| / T apart, with T = L - sqrt(k) / 2, so each element
 * of the product is off by at most
 *
 *   |a| |b| (2 sqrt(k) / T + k / T^2),
 *
 * and by one rounding.  L is 2^27.3 with 7 moduli for float32, and 2^54.5 with 14 for float64: (sqrt(k) + 1) u |a| |b|
 * bounds it with u = 2^-24 and 2^-53.
 *
 * C is computed in parts, so that what is in between takes no more than a share of the device's memory; if there is not
 * so much, with smaller parts.  A sum of more than DEEPEST products, which 32 bits might not hold, has parts too.
 */
#include <math.h>
#include <string.h>

#include "base/dtype.h"
#include "base/integer.h"
#include "base/status.h"
#include "context/context.h"
#include "device/blas.h"
#include "device/launch.h"
#include "kernels/linalg/emulated_params.h"
#include "linalg/products/linalg.h"

__extension__ typedef unsigned __int128 wide;

enum {
    SINGLE_MODULI = 7,
    DOUBLE_MODULI = MNP_EMULATED_MODULI,
    PIECE_BITS = 40,
    DEEPEST = 1 << 16, /* products of residues, each at most 2^14, in a sum of 32 bits */
    SHARE = 16,        /* of the device's memory that the parts may take */
    LEAST = 128,       /* rows and columns of a part, where memory is short */
};

static const unsigned moduli[] = {256, 255, 253, 251, 247, 241, 239, 233, 229, 227, 223, 217, 211, 199};

static bool is_complex(mnp_dtype dtype)
{
    return mnp_dtype_kind(dtype) == 'c';
}

int mnp__emulated_moduli(mnp_dtype dtype)
{
    return mnp__dtype_is_double(dtype) ? DOUBLE_MODULI : mnp__dtype_is_single(dtype) ? SINGLE_MODULI : 0;
}

/* ---- kernels ---- */

typedef enum kernel_number { EXPONENTS, RESIDUES, REDUCE, RESULT, KERNELS } kernel_number;

/* Whether the device's BLAS multiplies int8; otherwise residues are doubles, whose sums are as exact. */
static bool has_int8(const mnp_ctx *ctx)
{
    return ctx->device->ops->blas->takes(ctx->device, MNP_INT8);
}

#define TYPES_0 "#define MNP_RESIDUE double\n#define MNP_SUM double\n"
#define TYPES_1 "#define MNP_RESIDUE int8_t\n#define MNP_SUM int32_t\n"
#define SINGLE "#define MNP_T float\n#define MNP_DOUBLE 0\n#define MNP_MODULI 7\n#define MNP_PIECES 2\n"
#define DOUBLE "#define MNP_T double\n#define MNP_DOUBLE 1\n#define MNP_MODULI 14\n#define MNP_PIECES 3\n"
#define COMPLEX_0 "#define MNP_COMPLEX 0\n"
#define COMPLEX_1 "#define MNP_COMPLEX 1\n"

static mnp_status load_kernel(mnp_ctx *ctx, mnp_dtype dtype, kernel_number number, mnp__kernel **kernel_p)
{
    static const char *const files[] = {"linalg/emulated_exponents.cu", "linalg/emulated_residues.cu",
                                        "linalg/emulated_reduce.cu", "linalg/emulated_result.cu"};
    static const char *const functions[] = {"emulated_exponents", "emulated_residues", "emulated_reduce",
                                            "emulated_result"};
    static const char *const defines[2][2][2] = {
        {{TYPES_0 SINGLE COMPLEX_0, TYPES_0 SINGLE COMPLEX_1}, {TYPES_0 DOUBLE COMPLEX_0, TYPES_0 DOUBLE COMPLEX_1}},
        {{TYPES_1 SINGLE COMPLEX_0, TYPES_1 SINGLE COMPLEX_1}, {TYPES_1 DOUBLE COMPLEX_0, TYPES_1 DOUBLE COMPLEX_1}}};
    const mnp__kernel_spec spec = {.file = files[number],
                                   .function = functions[number],
                                   .defines = defines[has_int8(ctx)][mnp__dtype_is_double(dtype)][is_complex(dtype)]};
    return mnp__ctx_kernel(ctx, &spec, kernel_p);
}

mnp_status mnp__emulated_prepare(mnp_ctx *ctx, mnp_dtype dtype)
{
    mnp__kernel *kernel;
    for (int number = 0; number < KERNELS; number++)
        MNP_TRY(load_kernel(ctx, dtype, (kernel_number)number, &kernel));
    return MNP_OK;
}

/* ---- numbers ---- */

static void split(wide value, double pieces[MNP_EMULATED_PIECES])
{
    for (int i = 0; i < MNP_EMULATED_PIECES; i++, value >>= PIECE_BITS)
        pieces[i] = (double)(uint64_t)(value & (((wide)1 << PIECE_BITS) - 1));
}

/* The moduli, M, and the weights of residues: M / m times its inverse modulo m. */
static void find_numbers(int count, mnp_emulated_result_params *p)
{
    wide all = 1;
    for (int i = 0; i < count; i++)
        all *= moduli[i];
    for (int i = 0; i < count; i++) {
        const wide others = all / moduli[i];
        const unsigned rest = (unsigned)(others % moduli[i]);
        unsigned inverse = 1;
        while (inverse * rest % moduli[i] != 1)
            inverse++;
        double pieces[MNP_EMULATED_PIECES];
        split(others * inverse, pieces);
        for (int j = 0; j < MNP_EMULATED_PIECES; j++)
            p->weight[j][i] = pieces[j];
        p->moduli.modulus[i] = moduli[i];
        p->moduli.inverse[i] = 1.0 / moduli[i];
    }
    split(all, p->whole);
    for (int j = 0; j < MNP_EMULATED_PIECES; j++)
        p->share[j] = ldexp(1 / (double)all, j * PIECE_BITS);
}

/*
 * The norm to which a vector of `depth` elements may be scaled: L less what rounding to integers can add.  L^2 is a bit
 * less than M / 2, for the errors of norms and quotients.
 */
static double limit_of(const mnp_emulated_result_params *p, int64_t depth)
{
    return (sqrt(0.5 / p->share[0]) - 0.5 * sqrt((double)depth)) * (1 - 0x1p-18);
}

/* ---- a product ---- */

/* How much is computed at once: so many matrices, rows, columns, and products of each sum. */
typedef struct part {
    int64_t batches, rows, columns, depth;
} part;

/* All that a product is computed with.  Sizes are those of real matrices. */
typedef struct emulation {
    mnp_ctx *ctx;
    const mnp__gemm *gemm;
    int moduli;
    part whole, part;
    mnp_emulated_result_params result; /* with both operands and all numbers */
    double limit;
    char *memory, *a, *b, *sums; /* residues, and sums of their products, in the memory */
    part held_a, held_b;         /* where the parts begin whose residues are there */
    mnp__kernel *kernels[KERNELS];
} emulation;

static int64_t padded(int64_t n)
{
    return mnp__round_up(n, MNP_EMULATED_PAD);
}

static int64_t half_of(int64_t n)
{
    return padded(mnp__divide_up(n, 2));
}

static int64_t residue_bytes(const emulation *e)
{
    return has_int8(e->ctx) ? 1 : (int64_t)sizeof(double);
}

/* Bytes of the residues of so many vectors, and of the sums of a part. */
static int64_t vector_bytes(const emulation *e, const part *p, int64_t vectors)
{
    return e->moduli * p->batches * padded(vectors) * padded(p->depth) * residue_bytes(e);
}

static int64_t sum_bytes(const emulation *e, const part *p)
{
    const int64_t size = has_int8(e->ctx) ? (int64_t)sizeof(int32_t) : (int64_t)sizeof(double);
    return e->moduli * p->batches * padded(p->rows) * padded(p->columns) * size;
}

static int64_t exponent_bytes(const emulation *e)
{
    return mnp__round_up(e->whole.batches * (e->whole.rows + e->whole.columns) * (int64_t)sizeof(int), 256);
}

static int64_t bytes_of(const emulation *e, const part *p)
{
    return exponent_bytes(e) + vector_bytes(e, p, p->rows) + vector_bytes(e, p, p->columns) + sum_bytes(e, p);
}

/* Halve a part: first the batch, then rows, so that B's residues are found once; false: it is as small as it may be. */
static bool halve(part *p)
{
    const int64_t large = 2048;
    if (p->batches > 1)
        p->batches = (p->batches + 1) / 2;
    else if (p->rows > large || (p->rows >= p->columns && p->rows > LEAST))
        p->rows = half_of(p->rows);
    else if (p->columns > LEAST)
        p->columns = half_of(p->columns);
    else if (p->depth > LEAST)
        p->depth = half_of(p->depth);
    else
        return false;
    return true;
}

/* The largest part that takes at most so many bytes, if any does. */
static part part_within(const emulation *e, int64_t bytes)
{
    part p = e->whole;
    p.depth = mnp__min(p.depth, DEEPEST);
    while (bytes_of(e, &p) > bytes && halve(&p))
        ;
    return p;
}

/* Take as much memory as a share of the device's, or what there is. */
static mnp_status allocate(emulation *e)
{
    mnp__device *device = e->ctx->device;
    int64_t bytes = device->memory / SHARE;
    for (;;) {
        e->part = part_within(e, bytes);
        const int64_t needed = bytes_of(e, &e->part);
        const mnp_status st = device->ops->alloc(device, (size_t)needed, (void **)&e->memory);
        part less = e->part;
        if (st != MNP_ERR_MEMORY || !halve(&less))
            return st;
        bytes = needed / 2;
    }
}

static mnp_emulated_operand operand_of(const emulation *e, bool left)
{
    const mnp__gemm *g = e->gemm;
    const bool follow = left ? g->op_a != MNP__BLAS_N : g->op_b == MNP__BLAS_N; /* a vector's elements in memory */
    const int64_t ld = left ? g->lda : g->ldb;
    return (mnp_emulated_operand){.data = left ? g->a : g->b,
                                  .count = left ? e->whole.rows : e->whole.columns,
                                  .depth = e->whole.depth,
                                  .vector = follow ? ld : 1,
                                  .along = follow ? 1 : ld,
                                  .batch = left ? g->stride_a : g->stride_b,
                                  .left = left};
}

static emulation emulation_of(mnp_ctx *ctx, mnp_dtype dtype, int64_t batch, int64_t m, int64_t n, int64_t k)
{
    const int64_t parts = is_complex(dtype) ? 2 : 1;
    return (emulation){.ctx = ctx,
                       .moduli = mnp__emulated_moduli(dtype),
                       .whole = {batch, parts * m, n, parts * k},
                       .held_a = {.rows = -1},
                       .held_b = {.columns = -1}};
}

int64_t mnp__emulated_workspace(mnp_ctx *ctx, mnp_dtype dtype, int64_t batch, int64_t m, int64_t n, int64_t k)
{
    if (m == 0 || n == 0 || k == 0 || batch == 0)
        return 0;
    const emulation e = emulation_of(ctx, dtype, batch, m, n, k);
    const part p = part_within(&e, ctx->device->memory / SHARE);
    return bytes_of(&e, &p);
}

static mnp_status open_emulation(mnp_ctx *ctx, const mnp__gemm *g, emulation *e)
{
    const int64_t parts = is_complex(g->dtype) ? 2 : 1;
    *e = emulation_of(ctx, g->dtype, g->batch, g->m, g->n, g->k);
    e->gemm = g;
    e->result = (mnp_emulated_result_params){.a = operand_of(e, true),
                                             .b = operand_of(e, false),
                                             .c = g->c,
                                             .c_column = parts * g->ldc,
                                             .c_batch = parts * g->stride_c};
    find_numbers(e->moduli, &e->result);
    for (int number = 0; number < KERNELS; number++)
        MNP_TRY(load_kernel(ctx, g->dtype, (kernel_number)number, &e->kernels[number]));
    MNP_TRY(allocate(e));
    e->result.a.exponents = (int *)e->memory;
    e->result.b.exponents = e->result.a.exponents + e->whole.batches * e->whole.rows;
    e->a = e->memory + exponent_bytes(e);
    e->b = e->a + vector_bytes(e, &e->part, e->part.rows);
    e->sums = e->b + vector_bytes(e, &e->part, e->part.columns);
    return MNP_OK;
}

/* ---- steps ---- */

static mnp_status launch(const emulation *e, kernel_number number, int64_t blocks, int64_t blocks_y, const void *params,
                         size_t size)
{
    mnp__device *device = e->ctx->device;
    const unsigned threads = number == EXPONENTS ? MNP_EMULATED_EXPONENTS_THREADS : MNP_EMULATED_THREADS;
    const mnp__launch launch = {.grid = {(unsigned)mnp__min(blocks, 1 << 20), (unsigned)mnp__min(blocks_y, 1 << 15), 1},
                                .block = {threads, 1, 1}};
    return device->ops->launch(device, e->kernels[number], &launch, params, size, e->ctx->compute);
}

static mnp_status find_exponents(const emulation *e, const mnp_emulated_operand *operand)
{
    const mnp_emulated_exponents_params params = {
        .operand = *operand, .batches = e->whole.batches, .limit = limit_of(&e->result, operand->depth)};
    const int64_t at_once = operand->along == 1 ? MNP_EMULATED_EXPONENTS_THREADS / 32 : 32;
    return launch(e, EXPONENTS, params.batches * mnp__divide_up(operand->count, at_once), 1, &params, sizeof params);
}

/* The residues of the part of an operand that begins at `first` and is of that size. */
static mnp_status find_residues(const emulation *e, const mnp_emulated_operand *operand, char *residues,
                                const part *first, const part *size)
{
    const bool left = operand->left;
    const mnp_emulated_residues_params params = {.operand = *operand,
                                                 .moduli = e->result.moduli,
                                                 .residues = residues,
                                                 .first_batch = first->batches,
                                                 .first_vector = left ? first->rows : first->columns,
                                                 .first_element = first->depth,
                                                 .batches = size->batches,
                                                 .vectors = padded(left ? size->rows : size->columns),
                                                 .elements = padded(size->depth),
                                                 .across = operand->along > operand->vector};
    const int64_t tiles = params.batches * mnp__divide_up(params.vectors, MNP_EMULATED_VECTORS) *
                          mnp__divide_up(params.elements, MNP_EMULATED_DEPTH);
    return launch(e, RESIDUES, tiles, 1, &params, sizeof params);
}

/* Add the products of residues up, beginning at 0 or at what is there. */
static mnp_status multiply_residues(const emulation *e, const part *size, bool adds)
{
    mnp__device *device = e->ctx->device;
    const bool int8 = has_int8(e->ctx);
    const int64_t m = padded(size->rows), n = padded(size->columns), k = padded(size->depth);
    const mnp__gemm gemm = {.dtype = int8 ? MNP_INT8 : MNP_FLOAT64,
                            .result = int8 ? MNP_INT32 : MNP_FLOAT64,
                            .op_a = MNP__BLAS_T,
                            .op_b = MNP__BLAS_N,
                            .m = m,
                            .n = n,
                            .k = k,
                            .batch = e->moduli * size->batches,
                            .a = e->a,
                            .b = e->b,
                            .c = e->sums,
                            .lda = k,
                            .ldb = k,
                            .ldc = m,
                            .stride_a = m * k,
                            .stride_b = n * k,
                            .stride_c = m * n,
                            .alpha = {1, 0},
                            .beta = {adds ? 1 : 0, 0}};
    return device->ops->blas->gemm(device, &gemm, e->ctx->compute);
}

static mnp_status reduce(const emulation *e, const part *size)
{
    const mnp_emulated_reduce_params params = {.moduli = e->result.moduli,
                                               .sums = e->sums,
                                               .each = size->batches * padded(size->rows) * padded(size->columns)};
    return launch(e, REDUCE, mnp__divide_up(params.each, MNP_EMULATED_THREADS), 1, &params, sizeof params);
}

static mnp_status write_result(const emulation *e, const part *first, const part *size)
{
    mnp_emulated_result_params params = e->result;
    params.sums = e->sums;
    params.first_batch = first->batches;
    params.first_row = first->rows;
    params.first_column = first->columns;
    params.batches = size->batches;
    params.rows = size->rows;
    params.columns = size->columns;
    params.all_rows = padded(size->rows);
    params.all_columns = padded(size->columns);
    return launch(e, RESULT, size->batches * size->columns, mnp__divide_up(size->rows, MNP_EMULATED_THREADS), &params,
                  sizeof params);
}

static part size_at(const emulation *e, const part *first)
{
    return (part){mnp__min(e->part.batches, e->whole.batches - first->batches),
                  mnp__min(e->part.rows, e->whole.rows - first->rows),
                  mnp__min(e->part.columns, e->whole.columns - first->columns),
                  mnp__min(e->part.depth, e->whole.depth - first->depth)};
}

/* Find residues again only where they are of another part than those that are there. */
static mnp_status bring_residues(emulation *e, const part *first, const part *size)
{
    const part a = {first->batches, first->rows, 0, first->depth},
               b = {first->batches, 0, first->columns, first->depth};
    if (memcmp(&a, &e->held_a, sizeof a) != 0)
        MNP_TRY(find_residues(e, &e->result.a, e->a, first, size));
    if (memcmp(&b, &e->held_b, sizeof b) != 0)
        MNP_TRY(find_residues(e, &e->result.b, e->b, first, size));
    e->held_a = a;
    e->held_b = b;
    return MNP_OK;
}

static mnp_status multiply_part(emulation *e, part first)
{
    part size = size_at(e, &first);
    for (; first.depth < e->whole.depth; first.depth += e->part.depth) {
        if (first.depth > 0)
            MNP_TRY(reduce(e, &size));
        size = size_at(e, &first);
        MNP_TRY(bring_residues(e, &first, &size));
        MNP_TRY(multiply_residues(e, &size, first.depth > 0));
    }
    return write_result(e, &first, &size);
}

static mnp_status multiply(emulation *e)
{
    part first = {0};
    MNP_TRY(find_exponents(e, &e->result.a));
    MNP_TRY(find_exponents(e, &e->result.b));
    for (first.batches = 0; first.batches < e->whole.batches; first.batches += e->part.batches)
        for (first.rows = 0; first.rows < e->whole.rows; first.rows += e->part.rows)
            for (first.columns = 0; first.columns < e->whole.columns; first.columns += e->part.columns)
                MNP_TRY(multiply_part(e, first));
    return MNP_OK;
}

mnp_status mnp__emulated_multiply(mnp_ctx *ctx, const mnp__gemm *gemm)
{
    emulation e;
    mnp_status st = open_emulation(ctx, gemm, &e);
    if (st == MNP_OK)
        st = multiply(&e);
    ctx->device->ops->free(ctx->device, e.memory);
    return st;
}
