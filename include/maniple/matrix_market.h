/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Matrix Market files (https://math.nist.gov/MatrixMarket/formats.html), read and written in parallel.
 *
 * A coordinate file has a line for every entry of a sparse matrix, an array file a line for every value of a dense one,
 * column by column.  Files are interpreted as by scipy.io.mmread(): comments ('%') before the sizes, blank lines
 * anywhere, spaces around numbers, "\r\n", and either case of letters are accepted; duplicates are summed; if the
 * symmetry is not general, every entry off the diagonal is mirrored, so an entry that the file has both above and below
 * the diagonal counts twice.
 *
 * NaN and infinities are the words nan, inf and infinity, in either case, with or without a sign.
 *
 * Differences from SciPy.  Accepted here as well: exponents as in Fortran (1.5D+02), comments between entries, integers
 * with a '+'.  Numbers are correctly rounded, as by Python's float().  Errors here, which SciPy ignores: words after
 * the numbers of a line, numbers too large for float64, a value that is not an integer in an integer file, a diagonal
 * that is not zero in a skew-symmetric matrix or not real in a Hermitian coordinate file, and a symmetric matrix that
 * is not square.
 *
 * An error in the contents of a file is MNP_ERR_FORMAT on all ranks, in a message with the name of the file and the
 * number of its first bad line.
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
    int64_t nlines; /* entries or values in the file: those of one triangle, if the symmetry is not general */
} mnp_mm_info;

/* Read the head of a file; scipy.io.mminfo().  MNP_ERR_IO, MNP_ERR_FORMAT.  Collective. */
MNP_API mnp_status mnp_mm_inspect(mnp_ctx *ctx, const char *file, mnp_mm_info *info_p);

/*
 * Read a coordinate file; scipy.io.mmread(file).tocsr().  Every rank reads and parses its share of the bytes, and needs
 * memory for the entries of that share and for its own rows.  Rows and columns are divided equally over the ranks.
 *
 *   dtype     MNP_DTYPE_AUTO: complex128 for a complex file, otherwise float64, also for integers.  A complex file
 *             cannot be read as a real dtype; the entries of a pattern are 1
 *   matrix_p  receives the matrix
 *
 * MNP_ERR_IO if the file cannot be read; MNP_ERR_FORMAT; MNP_ERR_ARG, also for an array file; MNP_ERR_MEMORY,
 * MNP_ERR_COMM.  Collective.
 */
MNP_API mnp_status mnp_mm_read(mnp_ctx *ctx, const char *file, mnp_dtype dtype, mnp_sparse **matrix_p);

/*
 * Read an array file into an array of two dimensions; scipy.io.mmread(file).  The dtype and errors are as for
 * mnp_mm_read(), with MNP_ERR_ARG for a coordinate file.  Collective.
 *
 *   layout   the array's layout, of the file's shape; NULL: mnp_layout_block()
 *   array_p  receives the array; if *array_p is not NULL, that array is reused
 */
MNP_API mnp_status mnp_mm_read_array(mnp_ctx *ctx, const char *file, mnp_dtype dtype, const mnp_layout *layout,
                                     mnp_array **array_p);

/*
 * Write a matrix as a coordinate file, row by row; scipy.io.mmwrite(file, matrix, symmetry=...).  Numbers have as many
 * digits as are needed to read back the same numbers.  If the symmetry is not general, only the lower triangle is
 * written; MNP_ERR_ARG if the matrix does not have that symmetry exactly.  The file is replaced atomically, as by
 * mnp_h5_write().  A rank needs memory for the text of its rows.
 *
 * MNP_ERR_IO, in a message with the file and the reason; MNP_ERR_ARG, MNP_ERR_MEMORY.
 * Collective.
 */
MNP_API mnp_status mnp_mm_write(const mnp_sparse *matrix, const char *file, mnp_mm_symmetry symmetry);

#ifdef __cplusplus
}
#endif

#endif
