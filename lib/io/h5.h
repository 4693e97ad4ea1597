/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the files of HDF5 input and output share.
 *
 * HDF5's own calls give -1 on failure; mnp__h5_reason() then tells why in its words.  The public functions switch off
 * HDF5's printing of errors while they run.
 */
#ifndef MNP__IO_H5_H
#define MNP__IO_H5_H

#include <stdbool.h>
#include <stdint.h>

#include <hdf5.h>

#include <maniple/h5.h>

#include "array/array.h"
#include "io/aside.h"

/* Errors (h5_error.c). */

typedef struct mnp__h5_printing {
    H5E_auto2_t function;
    void *data;
} mnp__h5_printing;

void mnp__h5_printing_off(mnp__h5_printing *saved);
void mnp__h5_printing_restore(const mnp__h5_printing *saved);

/* Why the last HDF5 call failed, in the words of the innermost function.  Valid until the next call. */
const char *mnp__h5_reason(void);

/* An MNP_ERR_IO after H5Fopen() of that file has failed. */
mnp_status mnp__h5_fail_open(const char *file);

/* A dataset's place (h5_file.c). */

typedef struct mnp__h5_place {
    char *file;    /* may differ from what the user called it: a temporary */
    char *dataset; /* from the root: "/a/b" */
    char *text;    /* "'/a/b' in 'x.h5'", for sentences */
} mnp__h5_place;

/* MNP_ERR_ARG if `file` or `dataset` is missing or names nothing. */
mnp_status mnp__h5_place_new(const char *file, const char *dataset, mnp__h5_place *place);
void mnp__h5_place_free(mnp__h5_place *place);

/* Which object it is that names and links lead to (h5_file.c). */
typedef struct mnp__h5_identity {
    unsigned long file; /* a number of the file's, as long as it is open */
    unsigned char object[16];
} mnp__h5_identity;

/* False if it cannot be told. */
bool mnp__h5_identify(hid_t object, mnp__h5_identity *identity);

/* Element types (h5_type.c). */

typedef struct mnp__h5_type {
    mnp_dtype dtype;
    hid_t stored;   /* elements in the file; what H5Dread() is asked for: it can be collective if it converts nothing */
    hid_t from, to; /* numbers in the file and in memory; an element is one, or two if it is complex */
} mnp__h5_type;

/* Understand the type of a dataset's elements.  MNP_ERR_UNSUPPORTED, beginning with `what`, if they are no numbers. */
mnp_status mnp__h5_type_open(hid_t dataset, const char *what, mnp__h5_type *type);
void mnp__h5_type_close(mnp__h5_type *type);

/* Turn `count` elements as they are in the file into elements of type->dtype, in place. */
mnp_status mnp__h5_type_convert(const mnp__h5_type *type, int64_t count, void *data);

/* The type that elements of `dtype` get in a file, the same as h5py's; release it with H5Tclose(). */
hid_t mnp__h5_type_new(mnp_dtype dtype);

/* Datasets that are there (h5_file.c). */

/* Open a file for reading with the serial driver.  MNP_ERR_IO.  Not collective. */
mnp_status mnp__h5_open(const char *path, hid_t *file_p);

/* What rank 0 finds out about a dataset, for all ranks. */
typedef struct mnp__h5_source {
    mnp_h5_info info;
    bool filtered;               /* compressed or otherwise changed on its way to the disk */
    bool whole;                  /* not filtered, and the file has a place for every element */
    int64_t chunk[MNP_MAX_DIMS]; /* all 1 if there are no chunks */
} mnp__h5_source;

/* Rank 0 looks, all ranks learn what it found.  Collective. */
mnp_status mnp__h5_look(mnp_ctx *ctx, const mnp__h5_place *place, mnp__h5_source *source);

/* A property list for opening a file on all ranks through MPI-IO; -1 on failure. */
hid_t mnp__h5_parallel(mnp_ctx *ctx);

/* Moving values (h5_transfer.c). */

typedef struct mnp__h5_transfer {
    const mnp_array *array;
    const mnp__h5_place *place;
    hid_t dataset;
    const mnp__h5_type *type;
    const int64_t *chunk;      /* NULL, or the chunks that a rank's slabs should not cut */
    bool collective;           /* HDF5 can read or write this dataset collectively */
    const mnp__aside *written; /* the file that is written, or NULL */
    const int64_t *origin;     /* NULL, or the index in the dataset of the array's first element */
} mnp__h5_transfer;

/*
 * Read the array's values from the dataset, or write them to it; all ranks make the same number of calls of HDF5.
 * Where a layout has replicas all of them read, the lowest writes.  Collective.
 */
mnp_status mnp__h5_transfer_read(const mnp__h5_transfer *transfer);
mnp_status mnp__h5_transfer_write(const mnp__h5_transfer *transfer);

#endif
