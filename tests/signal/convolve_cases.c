/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs many convolutions in one process, for tests/apps/checks/conv_scipy.py, which makes the cases and knows the
 * answers:
 *
 *   convolve_cases FOLDER
 *
 * FOLDER/cases.txt has a line a case: dtype, number of dimensions and shape of the input; the same of the kernel; 1
 * for a correlation, else 0; mode, boundary, fill value; number of axes and axes; the result's dtype or "auto"; the
 * input's layout.  FOLDER/cases.bin
 * has each case's input and kernel, in C order.  Written are FOLDER/results.txt, a line a case with dtype, number of
 * dimensions and shape, or "error" and the sentence, and FOLDER/results.bin.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <maniple.h>

enum { MAX_RANKS = 64 };

typedef struct operand {
    mnp_dtype dtype;
    int ndim;
    int64_t shape[MNP_MAX_DIMS];
    void *data;
} operand;

typedef struct files {
    FILE *cases, *data, *results, *values; /* the results on rank 0 alone */
} files;

/* End the program: the test itself fails, not Maniple. */
static void give_up(const char *what)
{
    fprintf(stderr, "convolve_cases: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static FILE *open_file(const char *folder, const char *name, const char *how)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, how);
    if (!file)
        give_up(path);
    return file;
}

static int64_t size_of(int ndim, const int64_t *shape)
{
    int64_t size = 1;
    for (int d = 0; d < ndim; d++)
        size *= shape[d];
    return size;
}

/* The next operand of the case; false at the end of the list. */
static bool read_operand(files *f, operand *op)
{
    char name[16];
    if (fscanf(f->cases, "%15s", name) != 1)
        return false;
    if (mnp_dtype_parse(name, &op->dtype) != MNP_OK || fscanf(f->cases, "%d", &op->ndim) != 1)
        give_up("cases.txt is not as it should be");
    for (int d = 0; d < op->ndim; d++)
        if (fscanf(f->cases, "%" SCNd64, &op->shape[d]) != 1)
            give_up("cases.txt lacks a shape");
    size_t bytes = (size_t)size_of(op->ndim, op->shape) * mnp_dtype_size(op->dtype);
    op->data = malloc(bytes + 1);
    if (!op->data || fread(op->data, 1, bytes, f->data) != bytes)
        give_up("cases.bin is too short");
    return true;
}

/* Cuts that grow towards the end: small blocks, even empty ones, beside large ones. */
static mnp_status uneven_layout(int nranks, int ndim, const int64_t *shape, const int *axes, mnp_layout **layout_p)
{
    int64_t points[MAX_RANKS + 1];
    const int64_t *cuts[MNP_MAX_DIMS] = {points};
    for (int64_t i = 0; i <= nranks; i++)
        points[i] = shape[0] * i * i / ((int64_t)nranks * nranks);
    return mnp_layout_new(1, &nranks, ndim, shape, axes, cuts, layout_p);
}

static mnp_status make_layout(const char *name, int nranks, const operand *x, mnp_layout **layout_p)
{
    int axes[MNP_MAX_DIMS];
    for (int d = 0; d < MNP_MAX_DIMS; d++)
        axes[d] = MNP_NO_AXIS;
    axes[strcmp(name, "last") == 0 ? x->ndim - 1 : 0] = 0;
    if (strcmp(name, "block") == 0)
        return mnp_layout_block(nranks, x->ndim, x->shape, layout_p);
    if (strcmp(name, "replicated") == 0)
        return mnp_layout_replicated(nranks, x->ndim, x->shape, layout_p);
    if (strcmp(name, "uneven") == 0)
        return uneven_layout(nranks, x->ndim, x->shape, axes, layout_p);
    return mnp_layout_new(1, &nranks, x->ndim, x->shape, axes, NULL, layout_p);
}

/* Convolve, and once more into the same array, which must not change a thing. */
static mnp_status convolve(const mnp_array *x, const mnp_array *kernel, const mnp_conv_options *options,
                           mnp_array **y_p)
{
    mnp_conv_plan *plan = NULL;
    mnp_status st =
        mnp_conv_plan_new(mnp_array_ctx(x), mnp_array_dtype(x), mnp_array_layout(x), kernel, options, &plan);
    if (st == MNP_OK)
        st = mnp_conv_execute(plan, x, y_p);
    if (st == MNP_OK)
        st = mnp_conv_execute(plan, x, y_p);
    mnp_conv_plan_free(plan);
    return st;
}

static void write_result(files *f, const mnp_array *y)
{
    int ndim = mnp_array_ndim(y);
    const int64_t *shape = mnp_array_shape(y);
    size_t bytes = (size_t)size_of(ndim, shape) * mnp_dtype_size(mnp_array_dtype(y));
    void *values = f->results ? malloc(bytes + 1) : NULL;
    MNP_OR_EXIT(mnp_array_to_host(y, 0, values));
    if (!f->results)
        return;
    fprintf(f->results, "%s %d", mnp_dtype_name(mnp_array_dtype(y)), ndim);
    for (int d = 0; d < ndim; d++)
        fprintf(f->results, " %" PRId64, shape[d]);
    fputc('\n', f->results);
    if (fwrite(values, 1, bytes, f->values) != bytes)
        give_up("results.bin cannot be written");
    free(values);
}

/* Run the next case; false if there is none. */
static bool run_case(mnp_ctx *ctx, files *f)
{
    operand x, kernel;
    char type[16], layout_name[16];
    int correlate, mode, boundary, axes[MNP_MAX_DIMS];
    mnp_conv_options options = {0};
    if (!read_operand(f, &x))
        return false;
    if (!read_operand(f, &kernel) ||
        fscanf(f->cases, "%d %d %d %lf %d", &correlate, &mode, &boundary, &options.fillvalue, &options.naxes) != 5)
        give_up("cases.txt lacks a kernel or options");
    for (int i = 0; i < options.naxes; i++)
        if (fscanf(f->cases, "%d", &axes[i]) != 1)
            give_up("cases.txt lacks an axis");
    if (fscanf(f->cases, "%15s %15s", type, layout_name) != 2)
        give_up("cases.txt lacks a layout");
    options.correlate = correlate;
    options.mode = (mnp_conv_mode)mode;
    options.boundary = (mnp_boundary)boundary;
    options.axes = axes;
    if (strcmp(type, "auto") != 0)
        MNP_OR_EXIT(mnp_dtype_parse(type, &options.dtype));

    mnp_layout *layout = NULL;
    mnp_array *blocks = NULL, *input = NULL, *weights = NULL, *y = NULL;
    MNP_OR_EXIT(make_layout(layout_name, mnp_ctx_size(ctx), &x, &layout));
    MNP_OR_EXIT(mnp_array_from_host(ctx, x.dtype, x.ndim, x.shape, x.data, &blocks));
    MNP_OR_EXIT(mnp_redistribute(blocks, layout, &input));
    MNP_OR_EXIT(mnp_array_from_host(ctx, kernel.dtype, kernel.ndim, kernel.shape, kernel.data, &weights));
    if (convolve(input, weights, &options, &y) == MNP_OK)
        write_result(f, y);
    else if (f->results)
        fprintf(f->results, "error %s\n", mnp_error_message());
    mnp_free_all(blocks, input, weights, y);
    mnp_layout_free(layout);
    free(x.data);
    free(kernel.data);
    return true;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: convolve_cases FOLDER\n");
        return 2;
    }
    mnp_ctx *ctx = NULL;
    MNP_OR_EXIT(mnp_init(MPI_COMM_WORLD, NULL, &ctx));
    files f = {open_file(argv[1], "cases.txt", "r"), open_file(argv[1], "cases.bin", "rb"), NULL, NULL};
    if (mnp_ctx_rank(ctx) == 0) {
        f.results = open_file(argv[1], "results.txt", "w");
        f.values = open_file(argv[1], "results.bin", "wb");
    }
    while (run_case(ctx, &f))
        continue;
    if (f.results && (fclose(f.results) != 0 || fclose(f.values) != 0))
        give_up("the results cannot be written");
    fclose(f.cases);
    fclose(f.data);
    mnp_finalize(ctx);
    return 0;
}
