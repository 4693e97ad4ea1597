/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Arrays and sparse matrices in HDF5 files, read and written in parallel through MPI-IO.
 */
#ifndef MANIPLE_H5_H
#define MANIPLE_H5_H

#include <stdbool.h>
#include <stdint.h>

#include <maniple/array.h>
#include <maniple/base.h>
#include <maniple/sparse.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of HDF5 that is in use, such as "1.10.8".  Not collective. */
MNP_API const char *mnp_h5_version(void);

/* What a dataset holds: dtype is the type that it is read as. */
typedef struct mnp_h5_info {
    mnp_dtype dtype;
    int ndim;
    int64_t shape[MNP_MAX_DIMS];
} mnp_h5_info;

/*
 * Look at a dataset.  Collective.  MNP_ERR_IO if there is none such, MNP_ERR_UNSUPPORTED for a type that is no number.
 */
MNP_API mnp_status mnp_h5_inspect(mnp_ctx *ctx, const char *file, const char *dataset, mnp_h5_info *info_p);

/*
 * Read a dataset: integers, enumerations and floats of any size up to 8 bytes and any byte order, bool and complex as
 * h5py writes them; contiguous, chunked, compressed; 0 to MNP_MAX_DIMS dimensions.  Values are converted to the
 * smallest type that holds them.  A bfloat16 is an HDF5 float of 1 bit of sign, 8 of exponent and 7 of mantissa, which
 * h5py reads as float32.
 *
 *   file     as every rank sees it: on a file system that all of them share
 *   dataset  its name with the groups that it is in, "/a/b"; the first slash may be missing
 *   layout   NULL: mnp_layout_block(); else its shape must be the dataset's
 *   array_p  receives the array, or is reused if it is not NULL
 *
 * Collective.  MNP_ERR_IO naming the file and the reason, MNP_ERR_UNSUPPORTED for what is no number, has too many
 * dimensions or is compressed by a filter that HDF5 does not have, MNP_ERR_ARG, MNP_ERR_MEMORY.
 */
MNP_API mnp_status mnp_h5_read(mnp_ctx *ctx, const char *file, const char *dataset, const mnp_layout *layout,
                               mnp_array **array_p);

/*
 * The same of a part: the box of that shape which begins at index `start`, both with an entry for every dimension of
 * the dataset.  A layout, if given, has the box's shape.  Only the box is read, and the chunks that it touches: so data
 * larger than memory is read piece by piece.  Collective.  As above, and MNP_ERR_ARG if the box does not lie inside.
 */
MNP_API mnp_status mnp_h5_read_box(mnp_ctx *ctx, const char *file, const char *dataset, const int64_t *start,
                                   const int64_t *shape, const mnp_layout *layout, mnp_array **array_p);

typedef struct mnp_h5_write_options {
    int deflate; /* 0: no compression; 1 .. 9: gzip of that level, after a byte shuffle */
} mnp_h5_write_options;

/*
 * Write an array to a dataset, as h5py would, in chunks of at most 1 MiB along the blocks; missing groups are made.
 * What the file has besides is kept; a dataset of the same name is replaced, with its attributes; where a group has the
 * name it is an error.
 *
 * The file is written aside, as ".NAME.XXXXXX.tmp" in the same folder, and renamed when it is whole and on disk:
 * whoever opens the file finds it as it was or as it shall be, and a run that fails or is ended by SIGINT, SIGTERM or
 * SIGHUP leaves what was there before and nothing else.  (SIGKILL leaves the temporary file.  The signals are handled
 * on rank 0 while it writes, then passed on to the program's own handlers; a program that lives on finds the write
 * failed.)  What the file has besides is copied; room for all of it is reserved before values are written, unless they
 * are compressed.  Where another program has changed the file meanwhile, it is left as that program made it, which is
 * an error here.  Permissions are those of the file that is replaced; a symbolic link is followed, other hard links
 * keep the old contents.
 *
 *   options  NULL: no compression
 *
 * Collective.  MNP_ERR_IO naming the file and the reason (no such folder, no permission, no space), MNP_ERR_ARG,
 * MNP_ERR_UNSUPPORTED if this HDF5 cannot compress.
 */
MNP_API mnp_status mnp_h5_write(const mnp_array *array, const char *file, const char *dataset,
                                const mnp_h5_write_options *options);

/* A dataset to write. */
typedef struct mnp_h5_item {
    const char *dataset;
    const mnp_array *array;
} mnp_h5_item;

/*
 * An attribute to set: of which object (a dataset that is written or a group, from the root on: "/a/b"), a text or
 * numbers.
 */
typedef struct mnp_h5_attribute {
    const char *object, *name;
    const char *text;   /* NULL: numbers */
    mnp_dtype dtype;    /* of the numbers */
    int64_t count;      /* how many, as a vector; -1: one, without a shape */
    const void *values; /* rank 0's count */
} mnp_h5_attribute;

/*
 * mnp_h5_write() of several datasets to one file, of the same context and different names, with attributes: all of it
 * is there when the file is.  Collective, as above; also MNP_ERR_ARG where there are no datasets.
 */
MNP_API mnp_status mnp_h5_write_items(const char *file, int count, const mnp_h5_item *items, int nattributes,
                                      const mnp_h5_attribute *attributes, const mnp_h5_write_options *options);

/*
 * Find out, writing nothing, whether mnp_h5_write() could make this dataset: folder, permissions, and what is there
 * already.  For programs that compute long before they write.  Collective.  MNP_ERR_IO, MNP_ERR_ARG.
 */
MNP_API mnp_status mnp_h5_check_write(mnp_ctx *ctx, const char *file, const char *dataset);

/*
 * Whether two names lead to one dataset, by whatever links; false if either is not there.  Not collective: for one rank
 * to ask before the work.  MNP_ERR_ARG, MNP_ERR_MEMORY.
 */
MNP_API mnp_status mnp_h5_is_same(const char *file_a, const char *dataset_a, const char *file_b, const char *dataset_b,
                                  bool *same_p);

/*
 * Read a sparse matrix: a group that has the members of a scipy.sparse matrix as datasets, in whatever way they came
 * there.  These are data, indices and indptr (csr, csc), or data, row and col (coo); and the shape, a dataset or an
 * attribute of two integers.  Which format it is says a string, `format` or `encoding-type`, as a dataset or an
 * attribute, by its first three letters; without it indptr means csr.  So matrices of AnnData files are read too.
 * Duplicates are summed.
 *
 *   group     its name with the groups that it is in, "/a/b"
 *   dtype     MNP_DTYPE_AUTO: that of the data, if it is float32, float64 or complex, else float64
 *   matrix_p  receives the matrix, its rows and columns cut evenly
 *
 * Collective.  MNP_ERR_FORMAT, on all ranks, if the members contradict each other or an index is outside; MNP_ERR_ARG
 * where the data is complex and the dtype is not; the rest as mnp_h5_read().
 */
MNP_API mnp_status mnp_h5_read_sparse(mnp_ctx *ctx, const char *file, const char *group, mnp_dtype dtype,
                                      mnp_sparse **matrix_p);

/*
 * Write one as such a group, in csr: data, indices and indptr (int32 where that is enough, else int64), shape, and an
 * attribute `format`.  What the group has besides stays.  As mnp_h5_write().  Collective.
 */
MNP_API mnp_status mnp_h5_write_sparse(const mnp_sparse *matrix, const char *file, const char *group,
                                       const mnp_h5_write_options *options);

#ifdef __cplusplus
}
#endif

#endif
