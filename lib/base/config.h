/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Settings: one table gives every setting's name, environment variable, default and meaning; `maniple info --settings`
 * and the manual page print it.
 */
#ifndef MNP__BASE_CONFIG_H
#define MNP__BASE_CONFIG_H

#include <maniple/base.h>
#include <maniple/context.h>

#include "base/log.h"

/* X(field, environment variable, default, help) */
#define MNP__SETTINGS(X)                                                                                               \
    X(device, "MANIPLE_DEVICE", "auto", "cuda, host, or auto: a GPU where there is one")                               \
    X(transport, "MANIPLE_TRANSPORT", "auto",                                                                          \
      "how GPUs exchange data: nccl, mpi (staged through the host), or auto: nccl where every rank has a GPU "         \
      "of its own")                                                                                                    \
    X(node_size, "MANIPLE_NODE_SIZE", "auto",                                                                          \
      "ranks that are treated as one node, 1 or more, or auto: those of a host; to try on one what happens "           \
      "between several")                                                                                               \
    X(memory_limit, "MANIPLE_MEMORY_LIMIT", "",                                                                        \
      "most memory of a rank for arrays, as 4000000000, 500M, 16G, or 50% of its share of the device; empty: "         \
      "all there is")                                                                                                  \
    X(deadline, "MANIPLE_DEADLINE", "60",                                                                              \
      "seconds that a rank waits for another in an exchange before it gives up with an error")                         \
    X(threads, "MANIPLE_THREADS", "auto",                                                                              \
      "threads of a rank on the host device, or auto: the cores it may use, shared with the ranks beside it")          \
    X(reproducible, "MANIPLE_REPRODUCIBLE", "0",                                                                       \
      "1: sums, means and variances have the same bits on any number of ranks, in any layout, on any device; "         \
      "0: they are faster")                                                                                            \
    X(spmv, "MANIPLE_SPMV", "measure",                                                                                 \
      "how a GPU multiplies a sparse matrix in CSR with a vector: measure, for what is fastest; or stream, "           \
      "rows, sell or dia")                                                                                             \
    X(loop, "MANIPLE_LOOP", "auto",                                                                                    \
      "how a GPU does a solver's iterations: launch, each by launches of its own, which tools for finding errors "     \
      "can look into; or auto: by itself, as a CUDA graph, where it can")                                              \
    X(log, "MANIPLE_LOG", "warn",                                                                                      \
      "error, warn, info or debug, and which ranks speak: debug:all, info:0,2; rank 0 by default")                     \
    X(cache_dir, "MANIPLE_CACHE_DIR", "auto",                                                                          \
      "folder of the compiled kernels, or auto: $XDG_CACHE_HOME/maniple or ~/.cache/maniple")                          \
    X(dump_kernels, "MANIPLE_DUMP_KERNELS", "", "folder that receives the source of every kernel that is used")        \
    X(cxx, "MANIPLE_CXX", "auto",                                                                                      \
      "C++ compiler of the host device, or auto: the one found when Maniple was configured")                           \
    X(cxxflags, "MANIPLE_CXXFLAGS", "-O3 -march=native", "its options")                                                \
    X(nvrtc_options, "MANIPLE_NVRTC_OPTIONS", "", "further options for NVRTC, separated by spaces")

typedef struct mnp__config {
#define MNP__SETTING_FIELD(field, variable, fallback, help) char *field;
    MNP__SETTINGS(MNP__SETTING_FIELD)
#undef MNP__SETTING_FIELD
    mnp__log logger;
    double deadline_seconds;
    int node_ranks;       /* of MANIPLE_NODE_SIZE; 0: all of a host */
    int64_t memory_bytes; /* of MANIPLE_MEMORY_LIMIT, or 0 */
    double memory_share;  /* the same as a part of the whole, or 0 */
    bool is_reproducible;
    mnp_setting_info *table; /* the same, for printing; ends with a NULL name */
} mnp__config;

/*
 * Read the settings: `options` ("device=host log=debug", or NULL) before the environment before the defaults.
 * MNP_ERR_ARG for an unknown name or a value that makes no sense.
 */
mnp_status mnp__config_read(const char *options, int rank, mnp__config *config);
void mnp__config_free(mnp__config *config);

#endif
