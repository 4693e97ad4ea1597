/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Times the same as `maniple bench fft` with FFTW's transforms over MPI, planned with FFTW_MEASURE, in natural order
 * and with FFTW_MPI_TRANSPOSED_OUT, in the same words.  It is no part of the build:
 *
 *   mpicc -O2 bench/peers/fft_fftw.c -lfftw3_mpi -lfftw3 -lm -o fft_fftw
 *   mpicc -O2 -DSINGLE bench/peers/fft_fftw.c -lfftw3f_mpi -lfftw3f -lm -o fft_fftw_single
 *   mpirun -n RANKS ./fft_fftw [NDIM EXTENT REPEATS]
 */
#include <fftw3-mpi.h>

#include <math.h>
#include <string.h>

#include "../../apps/bench/record.h"

#ifdef SINGLE
#define FFTW(name) fftwf_##name
typedef float real;
static const char dtype[] = "complex64", cube[] = "cube-single", square[] = "square-single";
#else
#define FFTW(name) fftw_##name
typedef double real;
static const char dtype[] = "complex128", cube[] = "cube", square[] = "square";
#endif

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void time_one(int ndim, const ptrdiff_t *shape, unsigned flags, const char *library, int repeats)
{
    ptrdiff_t rows, first;
    int rank, size;
    double points = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int d = 0; d < ndim; d++)
        points *= (double)shape[d];
    ptrdiff_t room = FFTW(mpi_local_size)(ndim, shape, MPI_COMM_WORLD, &rows, &first);
    FFTW(complex) *in = FFTW(alloc_complex)((size_t)room), *out = FFTW(alloc_complex)((size_t)room);
    FFTW(plan)
    plan = FFTW(mpi_plan_dft)(ndim, shape, in, out, MPI_COMM_WORLD, FFTW_FORWARD,
                              FFTW_MEASURE | FFTW_PRESERVE_INPUT | flags);
    if (!plan) {
        fputs("FFTW has no plan for this\n", stderr);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    for (ptrdiff_t i = 0; i < room; i++)
        in[i][0] = in[i][1] = (real)(i % 7);
    double *seconds = malloc((size_t)repeats * sizeof *seconds);
    for (int i = -1; i < repeats; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        double begin = MPI_Wtime(), took;
        FFTW(execute)(plan);
        took = MPI_Wtime() - begin;
        MPI_Allreduce(MPI_IN_PLACE, &took, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        if (i >= 0)
            seconds[i] = took;
    }
    qsort(seconds, (size_t)repeats, sizeof *seconds, compare);
    const char *name = ndim == 3 ? cube : ndim == 2 ? square : "line";
    if (rank == 0) {
        printf("%-14s %-28s %9.3f ms, best %9.3f ms\n", name, library, 1e3 * seconds[repeats / 2], 1e3 * seconds[0]);
        struct record r = {.benchmark = "fft",
                           .name = name,
                           .library = library,
                           .version = FFTW(version),
                           .ranks = size,
                           .seconds = seconds[repeats / 2],
                           .best = seconds[0],
                           .flops = 5 * points * log2(points)};
        snprintf(r.input, sizeof r.input, "%.0f %s", points, dtype);
        record_append(&r);
    }
    free(seconds);
    FFTW(destroy_plan)(plan);
    FFTW(free)(in);
    FFTW(free)(out);
}

int main(int argc, char **argv)
{
    const int given = argc == 4, repeats = given ? atoi(argv[3]) : 10;
    MPI_Init(&argc, &argv);
    FFTW(mpi_init)();
    for (int ndim = 2; ndim <= 3; ndim++) {
        if (given && atoi(argv[1]) != ndim)
            continue;
        const ptrdiff_t n = given ? atol(argv[2]) : ndim == 3 ? 256 : 4096, shape[] = {n, n, n};
        time_one(ndim, shape, 0, "FFTW MPI", repeats);
        time_one(ndim, shape, FFTW_MPI_TRANSPOSED_OUT, "FFTW MPI, permuted", repeats);
    }
    MPI_Finalize();
    return 0;
}
