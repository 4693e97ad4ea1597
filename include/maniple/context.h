/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The context: a communicator, this rank's device, its streams and its caches.  Everything hangs from it.
 */
#ifndef MANIPLE_CONTEXT_H
#define MANIPLE_CONTEXT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <mpi.h>

#include <maniple/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mnp_ctx mnp_ctx;
typedef struct mnp_event mnp_event;

/*
 * Start: MPI (if the program has not started it), this rank's device, NCCL between GPUs, the kernel cache.
 *
 *   comm     the ranks that will work together; MPI_COMM_WORLD may be given before MPI_Init
 *   options  NULL, or settings that take precedence over the environment, as "device=host log=debug": the names of the
 *            table in `maniple info --settings`, in lower case and without MANIPLE_; a
 *            value that has spaces can only be set in the environment
 *   ctx_p    receives the context; end it with mnp_finalize()
 *
 * Collective over comm.  MNP_ERR_ARG for an unknown setting, or where ranks differ about MANIPLE_REPRODUCIBLE;
 * MNP_ERR_DEVICE or MNP_ERR_UNSUPPORTED if a GPU was asked for and cannot be had; MNP_ERR_COMM; MNP_ERR_TIMEOUT if
 * NCCL does not start within the deadline.
 */
MNP_API mnp_status mnp_init(MPI_Comm comm, const char *options, mnp_ctx **ctx_p);

/*
 * End it; warns of arrays and plans that are still there.  Ends MPI if mnp_init() started it, but not where a rank was
 * lost.  NULL is accepted.  Collective.
 */
MNP_API void mnp_finalize(mnp_ctx *ctx);

/* Not collective. */
MNP_API int mnp_ctx_rank(const mnp_ctx *ctx);
MNP_API int mnp_ctx_size(const mnp_ctx *ctx);
MNP_API MPI_Comm mnp_ctx_comm(const mnp_ctx *ctx);           /* Maniple's own duplicate; do not free it */
MNP_API const char *mnp_ctx_device_kind(const mnp_ctx *ctx); /* "cuda" or "host" */

/* How data travels between devices: "nccl", "mpi", "mpi, staged through the host", or "none: one rank". */
MNP_API const char *mnp_ctx_transport(const mnp_ctx *ctx);

/* Wait until everything enqueued so far is done.  MNP_ERR_DEVICE, MNP_ERR_COMM, MNP_ERR_TIMEOUT.  Not collective. */
MNP_API mnp_status mnp_ctx_synchronize(mnp_ctx *ctx);

/*
 * Turn one rank's failure into everybody's.  Every rank passes its own status; if all are MNP_OK so is the result, else
 * ranks that failed get their own status back and the others MNP_ERR_PEER.  For programs whose own steps can fail on
 * one rank alone.  Collective.
 */
MNP_API mnp_status mnp_agree(mnp_ctx *ctx, mnp_status status);

/*
 * Events mark points in the context's compute stream, for timing.  Not collective.  mnp_event_seconds() waits for the
 * second event; the time is the device's own.  MNP_ERR_DEVICE; MNP_ERR_ARG if an event was not recorded.
 */
MNP_API mnp_status mnp_event_new(mnp_ctx *ctx, mnp_event **event_p);
MNP_API mnp_status mnp_event_record(mnp_event *event);
MNP_API mnp_status mnp_event_seconds(mnp_event *first, mnp_event *second, double *seconds_p);
MNP_API void mnp_event_free(mnp_event *event);

/* What one rank runs on. */
typedef struct mnp_rank_info {
    int rank;
    int node; /* ranks with equal numbers share a host */
    char host[64];
    char device[96];                        /* model of the GPU or of the processor */
    int device_index;                       /* CUDA ordinal on that host; -1 for the host device */
    int ranks_on_device;                    /* ranks that share this GPU; 1 on the host device */
    int capability_major, capability_minor; /* CUDA compute capability; 0, 0 on the host device */
    int multiprocessors;                    /* of the GPU; on the host device the threads this rank uses */
    int64_t memory_free, memory_total;      /* bytes, of the device */
} mnp_rank_info;

/*
 * How this rank's device reaches the device of `peer`: "same", "NVLink", "PCIe", "none", "network", "unknown"
 * where this rank cannot see that GPU, or "-" on the host.
 */
typedef struct mnp_link_info {
    char name[12];
} mnp_link_info;

/*
 * Describe all ranks.  ranks has mnp_ctx_size() entries; links NULL or size * size entries, row by row: how the device
 * of the row's rank reaches that of the column's.  Collective.
 */
MNP_API mnp_status mnp_ctx_info(mnp_ctx *ctx, mnp_rank_info *ranks, mnp_link_info *links);

/* A library that Maniple was built with or found: name, version.  Entries until name is NULL.  Not collective. */
typedef struct mnp_version_info {
    const char *name;
    char version[64]; /* "not compiled in" where it is not; "not found" where it is looked for at run time */
} mnp_version_info;
MNP_API const mnp_version_info *mnp_ctx_versions(mnp_ctx *ctx);

/*
 * A setting from the environment: its name there, default, current value and meaning.  Until name is NULL.  Not
 * collective.
 */
typedef struct mnp_setting_info {
    const char *name, *value, *fallback, *help;
} mnp_setting_info;
MNP_API const mnp_setting_info *mnp_ctx_settings(mnp_ctx *ctx);

/* The kernel cache on disk as this rank sees it: folder, files, bytes.  Not collective. */
typedef struct mnp_cache_info {
    const char *path;
    int64_t files, bytes;
} mnp_cache_info;
MNP_API mnp_status mnp_ctx_cache(mnp_ctx *ctx, mnp_cache_info *info);

/* A compiled kernel in the cache. */
typedef struct mnp_cache_entry {
    char kernel[80];   /* its function, or the name of a raw module; "?" where the file cannot be read */
    char compiler[16]; /* "nvrtc" or "host" */
    char target[32];   /* what it was compiled for or by: "sm_90", "g++" */
    int64_t bytes;
    int64_t modified; /* seconds since 1970 */
} mnp_cache_entry;

/*
 * What the cache holds, by name; *entries_p is to be released with free().  Not collective.  MNP_ERR_IO,
 * MNP_ERR_MEMORY.
 */
MNP_API mnp_status mnp_ctx_cache_list(mnp_ctx *ctx, mnp_cache_entry **entries_p, int64_t *count_p);

/*
 * Remove the kernels from the cache, and what was left of interrupted compilations, but nothing else that is in the
 * folder; gives how many kernels and bytes that was.  Programs that run keep what they have loaded.  Not collective.
 * MNP_ERR_IO.
 */
MNP_API mnp_status mnp_ctx_cache_clear(mnp_ctx *ctx, int64_t *files_p, int64_t *bytes_p);

#ifdef __cplusplus
}
#endif

#endif
