/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Operations of dense linear algebra are counted as is usual: 2 m n k for a product, 4 m n^2 for a tall decomposition,
 * for square matrices as the table says, and four times as many with complex numbers.  The counts for functions of
 * matrices are from N. J. Higham, Functions of Matrices (2008).
 */
#include "linalg/linalg_plan.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/command.h"
#include "report/report.h"

/* Functions of one square matrix, by factors and spectra. */
typedef struct cost {
    const char *function, *what;
    double cubes; /* operations, in n^3 */
    machine_work work;
    bool alone; /* one rank computes one matrix */
    const char *note;
} cost;

static const cost costs[] = {
    {"solve", "LU and substitutions", 2.0 / 3, WORK_FACTORS, false, NULL},
    {"lu", "LU", 2.0 / 3, WORK_FACTORS, false, NULL},
    {"det", "LU", 2.0 / 3, WORK_FACTORS, false, NULL},
    {"inv", "LU and the inverse", 2, WORK_FACTORS, false, NULL},
    {"cholesky", "Cholesky's factor", 1.0 / 3, WORK_FACTORS, false, NULL},
    {"eigh", "eigenvalues and vectors", 9, WORK_SPECTRUM, false, NULL},
    {"eig", "eigenvalues and vectors", 25, WORK_SPECTRUM, true, NULL},
    {"schur", "Schur's form", 25, WORK_SPECTRUM, true, NULL},
    {"sqrtm", "Schur's form and its root", 28 + 1.0 / 3, WORK_SPECTRUM, true, NULL},
    {"logm", "Schur's form and its logarithm", 25, WORK_SPECTRUM, true, "the logarithm of Schur's form is not counted"},
    {"expm", "products and LU", 14 + 2.0 / 3, WORK_PRODUCTS, false, "products for a large norm are not counted"},
    {"cosm", "products and LU", 14 + 2.0 / 3, WORK_PRODUCTS, false, "products for a large norm are not counted"},
    {"sinm", "products and LU", 14 + 2.0 / 3, WORK_PRODUCTS, false, "products for a large norm are not counted"},
};

static const cost *find_cost(const char *name)
{
    for (size_t i = 0; i < sizeof costs / sizeof *costs; i++)
        if (strcmp(costs[i].function, name) == 0)
            return &costs[i];
    return NULL;
}

typedef struct problem {
    const char *function;
    int count;
    const operand *inputs;
    mnp_dtype dtype;
    double batch, m, n, k; /* matrices; A has m rows and n columns, B has k columns */
    double size, flops;    /* bytes of an element; operations of a multiplication and an addition, by 2 */
    bool spectral;         /* a norm that needs singular values */
    const linalg_largest *largest;
} problem;

static mnp_status find_problem(const linalg_job *job, problem *q)
{
    const char *name = job->function->name, *ord = job->ord;
    const int count = job->function->inputs;
    const operand *a = &job->inputs[0], *b = &job->inputs[1];
    const bool matmul = strcmp(name, "matmul") == 0;
    if (a->ndim < 2 || (count == 2 && b->ndim < 1))
        return mnp_fail(MNP_ERR_ARG, "--plan is for matrices, and A '%s' has %d dimension%s", a->text, a->ndim,
                        plural(a->ndim));
    *q = (problem){.function = name, .count = count, .inputs = job->inputs, .batch = 1, .k = 1};
    q->largest = &job->largest;
    q->m = (double)a->shape[a->ndim - 2];
    q->n = (double)a->shape[a->ndim - 1];
    for (int d = 0; d + 2 < a->ndim; d++)
        q->batch *= (double)a->shape[d];
    if (count == 2) {
        const double rows = (double)b->shape[b->ndim > 1 ? b->ndim - 2 : 0], fits = matmul ? q->n : q->m;
        q->k = b->ndim > 1 ? (double)b->shape[b->ndim - 1] : 1;
        if (rows != fits)
            return mnp_fail(MNP_ERR_ARG, "A '%s' is %.0fx%.0f, and B '%s' has %.0f rows", a->text, q->m, q->n, b->text,
                            rows);
    }
    if (find_cost(name) && q->m != q->n)
        return mnp_fail(MNP_ERR_ARG, "%s needs a square matrix, and A '%s' is %.0fx%.0f", name, a->text, q->m, q->n);
    const bool complex = mnp_dtype_kind(a->dtype) == 'c';
    const bool single = a->dtype == MNP_FLOAT32 || a->dtype == MNP_COMPLEX64;
    q->dtype = complex ? (single ? MNP_COMPLEX64 : MNP_COMPLEX128) : (single ? MNP_FLOAT32 : MNP_FLOAT64);
    q->size = (double)mnp_dtype_size(q->dtype);
    q->flops = complex ? 4 : 1;
    q->spectral = ord && (strcmp(ord, "nuc") == 0 || strcmp(ord, "2") == 0 || strcmp(ord, "-2") == 0);
    return MNP_OK;
}

/* An operand of that shape and of one element, which is read again and again: enough to ask how it would be used. */
static mnp_status stand_in(const operand *x, mnp_array *element, mnp_array **array_p)
{
    static const int64_t strides[MNP_MAX_DIMS] = {0};
    mnp_ctx *ctx = mnp_array_ctx(element);
    mnp_layout *layout = NULL;
    mnp_status st = mnp_layout_block(mnp_ctx_size(ctx), x->ndim, x->shape, &layout);
    if (st == MNP_OK)
        st = mnp_array_wrap(ctx, mnp_array_dtype(element), layout, mnp_array_local_data(element), strides, NULL, NULL,
                            array_p);
    mnp_layout_free(layout);
    return st;
}

/* How the library would do it on the ranks that there are. */
static mnp_status ask_library(mnp_ctx *ctx, const problem *q, mnp_matmul_info *info)
{
    const int64_t one = mnp_ctx_size(ctx);
    mnp_array *element = NULL, *a = NULL, *b = NULL;
    mnp_status st = mnp_zeros(ctx, q->dtype, 1, &one, &element);
    if (st == MNP_OK)
        st = stand_in(&q->inputs[0], element, &a);
    if (st == MNP_OK)
        st = stand_in(&q->inputs[1], element, &b);
    if (st == MNP_OK)
        st = mnp_matmul_describe(a, b, NULL, info);
    long long most[] = {info->bytes, info->messages, info->workspace};
    if (st == MNP_OK)
        all_reduce(ctx, most, 3, MPI_LONG_LONG, MPI_MAX);
    info->bytes = most[0];
    info->messages = most[1];
    info->workspace = most[2];
    mnp_free_all(a, b, element);
    return st;
}

/*
 * A rank computes a box of the product, for which it needs rows of A and columns of B.  On the ranks that there are the
 * library tells what it would bring.
 */
static mnp_status plan_matmul(plan *p, const problem *q)
{
    int parts[MNP_MAX_DIMS];
    const int64_t shape[] = {(int64_t)q->m, (int64_t)q->k};
    mnp_matmul_info info = {.method = NULL};
    if (p->as_started && p->ranks > 1) {
        const mnp_status st = ask_library(p->ctx, q, &info);
        if (st != MNP_OK)
            return st;
    }
    (void)plan_block(p, 2, shape, parts);
    const double rows = ceil(q->m / parts[0]), columns = ceil(q->k / parts[1]),
                 own = (q->m * q->n + q->n * q->k) / p->ranks, needed = rows * q->n + q->n * columns;
    const double brought = info.method ? (double)info.workspace : p->ranks > 1 ? q->batch * needed * q->size : 0;
    plan_by(p, "every rank computes a box of %.0f x %.0f of the product, by BLAS%s%s", rows, columns,
            info.method ? ": " : "", info.method ? info.method : "");
    plan_keep(p, "A and B", q->batch * own * q->size);
    plan_keep(p, "rows and columns that are brought", brought);
    plan_keep(p, "product", q->batch * rows * columns * q->size);
    if (p->ranks > 1) {
        plan_step bring = {.what = "rows of A and columns of B", .bytes = 2 * brought, .fresh = brought, .launches = 2};
        plan_spread(p, &bring, info.method ? (double)info.bytes : q->batch * fmax(needed - own, 0) * q->size);
        if (info.method)
            bring.messages = (double)info.messages + info.parts - 1;
        plan_add(p, bring);
    }
    plan_add(p, (plan_step){.what = "product",
                            .operations = 2 * q->flops * q->batch * rows * columns * q->n,
                            .work = WORK_PRODUCTS,
                            .dtype = q->dtype,
                            .bytes = q->batch * (needed + rows * columns) * q->size,
                            .fresh = q->batch * rows * columns * q->size,
                            .launches = 1});
    return MNP_OK;
}

/* One matrix is dealt out over the ranks by columns, panel by panel: all ranks get every panel. */
static void plan_factors(plan *p, const problem *q, const char *what, double operations, machine_work work,
                         double vectors, bool alone)
{
    const double matrix = q->m * q->n * q->size, shares = q->batch > 1 ? fmin(p->ranks, q->batch)
                                                          : alone      ? 1
                                                                       : p->ranks;
    plan_by(p, "%s",
            q->batch > 1            ? "ranks share the matrices of the batch"
            : alone && p->ranks > 1 ? "one rank computes one matrix"
            : p->ranks > 1          ? "the columns of one matrix are dealt out, and all ranks get every panel"
                                    : "LAPACK, or what the GPU has of it");
    plan_keep(p, "matrix", q->batch * matrix / shares);
    plan_keep(p, "copy in columns", q->batch * matrix / shares);
    plan_keep(p, "results", q->batch * vectors * q->size / shares);
    plan_step step = {.what = what,
                      .operations = q->batch * q->flops * operations / shares,
                      .work = work,
                      .dtype = q->dtype,
                      .bytes = 2 * q->batch * matrix / shares,
                      .fresh = q->batch * (matrix + vectors * q->size) / shares,
                      .launches = 1,
                      .at_least = q->batch == 1 && p->ranks > 1 && !alone};
    if (step.at_least) {
        plan_spread(p, &step, matrix * (p->ranks - 1) / p->ranks);
        plan_note(p, "panels are found by one rank while others wait, which is not in the model");
    }
    plan_add(p, step);
}

static void plan_tall(plan *p, const problem *q, const char *what)
{
    const double rows = ceil(q->m / p->ranks), block = q->batch * rows * q->n * q->size;
    plan_by(p, "%s", "a tall matrix: rows stay with their ranks, which sum products of it with itself");
    plan_keep(p, "matrix", block);
    plan_keep(p, "orthogonal factor", block);
    plan_keep(p, "results", q->batch * (rows + q->n) * q->n * q->size);
    plan_step step = {.what = what,
                      .operations = 4 * q->flops * q->batch * rows * q->n * q->n,
                      .work = WORK_TALL,
                      .dtype = q->dtype,
                      .bytes = 6 * block,
                      .fresh = block,
                      .launches = 10,
                      .joins = 4};
    plan_spread(p, &step, 4 * q->n * q->n * q->size);
    plan_add(p, step);
}

/* Products of all of the matrix with some vectors, between which these are made orthonormal. */
static mnp_status plan_largest(plan *p, const problem *q)
{
    const double least = fmin(q->m, q->n), count = (double)q->largest->count,
                 width = fmin(least, count + LARGEST_OVERSAMPLING),
                 products = 2 * (double)linalg_iterations(q->largest) + 2, matrix = q->m * q->n * q->size / p->ranks,
                 longer = fmax(q->m, q->n), vectors = longer * width * q->size;
    if (count > least)
        return mnp_fail(MNP_ERR_ARG, "--largest is %.0f, and A '%s' has %.0f singular values", count, q->inputs[0].text,
                        least);
    plan_by(p, "%.0f products with %.0f random vectors, which are made orthonormal after each", products, width);
    plan_keep(p, "matrix", matrix);
    plan_keep(p, "vectors, as many before and after a product", 2 * vectors);
    plan_step multiply = {.what = "products",
                          .operations = products * 2 * q->flops * q->m * q->n * width / p->ranks,
                          .work = WORK_PRODUCTS,
                          .dtype = q->dtype,
                          .bytes = products * (matrix + 2 * vectors / p->ranks),
                          .fresh = 2 * vectors,
                          .launches = products};
    plan_step reduce = {.what = "orthonormal vectors",
                        .operations = products * 4 * q->flops * longer * width * width / p->ranks,
                        .work = WORK_TALL,
                        .dtype = q->dtype,
                        .bytes = products * 6 * vectors / p->ranks,
                        .launches = 10 * products,
                        .joins = 4 * products};
    if (p->ranks > 1)
        plan_spread(p, &multiply, products * vectors);
    plan_add(p, multiply);
    plan_add(p, reduce);
    return MNP_OK;
}

static mnp_status fill(plan *p, const problem *q)
{
    const double n = q->n, small = fmin(q->m, q->n);
    const cost *square = find_cost(q->function);
    if (strcmp(q->function, "matmul") == 0) {
        return plan_matmul(p, q);
    } else if (q->largest->count > 0) {
        return plan_largest(p, q);
    } else if (square) {
        const double right = q->count == 2 ? q->k : 0;
        plan_factors(p, q, square->what, square->cubes * n * n * n + 2 * n * n * right, square->work,
                     right > 0 ? n * right : n * n, square->alone);
        if (square->note)
            plan_note(p, "%s", square->note);
    } else if (strcmp(q->function, "norm") == 0 && !q->spectral) {
        const double block = q->batch * q->m * n * q->size / p->ranks;
        plan_by(p, "%s", "every rank sums its block");
        plan_keep(p, "matrix", block);
        plan_add(p, (plan_step){.what = "sums", .bytes = block, .launches = 2, .joins = 1});
    } else if (q->m >= 4 * n) {
        plan_tall(p, q, q->function);
    } else if (strcmp(q->function, "qr") == 0) {
        plan_factors(p, q, "QR", 4 * small * small * fmax(q->m, n), WORK_FACTORS, (q->m + n) * small, false);
        plan_note(p, "the rate is that of LU; QR of square matrices was not measured");
    } else {
        plan_factors(p, q, q->function, 9 * small * small * fmax(q->m, n), WORK_SPECTRUM, (q->m + n) * small, false);
        plan_note(p, "the rate is that of eigenvalues; singular values of square matrices were not measured");
    }
    return MNP_OK;
}

static void plan_text(const void *run)
{
    const problem *q = run;
    static const char *const titles[] = {"A", "B"};
    printf("function  %s\n", q->function);
    for (int i = 0; i < q->count; i++)
        print_operand(titles[i], &q->inputs[i]);
}

static void plan_json(const void *run, json_writer *out)
{
    static const char *const names[] = {"a", "b"};
    const problem *q = run;
    json_text(out, "function", q->function);
    for (int i = 0; i < q->count; i++)
        json_input(out, names[i], &q->inputs[i]);
}

mnp_status linalg_plan(const linalg_job *job)
{
    plan p;
    problem q;
    mnp_status status = find_problem(job, &q);
    if (status == MNP_OK)
        status = plan_begin(job->ctx, &job->plan, &p);
    if (status == MNP_OK)
        status = fill(&p, &q);
    if (status != MNP_OK)
        return status;
    p.run = &q;
    p.text = plan_text;
    p.json = plan_json;
    plan_print(&p, job->request.quiet, job->request.json);
    return MNP_OK;
}
