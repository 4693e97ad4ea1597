/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where the values of a box of a dataset lie in the file, so that ranks can write them without HDF5.
 */
#ifndef MNP__IO_H5_RAW_H
#define MNP__IO_H5_RAW_H

#include "io/hdf5/h5_session.h"
#include "io/transfer.h"

typedef struct mnp__h5_raw {
    int ndim;
    size_t item; /* bytes of an element */
    bool chunked;
    int64_t shape[MNP_MAX_DIMS]; /* of the dataset */
    int64_t offset;              /* of the first element, if it is not chunked */
    int64_t chunk[MNP_MAX_DIMS];
    int64_t first[MNP_MAX_DIMS], grid[MNP_MAX_DIMS]; /* the chunks that the box touches: the first, and how many */
    int64_t count;                                   /* of these chunks */
    int64_t *places;                                 /* their offsets in the file, in C order; NULL if count is 0 */
} mnp__h5_raw;

/*
 * Find the places of the box [start, start + extent) of an open dataset, and allocate those that do not exist.  Where
 * the dataset has elements in such a place that are not in the box, they get the dataset's fill value; this writes
 * to the file, beyond its end, and so waits for mnp__h5_raw_fill().  MNP_ERR_UNSUPPORTED if values of this dataset are
 * compressed or lie elsewhere, MNP_ERR_IO, MNP_ERR_MEMORY.  Rank 0, in a session.
 */
typedef struct mnp__h5_fills {
    int64_t count, capacity;
    struct mnp__h5_fill {
        int64_t offset, bytes;
    } * list;
    unsigned char value[16]; /* an element, as it is stored */
} mnp__h5_fills;

mnp_status mnp__h5_raw_find(const mnp__h5_session *session, hid_t dataset, const char *what, const int64_t *start,
                            const int64_t *extent, mnp__h5_raw *raw, mnp__h5_fills *fills);

/* Write the fill values; after mnp__h5_session_prepare().  Rank 0. */
mnp_status mnp__h5_raw_fill(const mnp__h5_session *session, const mnp__h5_raw *raw, const mnp__h5_fills *fills);

/* Tell all ranks what rank 0 has found.  Collective. */
mnp_status mnp__h5_raw_share(mnp_ctx *ctx, mnp__h5_raw *raw);

void mnp__h5_raw_free(mnp__h5_raw *raw);

/*
 * Write an array, dense in C order, to the box where `selection` says; each rank its block.  Collective.
 */
mnp_status mnp__h5_raw_write(const mnp_array *array, const mnp__selection *selection, const mnp__h5_raw *raw,
                             const mnp__plain_file *file);

#endif
