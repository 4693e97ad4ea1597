/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A result that is larger than memory, written slab by slab of its first dimension into a new file, which appears when
 * it is complete: until then it is FILE.part, which a signal that ends the process removes.
 */
#ifndef APPS_STREAM_SLAB_FILE_H
#define APPS_STREAM_SLAB_FILE_H

#include <maniple.h>

#include "common/operand.h"

typedef struct slab_file {
    mnp_ctx *ctx;
    const operand *output;
    int64_t rows; /* of the whole result */
    char part[4096];
    mnp_h5_file *file;
} slab_file;

/*
 * Open FILE.part; `file` stays where it is until it is closed.  MNP_ERR_ARG if the output is not a dataset of an HDF5
 * file that does not exist yet, or FILE.part is the file of one of the inputs.  Collective.
 */
mnp_status slab_file_open(mnp_ctx *ctx, const operand *output, int64_t rows, int count, const operand *const *inputs,
                          slab_file *file);

/*
 * Write rows from `begin` on, which come to disk in the background; those from 0 on are the first, which make the
 * dataset.  Collective.
 */
mnp_status slab_file_write(slab_file *file, int64_t begin, const mnp_array *rows);

/*
 * Wait until all is on disk, close the file, and give it its name; remove it if `status` is a failure, which is
 * returned.  Collective.
 */
mnp_status slab_file_close(slab_file *file, mnp_status status);

#endif
