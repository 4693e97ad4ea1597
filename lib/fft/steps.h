/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The steps of a transform over ranks: which axes are transformed where they lie, and how the data moves in between.
 * Pure arithmetic, which every rank does alone and with the same result.
 *
 * A step is one of three.  LOCAL transforms along up to three axes that no rank's block is cut along, the first of
 * which is the short one of a real transform.  MOVE brings the data to another layout.  TWIDDLE multiplies, between the
 * two halves of an axis that is transformed in two parts.  Blocks lie densely in C order between the steps.
 */
#ifndef MNP__FFT_STEPS_H
#define MNP__FFT_STEPS_H

#include "device/device.h"
#include "layout/layout.h"

/* What is done otherwise than the model would: nothing, if all is zero. */
typedef struct mnp__fft_choice {
    bool one_by_one; /* pencils: the axes that are cut one after the other, also where one move serves several */
    bool whole;      /* blocks move when they are transformed as a whole, not slab by slab */
    int finer;       /* slabs are 4 to that power times as many */
} mnp__fft_choice;

/* A transform as a user means it. */
typedef struct mnp__fft_problem {
    mnp__fft_kind kind;
    bool inverse;
    bool permuted; /* the result may stay where the last axis was transformed */
    int naxes,
        axes[MNP_MAX_DIMS]; /* all different; of real transforms the last one is half as long on the complex side */
    int64_t points[MNP_MAX_DIMS]; /* of every dimension, transformed or not, on the real side */
    double scale;
    const mnp_layout *in, *out; /* out has the shape of the result; in may be longer or shorter along the axes */
    bool tries;                 /* it is worth trying how each transform is the fastest */
    mnp__fft_choice choice;
    const char *basis; /* of the choice, as mnp_fft_plan_info has it; NULL: the model */
} mnp__fft_problem;

typedef enum mnp__fft_what { MNP__FFT_LOCAL, MNP__FFT_MOVE, MNP__FFT_TWIDDLE } mnp__fft_what;

/* Where data lies before and after a step. */
typedef enum mnp__fft_place {
    MNP__FFT_INPUT,
    MNP__FFT_OUTPUT,
    MNP__FFT_WORK, /* two pieces of memory of the plan's */
    MNP__FFT_MORE_WORK,
    MNP__FFT_PLACES
} mnp__fft_place;

/* What a move does with an axis that is transformed in two parts: one dimension becomes two, or two become one. */
typedef enum mnp__fft_halves { MNP__FFT_AS_IT_IS, MNP__FFT_SPLIT, MNP__FFT_JOIN } mnp__fft_halves;

typedef struct mnp__fft_step {
    mnp__fft_what what;
    mnp_layout *from,
        *to; /* of one shape, but for the halves of an axis and in a real transform; MOVE: beyond `from` all is 0 */
    bool from_complex, to_complex;
    mnp__fft_place source, target; /* the same: in place */
    mnp__fft_kind kind;            /* LOCAL */
    int naxes, axes[MNP__FFT_RANK];
    double scale;
    mnp__fft_halves halves; /* MOVE */
    int dim;                /* the halves are dimensions dim and dim + 1; SPLIT and JOIN: of the whole, dim */
    /*
     * MOVE: how many LOCAL steps before it are done together with it, slab by slab of dimension slab_dim: each slab is
     * transformed in a small buffer, from where it goes to its ranks.  LOCAL: the MOVE's place behind it, or 0.
     */
    int chain, slab_dim;
} mnp__fft_step;

enum { MNP__FFT_MOST_STEPS = 64 };

typedef struct mnp__fft_steps {
    bool reads_complex; /* a real input is converted first */
    int count;
    mnp__fft_step steps[MNP__FFT_MOST_STEPS];
    mnp_layout *result; /* that of the problem, or where a permuted result is */
    const char *method; /* a phrase for a report */
} mnp__fft_steps;

/*
 * Find the steps; by_slabs: with transforms and moves done together where they can.  Release with
 * mnp__fft_steps_free(), which accepts zeros.  MNP_ERR_MEMORY.
 */
mnp_status mnp__fft_steps_find(const mnp__fft_problem *problem, bool by_slabs, mnp__fft_steps *steps);
/* Whether nothing is written to the output before the input has been read, so that both may be one array. */
bool mnp__fft_steps_leave_input(const mnp__fft_steps *steps);

void mnp__fft_steps_free(mnp__fft_steps *steps);

#endif
