/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The device: one table of operations with two implementations, host and cuda, and a third, which is made of both for
 * tests (host/simulated.c).  No layer above this header asks which
 * one it has; where a choice depends on the hardware, it asks for a property in struct mnp__device.
 *
 * Copies, fills and launches are asynchronous: they are enqueued on a stream and return, and their buffers must live
 * until they are done.  On the host device they are synchronous: the work is done when the call returns.  No operation
 * here communicates.
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
typedef struct mnp__device_fft mnp__device_fft;
typedef struct mnp__lapack_ops mnp__lapack_ops;
typedef struct mnp__kernel mnp__kernel;
typedef struct mnp__module mnp__module; /* the code of a raw module */

/*
 * The numbers of blocks and threads of a launch.  The host device uses its threads, at most grid[0] of them.  `early`:
 * the kernel may start before the kernel ahead of it in the stream has ended (programmatic dependent launch), which
 * saves most of the gap between the two.  Only for kernels that wait for the earlier one themselves.  `divisible`: the
 * results do not depend on the number of workers; the host device may then take more workers than it has threads, at
 * most grid[0], and tells how many have ended (mnp_ctx_set_progress()).
 */
typedef struct mnp__launch {
    unsigned grid[3], block[3];
    bool early, divisible;
} mnp__launch;

/* Rows of so many bytes, each at the same distance in bytes from the one before. */
typedef struct mnp__row_copy {
    size_t count, bytes, src_step, dst_step;
} mnp__row_copy;

enum { MNP__MAX_PARAMETERS = 128 };

/* A function of a raw module: its parameters, and the limits of its launches.  The module owns it. */
typedef struct mnp__function {
    int nparameters;                                      /* -1 if the driver is too old to tell */
    size_t parameter_sizes[MNP__MAX_PARAMETERS];          /* bytes */
    int max_threads, registers;                           /* of a block; of a thread */
    size_t shared_bytes, max_dynamic_shared, local_bytes; /* static, of a block; dynamic at most; of a thread */
    unsigned max_grid[3], max_block[3];                   /* limits of the device */
} mnp__function;

/*
 * A Fourier transform of memory of this rank: along one to three dimensions, and again for every index of the batch
 * dimensions, in any order and with any strides, in elements of the input and of the output.
 *
 *   forward   y[k] = scale * sum over j of x[j] * exp(-2 pi i j k / n)
 *   inverse   the same with +
 *
 * A real transform is real along its last dimension, where n elements have n / 2 + 1 complex ones; its extent is n.  To
 * real numbers, no notice is taken of imaginary parts that a spectrum cannot have along the last dimension, once it has
 * been transformed along the others.  The input is left as it is unless the output is there.
 */
typedef enum mnp__fft_kind { MNP__FFT_COMPLEX, MNP__FFT_FROM_REAL, MNP__FFT_TO_REAL } mnp__fft_kind;

typedef struct mnp__fft_dim {
    int64_t extent, in, out; /* strides */
} mnp__fft_dim;

enum { MNP__FFT_RANK = 3 };

typedef struct mnp__fft_spec {
    mnp__fft_kind kind;
    bool is_double, inverse; /* real transforms know their direction: from real is forward */
    bool in_place;           /* input and output are the same memory, with the same strides */
    /*
     * Along one dimension of complex numbers: transform, multiply by the spectrum of a filter, and transform back
     * without scaling, in place; fft_execute() has the filter as its output, whose strides are those of the output.
     */
    bool filters;
    int rank, nbatch;
    mnp__fft_dim dims[MNP__FFT_RANK], batch[MNP_MAX_DIMS]; /* none of extent 0 */
    double scale;
    double seconds; /* to find the fastest way by trying, at most so long; 0: by estimating */
} mnp__fft_spec;

typedef struct mnp__device_ops {
    const char *kind;                 /* "cuda", "host" or "simulated" */
    const struct mnp__blas_ops *blas; /* products of matrices: device/blas.h */
    void (*close)(mnp__device *device);
    /* The compiler of its kernels, which belongs to the device. */
    mnp_status (*compiler)(mnp__device *device, mnp__compiler **compiler_p);
    /* Fill in the fields of a mnp_rank_info that describe the device (not rank, node, host, ranks_on_device). */
    mnp_status (*info)(mnp__device *device, mnp_rank_info *info);
    /* A number that identifies this device in all processes that use it; 0 for the host device. */
    mnp_status (*identity)(mnp__device *device, uint64_t *identity_p);
    /* How this device reaches the device with that identity on the same host; see mnp_link_info. */
    mnp_status (*link)(mnp__device *device, uint64_t identity, mnp_link_info *link);

    /*
     * Device memory, aligned to 256 bytes, from a pool that keeps freed blocks for reuse; size 0 gives NULL.  If the
     * device has a `memory_stream`, allocation and release take place in the order of that stream: work on it may use
     * new memory at once, other streams have to wait for it first, and a block may be freed while work that is already
     * enqueued on it still uses the block.  Pinned memory is memory of the CPU that is fast to copy to and from.
     */
    mnp_status (*alloc)(mnp__device *device, size_t size, void **pointer_p);
    void (*free)(mnp__device *device, void *pointer);
    mnp_status (*alloc_pinned)(mnp__device *device, size_t size, void **pointer_p);
    void (*free_pinned)(mnp__device *device, void *pointer);

    /* Whether copies and kernels can use memory at that address, which another library may have allocated. */
    mnp_status (*reaches)(mnp__device *device, const void *pointer, bool *reaches_p);

    /* Statistics, trimming and limits as in <maniple/memory.h>; pool is MNP_MEMORY_SCRATCH or MNP_MEMORY_PINNED. */
    mnp_status (*memory_info)(mnp__device *device, mnp_memory_pool pool, mnp_memory_pool_info *info);
    mnp_status (*memory_trim)(mnp__device *device, mnp_memory_pool pool);
    void (*memory_limit)(mnp__device *device, mnp_memory_pool pool, size_t bytes);

    /*
     * Memory that several processes of one host can map.  Its sizes and addresses are multiples of the granularity,
     * which is 0 if the device has no such memory.
     *
     *   reserve  reserve address space, without memory
     *   new      allocate memory at an address of reserved space, after a trim of the pool if memory is short; *fd_p
     *            receives a file descriptor of it, which the caller closes (fd_p NULL: only this process uses it)
     *   map      map another process's memory at an address of reserved space, given its descriptor
     *   unmap    wait for all work on the device, then unmap; the address space stays reserved
     *
     * The memory lives as long as any process has mapped it or holds a descriptor.
     */
    size_t (*share_granularity)(mnp__device *device);
    mnp_status (*share_reserve)(mnp__device *device, size_t size, void **address_p);
    void (*share_unreserve)(mnp__device *device, void *address, size_t size);
    mnp_status (*share_new)(mnp__device *device, void *address, size_t size, int *fd_p);
    mnp_status (*share_map)(mnp__device *device, void *address, size_t size, int fd);
    void (*share_unmap)(mnp__device *device, void *address, size_t size);

    /* The device starts work of an urgent stream before waiting work of other streams. */
    mnp_status (*stream_new)(mnp__device *device, bool urgent, mnp__stream **stream_p);
    void (*stream_free)(mnp__device *device, mnp__stream *stream);
    mnp_status (*event_new)(mnp__device *device, mnp__device_event **event_p);
    void (*event_free)(mnp__device *device, mnp__device_event *event);
    mnp_status (*event_record)(mnp__device *device, mnp__device_event *event, mnp__stream *stream);
    mnp_status (*event_query)(mnp__device *device, mnp__device_event *event, bool *done_p);
    mnp_status (*event_seconds)(mnp__device *device, mnp__device_event *first, mnp__device_event *second,
                                double *seconds_p); /* both must be done */
    mnp_status (*stream_wait)(mnp__device *device, mnp__stream *stream, mnp__device_event *event);

    /* Copy between any two of device, pinned and ordinary host memory; set every byte to one value. */
    mnp_status (*copy)(mnp__device *device, void *dst, const void *src, size_t size, mnp__stream *stream);
    /* On GPUs by the copy engines, if it is for a peer. */
    mnp_status (*copy_rows)(mnp__device *device, void *dst, const void *src, const mnp__row_copy *rows,
                            mnp__stream *stream);
    mnp_status (*fill)(mnp__device *device, void *dst, int byte, size_t size, mnp__stream *stream);

    /*
     * Compile a kernel, or take it from the cache, and load it.  A kernel has one parameter: a struct, given as bytes.
     * Called by mnp__device_load_kernel() alone, and module_load by mnp__device_load_module().
     */
    mnp_status (*kernel_load)(mnp__device *device, const mnp__kernel_spec *spec, mnp__kernel **kernel_p);
    /* Let mnp__jit_ahead() compile what kernel_load would compile; NULL: that is the spec itself. */
    mnp_status (*kernel_ahead)(mnp__device *device, const mnp__kernel_spec *spec);
    void (*kernel_free)(mnp__device *device, mnp__kernel *kernel);
    mnp_status (*launch)(mnp__device *device, mnp__kernel *kernel, const mnp__launch *launch, const void *params,
                         size_t params_size, mnp__stream *stream);

    /*
     * Raw modules: compile a module or take it from the cache, and load it; find a function, by a name expression or by
     * its name in the code, or a variable and its size.  MNP_ERR_ARG if the module has none of that name.
     */
    mnp_status (*module_load)(mnp__device *device, const mnp__kernel_spec *spec, mnp__module **module_p);
    void (*module_free)(mnp__device *device, mnp__module *module);
    mnp_status (*module_function)(mnp__device *device, mnp__module *module, const char *name,
                                  mnp__function **function_p);
    mnp_status (*module_variable)(mnp__device *device, mnp__module *module, const char *name, void **pointer_p,
                                  size_t *size_p);
    /* Launch.  The values of the arguments are copied before the call returns; the caller has checked the limits. */
    mnp_status (*function_launch)(mnp__device *device, mnp__function *function, const mnp__launch *launch,
                                  size_t shared_bytes, void *const *arguments, mnp__stream *stream);

    /*
     * Graphs; a device without them has NULL in all these slots.  Between begin and end, work that is enqueued on the
     * stream, and on other streams that wait for it, is recorded and not executed.  end stops the recording, also if it
     * fails; graph_p NULL drops what was recorded.  A graph may be freed while it runs.
     *
     * begin_loop records the body of a loop instead: each launch of the graph executes the body at least once, until a
     * kernel of the body ends the loop through the condition (kernels/sparse/step/device_loop_cuda.h).  A body may hold
     * kernels, fills and copies.  Only on a device that has_loops.
     */
    mnp_status (*graph_begin)(mnp__device *device, mnp__stream *stream);
    mnp_status (*graph_begin_loop)(mnp__device *device, mnp__stream *stream, uint64_t *condition_p);
    mnp_status (*graph_end)(mnp__device *device, mnp__stream *stream, mnp__device_graph **graph_p);
    mnp_status (*graph_launch)(mnp__device *device, mnp__device_graph *graph, mnp__stream *stream);
    void (*graph_free)(mnp__device *device, mnp__device_graph *graph);

    /*
     * Fourier transforms, planned once and executed any number of times, on any memory; each execution needs so many
     * bytes of device memory to work in.  load does what new does first: MNP_ERR_UNSUPPORTED where the library for
     * transforms of float32 or float64 is missing.
     */
    mnp_status (*fft_load)(mnp__device *device, bool is_double);
    bool (*fft_filters)(mnp__device *device, const mnp__fft_spec *spec); /* whether it can; NULL: it cannot filter */
    mnp_status (*fft_new)(mnp__device *device, const mnp__fft_spec *spec, mnp__device_fft **fft_p, size_t *work_p);
    mnp_status (*fft_execute)(mnp__device *device, mnp__device_fft *fft, void *in, void *out, void *work,
                              mnp__stream *stream);
    void (*fft_free)(mnp__device *device, mnp__device_fft *fft); /* NULL is accepted */

    const mnp__lapack_ops *lapack; /* factorisations of dense matrices: device/lapack.h */
} mnp__device_ops;

/* Each implementation's own struct begins with this one. */
struct mnp__device {
    const mnp__device_ops *ops;
    const mnp__config *config;
    /* the stream in whose order memory is allocated and freed; NULL: both are synchronous */
    mnp__stream *memory_stream;
    int index;       /* CUDA's ordinal of the GPU; -1 on the host */
    bool cpu_memory; /* the CPU may read and write the device's memory */
    /* freed memory is not reused: a rank was lost, and MPI may still write to its buffers */
    bool retains;
    bool has_loops;        /* graphs can be loops */
    bool recording;        /* a graph is being recorded, or on the host launched */
    const char *refused;   /* what was refused during the recording, which has spoiled the graph; NULL: nothing */
    int cores;             /* of the CPU that this rank may use */
    bool rehearses;        /* mnp__rehearsal_device_open() made it */
    int64_t memory;        /* bytes that it has in all */
    size_t block_memory;   /* bytes that the threads of a block share: those of the smallest GPU of all ranks, once a
                              context has it; 0 on the host, which has no blocks */
    mnp_progress progress; /* NULL, or the user's function, which long work calls through mnp__device_tell() */
    void *progress_argument;
    double told_before,
        told_part;       /* what is told is of a part of a call: so much is done before it, and it is so much */
    double load_seconds; /* that the CPU has spent on loading kernels and modules, compiling included */
};

/* Tell the user's function, if there is one, that so much of a call is done, 0 to 1. */
static inline void mnp__device_tell(const mnp__device *device, double done)
{
    if (device->progress)
        device->progress(device->progress_argument, device->told_before + device->told_part * done);
}

/* From here on progress is that of the part of a call from `before` to `after`, both 0 to 1; 0 and 1: a whole call. */
static inline void mnp__device_tell_part(mnp__device *device, double before, double after)
{
    device->told_before = before;
    device->told_part = after - before;
}

/* The operations kernel_load and module_load, with their time added to load_seconds. */
mnp_status mnp__device_load_kernel(mnp__device *device, const mnp__kernel_spec *spec, mnp__kernel **kernel_p);
mnp_status mnp__device_load_module(mnp__device *device, const mnp__kernel_spec *spec, mnp__module **module_p);

/*
 * To be called before work that cannot be part of a graph; `doing` names the work, as in "allocating memory".
 * MNP_ERR_ARG while a graph is being recorded, and mnp_graph_end() will then fail; MNP_OK otherwise.
 */
mnp_status mnp__refuse_recording(mnp__device *device, const char *doing);

/*
 * The addresses on the PCI bus, as numbers that all processes of a host share, of the GPUs that this process can see,
 * in the order of their indices; 0 after the last.  None with MANIPLE_DEVICE=host, or where CUDA cannot be used.
 */
enum { MNP__MOST_GPUS = 32 };
void mnp__device_visible(const mnp__config *config, uint64_t visible[MNP__MOST_GPUS]);

/*
 * Let the ranks of a host take different GPUs as far as they can: chosen[r] becomes the index of rank r's, or -1 if it
 * sees none.  visible: MNP__MOST_GPUS numbers a rank, as above.
 */
void mnp__device_assign(int ranks, const uint64_t *visible, int *chosen);

/*
 * Open the device of one of the node_size ranks on a host.  MANIPLE_DEVICE chooses its kind; by default it is a GPU if
 * there is one, then that with index `gpu` among those that the process sees.
 */
mnp_status mnp__device_open(const mnp__config *config, int gpu, int node_size, mnp__device **device_p);

/*
 * The CPU's cores that are this rank's, of node_size ranks on a host: MANIPLE_THREADS, or an equal share, but no more
 * than this process is bound to.
 */
int mnp__cores_of_rank(const mnp__config *config, int node_size);

/*
 * A device that looks like another one, and does nothing: its memory is the CPU's and 0 when it is allocated, what is
 * launched does not run, and the kernels that are loaded are compiled ahead by the other device's compiler
 * (mnp__jit_ahead()).  The other device must outlive it.
 */
mnp_status mnp__rehearsal_device_open(const mnp__config *config, mnp__device *other, mnp__device **device_p);

/*
 * The implementations.  cuda: MNP_ERR_UNSUPPORTED without CUDA in the build, without a driver, or without a GPU.
 * simulated: the host's with the kernels of a GPU (host/simulated.c).
 */
mnp_status mnp__host_device_open(const mnp__config *config, int node_size, mnp__device **device_p);
mnp_status mnp__simulated_device_open(const mnp__config *config, int node_size, mnp__device **device_p);
mnp_status mnp__cuda_device_open(const mnp__config *config, int gpu, mnp__device **device_p);
void mnp__cuda_visible(uint64_t visible[MNP__MOST_GPUS]); /* which is all zeros before */

/* Write names and versions of libraries to `versions`, which has room for `room`; return how many were written. */
int mnp__cuda_versions(mnp_version_info *versions, int room);
int mnp__host_versions(const mnp__config *config, mnp_version_info *versions, int room);

/*
 * eigh: the eigenvalues w, in ascending order, of a small Hermitian matrix of n >= 1 rows, double or double _Complex,
 * whose upper triangle is given in column-major order; its eigenvectors replace it, as columns.  Computed by LAPACK on
 * this rank's CPU.  MNP_ERR_MEMORY.  need_lapack: MNP_ERR_UNSUPPORTED, in a message that names `function`, if this
 * machine has no LAPACK.
 */
mnp_status mnp__host_eigh(int n, bool is_complex, void *a, double *w);
mnp_status mnp__host_need_lapack(const char *function);

#endif
