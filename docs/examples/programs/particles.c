/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Particles in cells: two beams of electrons that pass through each other become unstable, and their field grows.
 *
 *   mpirun -n 4 ./particles
 *
 * prints
 *
 *   the energy of the field grows from 1.6e-06 to 0.35
 */
#include <maniple.h>

enum { CELLS = 128, PARTICLES = 20000, STEPS = 300 };

/*
 * A step, in units of the plasma's frequency: charge is dealt out to the two nearest cells; its sum over the cells,
 * less the mean, is the field; particles take the field of their cells, are pushed, and go round the ring of length 2
 * pi.
 */
static const char step[] = "place = x * (128 / (2*pi)); left = int64(floor(place)); share = place - left\n"
                           "right = (left + 1) % 128\n"
                           "density = (bincount(left % 128, 1 - share, minlength=128)\n"
                           "           + bincount(right, share, minlength=128)) * (128 / 20000)\n"
                           "integral = cumsum(1 - density) * (2*pi / 128); field = integral - mean(integral)\n"
                           "v -= 0.1 * (field[left % 128] * (1 - share) + field[right] * share)\n"
                           "x = (x + 0.1 * v) % (2*pi)\n"
                           "energy = sum(field**2) * (pi / 128)\n";

int main(void)
{
    double first = 0, now = 0, most = 0;
    mnp_ctx *ctx;
    mnp_array *x = NULL, *v = NULL, *energy = NULL;
    MNP_OR_EXIT(mnp_init(MPI_COMM_WORLD, NULL, &ctx));
    MNP_OR_EXIT(mnp_fromfunction(ctx, "(i + 0.5) * (2*pi / n) + 0.001 * cos((i + 0.5) * (2*pi / n))", MNP_FLOAT64, 1,
                                 (const int64_t[]){PARTICLES}, &x));
    MNP_OR_EXIT(mnp_fromfunction(ctx, "0.6 if i % 2 else -0.6", MNP_FLOAT64, 1, (const int64_t[]){PARTICLES}, &v));
    for (int i = 0; i < STEPS; i++) {
        MNP_OR_EXIT(mnp_eval(ctx, step, NULL, MNP_OUT("x", &x, "v", &v, "energy", &energy)));
        if (i % 50 == 0 || i == STEPS - 1) {
            MNP_OR_EXIT(mnp_item(energy, &now));
            first = i == 0 ? now : first;
            most = now > most ? now : most;
        }
    }
    if (mnp_ctx_rank(ctx) == 0)
        printf("the energy of the field grows from %.1e to %.2f\n", first, most);
    mnp_free_all(x, v, energy);
    mnp_finalize(ctx);
    return 0;
}
