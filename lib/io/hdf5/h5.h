/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shared by the files of HDF5 input and output (h5_*.c): errors, names of datasets, element types, and the transfer of
 * values.
 *
 * HDF5's own calls return a negative number on failure; mnp__h5_reason() then returns HDF5's explanation.  The public
 * functions switch off HDF5's printing of errors while they run.
 */
#ifndef MNP__IO_H5_H
#define MNP__IO_H5_H

#include <stdbool.h>
#include <stdint.h>

#include <hdf5.h>

#include <maniple/h5.h>

#include "array/array.h"
#include "io/atomic_file.h"
#include "io/selection.h"

/* Errors (h5_error.c). */

typedef struct mnp__h5_printing {
    H5E_auto2_t function;
    void *data;
} mnp__h5_printing;

void mnp__h5_printing_off(mnp__h5_printing *saved);
void mnp__h5_printing_restore(const mnp__h5_printing *saved);

/* Why the last HDF5 call failed, as HDF5's innermost function describes it.  Valid until the next call. */
const char *mnp__h5_reason(void);

/* Record why H5Fopen() of that file failed, and return MNP_ERR_IO. */
mnp_status mnp__h5_fail_open(const char *file);

/* Set an attribute of an object that exists; a text has variable length, as in h5py (h5_attribute.c). */
mnp_status mnp__h5_make_attribute(const mnp_h5_attribute *attribute, hid_t file);

/* A dataset's place (h5_file.c). */

typedef struct mnp__h5_place {
    char *file;    /* may differ from the user's name: the temporary file while it is written */
    char *dataset; /* the path from the root, "/a/b" */
    char *text;    /* "'/a/b' in 'x.h5'", for messages */
} mnp__h5_place;

/* MNP_ERR_ARG if `file` or `dataset` is NULL or empty. */
mnp_status mnp__h5_place_new(const char *file, const char *dataset, mnp__h5_place *place);
void mnp__h5_place_free(mnp__h5_place *place);

/* The identity of an HDF5 object: equal for all names and links that lead to it (h5_file.c). */
typedef struct mnp__h5_identity {
    unsigned long file; /* HDF5's number of the file, valid while the file is open */
    unsigned char object[16];
} mnp__h5_identity;

/* False if HDF5 cannot tell. */
bool mnp__h5_identify(hid_t object, mnp__h5_identity *identity);

/* Element types (h5_type.c). */

typedef struct mnp__h5_type {
    mnp_dtype dtype;
    hid_t stored;   /* of an element in the file, and of the buffer of H5Dread(), which must not convert */
    hid_t from, to; /* types of one number in the file and in memory; a complex element has two numbers */
} mnp__h5_type;

/* Find the type of a dataset's elements.  MNP_ERR_UNSUPPORTED, in a message about `what`, if they are not numbers. */
mnp_status mnp__h5_type_open(hid_t dataset, const char *what, mnp__h5_type *type);
void mnp__h5_type_close(mnp__h5_type *type);

/*
 * Find the dtype for elements of the type type->stored, and the type type->from of their numbers, which the caller
 * closes; if they are not numbers these stay as they are.
 */
void mnp__h5_type_find(mnp__h5_type *type);

/*
 * What elements are, for people: "float32", "big-endian int16", "strings"; written to `text`.
 */
enum { MNP__H5_TYPE_TEXT = 64 };
void mnp__h5_type_text(hid_t type, char text[MNP__H5_TYPE_TEXT]);

/* Convert `count` elements from the file's type to type->dtype, in place. */
mnp_status mnp__h5_type_convert(const mnp__h5_type *type, int64_t count, void *data);

/* The HDF5 type for elements of `dtype` in a file, as h5py chooses it; release it with H5Tclose(). */
hid_t mnp__h5_type_new(mnp_dtype dtype);

/*
 * H5Fopen() and H5Fclose() for all files (h5_error.c).  When a damaged file cannot be opened, HDF5 may keep parts of
 * it, and would print lines about them at the end of the program; it would also try again to close what it could not
 * close, and crash.  So from then on it prints nothing, and after a close that has failed mnp_exit() ends the process
 * at once.
 */
hid_t mnp__h5_open_file(const char *path, unsigned flags, hid_t access);
herr_t mnp__h5_close_file(hid_t file);

/* Existing datasets (h5_file.c). */

/* Open a file for reading with the serial driver.  MNP_ERR_IO.  Not collective. */
mnp_status mnp__h5_open(const char *path, hid_t *file_p);

/*
 * Open an object of an open file, to be released with H5Oclose().  MNP_ERR_IO; if there is none of that name, the
 * message lists datasets of the file.  Not collective.
 */
mnp_status mnp__h5_open_object(hid_t file, const mnp__h5_place *place, hid_t *object_p);

/* What rank 0 finds out about a dataset and tells all ranks. */
typedef struct mnp__h5_source {
    mnp_h5_info info;
    bool chunked;                /* stored in chunks */
    bool filtered;               /* compressed, or passed through another HDF5 filter */
    bool whole;                  /* not filtered, and the file has space for every element */
    int64_t chunk[MNP_MAX_DIMS]; /* all 1 if there are no chunks */
} mnp__h5_source;

/* Rank 0 inspects the dataset, and broadcasts what it found.  Collective. */
mnp_status mnp__h5_inspect(mnp_ctx *ctx, const mnp__h5_place *place, mnp__h5_source *source);

/*
 * Let this rank's part of what is selected of a dataset be read ahead (h5_ahead.c, io/read_ahead.h).  Collective.
 */
mnp_status mnp__h5_read_ahead(mnp_ctx *ctx, const mnp__h5_place *place, const mnp__h5_source *source,
                              const mnp__selection *selection, const mnp_layout *layout);

/*
 * Open a file on all ranks through MPI-IO, and close it.  `path` is where it lies, `name` what the user calls it.  A
 * negative number on failure, as HDF5's own.  Collective; a rank that is stopped meanwhile ends the job (comm/pulse.h).
 */
hid_t mnp__h5_open_parallel(mnp_ctx *ctx, const char *path, const char *name, unsigned flags);
herr_t mnp__h5_close_parallel(mnp_ctx *ctx, hid_t file, const char *name);

/* Moving values (h5_transfer.c). */

typedef struct mnp__h5_transfer {
    const mnp_array *array;
    const mnp__selection *selection;
    const mnp__h5_place *place;
    hid_t dataset;
    const mnp__h5_type *type;
    const int64_t *chunk;            /* NULL, or the extents of the dataset's chunks */
    bool filtered;                   /* chunks are compressed */
    bool collective;                 /* HDF5 can read or write this dataset collectively */
    const mnp__atomic_file *written; /* the file that is written; NULL: values are read */
} mnp__h5_transfer;

/* Read the array's values from the dataset, or write them to it: see io/transfer.h.  Collective. */
mnp_status mnp__h5_transfer_run(const mnp__h5_transfer *transfer);

#endif
