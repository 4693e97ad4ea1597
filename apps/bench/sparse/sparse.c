/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Times work with sparse matrices that are made on the spot: products with vectors, products of matrices, applications
 * of preconditioners, and triangular solves.
 *
 *   spmv-FORMAT    A x, of a matrix in csr, csc, coo, dia, bsr or sell.  On a GPU what is in csr goes by the kernel
 *                  that was measured to be the quickest; a line tells which, and what the others took
 *   spmv-stream    A x of csr by chunks of entries, and
 *   spmv-rows      by rows, however quick (MANIPLE_SPMV): on GPUs
 *   operator       A x without the matrix, by mnp_operator_from_stencil()
 *   spmm           A x of 8 vectors side by side
 *   matmul         A @ A
 *   add            A + A
 *   tril           the lower triangle of A
 *   transpose      the transposed matrix, in CSR
 *   assemble       A of three arrays of its entries, shuffled on every rank
 *   generate       A made on the spot
 *   precond-KIND   an application of a preconditioner, in the words of `maniple solve`
 *   triangular     a solve with the lower triangle of A
 *
 * M is a generator's text, as in `maniple solve`, or random:ROWS@DENSITY or powerlaw:ROWS (matrices.h).  Without one a
 * case has its usual matrices, smaller ones on the host.  D is float64 unless told.
 *
 * A time is the median of repeats, of the slowest rank, each of as many calls in a row as take 10 milliseconds, at most
 * 500, between two events of the device.  Setup is what is done once: a conversion, factors, levels.
 *
 * The floor is the bytes that have to be read and written by the rate of a copy, which is measured first: x and y once
 * for every vector; of a matrix its values, indices of 4 bytes (coo 8; dia and bsr none), and 4 bytes for every row of
 * csr and csc.  So csr that goes as dia may take less than its floor, and so may what fits in a cache.  For ilu0, ic0,
 * ssor and a solve all entries that they use count once, for sor the triangle, for chebyshev and polynomial a product
 * for each of their 4 degrees; for matmul and what else makes a matrix A and the result, for assemble the arrays.
 *
 * Results are compared with what the processor computes: products with A x, L x with b, those of matrices that are made
 * of A with what follows of A x, and of a preconditioner M it is said what it leaves of a residual, |b - A M b| / |b|.
 * bench/peers/sparse_peers.py does the same with other libraries.
 */
#include "bench/benchmark.h"
#include "bench/measure.h"
#include "bench/sparse/sparse_made.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>

enum { WIDTH = 8, DEGREE = 4, BLOCK = 4 };

/* ---- vectors ---- */

/* Vectors side by side, cut as the matrix is: of vector c element i is (c + 1) times that number. */
static mnp_array *vectors_new(const work *w, int width)
{
    const int size = mnp_ctx_size(w->ctx), axes[] = {0, -1};
    const int64_t shape[] = {mnp_sparse_shape(w->a)[1], width};
    mnp_array *array = NULL;
    mnp_layout *layout;
    OR_EXIT(mnp_layout_new(1, &size, width == 1 ? 1 : 2, shape, axes, NULL, &layout));
    OR_EXIT(mnp_array_new(w->ctx, w->dtype, layout, &array));
    mnp_layout_free(layout);
    const int64_t count = mnp_array_local_size(array), begin = mnp_array_local_lo(array)[0];
    void *block = zeros(w->ctx, count, mnp_dtype_size(w->dtype));
    for (int64_t k = 0; k < count; k++)
        set_value(block, w->dtype, k, (double)(k % width + 1) * uniform(begin + k / width));
    OR_EXIT(mnp_array_set_local(array, block));
    free(block);
    return array;
}

/* A x as the processor computes it, of the rows that it is given. */
static mnp_array *expected_product(const work *w)
{
    mnp_array *y = NULL;
    OR_EXIT(mnp_array_new(w->ctx, w->dtype, mnp_sparse_row_layout(w->a), &y));
    const int64_t rows = mnp_array_local_size(y), count = mnp_sparse_local_nnz(w->a);
    int64_t *offsets = zeros(w->ctx, rows + 1, sizeof *offsets), *columns = zeros(w->ctx, count, sizeof *columns);
    void *values = zeros(w->ctx, count, mnp_dtype_size(w->dtype));
    void *sums = zeros(w->ctx, rows, mnp_dtype_size(w->dtype));
    OR_EXIT(mnp_agree(w->ctx, mnp_sparse_get_local(w->a, offsets, columns, values)));
    for (int64_t i = 0; i < rows; i++) {
        double sum = 0;
        for (int64_t k = offsets[i]; k < offsets[i + 1]; k++)
            sum += get_value(values, w->dtype, k) * uniform(columns[k]);
        set_value(sums, w->dtype, i, sum);
    }
    OR_EXIT(mnp_array_set_local(y, sums));
    free(offsets);
    free(columns);
    free(values);
    free(sums);
    return y;
}

/* ---- products with vectors ---- */

static const mnp_sparse *form_of(const work *w)
{
    return w->other ? w->other : w->a;
}

static void prepare_format(const sparse_case *b, work *w)
{
    if (b->which != MNP_CSR)
        OR_EXIT(mnp_sparse_convert(w->a, (mnp_sparse_format)b->which, 0, &w->other));
}

static mnp_status run_product(void *argument)
{
    work *w = argument;
    return mnp_sparse_matmul(form_of(w), w->x, &w->y);
}

/* x and y. */
static double vector_bytes(const work *w, int width)
{
    return 2.0 * width * (double)mnp_sparse_shape(w->a)[0] * (double)mnp_dtype_size(w->dtype);
}

static double product_bytes(const sparse_case *b, const work *w)
{
    return matrix_bytes((mnp_sparse_format)b->which, w->a) + vector_bytes(w, 1);
}

static double check_product(const work *w)
{
    return error_of(w->ctx, w->y, w->expected);
}

static void prepare_operator(const sparse_case *b, work *w)
{
    (void)b;
    OR_EXIT(poisson_operator(w->ctx, w->matrix, w->dtype, &w->op));
}

static mnp_status run_operator(void *argument)
{
    work *w = argument;
    return mnp_operator_run(w->op, false, w->x, &w->y);
}

static double operator_bytes(const sparse_case *b, const work *w)
{
    (void)b;
    return vector_bytes(w, 1);
}

static void prepare_vectors(const sparse_case *b, work *w)
{
    (void)b;
    w->vectors = vectors_new(w, WIDTH);
}

static mnp_status run_vectors(void *argument)
{
    work *w = argument;
    return mnp_sparse_matmul(w->a, w->vectors, &w->y);
}

static double vectors_bytes(const sparse_case *b, const work *w)
{
    (void)b;
    return matrix_bytes(MNP_CSR, w->a) + vector_bytes(w, WIDTH);
}

/* All vectors are multiples of the first. */
static double check_vectors(const work *w)
{
    double error = 0;
    for (int c = 0; c < WIDTH; c++) {
        char text[64];
        mnp_array *column = NULL;
        OR_EXIT(mnp_view(w->y, &column, MNP_ALL, MNP_AT(c)));
        snprintf(text, sizeof text, "max(abs(x / %d - y)) / max(abs(y))", c + 1);
        error = fmax(error, evaluate(w->ctx, text, column, w->expected));
        mnp_array_free(column);
    }
    return error;
}

/* ---- products of matrices ---- */

static mnp_status run_matmul(void *argument)
{
    work *w = argument;
    return mnp_sparse_matmul_sparse(w->a, w->a, make_anew(w));
}

static double matmul_bytes(const sparse_case *b, const work *w)
{
    (void)b;
    return matrix_bytes(MNP_CSR, w->a) + matrix_bytes(MNP_CSR, w->product);
}

/* (A A) x = A (A x). */
static double check_matmul(const work *w)
{
    mnp_array *y = NULL, *z = NULL;
    OR_EXIT(mnp_sparse_matmul(w->product, w->x, &y));
    OR_EXIT(mnp_sparse_matmul(w->a, w->expected, &z));
    const double error = error_of(w->ctx, y, z);
    mnp_free_all(y, z);
    return error;
}

/* ---- preconditioners and triangles ---- */

static void prepare_precond(const sparse_case *b, work *w)
{
    OR_EXIT(mnp_precond_new(w->a, (mnp_precond_kind)b->which, NULL, &w->precond));
}

static mnp_status run_precond(void *argument)
{
    work *w = argument;
    return mnp_precond_apply(w->precond, w->x, &w->y);
}

static double precond_bytes(const sparse_case *b, const work *w)
{
    const double one = vector_bytes(w, 1) / 2, all = matrix_bytes(MNP_CSR, w->a);
    switch (b->which) {
    case MNP_PRECOND_JACOBI:
        return 3 * one;
    case MNP_PRECOND_BLOCK_JACOBI:
        return (2 + BLOCK) * one;
    case MNP_PRECOND_SOR:
        return 2 * one + all / 2;
    case MNP_PRECOND_CHEBYSHEV:
    case MNP_PRECOND_POLYNOMIAL:
        return DEGREE * (2 * one + all);
    default:
        return 2 * one + all;
    }
}

/* What it leaves of a residual. */
static double rest_of(const work *w)
{
    mnp_array *z = NULL;
    OR_EXIT(mnp_sparse_matmul(w->a, w->y, &z));
    const double rest = evaluate(w->ctx, "sqrt(sum(abs(x - y)**2)) / sqrt(sum(abs(y)**2))", z, w->x);
    mnp_array_free(z);
    return rest;
}

static void prepare_triangular(const sparse_case *b, work *w)
{
    (void)b;
    OR_EXIT(mnp_sparse_tril(w->a, 0, &w->other));
    OR_EXIT(mnp_triangular_new(w->other, MNP_DTYPE_AUTO, true, false, false, &w->plan));
}

static mnp_status run_triangular(void *argument)
{
    work *w = argument;
    return mnp_triangular_solve(w->plan, w->x, &w->y);
}

static double triangular_bytes(const sparse_case *b, const work *w)
{
    (void)b;
    return matrix_bytes(MNP_CSR, w->other) + vector_bytes(w, 1);
}

static double check_triangular(const work *w)
{
    mnp_array *z = NULL;
    OR_EXIT(mnp_sparse_matmul(w->other, w->y, &z));
    const double error = error_of(w->ctx, z, w->x);
    mnp_array_free(z);
    return error;
}

/* ---- the cases ---- */

#define SPMV(name, needs, setting, format)                                                                             \
    {                                                                                                                  \
        name, OF_VECTORS, needs, setting, format, prepare_format, run_product, product_bytes, check_product            \
    }
#define MADE(name, needs, prepare, run, check)                                                                         \
    {                                                                                                                  \
        name, OF_VECTORS, needs, NULL, 0, prepare, run, made_bytes, check                                              \
    }
#define PRECOND(name, kind)                                                                                            \
    {                                                                                                                  \
        "precond-" name, OF_INVERSES, NEEDS_GENERATOR, NULL, kind, prepare_precond, run_precond, precond_bytes, NULL   \
    }

/* Those with a context of their own are last. */
static const sparse_case cases[] = {
    SPMV("spmv-csr", 0, NULL, MNP_CSR),
    SPMV("spmv-csc", 0, NULL, MNP_CSC),
    SPMV("spmv-coo", 0, NULL, MNP_COO),
    SPMV("spmv-dia", NEEDS_GENERATOR, NULL, MNP_DIA),
    SPMV("spmv-bsr", 0, NULL, MNP_BSR),
    SPMV("spmv-sell", 0, NULL, MNP_SELL),
    {"operator", OF_VECTORS, NEEDS_POISSON, NULL, 0, prepare_operator, run_operator, operator_bytes, check_product},
    {"spmm", OF_VECTORS, 0, NULL, 0, prepare_vectors, run_vectors, vectors_bytes, check_vectors},
    {"matmul", OF_MATRICES, 0, NULL, 0, NULL, run_matmul, matmul_bytes, check_matmul},
    MADE("add", 0, NULL, run_add, check_add),
    MADE("tril", 0, NULL, run_tril, check_tril),
    MADE("transpose", 0, NULL, run_transpose, check_transpose),
    MADE("assemble", 0, prepare_assemble, run_assemble, check_same),
    MADE("generate", NEEDS_GENERATOR, NULL, run_generate, check_same),
    PRECOND("jacobi", MNP_PRECOND_JACOBI),
    PRECOND("block-jacobi", MNP_PRECOND_BLOCK_JACOBI),
    PRECOND("ilu0", MNP_PRECOND_ILU0),
    PRECOND("ic0", MNP_PRECOND_IC0),
    PRECOND("sor", MNP_PRECOND_SOR),
    PRECOND("ssor", MNP_PRECOND_SSOR),
    PRECOND("chebyshev", MNP_PRECOND_CHEBYSHEV),
    PRECOND("polynomial", MNP_PRECOND_POLYNOMIAL),
    {"triangular", OF_INVERSES, NEEDS_GENERATOR, NULL, 0, prepare_triangular, run_triangular, triangular_bytes,
     check_triangular},
    SPMV("spmv-stream", NEEDS_GPU, "spmv=stream", MNP_CSR),
    SPMV("spmv-rows", NEEDS_GPU, "spmv=rows", MNP_CSR),
};

enum { NUM_CASES = sizeof cases / sizeof *cases };

/* On the host, on a GPU. */
static const char *const usual_matrices[][2] = {
    [OF_VECTORS] = {"poisson:64x64x64", "poisson:256x256x256"},
    [OF_MATRICES] = {"random:20000@1e-3,poisson:256x256,hpcg:16x16x16,powerlaw:20000",
                     "random:200000@1e-4,poisson:1024x1024,hpcg:64x64x64,powerlaw:100000"},
    [OF_INVERSES] = {"poisson:32x32x32", "poisson:128x128x128"},
};

/* ---- what cases share ---- */

static void close_matrix(work *w)
{
    mnp_free_all(w->x, w->expected);
    mnp_sparse_free(w->a);
    w->x = w->expected = NULL;
    w->a = NULL;
    w->matrix[0] = '\0';
}

/* The context of a setting: that of the command, or one of its own beside it. */
static void open_context(const char *setting, work *w)
{
    if (w->setting == setting)
        return;
    close_matrix(w);
    if (w->setting)
        mnp_finalize(w->ctx);
    w->ctx = w->usual_ctx;
    if (setting)
        OR_EXIT(mnp_init(MPI_COMM_WORLD, setting, &w->ctx));
    w->setting = setting;
}

/* The matrix of that name, x and A x. */
static void open_matrix(const char *name, work *w)
{
    if (strcmp(name, w->matrix) == 0)
        return;
    close_matrix(w);
    snprintf(w->matrix, sizeof w->matrix, "%s", name);
    w->a = make_matrix(w->ctx, name, w->dtype);
    w->x = vectors_new(w, 1);
    w->expected = expected_product(w);
}

static void close_case(work *w)
{
    mnp_free_all(w->y, w->vectors, w->rows, w->columns, w->values);
    mnp_triangular_free(w->plan);
    mnp_precond_free(w->precond);
    mnp_operator_free(w->op);
    mnp_sparse_free(w->product);
    mnp_sparse_free(w->other);
    w->y = w->vectors = w->rows = w->columns = w->values = NULL;
    w->plan = NULL;
    w->precond = NULL;
    w->op = NULL;
    w->product = w->other = NULL;
}

/* Seconds of what is done once, of the slowest rank. */
static double prepare(const sparse_case *b, work *w)
{
    if (!b->prepare)
        return 0;
    OR_EXIT(mnp_ctx_synchronize(w->ctx));
    MPI_Barrier(mnp_ctx_comm(w->ctx));
    double seconds = MPI_Wtime();
    b->prepare(b, w);
    OR_EXIT(mnp_ctx_synchronize(w->ctx));
    seconds = MPI_Wtime() - seconds;
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, mnp_ctx_comm(w->ctx));
    return seconds;
}

/* ---- running ---- */

static const char *why_not(const sparse_case *b, const char *matrix, const work *w)
{
    if ((b->needs & NEEDS_GPU) && is_on_host(w->ctx))
        return "it is a GPU's kernel";
    if ((b->needs & NEEDS_POISSON) && strncmp(matrix, "poisson:", 8) != 0)
        return "it takes poisson:NX[xNY[xNZ]]";
    if ((b->needs & NEEDS_GENERATOR) && !mnp_sparse_is_generator(matrix))
        return "the matrix has no pattern, and zeros on its diagonal";
    return NULL;
}

/* What is said behind the figures; ends the program if the result is wrong. */
static void describe(const sparse_case *b, const work *w, char *text, size_t size)
{
    const double tolerance = 1000 * (is_single(w->dtype) ? (double)FLT_EPSILON : DBL_EPSILON);
    const double error = b->check ? b->check(w) : 0, rest = b->check ? 0 : rest_of(w);
    text[0] = '\0';
    if (!(error <= tolerance) || !isfinite(rest))
        OR_EXIT(mnp_fail(MNP_ERR_INTERNAL,
                         "%s of %s is wrong by %g of its largest element, or leaves %g of a "
                         "residual",
                         b->name, w->matrix, error, rest));
    if (!b->check)
        snprintf(text, size, "leaves %.4f of a residual", rest);
    if (w->product)
        snprintf(text, size, "%" PRId64 " entries", mnp_sparse_nnz(w->product));
}

static void time_case(const bench_options *o, const sparse_case *b, const char *matrix, work *w)
{
    const char *reason = why_not(b, matrix, w);
    char text[64];
    if (reason) {
        if (mnp_ctx_rank(w->ctx) == 0)
            printf("  %-21s%-22s is left out: %s\n", b->name, matrix, reason);
        return;
    }
    open_context(b->setting, w);
    open_matrix(matrix, w);
    double *seconds = zeros(w->ctx, o->repeats, sizeof *seconds);
    const double setup = prepare(b, w);
    measure_together(w->ctx, b->run, w, o->repeats, seconds);
    describe(b, w, text, sizeof text);
    const double median = seconds[o->repeats / 2], floor_seconds = b->bytes(b, w) / w->rate;
    if (mnp_ctx_rank(w->ctx) == 0)
        printf("  %-21s%-22s%11.4f%11.4f%7.0f %%%10.4f  %s\n", b->name, matrix, 1e3 * median, 1e3 * floor_seconds,
               100 * floor_seconds / median, setup, text);
    struct record r = {.benchmark = "sparse",
                       .name = b->name,
                       .seconds = median,
                       .best = seconds[0],
                       .bytes = b->bytes(b, w),
                       .floor = floor_seconds};
    snprintf(r.input, sizeof r.input, "%s %s", matrix, mnp_dtype_name(w->dtype));
    record(w->ctx, r);
    if (b->run == run_product && b->which == MNP_CSR && !is_on_host(w->ctx))
        mnp_sparse_describe(w->a, stdout);
    free(seconds);
    close_case(w);
}

static const sparse_case *find_case(const char *name)
{
    for (int i = 0; i < NUM_CASES; i++)
        if (strcmp(cases[i].name, name) == 0)
            return &cases[i];
    return NULL;
}

/* Take the next of several names of matrices, which commas separate; false: there is none. */
static bool next_matrix(const char **names_p, char matrix[MATRIX_TEXT])
{
    const char *names = *names_p;
    const size_t length = strcspn(names, ",");
    snprintf(matrix, MATRIX_TEXT, "%.*s", (int)length, names);
    *names_p = names + length + (names[length] == ',');
    return *names != '\0';
}

/* Every matrix that was asked for, or the case's own. */
static void time_matrices(const bench_options *o, const sparse_case *b, work *w)
{
    const char *names = o->matrix ? o->matrix : usual_matrices[b->usual][!is_on_host(w->ctx)];
    for (char matrix[MATRIX_TEXT]; next_matrix(&names, matrix);)
        time_case(o, b, matrix, w);
}

/* ---- the benchmark ---- */

static mnp_dtype dtype_of(const bench_options *o)
{
    return o->dtype == MNP_DTYPE_AUTO ? MNP_FLOAT64 : o->dtype;
}

static mnp_status check(int ranks, int count, const char *const *names, const bench_options *o)
{
    const mnp_dtype dtype = dtype_of(o);
    const char *matrices = o->matrix ? o->matrix : "";
    int64_t nrows;
    double density;
    (void)ranks, (void)count, (void)names;
    if (dtype != MNP_FLOAT32 && dtype != MNP_FLOAT64 && dtype != MNP_COMPLEX64 && dtype != MNP_COMPLEX128)
        return mnp_fail(MNP_ERR_ARG, "--dtype is '%s'; sparse takes float32, float64, complex64 or complex128",
                        mnp_dtype_name(dtype));
    for (char matrix[MATRIX_TEXT]; next_matrix(&matrices, matrix);)
        if (!is_without_pattern(matrix, &nrows, &density) && !mnp_sparse_is_generator(matrix))
            return mnp_fail(MNP_ERR_ARG,
                            "--matrix is '%s', neither random:ROWS@DENSITY nor powerlaw:ROWS nor a generator", matrix);
    return MNP_OK;
}

static int run(mnp_ctx *ctx, int count, const char *const *names, const bench_options *o)
{
    work w = {.ctx = ctx, .usual_ctx = ctx, .dtype = dtype_of(o), .rate = o->copy_rate};
    if (mnp_ctx_rank(ctx) == 0)
        printf("  %-21s%-22s%11s%11s%9s%10s\n", "case", "matrix", "ms", "floor", "share", "setup, s");
    for (int i = 0; i < count; i++)
        time_matrices(o, find_case(names[i]), &w);
    open_context(NULL, &w);
    close_matrix(&w);
    return EXIT_SUCCESS;
}

const benchmark sparse_benchmark = {.name = "sparse",
                                    .help = "products, sums and assembly of sparse matrices, preconditioners",
                                    .repeats = 20,
                                    BENCH_CASES(cases),
                                    .check = check,
                                    .run = run};
