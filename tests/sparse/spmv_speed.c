/*
 * Times y = A x of a grid's matrix in every format, for whoever chooses kernels and formats.
 *
 *   mpirun -n RANKS tests/sparse/spmv_speed [SIDE [DIMENSIONS [REPEATS [FORMATS]]]]
 *
 * The matrix couples a point to its neighbours along each axis of a grid of SIDE points (256) in 2 or 3 DIMENSIONS (3), in
 * float64; FORMATS is such as CSR,DIA (all).  The vectors lie where they are used.  Prints
 * the mean of REPEATS (100) products, and bytes a second if matrix and vectors are read or written once.
 */
#include <maniple.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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

/* Seconds of a product. */
static double measure(const mnp_sparse *matrix, const mnp_array *x, mnp_array **y, int repeats)
{
    mnp_ctx *ctx = mnp_sparse_ctx(matrix);
    double begin = 0;
    for (int r = -3; r < repeats; r++) { /* three to warm up */
        if (r == 0) {
            MNP_OR_EXIT(mnp_ctx_synchronize(ctx));
            MPI_Barrier(MPI_COMM_WORLD);
            begin = now();
        }
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
    MPI_Init(NULL, NULL);
    MNP_OR_EXIT(mnp_init(MPI_COMM_WORLD, NULL, &ctx));
    if (side < 1 || ndim < 2 || ndim > 3 || repeats < 1)
        MNP_OR_EXIT(mnp_fail(MNP_ERR_ARG, "usage: spmv_speed [SIDE [DIMENSIONS [REPEATS [FORMATS]]]]"));
    mnp_sparse *matrix = make_matrix(ctx, side, ndim);
    const double rows = (double)mnp_sparse_shape(matrix)[0], entries = (double)mnp_sparse_nnz(matrix), one = 1;
    MNP_OR_EXIT(mnp_array_new(ctx, MNP_FLOAT64, mnp_sparse_column_layout(matrix), &x));
    MNP_OR_EXIT(mnp_full_like(x, MNP_FLOAT64, &one, &y));
    MNP_OR_EXIT(mnp_full_like(x, MNP_FLOAT64, &one, &x));
    for (int format = MNP_CSR; format <= MNP_SELL; format++) {
        mnp_sparse *converted = NULL;
        if (argc > 4 && !strstr(argv[4], formats[format].name))
            continue;
        MNP_OR_EXIT(mnp_sparse_convert(matrix, (mnp_sparse_format)format, 0, &converted));
        const double seconds = measure(converted, x, &y, repeats);
        if (mnp_ctx_rank(ctx) == 0)
            printf("%-4s %8.3f ms %8.1f GB/s\n", formats[format].name, seconds * 1e3,
                   (entries * (8 + formats[format].index_bytes) + rows * 20) / seconds * 1e-9);
        mnp_sparse_free(converted);
    }
    mnp_sparse_free(matrix);
    mnp_free_all(x, y);
    mnp_finalize(ctx);
    MPI_Finalize();
    return 0;
}
