/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Arrays and matrices in files:  mpirun -n 4 ./files
 *
 * prints
 *
 *   /run/temperature: 600 x 40 of float32
 *   rows 100 .. 199: mean 119.0
 *   in 6 pieces: sum 3216000
 *   grown: 5 steps of 600 x 40, the last at 0.4 s
 *   hours in NumPy's file: 25
 *   matrix: 512 x 512, 2464 entries
 *   not there: mnp_h5_inspect: '/run/pressure' in 'files-example.h5' does not exist
 */
#include <maniple.h>
#include <stdio.h>
#include <string.h>

static const char file[] = "files-example.h5";
enum { ROWS = 600, COLUMNS = 40, PIECE = 100 };

/* Print from rank 0 what a file has, or why it cannot be read. */
static void inspect(mnp_ctx *ctx, const char *dataset)
{
    mnp_h5_info info;
    const mnp_status status = mnp_h5_inspect(ctx, file, dataset, &info);
    if (mnp_ctx_rank(ctx) != 0)
        return;
    if (status == MNP_OK)
        printf("%s: %d x %d of %s\n", dataset, (int)info.shape[0], (int)info.shape[1], mnp_dtype_name(info.dtype));
    else
        printf("not there: %.*s\n", (int)strcspn(mnp_error_message(), ";"), mnp_error_message());
}

/* One file with two datasets and an attribute, compressed: all of it appears at once. */
static void write(mnp_ctx *ctx)
{
    mnp_array *temperature = NULL, *time = NULL;
    MNP_OR_EXIT(
        mnp_fromfunction(ctx, "i0 * 0.1 + 104.05", MNP_FLOAT32, 2, (const int64_t[]){ROWS, COLUMNS}, &temperature));
    MNP_OR_EXIT(mnp_arange(ctx, 0, ROWS, 1, MNP_FLOAT64, &time));

    const mnp_h5_item items[] = {{"/run/temperature", temperature}, {"/run/time", time}};
    const mnp_h5_attribute attributes[] = {{.object = "/run/temperature", .name = "unit", .text = "K"}};
    const mnp_h5_write_options options = {.deflate = 4};
    MNP_OR_EXIT(mnp_h5_write_items(file, 2, items, 1, attributes, &options));
    mnp_free_all(temperature, time);
}

/* A part of a dataset, and a dataset larger than memory, piece by piece. */
static void read(mnp_ctx *ctx)
{
    mnp_array *rows = NULL, *mean = NULL, *piece = NULL, *sum = NULL;
    double value, total = 0;
    const int64_t shape[] = {PIECE, COLUMNS};

    const mnp_selection hundred = {.subscripts = "100:200"};
    MNP_OR_EXIT(mnp_h5_read_selection(ctx, file, "/run/temperature", &hundred, NULL, &rows));
    MNP_OR_EXIT(mnp_mean(rows, MNP_REDUCE(.dtype = "float64"), &mean));
    MNP_OR_EXIT(mnp_item(mean, &value));
    if (mnp_ctx_rank(ctx) == 0)
        printf("rows 100 .. 199: mean %.1f\n", value);

    for (int64_t first = 0; first < ROWS; first += PIECE) {
        /* from the second piece on the arrays are reused */
        MNP_OR_EXIT(mnp_h5_read_box(ctx, file, "/run/temperature", (const int64_t[]){first, 0}, shape, NULL, &piece));
        MNP_OR_EXIT(mnp_sum(piece, MNP_REDUCE(.dtype = "float64"), &sum));
        MNP_OR_EXIT(mnp_item(sum, &value));
        total += value;
    }
    if (mnp_ctx_rank(ctx) == 0)
        printf("in %d pieces: sum %.0f\n", ROWS / PIECE, total);
    mnp_free_all(rows, mean, piece, sum);
}

/* A simulation that appends its steps to a file. */
static void grow(mnp_ctx *ctx)
{
    mnp_h5_file *steps;
    mnp_h5_info info;
    mnp_array *u = NULL;
    const int64_t shape[] = {ROWS, COLUMNS};
    double time = 0;
    int64_t count;
    MNP_OR_EXIT(mnp_zeros(ctx, MNP_FLOAT32, 2, shape, &u));
    MNP_OR_EXIT(mnp_h5_file_open(ctx, "steps.h5", true, &steps));
    for (int i = 0; i < 5; i++) {
        time = 0.1 * i;
        MNP_OR_EXIT(mnp_add(u, MNP_SCALAR(ctx, 0.5), &u)); /* a step of the simulation */
        const mnp_h5_item items[] = {{"/u", u}};
        const mnp_h5_attribute when[] = {
            {.object = "/u", .name = "time", .dtype = MNP_FLOAT64, .count = -1, .values = &time}};
        MNP_OR_EXIT(mnp_h5_file_append(steps, MNP_H5_NEW_AXIS, 1, items, 1, when));
    }
    MNP_OR_EXIT(mnp_h5_file_inspect(steps, "/u", &info));
    MNP_OR_EXIT(mnp_h5_file_get_attribute(steps, "/u", "time", MNP_FLOAT64, 1, &time, &count));
    mnp_h5_file_close(steps);
    if (mnp_ctx_rank(ctx) == 0) {
        printf("grown: %d steps of %d x %d, the last at %.1f s\n", (int)info.shape[0], (int)info.shape[1],
               (int)info.shape[2], time);
        remove("steps.h5");
    }
    mnp_array_free(u);
}

/* A file that numpy.load() reads, and one that numpy.save() could have written. */
static void numpy(mnp_ctx *ctx)
{
    mnp_array *hours = NULL, *again = NULL;
    MNP_OR_EXIT(mnp_arange(ctx, 0, 25, 1, MNP_FLOAT32, &hours));
    MNP_OR_EXIT(mnp_npy_write(hours, "hours.npy"));
    MNP_OR_EXIT(mnp_npy_read(ctx, "hours.npy", NULL, NULL, &again));
    if (mnp_ctx_rank(ctx) == 0) {
        printf("hours in NumPy's file: %d\n", (int)mnp_array_shape(again)[0]);
        remove("hours.npy");
    }
    mnp_free_all(hours, again);
}

/* A sparse matrix, as SciPy writes one. */
static void matrices(mnp_ctx *ctx)
{
    mnp_sparse *matrix, *again;
    MNP_OR_EXIT(mnp_sparse_generate(ctx, "poisson:16x32", MNP_DTYPE_AUTO, &matrix));
    MNP_OR_EXIT(mnp_h5_write_sparse(matrix, file, "/system/matrix", NULL));
    MNP_OR_EXIT(mnp_h5_read_sparse(ctx, file, "/system/matrix", MNP_DTYPE_AUTO, &again));
    if (mnp_ctx_rank(ctx) == 0)
        printf("matrix: %d x %d, %d entries\n", (int)mnp_sparse_shape(again)[0], (int)mnp_sparse_shape(again)[1],
               (int)mnp_sparse_nnz(again));
    mnp_sparse_free(matrix);
    mnp_sparse_free(again);
}

int main(void)
{
    mnp_ctx *ctx;
    MNP_OR_EXIT(mnp_init(MPI_COMM_WORLD, NULL, &ctx));
    write(ctx);
    inspect(ctx, "/run/temperature");
    read(ctx);
    grow(ctx);
    numpy(ctx);
    matrices(ctx);
    inspect(ctx, "/run/pressure");
    if (mnp_ctx_rank(ctx) == 0)
        remove(file);
    mnp_finalize(ctx);
    return 0;
}
