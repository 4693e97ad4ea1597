/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * NumPy's .npy files, one array each, read and written by all ranks together: numpy.load() and numpy.save().
 *
 * A file has any byte order and C or Fortran order, and elements of all dtypes of Maniple.  NumPy has no bfloat16: such
 * elements are stored as ml_dtypes stores them, as two bytes of type '<V2', which is read as bfloat16.
 */
#ifndef MANIPLE_NPY_H
#define MANIPLE_NPY_H

#include <stdbool.h>
#include <stdint.h>

#include <maniple/array.h>
#include <maniple/base.h>
#include <maniple/view.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What the head of a file says. */
typedef struct mnp_npy_info {
    mnp_dtype dtype;
    int ndim;
    int64_t shape[MNP_MAX_DIMS];
    bool fortran_order; /* the first index runs fastest; false where both orders are the same */
    bool swapped;       /* the bytes of a number are in the other order than in memory */
} mnp_npy_info;

/*
 * Read the head of a file.  MNP_ERR_IO; MNP_ERR_FORMAT if it is no .npy file, or damaged, or shorter than its array;
 * MNP_ERR_UNSUPPORTED if its elements are not numbers, or it has more than MNP_MAX_DIMS dimensions.  Collective.
 */
MNP_API mnp_status mnp_npy_inspect(mnp_ctx *ctx, const char *file, mnp_npy_info *info_p);

/*
 * Read a file, or a part of it that `selection` describes (maniple/view.h).  Each rank reads its own block; while it
 * reads a file in Fortran order, it needs memory for its block twice.
 *
 *   file       a file on a file system that all ranks share
 *   selection  NULL: all
 *   layout     the array's layout, of the shape that is read; NULL: mnp_layout_block()
 *   array_p    receives the array; if *array_p is not NULL, that array is reused
 *
 * Errors as for mnp_npy_inspect(); MNP_ERR_ARG if the selection does not fit the array, or the layout what is read;
 * MNP_ERR_MEMORY.  Collective.
 */
MNP_API mnp_status mnp_npy_read(mnp_ctx *ctx, const char *file, const mnp_selection *selection,
                                const mnp_layout *layout, mnp_array **array_p);

/*
 * Write an array in C order.  The file is replaced atomically, as by mnp_h5_write().  MNP_ERR_IO, in a message with the
 * file and the reason; MNP_ERR_ARG, MNP_ERR_MEMORY.  Collective.
 */
MNP_API mnp_status mnp_npy_write(const mnp_array *array, const char *file);

/*
 * Check whether mnp_npy_write() could write a file, without writing: the folder and the permissions.  MNP_ERR_IO,
 * MNP_ERR_ARG.  Collective.
 */
MNP_API mnp_status mnp_npy_check_write(mnp_ctx *ctx, const char *file);

#ifdef __cplusplus
}
#endif

#endif
