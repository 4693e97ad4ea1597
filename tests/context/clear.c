/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mnp_clear() releases an object of every type and leaves NULL, also of what is NULL already.
 */
#include <maniple.h>

#include <stdlib.h>
#include <unistd.h>

#include "context/context.h"
#include "tests/tap.h"

enum { ROWS = 12 };

static const char source[] = "extern \"C\" __global__ void nothing(int n)\n{\n}\n";

/* One point: the object is made, cleared, and cleared again. */
#define CLEARS(type, make)                                                                                             \
    do {                                                                                                               \
        type *object = NULL;                                                                                           \
        const mnp_status st_ = (make);                                                                                 \
        const bool made = st_ == MNP_OK && object;                                                                     \
        if (made)                                                                                                      \
            mnp_clear(&object);                                                                                        \
        const bool cleared = made && !object;                                                                          \
        mnp_clear(&object);                                                                                            \
        ok(cleared && !object, "%s%s%s", #type, made ? "" : ": ", made ? "" : mnp_error_message());                    \
    } while (0)

static void check_objects(mnp_ctx *ctx, const char *file)
{
    const int64_t shape[] = {ROWS}, two[] = {2};
    mnp_array *x = NULL, *kernel = NULL;
    mnp_sparse *matrix = NULL;
    MNP_OR_EXIT(mnp_ones(ctx, MNP_FLOAT64, 1, shape, &x));
    MNP_OR_EXIT(mnp_ones(ctx, MNP_FLOAT64, 1, two, &kernel));
    MNP_OR_EXIT(mnp_sparse_eye(ctx, MNP_FLOAT64, ROWS, ROWS, 0, &matrix));
    CLEARS(mnp_array, mnp_zeros(ctx, MNP_FLOAT32, 1, shape, &object));
    CLEARS(mnp_comm, mnp_comm_split(mnp_comm_world(ctx), mnp_ctx_rank(ctx) % 2, 0, &object));
    CLEARS(mnp_conv_plan, mnp_conv_plan_new(ctx, MNP_FLOAT64, mnp_array_layout(x), kernel, NULL, &object));
    CLEARS(mnp_elementwise, mnp_elementwise_new(ctx, "T a", "T b", "b = a", NULL, &object));
    CLEARS(mnp_event, mnp_event_new(ctx, &object));
    CLEARS(mnp_h5_file, mnp_h5_file_open(ctx, file, true, &object));
    CLEARS(mnp_layout, mnp_layout_parse(ctx, 1, shape, "0", &object));
    CLEARS(mnp_mesh, mnp_mesh_new(ctx, 2, NULL, &object));
    CLEARS(mnp_operator, mnp_operator_from_sparse(matrix, &object));
    CLEARS(mnp_plan, mnp_plan_new(x, mnp_array_layout(x), &object));
    CLEARS(mnp_precond, mnp_precond_new(matrix, MNP_PRECOND_JACOBI, NULL, &object));
    CLEARS(mnp_raw_module, mnp_raw_module_new(ctx, source, NULL, &object));
    CLEARS(mnp_reduction, mnp_reduction_new(ctx, "T x", "T y", "x", "a + b", "y = a", "0", NULL, &object));
    CLEARS(mnp_rng, mnp_rng_new(ctx, 1, &object));
    CLEARS(mnp_sparse, mnp_sparse_eye(ctx, MNP_FLOAT32, 3, 4, 0, &object));
    CLEARS(mnp_triangular, mnp_triangular_new(matrix, MNP_FLOAT64, true, false, false, &object));
    mnp_clear(&matrix);
    mnp_clear(&kernel);
    mnp_clear(&x);
}

static void check_halo(mnp_ctx *ctx)
{
    const int64_t shape[] = {ROWS}, one[] = {1};
    mnp_layout *layout = NULL;
    mnp_array *x = NULL;
    MNP_OR_EXIT(mnp_layout_parse(ctx, 1, shape, "0", &layout));
    MNP_OR_EXIT(mnp_array_new_margins(ctx, MNP_FLOAT64, layout, one, one, &x));
    CLEARS(mnp_halo, mnp_halo_new(ctx, 1, &x, NULL, &object));
    mnp_clear(&x);
    mnp_clear(&layout);
}

int main(void)
{
    mnp_ctx *ctx = NULL;
    char folder[] = "/tmp/maniple-clear-XXXXXX", file[64];
    MNP_OR_EXIT(mnp_init(MPI_COMM_WORLD, NULL, &ctx));
    if (mnp_ctx_rank(ctx) == 0 && !mkdtemp(folder))
        abort();
    MPI_Bcast(folder, sizeof folder, MPI_CHAR, 0, MPI_COMM_WORLD);
    snprintf(file, sizeof file, "%s/x.h5", folder);
    check_objects(ctx, file);
    check_halo(ctx);
    if (mnp_ctx_rank(ctx) == 0 && (remove(file) != 0 || rmdir(folder) != 0))
        perror(file);
    ok(ctx->live_arrays == 0 && ctx->live_others == 0, "nothing is left");
    const int status = done_testing();
    mnp_clear(&ctx);
    return status || ctx;
}
