/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Conway's Game of Life on a torus that is spread over all ranks: a stencil of one's own, by a kernel that reads
 * margins.  While the margins are exchanged the interior of every block is computed.
 *
 *   mpirun -n 4 ./life
 *
 * prints
 *
 *   generation   0:   5 cells live
 *   generation 100: 121 cells live
 *   generation 200: 120 cells live
 */
#include <maniple.h>

enum { SIZE = 192 };

/* One thread for every cell of a box of the block; cells are 0 or 1, rows `pitch` apart. */
static const char source[] =
    "extern \"C\" __global__ void step(const unsigned char *now, unsigned char *next, long long pitch, long long row,\n"
    "                                  long long column, long long rows, long long columns)\n"
    "{\n"
    "    long long i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i >= rows || j >= columns)\n"
    "        return;\n"
    "    const unsigned char *cell = now + (row + i) * pitch + column + j;\n"
    "    const unsigned char *above = cell - pitch, *below = cell + pitch;\n"
    "    int neighbours = above[-1] + above[0] + above[1] + cell[-1] + cell[1] + below[-1] + below[0] + below[1];\n"
    "    next[cell - now] = neighbours == 3 || (neighbours == 2 && *cell);\n"
    "}\n";

/* The torus at one time, and the exchange of its margins. */
struct torus {
    mnp_array *cells;
    mnp_halo *halo;
};

static struct torus new_torus(mnp_ctx *ctx, const mnp_layout *layout)
{
    static const int64_t one[] = {1, 1};
    static const mnp_boundary wrap[] = {MNP_BOUNDARY_WRAP, MNP_BOUNDARY_WRAP};
    struct torus torus;
    MNP_OR_EXIT(mnp_array_new_margins(ctx, MNP_UINT8, layout, one, one, &torus.cells));
    MNP_OR_EXIT(mnp_halo_new(ctx, 1, &torus.cells, &(mnp_halo_options){.boundary = wrap}, &torus.halo));
    return torus;
}

static void compute(mnp_raw_kernel *kernel, const struct torus *now, const struct torus *next, const mnp_halo_box *box)
{
    const int64_t rows = box->shape[0], columns = box->shape[1];
    if (rows == 0 || columns == 0)
        return;
    mnp_launch launch = {.grid = {(unsigned)((columns + 31) / 32), (unsigned)((rows + 7) / 8)}, .block = {32, 8}};
    MNP_OR_EXIT(mnp_raw_kernel_launch(kernel, &launch,
                                      MNP_ARGS(MNP_ARG(now->cells), MNP_ARG(next->cells),
                                               MNP_ARG(mnp_array_local_strides(now->cells)[0]), MNP_ARG(box->lo[0]),
                                               MNP_ARG(box->lo[1]), MNP_ARG(rows), MNP_ARG(columns))));
}

static void step(mnp_raw_kernel *kernel, const struct torus *now, const struct torus *next)
{
    mnp_halo_box interior, borders[4];
    mnp_halo_interior(now->halo, 0, &interior);
    int count = mnp_halo_borders(now->halo, 0, borders);
    MNP_OR_EXIT(mnp_halo_begin(now->halo));
    compute(kernel, now, next, &interior);
    MNP_OR_EXIT(mnp_halo_finish(now->halo));
    for (int i = 0; i < count; i++)
        compute(kernel, now, next, &borders[i]);
}

static void print_living(int generation, const mnp_array *cells)
{
    uint64_t living;
    mnp_array *sum = NULL;
    MNP_OR_EXIT(mnp_sum(cells, MNP_ALL_AXES, &sum));
    MNP_OR_EXIT(mnp_item(sum, &living));
    if (mnp_ctx_rank(mnp_array_ctx(cells)) == 0)
        printf("generation %3d: %3llu cells live\n", generation, (unsigned long long)living);
    mnp_array_free(sum);
}

int main(void)
{
    static unsigned char seed[SIZE][SIZE];
    static const int64_t shape[] = {SIZE, SIZE};
    mnp_ctx *ctx;
    mnp_layout *layout;
    mnp_array *values = NULL;
    mnp_raw_module *module;
    mnp_raw_kernel *kernel;
    MNP_OR_EXIT(mnp_init(MPI_COMM_WORLD, NULL, &ctx));
    MNP_OR_EXIT(mnp_layout_block(mnp_ctx_size(ctx), 2, shape, &layout));
    MNP_OR_EXIT(mnp_raw_module_new(ctx, source, NULL, &module));
    MNP_OR_EXIT(mnp_raw_module_kernel(module, "step", &kernel));

    struct torus now = new_torus(ctx, layout), next = new_torus(ctx, layout);
    const int middle = SIZE / 2; /* the R-pentomino */
    seed[middle - 1][middle] = seed[middle - 1][middle + 1] = seed[middle][middle - 1] = seed[middle][middle] =
        seed[middle + 1][middle] = 1;
    MNP_OR_EXIT(mnp_array_from_host(ctx, MNP_UINT8, 2, shape, seed, &values));
    MNP_OR_EXIT(mnp_copyto(now.cells, values, MNP_CASTING_SAME_KIND));

    for (int generation = 0; generation <= 200; generation++) {
        if (generation % 100 == 0)
            print_living(generation, now.cells);
        step(kernel, &now, &next);
        struct torus later = next;
        next = now;
        now = later;
    }
    mnp_halo_free(now.halo);
    mnp_halo_free(next.halo);
    mnp_raw_module_free(module);
    mnp_free_all(values, now.cells, next.cells);
    mnp_layout_free(layout);
    mnp_finalize(ctx);
    return 0;
}
