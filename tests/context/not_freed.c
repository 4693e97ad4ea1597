/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Forgets to free one object of each kind: tests/context/not_freed.t compares what mnp_finalize() says with the lines
 * below the marks here.  A mark names the object and the function.
 */
#include <maniple.h>

static const char source[] = "extern \"C\" __global__ void nothing(int n)\n{\n}\n";

/* Keeps its own objects apart from those of main(). */
static mnp_array *grid(mnp_ctx *ctx, const int64_t *shape)
{
    mnp_array *x = NULL;
    /* left: array of mnp_zeros, 2 times */
    MNP_OR_EXIT(mnp_zeros(ctx, MNP_FLOAT64, 2, shape, &x));
    return x;
}

static void leave_plans(mnp_ctx *ctx, mnp_array *x)
{
    mnp_plan *plan = NULL;
    mnp_halo *halo = NULL;
    mnp_fft_plan *transform = NULL;
    mnp_conv_plan *convolution = NULL;
    /* left: plan of mnp_plan_new */
    MNP_OR_EXIT(mnp_plan_new(x, mnp_array_layout(x), &plan));
    /* left: halo of mnp_halo_new */
    MNP_OR_EXIT(mnp_halo_new(ctx, 1, &x, NULL, &halo));
    /* left: plan of a Fourier transform of mnp_fft_plan_new */
    MNP_OR_EXIT(mnp_fft_plan_new(ctx, MNP_COMPLEX128, mnp_array_layout(x), NULL, &transform));
    /* left: plan of a convolution of mnp_conv_plan_new */
    MNP_OR_EXIT(mnp_conv_plan_new(ctx, MNP_FLOAT64, mnp_array_layout(x), x, NULL, &convolution));
}

static void leave_kernels(mnp_ctx *ctx)
{
    mnp_elementwise *add = NULL;
    mnp_reduction *sum = NULL;
    mnp_raw_module *module = NULL;
    /* left: element-wise kernel of mnp_elementwise_new */
    mnp_elementwise_new(ctx, "T a", "T b", "b = a", NULL, &add);
    /* left: reduction of mnp_reduction_new */
    mnp_reduction_new(ctx, "T x", "T y", "x", "a + b", "y = a", "0", NULL, &sum);
    /* left: module of mnp_raw_module_new */
    mnp_raw_module_new(ctx, source, NULL, &module);
}

static void leave_matrices(mnp_ctx *ctx)
{
    mnp_sparse *eye = NULL;
    mnp_operator *op = NULL;
    mnp_precond *jacobi = NULL;
    mnp_triangular *lower = NULL;
    /* left: sparse matrix of mnp_sparse_eye */
    MNP_OR_EXIT(mnp_sparse_eye(ctx, MNP_FLOAT64, 5, 5, 0, &eye));
    /* left: operator of mnp_operator_from_sparse */
    MNP_OR_EXIT(mnp_operator_from_sparse(eye, &op));
    /* left: preconditioner of mnp_precond_new */
    MNP_OR_EXIT(mnp_precond_new(eye, MNP_PRECOND_NONE, NULL, &jacobi));
    /* left: plan of triangular solves of mnp_triangular_new */
    MNP_OR_EXIT(mnp_triangular_new(eye, MNP_FLOAT64, true, false, false, &lower));
}

/* A layout that others share is left only if the program has not freed its own references. */
static void leave_layouts(mnp_ctx *ctx, const int64_t *shape)
{
    mnp_layout *left = NULL, *freed = NULL, *kept = NULL;
    mnp_array *x = NULL, *y = NULL;
    /* left: layout of mnp_layout_parse */
    MNP_OR_EXIT(mnp_layout_parse(ctx, 2, shape, "0, *", &left));
    MNP_OR_EXIT(mnp_layout_parse(ctx, 2, shape, "*, 0", &freed));
    /* left: layout of mnp_layout_replicated */
    MNP_OR_EXIT(mnp_layout_replicated(mnp_ctx_size(ctx), 2, shape, &kept));
    mnp_layout_retain(kept);
    /* left: array of mnp_array_new */
    MNP_OR_EXIT(mnp_array_new(ctx, MNP_INT32, freed, &x));
    mnp_layout_free(freed);
    MNP_OR_EXIT(mnp_array_new(ctx, MNP_INT32, left, &y));
    mnp_free_all(y);
    mnp_layout_free(kept);
}

static void leave_others(mnp_ctx *ctx)
{
    mnp_rng *rng = NULL;
    mnp_event *event = NULL;
    mnp_mesh *mesh = NULL;
    mnp_comm *all = NULL, *along = NULL;
    /* left: random number generator of mnp_rng_new */
    MNP_OR_EXIT(mnp_rng_new(ctx, 1, &rng));
    /* left: event of mnp_event_new */
    MNP_OR_EXIT(mnp_event_new(ctx, &event));
    /* left: mesh of mnp_mesh_new */
    MNP_OR_EXIT(mnp_mesh_new(ctx, 1, NULL, &mesh));
    MNP_OR_EXIT(mnp_mesh_comm(mesh, 0, &along));
    /* left: communicator of mnp_comm_split */
    MNP_OR_EXIT(mnp_comm_split(mnp_comm_world(ctx), 0, 0, &all));
}

int main(void)
{
    mnp_ctx *ctx;
    const int64_t shape[] = {4, 6};
    mnp_array *x = NULL, *y = NULL, *view = NULL, *sum = NULL;
    MNP_OR_EXIT(mnp_init(MPI_COMM_WORLD, "device=host", &ctx));
    x = grid(ctx, shape);
    y = grid(ctx, shape);
    /* left: array of mnp_transpose */
    MNP_OR_EXIT(mnp_transpose(x, NULL, &view));
    /* left: array of mnp_add */
    MNP_OR_EXIT(mnp_add(x, y, &sum));
    leave_plans(ctx, x);
    leave_kernels(ctx);
    leave_matrices(ctx);
    leave_layouts(ctx, shape);
    leave_others(ctx);
    mnp_finalize(ctx);
    return 0;
}
