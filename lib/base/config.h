/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Settings: one table has the name, environment variable, default and meaning of every setting.  `maniple info
 * --settings` and the manual page print it.
 */
#ifndef MNP__BASE_CONFIG_H
#define MNP__BASE_CONFIG_H

#include <maniple/base.h>
#include <maniple/context.h>

#include "base/log.h"

/* X(field, environment variable, default, help) */
#define MNP__SETTINGS(X)                                                                                               \
    X(device, "MANIPLE_DEVICE", "auto",                                                                                \
      "cuda, host, simulated (a GPU on the CPU, thread by thread, for tests), or auto: a GPU if there is one")         \
    X(transport, "MANIPLE_TRANSPORT", "auto",                                                                          \
      "how GPUs exchange data: nccl, mpi (staged through the host), or auto: nccl if every rank has a GPU of "         \
      "its own")                                                                                                       \
    X(node_size, "MANIPLE_NODE_SIZE", "auto",                                                                          \
      "how many ranks count as one node, 1 or more, or auto: those of a host; to test on one host what "               \
      "happens between nodes")                                                                                         \
    X(memory_limit, "MANIPLE_MEMORY_LIMIT", "",                                                                        \
      "most memory of a rank for arrays, as 4000000000, 500M, 16G, or 50% of its share of the device; empty: "         \
      "its share of what is available at the start")                                                                   \
    X(deadline, "MANIPLE_DEADLINE", "60",                                                                              \
      "seconds that a rank waits for another one to take part in an exchange, or to move at all, before the call "     \
      "fails")                                                                                                         \
    X(busy_deadline, "MANIPLE_BUSY_DEADLINE", "3600",                                                                  \
      "seconds that a rank may take for files, compilers and work of its own while others wait for it to agree")       \
    X(threads, "MANIPLE_THREADS", "auto",                                                                              \
      "threads of a rank on the host device, or auto: the cores that it may use, divided among the ranks "             \
      "that share them")                                                                                               \
    X(reproducible, "MANIPLE_REPRODUCIBLE", "0",                                                                       \
      "1: sums, means and variances have the same bits on any number of ranks, in any layout, on any device; "         \
      "0: they are faster")                                                                                            \
    X(check, "MANIPLE_CHECK", "0",                                                                                     \
      "1: in collective calls the ranks compare their arguments, and calls with other ones fail with a sentence; it "  \
      "takes an exchange a call; and the end of a context names the lines that made what was not freed")               \
    X(spread_rows, "MANIPLE_SPREAD_ROWS", "auto",                                                                      \
      "rows and columns from which on eigenvalues, and singular values, of one matrix that is cut are computed by "    \
      "all ranks together, 256 or more, or auto: 1536 and 2048 on the host, and on GPUs never")                        \
    X(matmul, "MANIPLE_MATMUL", "plain",                                                                               \
      "how float32, float64 and complex matrices are multiplied until mnp_matmul_set_precision() says: plain, tf32, "  \
      "or emulated, by products of integers of 8 bits")                                                                \
    X(fft_slabs, "MANIPLE_FFT_SLABS", "auto",                                                                          \
      "slabs in which a rank's block is transformed by FFT, each moved to other ranks while the next is transformed, " \
      "1 or more, or auto: of a megabyte on the host; on GPUs of 128 MiB and at most 8, of blocks from 256 MiB on")    \
    X(spmv, "MANIPLE_SPMV", "measure",                                                                                 \
      "how a GPU multiplies a sparse matrix in CSR with a vector: stream, rows, sell or dia, or measure: the "         \
      "fastest of these, found by trying them")                                                                        \
    X(loop, "MANIPLE_LOOP", "auto",                                                                                    \
      "how a GPU runs a solver's iterations: launch, by kernel launches in every iteration, as debuggers and "         \
      "profilers need them; or auto: as a CUDA graph, without the CPU, if possible")                                   \
    X(profile, "MANIPLE_PROFILE", "0",                                                                                 \
      "1: at the end rank 0 prints how long the calls of functions took on the CPU and the device, and what they "     \
      "moved; FILE.json: it is written there as JSON")                                                                 \
    X(trace, "MANIPLE_TRACE", "",                                                                                      \
      "FILE.json to which all ranks' calls, kernels and copies are written on one time line, for Perfetto or Chrome")  \
    X(log, "MANIPLE_LOG", "warn",                                                                                      \
      "error, warn, info or debug, and optionally the ranks that write messages, as in debug:all or "                  \
      "info:0,2; rank 0 by default")                                                                                   \
    X(cache_dir, "MANIPLE_CACHE_DIR", "auto",                                                                          \
      "folder of the compiled kernels, or auto: $XDG_CACHE_HOME/maniple or ~/.cache/maniple")                          \
    X(dump_kernels, "MANIPLE_DUMP_KERNELS", "", "folder to which the source of every kernel that is used is written")  \
    X(cxx, "MANIPLE_CXX", "auto",                                                                                      \
      "C++ compiler for the host device, or auto: the one that was found when Maniple was configured")                 \
    X(cxxflags, "MANIPLE_CXXFLAGS", "-O3 -march=native", "options for the C++ compiler")                               \
    X(nvrtc_options, "MANIPLE_NVRTC_OPTIONS", "", "more options for NVRTC, separated by spaces")                       \
    X(simulated_nvrtc, "MANIPLE_SIMULATED_NVRTC", "0",                                                                 \
      "1: what a simulated GPU runs is compiled by NVRTC too, for a GPU, and what NVRTC refuses fails")

typedef struct mnp__config {
#define MNP__SETTING_FIELD(field, variable, fallback, help) char *field;
    MNP__SETTINGS(MNP__SETTING_FIELD)
#undef MNP__SETTING_FIELD
    mnp__log logger;
    double deadline_seconds, busy_deadline_seconds;
    int node_ranks;       /* MANIPLE_NODE_SIZE; 0: all ranks of a host */
    int spread_from;      /* MANIPLE_SPREAD_ROWS; 0: auto */
    int matmul_precision; /* MANIPLE_MATMUL, a mnp_matmul_precision */
    int slabs;            /* MANIPLE_FFT_SLABS; 0: auto */
    int64_t memory_bytes; /* MANIPLE_MEMORY_LIMIT in bytes, or 0 */
    double memory_share;  /* MANIPLE_MEMORY_LIMIT as a fraction of the rank's share of the device, or 0 */
    bool is_reproducible, checks;
    mnp_setting_info *table; /* all settings, for printing; ends with a NULL name */
} mnp__config;

/*
 * Read the settings.  A value in `options` ("device=host log=debug", or NULL) takes precedence over the environment,
 * and that over the default.  MNP_ERR_ARG for an unknown name or an invalid value.
 */
mnp_status mnp__config_read(const char *options, int rank, mnp__config *config);
mnp_status mnp__config_copy(const mnp__config *from, mnp__config *to); /* MNP_ERR_MEMORY */
void mnp__config_free(mnp__config *config);

#endif
