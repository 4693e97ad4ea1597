/*
 * Times y = A x of a grid's matrix in every format, for whoever chooses kernels and formats.
 *
 *   mpirun -n RANKS tests/sparse/spmv_speed [SIDE [DIMENSIONS [REPEATS [FORMATS]]]]
 *
 * The matrix couples a point to its neighbours along each axis of a grid of SIDE points (256) in 2 or 3 DIMENSIONS (3), in
 * float64; FORMATS is such as CSR,DIA (all).  The vectors lie where they are used.  Prints
 * the mean of REPEATS (100) products, and bytes a second if matrix and vectors are read or written once; the same with a dot
 * of x and y, as iterative methods need it; and the kernel that was chosen for CSR, or that MANIPLE_SPMV says.
 */
#include <maniple.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sparse/sparse.h"
#include "sparse/step.h"

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static mnp_sparse *make_matrix(mnp_ctx *ctx, int64_t side, int ndim)
{
    int64_t shape[3] = {side, side, side}, offsets[7 * 3] = {0};
    double coefficients[7] = {2.0 * ndim};
    mnp_sparse *matrix = NULL;
    for (int p = 1; p <= 2 * ndim; p++) {
        coefficients[p] = -1;
        offsets[p * ndim + (p - 1) / 2] = p % 2 ? 1 : -1;
    }
    MNP_OR_EXIT(mnp_csr_from_stencil(ctx, MNP_FLOAT64, ndim, shape, 2 * ndim + 1, offsets, coefficients, &matrix));
    return matrix;
}

/* Seconds of a product, with a dot for a method if there is one. */
static double measure(const mnp_sparse *matrix, const mnp_array *x, mnp_array **y, const mnp__steps *steps, int repeats)
{
    mnp_ctx *ctx = mnp_sparse_ctx(matrix);
    mnp__steps_places places;
    double begin = 0;
    bool done;
    if (steps)
        places = mnp__steps_places_of(steps);
    for (int r = -3; r < repeats; r++) { /* three to warm up */
        if (r == 0) {
            MNP_OR_EXIT(mnp_ctx_synchronize(ctx));
            MPI_Barrier(MPI_COMM_WORLD);
            begin = now();
        }
        if (steps)
            MNP_OR_EXIT(mnp__sparse_apply_dot(matrix, MNP_FLOAT64, x->data, (*y)->data, &places, &done));
        else
            MNP_OR_EXIT(mnp_sparse_matmul(matrix, x, y));
    }
    MNP_OR_EXIT(mnp_ctx_synchronize(ctx));
    MPI_Barrier(MPI_COMM_WORLD);
    return (now() - begin) / repeats;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int index_bytes; /* of an entry */
    } formats[] = {{"CSR", 4}, {"CSC", 4}, {"COO", 8}, {"DIA", 0}, {"BSR", 4}, {"SELL", 4}};
    const int64_t side = argc > 1 ? atoll(argv[1]) : 256;
    const int ndim = argc > 2 ? atoi(argv[2]) : 3, repeats = argc > 3 ? atoi(argv[3]) : 100;
    mnp_ctx *ctx = NULL;
    mnp_array *x = NULL, *y = NULL;
    mnp__steps *steps = NULL;
    MPI_Init(NULL, NULL);
    MNP_OR_EXIT(mnp_init(MPI_COMM_WORLD, NULL, &ctx));
    if (side < 1 || ndim < 2 || ndim > 3 || repeats < 1)
        MNP_OR_EXIT(mnp_fail(MNP_ERR_ARG, "usage: spmv_speed [SIDE [DIMENSIONS [REPEATS [FORMATS]]]]"));
    mnp_sparse *matrix = make_matrix(ctx, side, ndim);
    const double rows = (double)mnp_sparse_shape(matrix)[0], entries = (double)mnp_sparse_nnz(matrix), one = 1;
    MNP_OR_EXIT(mnp_array_new(ctx, MNP_FLOAT64, mnp_sparse_column_layout(matrix), &x));
    MNP_OR_EXIT(mnp_full_like(x, MNP_FLOAT64, &one, &y));
    MNP_OR_EXIT(mnp_full_like(x, MNP_FLOAT64, &one, &x));
    MNP_OR_EXIT(mnp__steps_new(ctx, MNP_FLOAT64, &(mnp__scalars){.reals = NULL}, 0, 0, 0, &steps));
    MNP_OR_EXIT(mnp__steps_begin(steps, &(struct mnp_step_control){.done = MNP_GOING}));
    for (int format = MNP_CSR; format <= MNP_SELL; format++) {
        mnp_sparse *converted = NULL;
        if (argc > 4 && !strstr(argv[4], formats[format].name))
            continue;
        MNP_OR_EXIT(mnp_sparse_convert(matrix, (mnp_sparse_format)format, 0, &converted));
        const double seconds = measure(converted, x, &y, NULL, repeats);
        if (mnp_ctx_rank(ctx) == 0)
            printf("%-4s %8.4f ms %8.1f GB/s\n", formats[format].name, seconds * 1e3,
                   (entries * (8 + formats[format].index_bytes) + rows * 20) / seconds * 1e-9);
        if (format != MNP_CSC && format != MNP_COO) {
            const double with_dot = measure(converted, x, &y, steps, repeats);
            if (mnp_ctx_rank(ctx) == 0)
                printf("%-4s %8.4f ms with a dot\n", formats[format].name, with_dot * 1e3);
        }
        if (format == MNP_CSR)
            mnp_sparse_describe(converted, stdout);
        mnp_sparse_free(converted);
    }
    mnp__steps_free(steps);
    mnp_sparse_free(matrix);
    mnp_free_all(x, y);
    mnp_finalize(ctx);
    MPI_Finalize();
    return 0;
}
