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
#include <maniple/view.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of HDF5 that is in use, such as "1.10.8".  Not collective. */
MNP_API const char *mnp_h5_version(void);

/* A dataset's shape, and the dtype as which it is read. */
typedef struct mnp_h5_info {
    mnp_dtype dtype;
    int ndim;
    int64_t shape[MNP_MAX_DIMS];
} mnp_h5_info;

/*
 * Find the shape and the dtype of a dataset.  MNP_ERR_IO if it does not exist, MNP_ERR_UNSUPPORTED if its elements are
 * not numbers.  Collective.
 */
MNP_API mnp_status mnp_h5_inspect(mnp_ctx *ctx, const char *file, const char *dataset, mnp_h5_info *info_p);

/*
 * Read a dataset.  Its elements may be integers, enumerations and floats of up to 8 bytes in any byte order, or bool
 * and complex numbers as h5py writes them; it may be contiguous, chunked or compressed, and have 0 to MNP_MAX_DIMS
 * dimensions.  Values are converted to the smallest dtype that holds all values of the dataset's type.  An HDF5 float
 * of 1 bit of sign, 8 of exponent and 7 of mantissa is a bfloat16; h5py reads it as float32.
 *
 *   file     a file on a file system that all ranks share
 *   dataset  the dataset's path in the file, "/a/b"; the first slash may be missing
 *   layout   the array's layout, of the dataset's shape; NULL: mnp_layout_block()
 *   array_p  receives the array; if *array_p is not NULL, that array is reused
 *
 * MNP_ERR_IO, in a message with the file and the reason; MNP_ERR_FORMAT if it is no HDF5 file, or truncated;
 * MNP_ERR_UNSUPPORTED if the elements are not numbers, there are too many dimensions, or the dataset is compressed by a
 * filter that this HDF5 does not have; MNP_ERR_ARG, MNP_ERR_MEMORY.  Collective.
 */
MNP_API mnp_status mnp_h5_read(mnp_ctx *ctx, const char *file, const char *dataset, const mnp_layout *layout,
                               mnp_array **array_p);

/*
 * Read a part of a dataset: the box of `shape` that begins at index `start`.  Both have an entry for every dimension of
 * the dataset, and a layout, if given, has the box's shape.  Only the box is read, or the chunks that it touches, so a
 * program can process data larger than memory piece by piece.  Errors as for mnp_h5_read(), and MNP_ERR_ARG if the box
 * is not inside the dataset.  Collective.
 */
MNP_API mnp_status mnp_h5_read_box(mnp_ctx *ctx, const char *file, const char *dataset, const int64_t *start,
                                   const int64_t *shape, const mnp_layout *layout, mnp_array **array_p);

/*
 * Read a part of a dataset: x[subscripts], or a box of it (mnp_selection in maniple/view.h).  Only the selected
 * elements are read from the file, and the gaps between them that are shorter than 16 KiB; if the dataset is
 * compressed, the chunks that hold selected elements.  A layout, if given, has the shape of the result.  Errors as for
 * mnp_h5_read(), and MNP_ERR_ARG if the subscripts do not fit the dataset.  Collective.
 */
MNP_API mnp_status mnp_h5_read_selection(mnp_ctx *ctx, const char *file, const char *dataset,
                                         const mnp_selection *selection, const mnp_layout *layout, mnp_array **array_p);

typedef struct mnp_h5_write_options {
    int deflate; /* 0: no compression; 1 .. 9: gzip of that level, after HDF5's shuffle filter */
} mnp_h5_write_options;

/*
 * Write an array to a dataset, with the types of h5py, in chunks of at most 1 MiB that follow the blocks.  Missing
 * groups are created.  A dataset of the same name is replaced, together with its attributes; everything else in the
 * file is kept.  A group of that name is an error.
 *
 * The file is replaced atomically: it is written as ".NAME.XXXXXX.tmp" in the same folder, and renamed when it is
 * complete and on disk.  A program that opens the file finds the old contents or the new ones, never a part.  A run
 * that fails, or is ended by SIGINT, SIGTERM or SIGHUP, leaves the old file and nothing else; SIGKILL leaves the
 * temporary file too.  While it writes, rank 0 handles these signals and passes them on to the program's own handlers;
 * if the program survives, the write fails.  Other contents of the file are copied, and disk space for everything is
 * reserved before values are written, unless they are compressed.  If another program changes the file during the
 * write, its version is kept and this call fails.  The new file has the permissions of the old one; a symbolic link is
 * followed, and other hard links keep the old contents.
 *
 *   options  NULL: no compression
 *
 * MNP_ERR_IO, in a message with the file and the reason (no such folder, no permission, no space); MNP_ERR_FORMAT if
 * what is there is no HDF5 file, or truncated; MNP_ERR_ARG; MNP_ERR_UNSUPPORTED if this HDF5 cannot compress.
 * Collective.
 */
MNP_API mnp_status mnp_h5_write(const mnp_array *array, const char *file, const char *dataset,
                                const mnp_h5_write_options *options);

/* A dataset to write. */
typedef struct mnp_h5_item {
    const char *dataset; /* its path, "/a/b" */
    const mnp_array *array;
} mnp_h5_item;

/*
 * An attribute to set, a text or numbers.  Its object is a dataset that is written or a group, given by its path
 * "/a/b".
 */
typedef struct mnp_h5_attribute {
    const char *object, *name;
    const char *text;   /* the text; NULL: numbers */
    mnp_dtype dtype;    /* dtype of the numbers */
    int64_t count;      /* length of the vector; -1: a scalar */
    const void *values; /* `count` numbers, which are read on rank 0 alone */
} mnp_h5_attribute;

/*
 * Write several datasets and attributes to one file, all of which appear at once.  The arrays belong to one context,
 * and the names differ.  Errors as for mnp_h5_write(), and MNP_ERR_ARG if there are no datasets.  Collective.
 */
MNP_API mnp_status mnp_h5_write_items(const char *file, int count, const mnp_h5_item *items, int nattributes,
                                      const mnp_h5_attribute *attributes, const mnp_h5_write_options *options);

/*
 * Check whether mnp_h5_write() could write this dataset, without writing: the folder, the permissions, and what the
 * file holds already.  For programs that compute for a long time before they write.  MNP_ERR_IO, MNP_ERR_ARG.
 * Collective.
 */
MNP_API mnp_status mnp_h5_check_write(mnp_ctx *ctx, const char *file, const char *dataset);

/*
 * Find out whether two names denote the same dataset, links included; *same_p is false if either does not exist.
 * MNP_ERR_ARG, MNP_ERR_MEMORY.  Not collective: it is usually called on one rank, before the work.
 */
MNP_API mnp_status mnp_h5_is_same(const char *file_a, const char *dataset_a, const char *file_b, const char *dataset_b,
                                  bool *same_p);

/* What a file holds: mnp_h5_list(). */
typedef enum mnp_h5_kind {
    MNP_H5_GROUP,
    MNP_H5_DATASET,
    MNP_H5_SPARSE, /* a group that mnp_h5_read_sparse() reads */
    MNP_H5_TYPE,   /* a type that has a name */
    MNP_H5_LINK    /* another name for an object, or a link that may lead nowhere */
} mnp_h5_kind;

/* An attribute of an object. */
typedef struct mnp_h5_attribute_info {
    const char *name;
    const char *type; /* of its elements: "float64", "strings" */
    int ndim;
    const int64_t *shape;
    const char *value; /* as text, "0.5" or "[1, 2]"; NULL: it is too long, or neither numbers nor one string */
    bool is_string;
} mnp_h5_attribute_info;

typedef struct mnp_h5_entry {
    mnp_h5_kind kind;
    const char *path; /* "/a/b" */
    const char *type; /* of elements: "float32", "big-endian int16", "strings"; NULL for groups and links */
    const char
        *storage; /* of a dataset: "contiguous", "chunked", "compact", "virtual", "external"; of a matrix "csr" */
    const char *filters; /* "shuffle, gzip 4"; "" if there are none */
    const char *target;  /* of a link: where it leads, a path or "FILE:PATH" */
    int ndim;
    const int64_t *shape;
    const int64_t *limit; /* how far each extent can grow: -1 without limit; NULL: not at all */
    const int64_t *chunk; /* the extents of chunks; NULL: there are none */
    int64_t nnz;          /* entries of a matrix */
    int nattributes;
    const mnp_h5_attribute_info *attributes;
} mnp_h5_entry;

/* Called for each object; the entry is valid only during the call.  A status other than MNP_OK ends the list. */
typedef mnp_status mnp_h5_visitor(const mnp_h5_entry *entry, void *argument);

/*
 * List what a file holds: its objects in the order of their names, groups before what is in them, each once with its
 * attributes.  The members of a sparse matrix are not listed.  Only heads are read, no elements.  MNP_ERR_IO;
 * MNP_ERR_FORMAT if the file is damaged; MNP_ERR_MEMORY, and what `visit` returns.  Not collective: one rank calls it.
 */
MNP_API mnp_status mnp_h5_list(const char *file, mnp_h5_visitor *visit, void *argument);

/*
 * Read a sparse matrix from a group with the members of a scipy.sparse matrix: the datasets data, indices and indptr
 * (csr, csc), or data, row and col (coo); and `shape`, a dataset or an attribute of two integers.  The format is given
 * by the first three letters of a string `format` or `encoding-type`, which is a dataset or an attribute; if there is
 * none, a group with indptr is csr, and others are coo.  So files of AnnData can be read too.  Duplicate entries are
 * summed.
 *
 *   group     the group's path in the file, "/a/b"
 *   dtype     MNP_DTYPE_AUTO: that of the data if it is float32, float64 or complex, otherwise float64
 *   matrix_p  receives the matrix, whose rows and columns are divided equally
 *
 * MNP_ERR_FORMAT on all ranks, if the members contradict each other or an index is out of range; MNP_ERR_ARG if the
 * data is complex and the dtype is not; other errors as for mnp_h5_read().  Collective.
 */
MNP_API mnp_status mnp_h5_read_sparse(mnp_ctx *ctx, const char *file, const char *group, mnp_dtype dtype,
                                      mnp_sparse **matrix_p);

/*
 * Write a sparse matrix as such a group, in csr: the datasets data, indices, indptr and shape, and an attribute
 * `format`.  Indices are int32 if that is enough, otherwise int64.  Other members of the group are kept.  The file is
 * replaced atomically, and errors are those of mnp_h5_write().  Collective.
 */
MNP_API mnp_status mnp_h5_write_sparse(const mnp_sparse *matrix, const char *file, const char *group,
                                       const mnp_h5_write_options *options);

#ifdef __cplusplus
}
#endif

#endif
