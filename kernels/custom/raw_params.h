/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How the library launches the kernels of a raw module on the host.  The library (C) and the module (C++) share this.
 */
#ifndef MNP_KERNELS_CUSTOM_RAW_PARAMS_H
#define MNP_KERNELS_CUSTOM_RAW_PARAMS_H

typedef struct mnp_raw_call {
    unsigned grid[3], block[3];
    void *const *arguments; /* addresses of the parameters' values */
} mnp_raw_call;

/* A kernel (run is not NULL), or a variable. */
typedef struct mnp_raw_entry {
    void (*run)(const mnp_raw_call *call, long long worker, long long workers);
    int nparameters;
    const unsigned *sizes; /* bytes of each parameter */
    void *variable;
    unsigned long long variable_size;
} mnp_raw_entry;

/* Entries are named by this and the kernel's name; for name expressions by mnp_expression_0, ... */
#define MNP_RAW_ENTRY "mnp_raw_"

/* The most shared memory of a block on the host, which is the default limit on GPUs. */
#define MNP_RAW_SHARED (48 * 1024)

#endif
