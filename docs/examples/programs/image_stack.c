/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A camera appends frames to a file; then the frames are read and stacked, so that the noise and the hot pixels
 * disappear:  mpirun -n 4 ./image_stack
 *
 * prints
 *
 *   errors: 408.1 in a frame, 85.1 in the mean of 25 frames, 2.5 in their median
 */
#include <maniple.h>

enum { FRAMES = 25, ROWS = 90, COLUMNS = 70 };

static void record(mnp_ctx *ctx, const char *file)
{
    const int64_t shape[] = {ROWS, COLUMNS};
    mnp_h5_file *h5;
    mnp_rng *rng;
    mnp_array *light = NULL, *noise = NULL, *hot = NULL, *frame = NULL;
    MNP_OR_EXIT(mnp_rng_new(ctx, 5, &rng));
    MNP_OR_EXIT(mnp_fromfunction(ctx, "100 + 50*sin(i0 / 9)*cos(i1 / 7)", MNP_FLOAT32, 2, shape, &light));
    MNP_OR_EXIT(mnp_h5_file_open(ctx, file, true, &h5));
    for (int i = 0; i < FRAMES; i++) {
        MNP_OR_EXIT(mnp_random_normal(rng, 0, 10, MNP_FLOAT32, 2, shape, &noise));
        MNP_OR_EXIT(mnp_random_uniform(rng, 0, 1, MNP_FLOAT32, 2, shape, &hot));
        MNP_OR_EXIT(mnp_eval(ctx, "frame = where(hot < 0.01, 4000, light + noise)",
                             MNP_IN("light", light, "noise", noise, "hot", hot), MNP_OUT("frame", &frame)));
        /* When the call returns, the frame is in the file and stays there, even if the program is killed later */
        MNP_OR_EXIT(mnp_h5_file_append(h5, MNP_H5_NEW_AXIS, 1, &(mnp_h5_item){"/frames", frame}, 0, NULL));
    }
    mnp_h5_file_close(h5);
    mnp_rng_free(rng);
    mnp_free_all(light, noise, hot, frame);
}

int main(void)
{
    const char *file = "image_stack.h5";
    double one, mean, median;
    mnp_ctx *ctx;
    mnp_array *frames = NULL, *first = NULL, *average = NULL, *middle = NULL;

    MNP_OR_EXIT(mnp_init(MPI_COMM_WORLD, NULL, &ctx));
    if (mnp_ctx_rank(ctx) == 0)
        remove(file);
    record(ctx, file);
    MNP_OR_EXIT(mnp_h5_read(ctx, file, "/frames", NULL, &frames));
    MNP_OR_EXIT(mnp_eval(ctx,
                         "light = 100 + 50*sin(i0 / 9)*cos(i1 / 7)\n"
                         "one = sqrt(mean((f[0] - light)**2)); average = sqrt(mean((mean(f, axis=0) - light)**2))\n"
                         "middle = sqrt(mean((median(f, axis=0) - light)**2))",
                         MNP_IN("f", frames), MNP_OUT("one", &first, "average", &average, "middle", &middle)));
    MNP_OR_EXIT(mnp_items(MNP_ITEM(first, &one), MNP_ITEM(average, &mean), MNP_ITEM(middle, &median)));
    if (mnp_ctx_rank(ctx) == 0) {
        printf("errors: %.1f in a frame, %.1f in the mean of %d frames, %.1f in their median\n", one, mean, FRAMES,
               median);
        remove(file);
    }
    mnp_free_all(frames, first, average, middle);
    mnp_finalize(ctx);
    return 0;
}
