/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a file that is open for growing is: its name.  Every call opens and closes it, so that others can read it
 * meanwhile; only where values may come to disk later it stays open.
 */
#ifndef MNP__IO_H5_HANDLE_H
#define MNP__IO_H5_HANDLE_H

#include <maniple/h5_file.h>

#include "context/context.h"
#include "io/plain_file.h"

struct mnp_h5_file {
    unsigned tag; /* MNP__TAG_h5_file: see base/call.h */
    mnp_ctx *ctx;
    char *name;
    bool writable;
    bool later; /* values need not come to disk before mnp_h5_file_set_sync() says so */
    /* open for values while they come later, so that errors of writing them in the background are not lost */
    mnp__plain_file values;
};

#endif
