/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a file that is open for growing is: its name.  Every call opens and closes it, so that others can read it
 * meanwhile.
 */
#ifndef MNP__IO_H5_HANDLE_H
#define MNP__IO_H5_HANDLE_H

#include <maniple/h5_file.h>

#include "context/context.h"

struct mnp_h5_file {
    unsigned tag; /* MNP__TAG_h5_file: see base/call.h */
    mnp_ctx *ctx;
    char *name;
    bool writable;
};

#endif
