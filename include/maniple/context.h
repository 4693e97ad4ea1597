/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The context: a communicator, this rank's device, its streams and its caches.  Every array, plan and kernel belongs to
 * one.
 */
#ifndef MANIPLE_CONTEXT_H
#define MANIPLE_CONTEXT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <maniple/base.h> /* before mpi.h, for C++ */

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mnp_ctx mnp_ctx;
typedef struct mnp_event mnp_event;

/*
 * Create a context: it starts MPI if the program has not, opens this rank's device, connects GPUs through NCCL, and
 * opens the kernel cache.
 *
 *   comm     the ranks that will work together; MPI_COMM_WORLD may be given before MPI_Init()
 *   options  NULL, or settings that take precedence over the environment, such as "device=host log=debug"; their names
 *            are those that `maniple info --settings` lists, in lower case and without MANIPLE_.  A value that contains
 *            spaces can only be set in the environment
 *   ctx_p    receives the context; end it with mnp_finalize()
 *
 * Collective over comm.  MNP_ERR_ARG for an unknown setting, if ranks have different values of MANIPLE_REPRODUCIBLE or
 * MANIPLE_CHECK, or if some have MANIPLE_PROFILE or MANIPLE_TRACE and others not; MNP_ERR_DEVICE or MNP_ERR_UNSUPPORTED
 * if a GPU is requested and cannot be used; MNP_ERR_COMM; MNP_ERR_TIMEOUT if NCCL does not start within the deadline;
 * MNP_ERR_IO if the file of MANIPLE_TRACE cannot be written.
 */
MNP_API mnp_status mnp_init(MPI_Comm comm, const char *options, mnp_ctx **ctx_p);

/*
 * mnp_init() with a communicator of Fortran, as the module `maniple` of Fortran calls it: an integer of `use mpi`, or
 * the MPI_VAL of one of `use mpi_f08`.  comm NULL: MPI_COMM_WORLD, which is also the only one before MPI_Init().
 * Collective.
 */
MNP_API mnp_status mnp_init_fint(const MPI_Fint *comm, const char *options, mnp_ctx **ctx_p);

/*
 * Free a context, and warn of arrays, plans and other objects that have not been freed; in checking mode
 * (MANIPLE_CHECK=1) with the lines of the program that made them.  Finalizes MPI if mnp_init() started it, unless a
 * rank was lost.  NULL is accepted.  Collective.
 */
MNP_API void mnp_finalize(mnp_ctx *ctx);

/*
 * A context in which calls are rehearsed: their kernels are compiled, in the background and side by side, and nothing
 * is computed.  A program that is started for the first time, or with a new kind of data, otherwise compiles one kernel
 * after the other, each when a call needs it.
 *
 *   mnp_rehearsal_new(ctx, &rehearsal);
 *   mnp_zeros(rehearsal, ..., &x);             small arrays, of the dtypes and numbers of dimensions that are to come
 *   mnp_sum(x, ..., &y);                       what will be called; failures do not matter
 *   mnp_free_all(x, y);
 *   mnp_finalize(rehearsal);                   the kernels are still being compiled
 *   mnp_h5_read(ctx, ...);                     meanwhile
 *   mnp_sum(...);                              waits only for a kernel that is not ready yet
 *
 * As many kernels are compiled at a time as this rank has cores (MANIPLE_THREADS).  Ranks of a host that rehearse the
 * same calls share the work, through the kernel cache.  Kernels that are in the cache already are not compiled again.
 * A kernel that does not compile is reported by the call that needs it, as without a rehearsal.  mnp_finalize(ctx)
 * stops compilations that are still under way.
 *
 * The context of a rehearsal has this rank alone, and at most 256 MiB of the CPU's memory.  The contents of its arrays
 * are undefined where a kernel would have written; calls that look at values see zeros.  So kernels that are needed
 * only for certain values may be missed, and kernels that join the parts of several ranks are missed.  Not collective:
 * a rank may rehearse what it likes.  End the rehearsal by mnp_finalize() before ctx.  MNP_ERR_MEMORY, MNP_ERR_COMM.
 */
MNP_API mnp_status mnp_rehearsal_new(mnp_ctx *ctx, mnp_ctx **rehearsal_p);

/*
 * Return when all kernels that rehearsals of ctx have asked for are compiled and in the cache, for a program that fills
 * the cache for others; mnp_ctx_set_progress() tells how far it is.  MNP_ERR_ARG, or at once MNP_ERR_IO where the cache
 * cannot be written, or MNP_ERR_COMPILE with the compiler's words where a kernel does not compile, when all others are
 * there.  Not collective.
 */
MNP_API mnp_status mnp_rehearsal_wait(mnp_ctx *ctx);

/* This rank's number, the number of ranks, and their communicator.  Not collective. */
MNP_API int mnp_ctx_rank(const mnp_ctx *ctx);
MNP_API int mnp_ctx_size(const mnp_ctx *ctx);
MNP_API MPI_Comm mnp_ctx_comm(const mnp_ctx *ctx);           /* Maniple's own duplicate; do not free it */
MNP_API MPI_Fint mnp_ctx_comm_fint(const mnp_ctx *ctx);      /* the same for Fortran */
MNP_API const char *mnp_ctx_device_kind(const mnp_ctx *ctx); /* "cuda", "host" or "simulated" */
MNP_API int mnp_ctx_device_index(const mnp_ctx *ctx);        /* CUDA ordinal of the GPU; -1 on the host device */

/*
 * How messages travel between devices: "nccl", "mpi", "mpi, staged through the host", or "none: one rank".  Not
 * collective.
 */
MNP_API const char *mnp_ctx_transport(const mnp_ctx *ctx);

/*
 * Wait until all work that has been enqueued so far is done.  MNP_ERR_DEVICE, MNP_ERR_COMM, MNP_ERR_TIMEOUT.  Not
 * collective.
 */
MNP_API mnp_status mnp_ctx_synchronize(mnp_ctx *ctx);

/*
 * Watch the program's own MPI calls that wait for other ranks, such as MPI_Allreduce(): call begin before them and end
 * after them.  Without this, a program whose rank is lost would wait for ever.  Between the two the job ends if a rank
 * of this host is stopped for longer than MANIPLE_DEADLINE, or if the wait lasts longer than MANIPLE_BUSY_DEADLINE.
 * `doing` is for the message, as in "summing the weights".  Not collective.
 */
MNP_API void mnp_mpi_begin(mnp_ctx *ctx, const char *doing);
MNP_API void mnp_mpi_end(mnp_ctx *ctx);

/*
 * Set a function that is told the progress of long calls.  It is called from time to time, on the thread that made the
 * call, with the fraction that is done, from 0 to 1.  Calls that read or write files report their progress; on the host
 * device, where calls compute before they return, convolutions, random numbers and element-wise functions do so too.  A
 * call may have several such parts, each from 0 to 1.  The function must not call Maniple.  NULL, as at first: no
 * function.  Not collective.
 */
typedef void (*mnp_progress)(void *argument, double done);
MNP_API void mnp_ctx_set_progress(mnp_ctx *ctx, mnp_progress function, void *argument);

/*
 * Make all ranks fail if one of them has failed.  Every rank passes its own status.  If all pass MNP_OK, the result is
 * MNP_OK; otherwise ranks that passed a failure get their own status back, and the others MNP_ERR_PEER.  For programs
 * with steps of their own that can fail on one rank alone.  Collective.
 */
MNP_API mnp_status mnp_agree(mnp_ctx *ctx, mnp_status status);

/*
 * Events mark points in the context's compute stream, for timing.  mnp_event_seconds() waits for the second event, and
 * gives the time between the two on the device's own clock.  MNP_ERR_DEVICE; MNP_ERR_ARG if an event was not recorded.
 * Not collective.
 */
MNP_API mnp_status mnp_event_new(mnp_ctx *ctx, mnp_event **event_p);
MNP_API mnp_status mnp_event_record(mnp_event *event);
MNP_API mnp_status mnp_event_seconds(mnp_event *first, mnp_event *second, double *seconds_p);
MNP_API void mnp_event_free(mnp_event *event);

/* The host and the device of one rank. */
typedef struct mnp_rank_info {
    int rank;
    int node; /* ranks on the same host have the same number */
    char host[64];
    char device[96];                        /* model of the GPU or of the processor */
    int device_index;                       /* CUDA ordinal on that host; -1 for the host device */
    int ranks_on_device;                    /* ranks that share this GPU; 1 on the host device */
    int capability_major, capability_minor; /* CUDA compute capability; 0, 0 on the host device */
    int multiprocessors;                    /* of the GPU; on the host device the number of this rank's threads */
    int64_t memory_free, memory_total;      /* bytes of the device's memory */
} mnp_rank_info;

/*
 * How one rank's device reaches another rank's: "same", "NVLink", "PCIe", "none", "network"; "unknown" if the rank
 * cannot see the other GPU; "-" on the host device.
 */
typedef struct mnp_link_info {
    char name[12];
} mnp_link_info;

/*
 * Describe all ranks.  `ranks` has room for mnp_ctx_size() entries.  `links` is NULL, or has room for size * size
 * entries: number i * size + j tells how the device of rank i reaches that of rank j.  Collective.
 */
MNP_API mnp_status mnp_ctx_info(mnp_ctx *ctx, mnp_rank_info *ranks, mnp_link_info *links);

/*
 * The libraries that Maniple was built with or has found.  The list ends with an entry whose name is NULL.  Not
 * collective.
 */
typedef struct mnp_version_info {
    const char *name;
    char version[64]; /* or "not compiled in"; or "not found", for a library that is loaded at run time */
} mnp_version_info;
MNP_API const mnp_version_info *mnp_ctx_versions(mnp_ctx *ctx);

/*
 * The settings: the name of each in the environment, its default, current value and meaning.  The list ends with an
 * entry whose name is NULL.  Not collective.
 */
typedef struct mnp_setting_info {
    const char *name, *value, *fallback, *help;
} mnp_setting_info;
MNP_API const mnp_setting_info *mnp_ctx_settings(mnp_ctx *ctx);

/*
 * How long this rank has spent on kernels since mnp_init(), in seconds of the CPU's clock: compiling them, waiting for
 * another process that compiles the same one, reading the cache, and loading.  Kernels are compiled by the calls that
 * first need them; the difference of two values is what to leave out of a measured time.  Not collective.
 */
MNP_API double mnp_ctx_compile_seconds(const mnp_ctx *ctx);

/*
 * The kernel cache on disk as this rank sees it: its folder, and the number of its files and of their bytes.  Those
 * that this process has compiled are counted apart; what other processes add at the same time is not among them.  Not
 * collective.
 */
typedef struct mnp_cache_info {
    const char *path;
    int64_t files, bytes;
    int64_t added_files, added_bytes;
} mnp_cache_info;
MNP_API mnp_status mnp_ctx_cache(mnp_ctx *ctx, mnp_cache_info *info);

/* A compiled kernel in the cache. */
typedef struct mnp_cache_entry {
    char kernel[80];   /* its function, or the name of a raw module; "?" if the file cannot be read */
    char compiler[16]; /* "nvrtc" or "host" */
    char target[32];   /* the GPU architecture, "sm_90", or the host's compiler, "g++" */
    int64_t bytes;
    int64_t modified; /* seconds since 1970 */
} mnp_cache_entry;

/*
 * List the kernels in the cache, sorted by name; the caller releases *entries_p with free().  MNP_ERR_IO,
 * MNP_ERR_MEMORY.  Not collective.
 */
MNP_API mnp_status mnp_ctx_cache_list(mnp_ctx *ctx, mnp_cache_entry **entries_p, int64_t *count_p);

/*
 * Remove the kernels from the cache, the files of interrupted compilations, and what was measured of transforms, but
 * nothing else in the folder.  *files_p receives how many kernels that were, and *bytes_p all bytes.  Running programs
 * keep the kernels that they have loaded.  MNP_ERR_IO.  Not collective.
 */
MNP_API mnp_status mnp_ctx_cache_clear(mnp_ctx *ctx, int64_t *files_p, int64_t *bytes_p);

#ifdef __cplusplus
}
#endif

#endif
