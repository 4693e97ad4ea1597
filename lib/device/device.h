/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The device: one table of operations, two implementations, host and cuda.  Nothing above this header knows which.
 *
 * Copies, fills and launches are enqueued on a stream and return; buffers must live until they are done.  On the host
 * device streams are served at once: every call has finished when it returns.  No operation here communicates.
 */
#ifndef MNP__DEVICE_H
#define MNP__DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <maniple/context.h>
#include <maniple/memory.h>

#include "base/config.h"
#include "jit/jit.h"

typedef struct mnp__device mnp__device;
typedef struct mnp__stream mnp__stream;
typedef struct mnp__device_event mnp__device_event;
typedef struct mnp__device_graph mnp__device_graph;
typedef struct mnp__kernel mnp__kernel;
typedef struct mnp__module mnp__module; /* the code of a raw module */

/*
 * Where and how wide a kernel runs.  The host device uses its threads, but no more of them than grid[0].  A kernel that
 * itself waits for the one before it in the stream may be launched early, which saves most of what lies between two.
 */
typedef struct mnp__launch {
    unsigned grid[3], block[3];
    bool early;
} mnp__launch;

enum { MNP__MAX_PARAMETERS = 128 };

/* A function of a raw module, which is the module's: what it takes and what limits its launches. */
typedef struct mnp__function {
    int nparameters;                                      /* -1 where the driver is too old to tell */
    size_t parameter_sizes[MNP__MAX_PARAMETERS];          /* bytes */
    int max_threads, registers;                           /* of a block; of a thread */
    size_t shared_bytes, max_dynamic_shared, local_bytes; /* static, of a block; what a launch may add; of a thread */
    unsigned max_grid[3], max_block[3];                   /* of the device */
} mnp__function;

typedef struct mnp__device_ops {
    const char *kind; /* "cuda" or "host" */
    void (*close)(mnp__device *device);
    /* Fill in the fields of a mnp_rank_info that describe the device (not rank, node, host, ranks_on_device). */
    mnp_status (*info)(mnp__device *device, mnp_rank_info *info);
    /* A number that is this device's alone, the same for every process that uses it; 0 for the host device. */
    mnp_status (*identity)(mnp__device *device, uint64_t *identity_p);
    /* How this device reaches the one with that identity on the same host; see mnp_link_info. */
    mnp_status (*link)(mnp__device *device, uint64_t identity, mnp_link_info *link);

    /*
     * Device memory, aligned to 256 bytes, from a pool that keeps what is freed; size 0 gives NULL.  Where the device
     * has a `memory_stream`, memory may be used by that stream at once, and by others after they were made to wait for
     * it; what is freed may still be used by work that the stream holds.  Pinned memory is the CPU's, quick to copy
     * from and to.
     */
    mnp_status (*alloc)(mnp__device *device, size_t size, void **pointer_p);
    void (*free)(mnp__device *device, void *pointer);
    mnp_status (*alloc_pinned)(mnp__device *device, size_t size, void **pointer_p);
    void (*free_pinned)(mnp__device *device, void *pointer);

    /* Figures of that memory: pool is MNP_MEMORY_SCRATCH or MNP_MEMORY_PINNED; as in <maniple/memory.h>. */
    mnp_status (*memory_info)(mnp__device *device, mnp_memory_pool pool, mnp_memory_pool_info *info);
    mnp_status (*memory_trim)(mnp__device *device, mnp_memory_pool pool);
    void (*memory_limit)(mnp__device *device, mnp_memory_pool pool, size_t bytes);

    /*
     * Memory that the processes of one host can map, in multiples of the granularity, which is 0 where the device has
     * no such memory.  reserve: address space without memory.  new: memory at a place of the reserved space, for which
     * the pool gives up what it keeps if it must, and a file descriptor of it, to be closed (fd_p NULL: for this
     * process alone).  map: another process's memory at a place, by its descriptor.  It lives as long as it is mapped
     * anywhere or a descriptor is open.  unmap: the space is reserved as before; it waits for what may still use the
     * memory.
     */
    size_t (*share_granularity)(mnp__device *device);
    mnp_status (*share_reserve)(mnp__device *device, size_t size, void **address_p);
    void (*share_unreserve)(mnp__device *device, void *address, size_t size);
    mnp_status (*share_new)(mnp__device *device, void *address, size_t size, int *fd_p);
    mnp_status (*share_map)(mnp__device *device, void *address, size_t size, int fd);
    void (*share_unmap)(mnp__device *device, void *address, size_t size);

    /* An urgent stream's work is begun before other work that waits for the device. */
    mnp_status (*stream_new)(mnp__device *device, bool urgent, mnp__stream **stream_p);
    void (*stream_free)(mnp__device *device, mnp__stream *stream);
    mnp_status (*event_new)(mnp__device *device, mnp__device_event **event_p);
    void (*event_free)(mnp__device *device, mnp__device_event *event);
    mnp_status (*event_record)(mnp__device *device, mnp__device_event *event, mnp__stream *stream);
    mnp_status (*event_query)(mnp__device *device, mnp__device_event *event, bool *done_p);
    mnp_status (*event_seconds)(mnp__device *device, mnp__device_event *first, mnp__device_event *second,
                                double *seconds_p); /* both must be done */
    mnp_status (*stream_wait)(mnp__device *device, mnp__stream *stream, mnp__device_event *event);

    /* Copy between any two of device, pinned and ordinary host memory; set bytes. */
    mnp_status (*copy)(mnp__device *device, void *dst, const void *src, size_t size, mnp__stream *stream);
    mnp_status (*fill)(mnp__device *device, void *dst, int byte, size_t size, mnp__stream *stream);

    /* Compile (or fetch from the cache) and load.  A kernel takes one parameter: a struct, given as bytes. */
    mnp_status (*kernel_load)(mnp__device *device, const mnp__kernel_spec *spec, mnp__kernel **kernel_p);
    void (*kernel_free)(mnp__device *device, mnp__kernel *kernel);
    mnp_status (*launch)(mnp__device *device, mnp__kernel *kernel, const mnp__launch *launch, const void *params,
                         size_t params_size, mnp__stream *stream);

    /*
     * Raw modules: compile (or fetch) and load one; find its functions, by a name expression or else by the name of the
     * code, and its variables, with their sizes.  MNP_ERR_ARG if there is none of that name.
     */
    mnp_status (*module_load)(mnp__device *device, const mnp__kernel_spec *spec, mnp__module **module_p);
    void (*module_free)(mnp__device *device, mnp__module *module);
    mnp_status (*module_function)(mnp__device *device, mnp__module *module, const char *name,
                                  mnp__function **function_p);
    mnp_status (*module_variable)(mnp__device *device, mnp__module *module, const char *name, void **pointer_p,
                                  size_t *size_p);
    /*
     * Launch with the addresses of the arguments' values, which are read at once.  The caller has checked the limits.
     */
    mnp_status (*function_launch)(mnp__device *device, mnp__function *function, const mnp__launch *launch,
                                  size_t shared_bytes, void *const *arguments, mnp__stream *stream);

    /*
     * Graphs; a device without them has NULL in all these slots.  begin: what is enqueued on the stream, and on others
     * that are made to wait for it, is recorded and not done, until end; graph_p NULL: it is dropped.  The recording
     * is over also where end fails.  free: what is running goes on.
     *
     * begin_loop: what is recorded is the body of a loop, which the graph is: it goes round until a kernel of the body
     * has ended it by the condition (kernels/sparse/step/device_loop_cuda.h), once at least.  A body holds kernels, fills and copies.  Only of
     * a device that has_loops.
     */
    mnp_status (*graph_begin)(mnp__device *device, mnp__stream *stream);
    mnp_status (*graph_begin_loop)(mnp__device *device, mnp__stream *stream, uint64_t *condition_p);
    mnp_status (*graph_end)(mnp__device *device, mnp__stream *stream, mnp__device_graph **graph_p);
    mnp_status (*graph_launch)(mnp__device *device, mnp__device_graph *graph, mnp__stream *stream);
    void (*graph_free)(mnp__device *device, mnp__device_graph *graph);
} mnp__device_ops;

/* An implementation's own struct begins with this. */
struct mnp__device {
    const mnp__device_ops *ops;
    const mnp__config *config;
    /* in whose order memory is allocated and freed; NULL: at once, waiting for the device */
    mnp__stream *memory_stream;
    bool cpu_memory; /* its memory is the CPU's, which may read and write it */
    /* such memory is not used again when freed: MPI may still write there for a rank that is lost */
    bool retains;
    bool has_loops;      /* graphs can be loops */
    bool recording;      /* a graph */
    const char *refused; /* what the graph that is being recorded was refused; NULL: nothing */
    size_t block_memory; /* bytes that the threads of a block can share; 0 where there are no blocks: the host */
};

/*
 * For what cannot be part of a graph, to be called before it is done; `doing` says what, "allocating memory".
 * MNP_ERR_ARG while one is recorded, which is lost thereby; else MNP_OK.
 */
mnp_status mnp__refuse_recording(mnp__device *device, const char *doing);

/* The device of a rank that is number node_rank of node_size on its host: by MANIPLE_DEVICE and what is there. */
mnp_status mnp__device_open(const mnp__config *config, int node_rank, int node_size, mnp__device **device_p);

/* The implementations.  Where CUDA is not compiled in, or no driver or GPU is there, cuda gives MNP_ERR_UNSUPPORTED. */
mnp_status mnp__host_device_open(const mnp__config *config, int node_size, mnp__device **device_p);
mnp_status mnp__cuda_device_open(const mnp__config *config, int node_rank, mnp__device **device_p);

/* Append what is known of libraries: entries of name and version; `room` is how many fit, gives how many were added. */
int mnp__cuda_versions(mnp_version_info *versions, int room);
int mnp__host_versions(const mnp__config *config, mnp_version_info *versions, int room);

/*
 * The eigenvalues w (rising) of a small Hermitian matrix of n >= 1 rows, double or double _Complex, in Fortran's order
 * with its upper triangle there; the eigenvectors replace it, as columns.  By LAPACK, on this CPU alone.  need:
 * MNP_ERR_UNSUPPORTED, naming that function, where this machine has no LAPACK.  MNP_ERR_MEMORY.
 */
mnp_status mnp__host_eigh(int n, bool is_complex, void *a, double *w);
mnp_status mnp__host_need_lapack(const char *function);

#endif
