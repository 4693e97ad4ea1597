/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Products of matrices within the library: of one rank's blocks, and how blocks of several ranks come together.
 */
#ifndef MNP__LINALG_H
#define MNP__LINALG_H

#include <maniple/linalg.h>

#include "array/array.h"
#include "device/blas.h"
#include "layout/layout.h"

/* ---- block.c: products of this rank's memory ---- */

/* Operands are numbered so. */
enum { MNP__LEFT, MNP__RIGHT, MNP__RESULT, MNP__OPERANDS };

/*
 * C = A B for every index of the batch dimensions.  Element (i, j) of operand o is at i * row[o] + j * column[o], that
 * of another index of the batch at batch[o][d] elements more for each dimension.
 */
typedef struct mnp__block_product {
    mnp_dtype dtype, result; /* of A and B; of C: the same, or float32 where these are of 16 bits */
    mnp_matmul_precision precision;
    int64_t m, n, k;
    int nbatch;
    int64_t extent[MNP_MAX_DIMS];
    const void *data[MNP__OPERANDS];
    int64_t row[MNP__OPERANDS], column[MNP__OPERANDS], batch[MNP__OPERANDS][MNP_MAX_DIMS];
} mnp__block_product;

/*
 * The dtype in which matrices of that dtype are multiplied on this device, to which they must be converted: its own, or
 * float32 for 16 bits on the host.
 */
mnp_dtype mnp__block_dtype(mnp_ctx *ctx, mnp_dtype dtype);

/* Load what products of that dtype need, before mnp__block_multiply() does.  Collective.  MNP_ERR_UNSUPPORTED. */
mnp_status mnp__block_prepare(mnp_ctx *ctx, mnp_dtype dtype, mnp_matmul_precision precision);

/* Whether operand o lies as a product of that dtype takes it; otherwise it has to be copied. */
bool mnp__block_fits(const mnp__block_product *product, int o);

/* Enqueue a product on the compute stream.  Not collective.  MNP_ERR_MEMORY, where it is emulated. */
mnp_status mnp__block_multiply(mnp_ctx *ctx, const mnp__block_product *product);

/* ---- emulated.c: float products by products of int8 ---- */

/* How many products of int8 make up one of that dtype; 0: it cannot be emulated. */
int mnp__emulated_moduli(mnp_dtype dtype);

/* Load the kernels for that dtype.  Collective. */
mnp_status mnp__emulated_prepare(mnp_ctx *ctx, mnp_dtype dtype);

/*
 * Enqueue C[i] = op_a(A[i]) op_b(B[i]) on the compute stream, of operands that are not conjugated; alpha and beta are
 * not read.  No extent is 0.  Not collective.  MNP_ERR_MEMORY.
 */
mnp_status mnp__emulated_multiply(mnp_ctx *ctx, const mnp__gemm *gemm);

/* Bytes that a batch of products takes for that time, if there is memory. */
int64_t mnp__emulated_workspace(mnp_ctx *ctx, mnp_dtype dtype, int64_t batch, int64_t m, int64_t n, int64_t k);

/* ---- ways.c: how the blocks come together ---- */

/*
 * A product of arrays (batch..., m, k) and (batch..., k, n), the first dimensions of which may be missing or of extent
 * 1 in one of them.
 */
typedef struct mnp__product {
    int nbatch;
    int64_t batch[MNP_MAX_DIMS], m, n, k;
    const mnp_layout *a, *b, *c; /* where operands are and the result is to be */
    int64_t size, result_size;   /* bytes of an element of A and B, and of C's partial sums */
    bool is_double;
} mnp__product;

/*
 * A way to compute it: every rank multiplies what it has of A in layout a and of B in layout b, and has then what
 * layout c says.  If k is cut in parts, c has one dimension more, the first, of as many indices; the sum over it is the
 * result.
 */
typedef struct mnp__way {
    const char *method;
    mnp_layout *a, *b, *c;
    int parts;
    bool moves_a, moves_b, moves_c; /* whether any rank misses something; then the arrays are redistributed */
    double cost;                    /* see ways.c */
} mnp__way;

/* Find the cheapest way.  All ranks find the same one, without communication.  MNP_ERR_MEMORY. */
mnp_status mnp__way_find(const mnp__product *product, mnp__way *way);
void mnp__way_free(mnp__way *way);

/* Elements that a rank needs in layout `needed` and has not in layout `own`. */
int64_t mnp__way_missing(const mnp_layout *own, const mnp_layout *needed, int rank);

/* Elements of partial sums that a rank needs of others, to have its block of a result in layout `result`. */
int64_t mnp__way_missing_sums(const mnp__way *way, const mnp_layout *result, int rank);

/* The layout of a new result: see mnp_matmul(). */
mnp_status mnp__way_result(const mnp__product *product, mnp_layout **layout_p);

/* ---- matmul.c ---- */

/* Whether an operand is a stack of vectors rather than of matrices; the result then lacks a dimension. */
enum { MNP__VECTORS_LEFT = 1, MNP__VECTORS_RIGHT = 2 };

/* As mnp_matmul() has it: those with one dimension. */
unsigned mnp__vectors_of(const mnp_array *a, const mnp_array *b);

/* mnp_matmul(), whose messages begin with `function`. */
mnp_status mnp__matmul(const char *function, const mnp_array *a, const mnp_array *b, unsigned vectors,
                       mnp_array **out_p);

/* The dtype of products of two arrays in blocks; MNP_ERR_ARG for scalars and block-cyclic arrays. */
mnp_status mnp__matmul_dtype(const char *function, const mnp_array *a, const mnp_array *b, mnp_dtype *dtype_p);

#endif
