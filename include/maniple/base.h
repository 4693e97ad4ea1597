/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What every part of Maniple shares: symbol visibility, limits, and how functions report failure.
 *
 * Every function that can fail returns an mnp_status.  The function that finds the error records a message with the
 * offending values; mnp_error_message() returns it.  Outputs are set only on success.
 *
 * A call documented as "Collective" must be made by all ranks of the context's communicator, in the same order.  It
 * fails on all of them or on none: if only one rank fails, it returns its own status, and the others return
 * MNP_ERR_PEER, with a message that names the rank and contains its message.
 *
 * Three kinds of failure can be returned on some ranks only, because an agreement would cost more than the operation:
 *
 * - MNP_ERR_DEVICE, from work that was enqueued on a GPU;
 * - MNP_ERR_COMPILE or MNP_ERR_MEMORY, from a kernel that this rank alone needs, because its block has other strides;
 * - MNP_ERR_TIMEOUT, MNP_ERR_PEER or MNP_ERR_COMM, if a process has ended or did not answer.  Every later call that
 *   needs other ranks fails then.
 *
 * mnp_exit() is safe after these too.
 */
#ifndef MANIPLE_BASE_H
#define MANIPLE_BASE_H

/*
 * Programs in C++ use MPI's C interface too.  The C++ bindings, which some MPIs still declare in mpi.h, would need one
 * more library; a program that includes mpi.h before leaves them out by these definitions, as the flags of pkg-config
 * do.
 */
#ifdef __cplusplus
#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX 1
#endif
#ifndef MPICH_SKIP_MPICXX
#define MPICH_SKIP_MPICXX 1
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* In C++, the default value of a struct's member that an initialiser leaves out; in C such a member is 0. */
#ifdef __cplusplus
#define MNP_DEFAULT(value) = value
#else
#define MNP_DEFAULT(value)
#endif

#define MNP_API __attribute__((visibility("default")))

#define MNP_VERSION_MAJOR 0
#define MNP_VERSION_MINOR 1
#define MNP_VERSION_PATCH 0

#define MNP_MAX_DIMS 8 /* most dimensions of an array or a mesh */

typedef enum mnp_status {
    MNP_OK = 0,
    MNP_ERR_ARG,         /* an argument is wrong: the caller's mistake */
    MNP_ERR_MEMORY,      /* out of memory, on the host or on the device */
    MNP_ERR_IO,          /* a file could not be read or written */
    MNP_ERR_DEVICE,      /* the GPU or its driver reported an error */
    MNP_ERR_COMPILE,     /* a kernel did not compile */
    MNP_ERR_COMM,        /* MPI or NCCL reported an error */
    MNP_ERR_TIMEOUT,     /* another rank did not answer within its deadline */
    MNP_ERR_UNSUPPORTED, /* not possible on this device or in this build */
    MNP_ERR_FORMAT,      /* a file's contents break the rules of their format */
    MNP_ERR_PEER,        /* another rank failed, has ended or is stopped; the message says which, and why */
    MNP_ERR_INTERNAL,    /* a bug of Maniple */
    MNP_ERR_LINALG       /* a matrix is singular, or not positive definite, or an iteration did not converge */
} mnp_status;

/* The name of a status, such as "MNP_ERR_ARG".  Not collective. */
MNP_API const char *mnp_status_name(mnp_status status);

/* The message of the last error on this thread; "" if there was none.  Valid until the next error.  Not collective. */
MNP_API const char *mnp_error_message(void);

/* Where the last error on this thread was found, as "file:line function".  Not collective. */
MNP_API const char *mnp_error_origin(void);

/* Record a failure of the calling program, printf-style, and return `status`.  Not collective. */
MNP_API mnp_status mnp_fail(mnp_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/*
 * End the program after a failed call: the lowest rank of MPI_COMM_WORLD prints the message on stderr, and every rank
 * exits with the greatest `exit_status` that any of them gives.  All ranks should call it; one that calls it without
 * the others waits two seconds for them, then prints its own message and aborts the job.
 */
MNP_API void mnp_exit(int exit_status);

/*
 * mnp_exit(), with the place in the program added to the message: "mnp_sum: x is NULL (heat.c:42)".  If file is NULL,
 * no place is added.
 */
MNP_API void mnp_exit_at(const char *file, int line, int exit_status);

/*
 * Guard a temporary file of the program, so that none is left behind: until the file is released, by the same pointer,
 * exit() and SIGINT, SIGTERM and SIGHUP remove it before they end the process.  `path` must stay valid and unchanged
 * until then.  Signals that the program handles itself or ignores are left to it.  NULL is accepted.  Not collective:
 * the rank that makes and renames the file calls it, and on a folder that all share the others may too, as mpirun kills
 * all ranks as soon as a signal has ended one.
 */
MNP_API void mnp_temporary_guard(const char *path);
MNP_API void mnp_temporary_release(const char *path);

/* Make the call; if it fails, end the program with its message, the line of this macro, and exit status 1. */
#define MNP_OR_EXIT(call)                                                                                              \
    do {                                                                                                               \
        if ((call) != MNP_OK)                                                                                          \
            mnp_exit_at(__FILE__, __LINE__, 1);                                                                        \
    } while (0)

/*
 * Make the call; if it fails, return its status from the enclosing function, which must return an mnp_status.  Use it
 * only where nothing has to be released first:
 *
 *     static mnp_status half(const mnp_array *x, mnp_array **y_p)
 *     {
 *         MNP_TRY(mnp_multiply(x, MNP_SCALAR(mnp_array_ctx(x), 0.5), y_p));
 *         return MNP_OK;
 *     }
 */
#define MNP_TRY(call)                                                                                                  \
    do {                                                                                                               \
        const mnp_status mnp_try_ = (call);                                                                            \
        if (mnp_try_ != MNP_OK)                                                                                        \
            return mnp_try_;                                                                                           \
    } while (0)

#ifdef __cplusplus
}
#endif

#endif
