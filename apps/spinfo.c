/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * maniple spinfo: properties of a sparse matrix, and a picture of its entries.
 */
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <getopt.h>

#include <maniple.h>

#include "common/command.h"
#include "common/files.h"
#include "report/json.h"
#include "common/matrix.h"
#include "common/rehearsal.h"
#include "common/options.h"
#include "common/paths.h"
#include "common/result.h"
#include "report/progress.h"
#include "report/report.h"
#include "picture/spy.h"

static const option_row options_table[] = {
    JSON_ROW, PICTURE_OPTIONS("where the entries are"), PROGRESS_ROW, HELP_ROW, {0},
};

void spinfo_help(void)
{
    puts("Usage: maniple spinfo MATRIX [OPTION...]\n"
         "       mpirun -n RANKS maniple spinfo MATRIX [OPTION...]\n"
         "\n"
         "Show size, entries, symmetry, bandwidth, diagonal dominance, rows and norms of a sparse matrix,\n"
         "and how it is distributed over the ranks.  MATRIX is one of\n"
         "  FILE.mtx              a Matrix Market coordinate file\n"
         "  FILE.h5:/GROUP        the members of a scipy.sparse matrix: data, indices, indptr, shape\n"
         "  poisson:NX[xNY[xNZ]]  finite differences; hpcg:NXxNYxNZ has 27 points\n"
         "  convdiff:NX[xNY[xNZ]][@PECLET]  with convection\n"
         "  elasticity:NXxNY[@POISSON]      finite elements, two unknowns a node\n"
         "\n"
         "Options:");
    options_print(options_table);
    puts("\n"
         "Examples:\n"
         "  maniple spinfo bar.mtx --picture bar.png\n"
         "  mpirun -n 4 maniple spinfo poisson:128x128x128 --json");
}

/* Sums and maxima over rows and ranks; a minimum is kept as the maximum of the negative. */
typedef struct facts {
    struct sums {
        int64_t empty_rows, diagonal, dominant, strictly_dominant, zeros, not_finite;
    } sums;
    struct most {
        int64_t longest_row, minus_shortest_row, below, above;
        int64_t entries, minus_entries, ghosts, minus_ghosts; /* on one rank */
    } most;
    mnp_sparse_symmetry symmetry; /* set for square matrices */
    double norm_1, norm_inf, norm_frobenius, largest;
} facts;

typedef struct job {
    mnp_ctx *ctx;
    matrix_operand input;
    result_request result; /* without an output */
    mnp_sparse *matrix;
    local_rows rows;
    facts found;
    spy_picture drawn;
} job;

typedef enum stage { READ = FIRST_STAGE, EXAMINE, DRAW, NUM_STAGES } stage;
static const char *const stage_names[] = {"compile", "read", "examine", "draw"};

/* ---- the command line ---- */

static mnp_status parse(int argc, char **argv, job *j)
{
    mnp_status status = MNP_OK;
    for (int key; status == MNP_OK && (key = options_next(argc, argv, options_table)) != OPTIONS_END;)
        status = result_option(key, &j->result);
    if (status == MNP_OK)
        status = result_check_options(&j->result);
    if (status != MNP_OK)
        return status;
    if (argc - optind != 1)
        return mnp_fail(MNP_ERR_ARG, "spinfo needs one matrix, as in: maniple spinfo FILE.mtx");
    return matrix_parse(argv[optind], &j->input);
}

/* ---- facts ---- */

static double magnitude(mnp_dtype dtype, const void *values, int64_t i)
{
    switch (dtype) {
    case MNP_FLOAT32:
        return fabs((double)((const float *)values)[i]);
    case MNP_COMPLEX64:
        return hypot((double)((const float *)values)[2 * i], (double)((const float *)values)[2 * i + 1]);
    case MNP_COMPLEX128:
        return hypot(((const double *)values)[2 * i], ((const double *)values)[2 * i + 1]);
    default:
        return fabs(((const double *)values)[i]);
    }
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static void examine_row(const job *j, int64_t i, facts *f)
{
    const local_rows *rows = &j->rows;
    const mnp_dtype dtype = mnp_sparse_dtype(j->matrix);
    const int64_t row = rows->first + i, begin = rows->offsets[i], end = rows->offsets[i + 1];
    double diagonal = 0, others = 0;
    for (int64_t k = begin; k < end; k++) {
        const double size = magnitude(dtype, rows->values, k);
        if (rows->columns[k] == row)
            diagonal = size;
        else
            others += size;
        f->sums.zeros += size == 0;
        f->sums.not_finite += !isfinite(size);
    }
    f->sums.empty_rows += begin == end;
    f->sums.diagonal += diagonal != 0;
    f->sums.dominant += diagonal >= others;
    f->sums.strictly_dominant += diagonal > others;
    f->most.longest_row = larger(f->most.longest_row, end - begin);
    f->most.minus_shortest_row = larger(f->most.minus_shortest_row, begin - end);
    if (begin < end) {
        f->most.below = larger(f->most.below, row - rows->columns[begin]);
        f->most.above = larger(f->most.above, rows->columns[end - 1] - row);
    }
}

static mnp_status fetch_rows(job *j)
{
    const size_t count = (size_t)mnp_sparse_local_nnz(j->matrix);
    local_rows *rows = &j->rows;
    mnp_layout_box(mnp_sparse_row_layout(j->matrix), mnp_ctx_rank(j->ctx), &rows->first, &rows->count);
    rows->offsets = malloc(((size_t)rows->count + 1) * sizeof *rows->offsets);
    rows->columns = malloc((count + 1) * sizeof *rows->columns);
    rows->values = malloc((count + 1) * mnp_dtype_size(mnp_sparse_dtype(j->matrix)));
    if (!rows->offsets || !rows->columns || !rows->values)
        return mnp_fail(MNP_ERR_MEMORY, "no memory on the host for %zu entries", count);
    return mnp_sparse_get_local(j->matrix, rows->offsets, rows->columns, rows->values);
}

static void examine(job *j)
{
    facts *f = &j->found;
    const int64_t *shape = mnp_sparse_shape(j->matrix);
    const int64_t entries = mnp_sparse_local_nnz(j->matrix), ghosts = mnp_sparse_ghosts(j->matrix);
    *f = (facts){.most = {.minus_shortest_row = INT64_MIN,
                          .below = INT64_MIN,
                          .above = INT64_MIN,
                          .entries = entries,
                          .minus_entries = -entries,
                          .ghosts = ghosts,
                          .minus_ghosts = -ghosts}};
    OR_EXIT(mnp_agree(j->ctx, fetch_rows(j)));
    for (int64_t i = 0; i < j->rows.count; i++)
        examine_row(j, i, f);
    all_reduce(j->ctx, &f->sums, sizeof f->sums / sizeof(int64_t), MPI_INT64_T, MPI_SUM);
    all_reduce(j->ctx, &f->most, sizeof f->most / sizeof(int64_t), MPI_INT64_T, MPI_MAX);
    if (shape[0] == 0)
        f->most.minus_shortest_row = 0;
    f->most.below = larger(f->most.below, 0);
    f->most.above = larger(f->most.above, 0);
    if (shape[0] == shape[1])
        OR_EXIT(mnp_sparse_find_symmetry(j->matrix, &f->symmetry));
    OR_EXIT(mnp_sparse_norm(j->matrix, '1', &f->norm_1));
    OR_EXIT(mnp_sparse_norm(j->matrix, 'i', &f->norm_inf));
    OR_EXIT(mnp_sparse_norm(j->matrix, 'f', &f->norm_frobenius));
    OR_EXIT(mnp_sparse_norm(j->matrix, 'm', &f->largest));
}

static double fraction(const mnp_sparse *matrix)
{
    const double size = (double)mnp_sparse_shape(matrix)[0] * (double)mnp_sparse_shape(matrix)[1];
    return size > 0 ? (double)mnp_sparse_nnz(matrix) / size : 0;
}

static double mean(int64_t sum, int64_t count)
{
    return count > 0 ? (double)sum / (double)count : 0;
}

/* ---- text ---- */

/* Print "symmetric", or how far the matrix is from that. */
static void print_symmetry(const char *name, double difference, double largest)
{
    if (difference == 0)
        printf("%s", name);
    else if (difference <= 1e-12 * largest)
        printf("%s up to rounding (%.3g)", name, unsigned_nan(difference));
    else
        printf("not %s (%.3g)", name, unsigned_nan(difference));
}

static void print_text(const void *run, const run_facts *ran)
{
    const job *j = run;
    const facts *f = &j->found;
    const mnp_sparse *a = j->matrix;
    const int64_t *shape = mnp_sparse_shape(a), nnz = mnp_sparse_nnz(a);
    const int size = mnp_ctx_size(j->ctx);
    printf("matrix    %s: %" PRId64 " x %" PRId64 ", %s\n", j->input.text, shape[0], shape[1],
           mnp_dtype_name(mnp_sparse_dtype(a)));
    printf("entries   %" PRId64 ", %.3g%% of all places", nnz, 100 * fraction(a));
    if (f->sums.zeros > 0)
        printf("; %" PRId64 " %s 0", f->sums.zeros, f->sums.zeros == 1 ? "is" : "are");
    if (f->sums.not_finite > 0)
        printf("; %" PRId64 " %s NaN or infinite", f->sums.not_finite, f->sums.not_finite == 1 ? "is" : "are");
    putchar('\n');
    printf("rows      %" PRId64 " to %" PRId64 " entries, mean %.4g; %" PRId64 " empty\n", -f->most.minus_shortest_row,
           f->most.longest_row, mean(nnz, shape[0]), f->sums.empty_rows);
    printf("bandwidth %" PRId64 " below and %" PRId64 " above the diagonal\n", f->most.below, f->most.above);
    if (shape[0] == shape[1]) {
        printf("pattern   %s\nvalues    ", f->symmetry.pattern ? "symmetric" : "not symmetric");
        print_symmetry("symmetric", f->symmetry.symmetric, f->largest);
        printf(", ");
        print_symmetry("skew-symmetric", f->symmetry.skew_symmetric, f->largest);
        if (mnp_dtype_kind(mnp_sparse_dtype(a)) == 'c') {
            printf(", ");
            print_symmetry("Hermitian", f->symmetry.hermitian, f->largest);
        }
        printf("\ndiagonal  %" PRId64 " of %" PRId64 " not 0; dominant in %" PRId64 " row%s, strictly in %" PRId64 "\n",
               f->sums.diagonal, shape[0], f->sums.dominant, plural(f->sums.dominant), f->sums.strictly_dominant);
    }
    printf("norms     1: %.6g, infinity: %.6g, Frobenius: %.6g, largest entry: %.6g\n", unsigned_nan(f->norm_1),
           unsigned_nan(f->norm_inf), unsigned_nan(f->norm_frobenius), unsigned_nan(f->largest));
    printf("ranks     %" PRId64 " to %" PRId64 " entries a rank, %.3g times the mean at most; ", -f->most.minus_entries,
           f->most.entries, nnz > 0 ? (double)f->most.entries / mean(nnz, size) : 1);
    printf("%" PRId64 " to %" PRId64 " ghosts\n", -f->most.minus_ghosts, f->most.ghosts);
    if (*j->drawn.made.size)
        printf("picture   %s: %s, a dot is %" PRId64 " x %" PRId64 " places\n", j->result.picture.path,
               j->drawn.made.size, j->drawn.reduction, j->drawn.reduction);
    print_times(j->result.picture.path ? NUM_STAGES : DRAW, stage_names, ran->seconds);
}

static void json_matrix(json_writer *out, const job *j)
{
    const facts *f = &j->found;
    const int64_t *shape = mnp_sparse_shape(j->matrix), nnz = mnp_sparse_nnz(j->matrix);
    json_text(out, "matrix", j->input.text);
    json_integers(out, "shape", 2, shape);
    json_text(out, "dtype", mnp_dtype_name(mnp_sparse_dtype(j->matrix)));
    json_integer(out, "nnz", nnz);
    json_integer(out, "zeros", f->sums.zeros);
    json_integer(out, "not_finite", f->sums.not_finite);
    json_number(out, "density", fraction(j->matrix));
    json_integer(out, "row_min", -f->most.minus_shortest_row);
    json_integer(out, "row_max", f->most.longest_row);
    json_number(out, "row_mean", mean(nnz, shape[0]));
    json_integer(out, "empty_rows", f->sums.empty_rows);
    json_integer(out, "bandwidth_below", f->most.below);
    json_integer(out, "bandwidth_above", f->most.above);
    if (shape[0] == shape[1]) {
        json_bool(out, "pattern_symmetric", f->symmetry.pattern);
        json_number(out, "asymmetry", f->symmetry.symmetric);
        json_number(out, "skew_asymmetry", f->symmetry.skew_symmetric);
        json_number(out, "hermitian_asymmetry", f->symmetry.hermitian);
        json_integer(out, "diagonal_nonzero", f->sums.diagonal);
        json_integer(out, "dominant_rows", f->sums.dominant);
        json_integer(out, "strictly_dominant_rows", f->sums.strictly_dominant);
    }
    json_number(out, "norm_1", f->norm_1);
    json_number(out, "norm_inf", f->norm_inf);
    json_number(out, "norm_frobenius", f->norm_frobenius);
    json_number(out, "norm_max", f->largest);
}

static void print_json(const void *run, const run_facts *ran, json_writer *out)
{
    const job *j = run;
    const facts *f = &j->found;
    json_matrix(out, j);
    json_integer(out, "ranks", mnp_ctx_size(j->ctx));
    json_integer(out, "rank_nnz_min", -f->most.minus_entries);
    json_integer(out, "rank_nnz_max", f->most.entries);
    json_integer(out, "rank_ghosts_min", -f->most.minus_ghosts);
    json_integer(out, "rank_ghosts_max", f->most.ghosts);
    json_facts(out, ran, j->result.picture.path ? NUM_STAGES : DRAW, stage_names);
}

/* ---- the work ---- */

/* Let the kernels of the work be compiled side by side. */
static void rehearse(const job *j)
{
    mnp_sparse_symmetry symmetry;
    double norm;
    mnp_ctx *rehearsal = rehearsal_begin(j->ctx);
    mnp_sparse *matrix = rehearsal ? matrix_rehearse(rehearsal, &j->input) : NULL;
    if (matrix) {
        (void)mnp_sparse_find_symmetry(matrix, &symmetry);
        for (const char *which = "1ifm"; *which; which++)
            (void)mnp_sparse_norm(matrix, *which, &norm);
    }
    mnp_sparse_free(matrix);
    mnp_finalize(rehearsal);
}

/* Returns the exit status. */
static int run(job *j)
{
    int status = EXIT_SUCCESS;
    stopwatch watch = stopwatch_start(j->ctx);
    progress_begin(j->ctx, "spinfo", false);
    rehearse(j);
    progress_stage(0, NULL, "reading MATRIX");
    OR_EXIT(matrix_read(j->ctx, &j->input, MNP_DTYPE_AUTO, &j->matrix));
    stopwatch_lap(&watch, READ);
    progress_stage(0, NULL, "examining MATRIX");
    examine(j);
    stopwatch_lap(&watch, EXAMINE);
    progress_stage(0, NULL, "drawing");
    if (j->result.picture.path)
        status = command_say(
            j->ctx, "", spy_write(&j->result.picture, without_folders(j->input.text), j->matrix, &j->rows, &j->drawn));
    stopwatch_lap(&watch, DRAW);
    progress_end();
    report_print(&watch, j->result.json, j, print_text, print_json);
    return status;
}

/* Check that the picture can be written, and does not overwrite the matrix.  On rank 0. */
static mnp_status check_place(const job *j)
{
    const run_file files[] = {file_of_matrix(&j->input), file_of_option("--picture", j->result.picture.path)};
    mnp_status status = files_check(sizeof files / sizeof *files, files);
    return status == MNP_OK ? picture_check_place(&j->result.picture) : status;
}

int spinfo_main(int argc, char **argv)
{
    job j = {.drawn.reduction = 1, .result.picture = PICTURE_REQUEST_DEFAULTS};
    if (parse(argc, argv, &j) != MNP_OK)
        misused_exit();
    j.ctx = command_begin(NULL);
    if (j.result.picture.path)
        OR_EXIT(mnp_agree(j.ctx, mnp_ctx_rank(j.ctx) == 0 ? check_place(&j) : MNP_OK));
    const int status = close_output(run(&j));
    free(j.rows.offsets);
    free(j.rows.columns);
    free(j.rows.values);
    mnp_sparse_free(j.matrix);
    mnp_finalize(j.ctx);
    matrix_operand_free(&j.input);
    return status;
}
