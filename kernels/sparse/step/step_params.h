/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parameters of step.cu and basis.cu, and the beginning of the state in device memory that steps read and write;
 * shared by the library (C) and the kernels (C++).
 */
#ifndef MNP_KERNELS_SPARSE_STEP_STEP_PARAMS_H
#define MNP_KERNELS_SPARSE_STEP_STEP_PARAMS_H

enum {
    MNP_STEP_VECTORS = 10,   /* most vectors of a step */
    MNP_STEP_SUMS = 16,      /* most sums that are kept */
    MNP_STEP_WORKERS = 1056, /* most workers of a launch: threads of the host, blocks of a GPU */
    MNP_STEP_GROUP = 32,     /* vectors of a set that are summed together on the host, with one count of arrivals */
    MNP_STEP_BLOCK = 256,    /* threads of a block */
    MNP_STEP_HISTORY = 4096, /* residuals that are remembered until the CPU fetches them */
    MNP_STEP_STATE = 4096    /* bytes of a state, of which a method uses what its scalars need */
};

/* Why a method is over; 0: it is not.  mnp_solve_reason plus 1. */
enum { MNP_GOING = 0, MNP_DONE_CONVERGED = 1, MNP_DONE_MAXITER = 2, MNP_DONE_BREAKDOWN = 3, MNP_DONE_DIVERGED = 4 };

/* Which parameters cg uses to tell its coefficients. */
enum { MNP_CG_ALPHA, MNP_CG_BETA };

/* The beginning of the state: doubles, so that it is alike in both languages.  Sums and a method's scalars follow. */
struct mnp_step_control {
    double done;       /* one of the above: steps do nothing any more */
    double iterations; /* so far */
    double residual;   /* the norm after these, by the recurrence */
    double tolerance;  /* the norm at which the method has converged */
    double maxiter;
    double first;   /* the norm at the beginning */
    double skip;    /* set by a step's scalars: its elements stay as they are */
    double columns; /* of a method that builds a basis: vectors in it */
    double again;   /* and how many of them a second pass of orthogonalisation takes: all or none */
    double factor;  /* and the factor of the newest one once it is orthogonal to the others */
    double best;    /* the norm of what was kept as the best so far */
    double pause;   /* a loop on the device ends at this number of iterations, so that the CPU can read the state */
    double parameter[5]; /* the method's own, from the CPU and to it */
};

struct mnp_step_params {
    long long count;                    /* elements of the vectors on this rank */
    unsigned long long state, partials; /* addresses; partials: room for MNP_STEP_WORKERS times the sums */
    unsigned long long arrived;         /* address of a count of workers that are through, 0 between launches */
    unsigned long long history;         /* address of MNP_STEP_HISTORY doubles */
    unsigned long long extra;           /* address of a method's own memory */
    unsigned long long condition;       /* of the loop that the launch is part of (device_loop_cuda.h) */
    long long looping;                  /* 0: of none */
    unsigned long long vectors[MNP_STEP_VECTORS];
};

/* A product of a set of vectors with one: see basis.cu. */
struct mnp_basis_params {
    long long count, vectors;        /* elements on this rank; vectors of the set */
    unsigned long long basis;        /* address of the vectors' addresses */
    unsigned long long vector;       /* the one */
    unsigned long long coefficients; /* address of as many wide numbers as the set has vectors */
    unsigned long long state, partials, arrived;
    unsigned long long limit;  /* 0, or the address of a double: use no more vectors than that says */
    unsigned long long factor; /* 0, or the address of a double that the result is multiplied with */
    double sign;
    long long always, add; /* whether also when the method is over; whether to add to the vector that is there */
};

/* Vectors of one length: element i of number k is at addresses[k], i * stride elements on. */
struct mnp_columns {
    unsigned long long addresses; /* of the table of addresses */
    long long count, stride;
};

/* Products of two sets: sums[k * right.count + l] = <left[k], right[l]>; see basis.cu. */
struct mnp_inner_params {
    long long rows, chunks; /* elements of a vector on this rank; pieces of it that are summed apart */
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
