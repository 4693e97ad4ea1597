/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Matrix Market files (https://math.nist.gov/MatrixMarket/formats.html), in the words of scipy.io.
 *
 * A file is coordinate, a line for every entry of a sparse matrix, or array, a line for every value of a dense one,
 * column by column.  Taken as scipy.io.mmread takes it: comments ('%') before the sizes, blank lines anywhere, spaces
 * before and behind numbers, "\r\n", small letters and capitals alike; duplicates are summed; of a file that is not
 * general every entry off the diagonal is mirrored, wherever it stands, so that one that is there above and below the
 * diagonal counts twice.  Besides, here exponents may be Fortran's (1.5D+02), comments may stand between entries,
 * integers may have a '+', and numbers are correctly rounded, as Python's float() is.  Where SciPy goes on in silence
 * these are errors: words behind the numbers of a line, NaN and infinities, numbers beyond float64, a value that is no
 * integer in an integer file, the diagonal of a skew-symmetric matrix if it is not zero, that of a Hermitian one in a
 * coordinate file if it is not real, and symmetric matrices that are not square.
 *
 * What is wrong with a file is MNP_ERR_FORMAT on all ranks, with the file's name and the number of its first bad line.
 */
#ifndef MANIPLE_MATRIX_MARKET_H
#define MANIPLE_MATRIX_MARKET_H

#include <stdint.h>

#include <maniple/array.h>
#include <maniple/base.h>
#include <maniple/sparse.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The words of a file's first line. */
typedef enum mnp_mm_format { MNP_MM_COORDINATE, MNP_MM_ARRAY } mnp_mm_format;
typedef enum mnp_mm_field { MNP_MM_REAL, MNP_MM_INTEGER, MNP_MM_COMPLEX, MNP_MM_PATTERN } mnp_mm_field;
typedef enum mnp_mm_symmetry {
    MNP_MM_GENERAL,
    MNP_MM_SYMMETRIC,
    MNP_MM_SKEW_SYMMETRIC,
    MNP_MM_HERMITIAN
} mnp_mm_symmetry;

typedef struct mnp_mm_info {
    mnp_mm_format format;
    mnp_mm_field field;
    mnp_mm_symmetry symmetry;
    int64_t nrows, ncolumns;
    int64_t nlines; /* entries or values that the file has: of a matrix that is not general, those of one triangle */
} mnp_mm_info;

/* What the head of a file says; scipy.io.mminfo.  Collective.  MNP_ERR_IO, MNP_ERR_FORMAT. */
MNP_API mnp_status mnp_mm_inspect(mnp_ctx *ctx, const char *file, mnp_mm_info *info_p);

/*
 * Read a coordinate file; scipy.io.mmread(file).tocsr().  Every rank reads and parses its share of the bytes, and needs
 * memory for that share's entries and its own rows.  Rows and columns are cut evenly over the ranks.
 *
 *   dtype     MNP_DTYPE_AUTO: complex128 of a complex file, else float64, also of integers; a real type refuses a
 *             complex file; the entries of a pattern are 1
 *   matrix_p  receives the matrix
 *
 * Collective.  MNP_ERR_IO if the file cannot be read, MNP_ERR_FORMAT; MNP_ERR_ARG, also for an array file;
 * MNP_ERR_MEMORY, MNP_ERR_COMM.
 */
MNP_API mnp_status mnp_mm_read(mnp_ctx *ctx, const char *file, mnp_dtype dtype, mnp_sparse **matrix_p);

/*
 * Read an array file into an array of two dimensions; scipy.io.mmread(file).  As above; a coordinate file is
 * MNP_ERR_ARG.
 *
 *   layout   NULL: mnp_layout_block(); else its shape must be the file's
 *   array_p  receives the array, or is reused if it is not NULL
 */
MNP_API mnp_status mnp_mm_read_array(mnp_ctx *ctx, const char *file, mnp_dtype dtype, const mnp_layout *layout,
                                     mnp_array **array_p);

/*
 * Write a matrix as a coordinate file, its rows in order; scipy.io.mmwrite(file, matrix, symmetry=...).  Numbers have
 * as many digits as it takes to read the same number back.  Of a symmetry other than general the lower triangle alone
 * is written; MNP_ERR_ARG if the matrix has not that symmetry.  The file is written aside and renamed when it is whole
 * and on disk, as by mnp_h5_write().  A rank needs memory for the text of its rows.
 * Collective.  MNP_ERR_IO naming the file and the reason; MNP_ERR_ARG, also for NaN and infinities; MNP_ERR_MEMORY.
 */
MNP_API mnp_status mnp_mm_write(const mnp_sparse *matrix, const char *file, mnp_mm_symmetry symmetry);

#ifdef __cplusplus
}
#endif

#endif
