/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How the library launches the kernels of a raw module on the host.  The library (C) and the module (C++) share this.
 */
#ifndef MNP_KERNELS_CUSTOM_RAW_PARAMS_H
#define MNP_KERNELS_CUSTOM_RAW_PARAMS_H

typedef struct mnp_raw_call {
    unsigned grid[3], block[3];
    void *const *arguments;        /* addresses of the parameters' values */
    struct mnp_raw_block **blocks; /* where the threads of a kernel meet: for each worker, what they share */
} mnp_raw_call;

/* The threads of a warp. */
#define MNP_RAW_LANES 32

/* A block whose threads meet; the library provides the functions (lib/device/host/fibers.h). */
typedef struct mnp_raw_block {
    /* Call a function for each thread of a block, so that it may wait for the others. */
    void (*run)(struct mnp_raw_block *block, unsigned threads,
                void (*function)(const mnp_raw_call *call, unsigned thread), const mnp_raw_call *call);
    /* Wait for those threads of the warp that are bits of `lanes`; for all threads of the block if it is 0. */
    void (*meet)(struct mnp_raw_block *block, unsigned lanes);
    unsigned thread; /* the number of the thread that runs */
    /* Threads add to the first; when all of the block have met, the second has their sum, until they meet again. */
    int arriving, arrived;
    /*
     * Each thread of the warp sets its own; when they have met, the second has what all have set; 0 of those that
     * ended.
     */
    unsigned long long given[MNP_RAW_LANES], seen[MNP_RAW_LANES];
} mnp_raw_block;

/* A kernel (run is not NULL), or a variable. */
typedef struct mnp_raw_entry {
    void (*run)(const mnp_raw_call *call, long long worker, long long workers);
    int meets; /* whether the threads of a block may wait for each other */
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
