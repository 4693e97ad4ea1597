/*
 * What maniple bench measures: operations between ranks, each beside what MPI offers for the same.
 */
#ifndef APPS_BENCH_H
#define APPS_BENCH_H

#include <stdbool.h>
#include <stdint.h>

#include <maniple.h>

typedef struct bench_case bench_case;

typedef struct bench {
    mnp_ctx *ctx;
    int rank, ranks, repeats;
    bool on_host; /* the host device: MPI can be given the same memory */
} bench;

typedef struct measurement {
    const bench_case *which;
    int64_t bytes;       /* of a rank; 0 where the case has no size */
    double seconds;      /* the median of the slowest rank's */
    double peer_seconds; /* MPI's; 0 where it was not measured */
} measurement;

/* The cases, in the order in which they are shown; NULL past the last one. */
const bench_case *bench_case_at(int index);
const char *bench_case_name(const bench_case *which);
const char *bench_case_help(const bench_case *which);

/* Whether it moves data, so that it has a size and a bandwidth; and whether one rank can do it alone. */
bool bench_case_has_size(const bench_case *which);
bool bench_case_needs_others(const bench_case *which);

/*
 * Bytes a second: of the operation (bytes / seconds), and what every link has to carry for it where all are used alike, by
 * the factors of NCCL's tests (https://github.com/NVIDIA/nccl-tests, doc/PERFORMANCE.md).
 */
double bench_bandwidth(const measurement *m, double seconds);
double bench_bus_bandwidth(const measurement *m, double seconds, int ranks);

/*
 * Measure a case with about so many bytes a rank.  The result is compared first, of up to CHECKED_BYTES.  Collective.
 * MNP_ERR_INTERNAL if it is wrong; MNP_ERR_MEMORY and what else the case can meet.
 */
enum { CHECKED_BYTES = 16 << 20 };
mnp_status bench_measure(const bench *b, const bench_case *which, int64_t bytes, measurement *m);

#endif
