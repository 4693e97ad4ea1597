/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * TAP for our tests.  A test on several ranks prints on rank 0 alone, after all ranks have agreed on a point: a point
 * is ok only if it is on each rank, and the diagnosis is that of the lowest rank where it is not.
 */
#ifndef TESTS_TAP_H
#define TESTS_TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <mpi.h>

#ifdef __SANITIZE_ADDRESS__
/*
 * Libraries stay loaded to the end in a build with sanitizers.  MPI unloads its plugins, and what they leaked could
 * then not be told from what we leak; as it is, tests/leaks.supp knows them by name.  Several files of a program may
 * include this.
 */
__attribute__((weak, visibility("default"))) int dlclose(void *library);
int dlclose(void *library)
{
    (void)library;
    return 0;
}
#endif

static int tap_points, tap_failures;

static inline bool tap_parallel(void)
{
    int up = 0, down = 0;
    MPI_Initialized(&up);
    MPI_Finalized(&down);
    return up && !down;
}

/* One point.  Collective once MPI is up. */
__attribute__((format(printf, 2, 3))) static inline bool ok(bool condition, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    int rank = 0, size = 1;
    int good = condition, failed_on = -1;
    if (tap_parallel()) {
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        int mine = condition ? size : rank;
        MPI_Allreduce(&mine, &failed_on, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
        good = failed_on == size;
        if (!good) { /* the text of the failing rank is printed */
            MPI_Bcast(text, sizeof text, MPI_CHAR, failed_on, MPI_COMM_WORLD);
        }
    }
    tap_points++;
    if (!good)
        tap_failures++;
    if (rank == 0) {
        printf("%sok %d - %s\n", good ? "" : "not ", tap_points, text);
        if (!good && size > 1)
            printf("# failed on rank %d\n", failed_on);
        fflush(stdout);
    }
    return good;
}

/* End of the test; gives main()'s exit status.  To be called while MPI is up, or where it never was. */
static inline int done_testing(void)
{
    int rank = 0;
    if (tap_parallel())
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        printf("1..%d\n", tap_points);
        fflush(stdout);
    }
    return tap_failures != 0;
}

/* Nothing can be tested here: say why.  To be called instead of any ok(). */
static inline int skip_all(const char *reason)
{
    int rank = 0;
    if (tap_parallel())
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        printf("1..0 # SKIP %s\n", reason);
        fflush(stdout);
    }
    return 0;
}

/* A point that cannot be tested here. */
static inline void skip(const char *what, const char *reason)
{
    int rank = 0;
    if (tap_parallel())
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    tap_points++;
    if (rank == 0)
        printf("ok %d - %s # SKIP %s\n", tap_points, what, reason);
}

#endif
