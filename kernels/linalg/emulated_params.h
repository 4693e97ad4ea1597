/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the kernels emulated_*.cu are given, shared by the library (C) and the kernels (C++).  lib/linalg/products/
 * emulated.c explains the method.
 */
#ifndef MNP_KERNELS_LINALG_EMULATED_PARAMS_H
#define MNP_KERNELS_LINALG_EMULATED_PARAMS_H

enum {
    MNP_EMULATED_MODULI = 14, /* at most */
    MNP_EMULATED_PIECES = 3,  /* in which integers below the product of the moduli are kept, of 40 bits each */
    MNP_EMULATED_PAD = 16,    /* int8 matrices of BLAS have multiples of so many rows and columns */
    MNP_EMULATED_VECTORS = 32,
    MNP_EMULATED_DEPTH = 128, /* of a tile of residues, which a GPU's block computes */
    MNP_EMULATED_THREADS = 256,
    MNP_EMULATED_EXPONENTS_THREADS = 512
};

/* Instead of an exponent: the vector holds a NaN or an infinity. */
enum { MNP_EMULATED_NOT_FINITE = 1 << 20 };

/*
 * The rows of A or the columns of B, as vectors of real numbers.  A row of complex numbers is two of them: those which
 * multiplied with a column's real and imaginary parts, in turn, give the real and the imaginary part.
 */
typedef struct mnp_emulated_operand {
    const void *data;
    int *exponents;                 /* of each vector: it is multiplied by 2 to that power */
    long long count, depth;         /* vectors of a matrix; their elements; both real */
    long long vector, along, batch; /* to the next vector, element, matrix, in elements of the array */
    int left;                       /* the rows of A */
} mnp_emulated_operand;

/* The first moduli, of which each kernel takes the first MNP_MODULI ones; and 1 / modulus, rounded. */
typedef struct mnp_emulated_moduli {
    double modulus[MNP_EMULATED_MODULI], inverse[MNP_EMULATED_MODULI];
} mnp_emulated_moduli;

/* emulated_exponents.cu: find the exponents of all vectors of so many matrices. */
typedef struct mnp_emulated_exponents_params {
    mnp_emulated_operand operand;
    long long batches;
    double limit; /* of the Euclidean norm of a vector of integers, its rounding aside */
} mnp_emulated_exponents_params;

/*
 * emulated_residues.cu: of a part of the vectors, to [modulus][matrix][vector][element].  `vectors` and `elements` are
 * multiples of MNP_EMULATED_PAD; what is beyond the operand is 0.
 */
typedef struct mnp_emulated_residues_params {
    mnp_emulated_operand operand;
    mnp_emulated_moduli moduli;
    void *residues;
    long long first_batch, first_vector, first_element;
    long long batches, vectors, elements;
    int across; /* elements of neighbouring vectors are closer in memory than those of one vector */
} mnp_emulated_residues_params;

/* emulated_reduce.cu: replace sums of products by their residues; [modulus][each]. */
typedef struct mnp_emulated_reduce_params {
    mnp_emulated_moduli moduli;
    void *sums;
    long long each;
} mnp_emulated_reduce_params;

/*
 * emulated_result.cu: a part of C from sums of products of residues, [modulus][matrix][column][row], which have
 * `all_columns` columns of `all_rows` rows.  C is in column-major order, of real numbers.
 *
 * With M the product of the moduli, an integer c of at most M / 2 is the sum over moduli of residue * weight, less a
 * multiple of M; weights and M are sums of pieces[i] * 2^(40 i).
 */
typedef struct mnp_emulated_result_params {
    mnp_emulated_operand a, b;
    mnp_emulated_moduli moduli;
    double weight[MNP_EMULATED_PIECES][MNP_EMULATED_MODULI];
    double whole[MNP_EMULATED_PIECES]; /* M */
    double share[MNP_EMULATED_PIECES]; /* 2^(40 i) / M, rounded */
    const void *sums;
    void *c;
    long long c_column, c_batch; /* to the next column and matrix of C, in real numbers */
    long long first_batch, first_row, first_column;
    long long batches, rows, columns, all_rows, all_columns;
} mnp_emulated_result_params;

#endif
