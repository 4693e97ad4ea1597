/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parameters of step.cu and basis.cu, and the beginning of the state in device memory that steps read and write;
 * shared by the library (C) and the kernels (C++).
 */
#ifndef MNP_KERNELS_SPARSE_STEP_STEP_PARAMS_H
#define MNP_KERNELS_SPARSE_STEP_STEP_PARAMS_H

enum {
    MNP_STEP_VECTORS = 10,   /* most vectors of a step */
    MNP_STEP_SUMS = 16,      /* most sums of a step */
    MNP_STEP_WORKERS = 1056, /* most workers of a launch: threads of the host, blocks of a GPU */
    MNP_STEP_GROUP = 32,     /* vectors of a set whose sums the host takes together, with one count of arrivals */
    MNP_STEP_BLOCK = 256,    /* threads of a block */
    MNP_STEP_HISTORY = 4096, /* residuals that are kept until the CPU fetches them */
    MNP_STEP_STATE = 4096    /* bytes of a state; a method uses as many as its scalars need */
};

/* Why a method has ended: mnp_solve_reason plus 1; 0: it has not. */
enum { MNP_GOING = 0, MNP_DONE_CONVERGED = 1, MNP_DONE_MAXITER = 2, MNP_DONE_BREAKDOWN = 3, MNP_DONE_DIVERGED = 4 };

/* The parameters in which cg returns its coefficients. */
enum { MNP_CG_ALPHA, MNP_CG_BETA };

/* The parameters of methods for least squares: the limits and the norm of b, and what is known after an iteration. */
enum {
    MNP_LEAST_DAMP,
    MNP_LEAST_ATOL,
    MNP_LEAST_BTOL,
    MNP_LEAST_CONLIM, /* 0: none */
    MNP_LEAST_NORM_B,
    MNP_LEAST_STOP,     /* why the method has ended, by SciPy's number */
    MNP_LEAST_NORM_R,   /* ||b - A x|| */
    MNP_LEAST_NORM_A,   /* estimates of the norm */
    MNP_LEAST_COND,     /* and of the condition of the matrix and the damping */
    MNP_LEAST_GRADIENT, /* ||A^H r - damp^2 x|| */
    MNP_LEAST_NORM_X,
    MNP_LEAST_PARAMETERS
};

/* The beginning of the state, of doubles only, so that C and C++ agree on it.  Sums and a method's scalars follow. */
struct mnp_step_control {
    double done;       /* one of the above; if not 0, steps do nothing */
    double iterations; /* so far */
    double residual;   /* its norm after these, by the recurrence */
    double tolerance;  /* the norm at which the method has converged */
    double maxiter;
    double first;   /* the norm at the beginning */
    double skip;    /* set by a step's scalars: the step leaves its elements unchanged */
    double columns; /* for a method that builds a basis: the vectors in it, */
    double again;   /* how many of them a second pass of orthogonalisation takes, all or none, */
    double factor;  /* and the factor of the newest one once it is orthogonal to the others */
    double best;    /* the norm of the best residual so far */
    double pause;   /* a loop on the device ends at this number of iterations, so that the CPU can read the state */
    double parameter[MNP_LEAST_PARAMETERS]; /* the method's own, from the CPU or to it */
};

struct mnp_step_params {
    long long count;                    /* elements of the vectors on this rank */
    unsigned long long state, partials; /* addresses; partials: room for MNP_STEP_WORKERS times the sums */
    unsigned long long arrived;         /* address of a count of workers that are done, 0 between launches */
    unsigned long long history;         /* address of MNP_STEP_HISTORY doubles */
    unsigned long long extra;           /* address of a method's own memory */
    unsigned long long condition;       /* handle for the loop that the launch is in (device_loop_cuda.h) */
    long long looping;                  /* 0: it is in no loop */
    unsigned long long vectors[MNP_STEP_VECTORS];
};

/* The parameter of a product of a set of vectors with one vector: see basis.cu. */
struct mnp_basis_params {
    long long count, vectors;        /* elements on this rank; vectors of the set */
    unsigned long long basis;        /* address of the vectors' addresses */
    unsigned long long vector;       /* address of the one vector */
    unsigned long long coefficients; /* address of wide numbers, one for each vector */
    unsigned long long state, partials, arrived;
    unsigned long long limit;  /* 0, or the address of a double: the number of vectors to use at most */
    unsigned long long factor; /* 0, or the address of a double that multiplies the result */
    double sign;
    long long always, add; /* whether to run also after the method's end; whether to add to the vector */
};

/* Vectors of one length: element i of vector k is i * stride elements after addresses[k]. */
struct mnp_columns {
    unsigned long long addresses; /* address of the table of addresses */
    long long count, stride;
};

/* Products of two sets: sums[k * right.count + l] = <left[k], right[l]>; see basis.cu. */
struct mnp_inner_params {
    long long rows, chunks; /* elements of a vector on this rank; chunks of them, each with its own sums */
    struct mnp_columns left, right;
    unsigned long long partials; /* address of the sums of every chunk */
    unsigned long long sums;
};

/* A set times a small matrix: to[l] = sum of matrix[k * to.count + l] from[k]; `to` may be some of `from`. */
struct mnp_multiply_params {
    long long rows;
    struct mnp_columns from, to;
    unsigned long long matrix; /* address of wide numbers */
};

#endif
