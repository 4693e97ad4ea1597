/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * maniple doctor: how the ranks were started, the cores that they may use, and the clocks of their hosts.
 */
#define _GNU_SOURCE /* sched_getaffinity() */
#include "doctor/doctor.h"

#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "report/report.h"

/* ---- the launcher ---- */

static bool is_set(const char *variable)
{
    return getenv(variable) != NULL;
}

static int number_of(const char *variable)
{
    const char *text = getenv(variable);
    return text ? atoi(text) : 0;
}

/* Who has started this process, by the variables that it has set. */
static const char *launcher(void)
{
    if (is_set("OMPI_COMM_WORLD_SIZE"))
        return "mpirun of Open MPI";
    if (is_set("PMIX_RANK"))
        return is_set("SLURM_STEP_ID") ? "srun by PMIx" : "a launcher by PMIx";
    if (is_set("PMI_RANK") || is_set("PMI_FD"))
        return is_set("SLURM_STEP_ID") ? "srun by PMI" : "a launcher by PMI";
    return is_set("SLURM_STEP_ID") ? "srun" : NULL;
}

/* How many processes the launcher has started; 0: it does not tell. */
static int launched_processes(void)
{
    static const char *const variables[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        if (is_set(variables[i]))
            return number_of(variables[i]);
    return 0;
}

void doctor_look_at_launcher(doctor *d)
{
#ifdef OPEN_MPI
    const char *name = launcher();
    if (name && strcmp(name, "srun") == 0)
        doctor_say(d, "ranks", WRONG,
                   "use srun --mpi=pmix if 'srun --mpi=list' has it, otherwise mpirun inside the allocation",
                   "srun has started %d process%s without PMIx, so that MPI cannot start", launched_processes(),
                   launched_processes() == 1 ? "" : "es");
#else
    (void)d;
#endif
}

void doctor_look_at_ranks(doctor *d)
{
    const char *name = launcher();
    const int processes = launched_processes();
    if (processes > d->ranks)
        doctor_say(
            d, "ranks", WRONG,
            "start it by the mpirun of the MPI that Maniple was built with, or by srun --mpi=pmix; 'maniple info' "
            "names that MPI",
            "%s has started %d processes, but each of them is a job of %d rank%s", name ? name : "the launcher",
            processes, d->ranks, plural(d->ranks));
    else
        doctor_say(d, "ranks", FINE, NULL, "%d rank%s on %d host%s, started by %s", d->ranks, plural(d->ranks),
                   d->hosts, plural(d->hosts), name ? name : "no launcher");
}

/* ---- cores ---- */

/* The cores that the ranks of this host may use together; *own_p: those of this rank. */
static int cores_of_host(const doctor *d, int *own_p)
{
    cpu_set_t own;
    MPI_Comm host;
    unsigned char all[sizeof own];
    CPU_ZERO(&own);
    sched_getaffinity(0, sizeof own, &own);
    memcpy(all, &own, sizeof own);
    mnp_mpi_begin(d->ctx, "looking at cores");
    MPI_Comm_split(mnp_ctx_comm(d->ctx), d->infos[d->rank].node, d->rank, &host);
    MPI_Allreduce(MPI_IN_PLACE, all, sizeof all, MPI_BYTE, MPI_BOR, host);
    MPI_Comm_free(&host);
    mnp_mpi_end(d->ctx);
    *own_p = CPU_COUNT(&own);
    memcpy(&own, all, sizeof own);
    return CPU_COUNT(&own);
}

static double least(const double *values, int count)
{
    double result = INFINITY;
    for (int i = 0; i < count; i++)
        result = fmin(result, values[i]);
    return result;
}

void doctor_look_at_cores(doctor *d)
{
    int own;
    const bool on_host = d->infos[0].device_index < 0;
    const int together = cores_of_host(d, &own);
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    const double threads = on_host ? d->infos[d->rank].multiprocessors : 1; /* a GPU needs one thread */
    double all[4 * (size_t)d->ranks];
    doctor_gather(d, own, all);
    doctor_gather(d, together, all + d->ranks);
    doctor_gather(d, (double)online, all + 2 * (size_t)d->ranks);
    doctor_gather(d, threads * d->host_ranks - together, all + 3 * (size_t)d->ranks);
    const int fewest = (int)least(all, d->ranks), shared = (int)least(all + d->ranks, d->ranks);
    const int there = (int)least(all + 2 * (size_t)d->ranks, d->ranks);
    double crowded = 0;
    for (int r = 0; r < d->ranks; r++)
        crowded = fmax(crowded, all[3 * d->ranks + r]);
    if (crowded > 0)
        doctor_say(
            d, "cores", SLOW,
            "give each rank cores of its own: srun --cpus-per-task=N, mpirun --map-by slot:PE=N; or fewer ranks, or "
            "MANIPLE_THREADS=1",
            "the ranks of a host may use %d core%s together, and have %d thread%s more than that", shared,
            plural(shared), (int)crowded, plural((int)crowded));
    else if (on_host && fewest == 1 && there >= 2 * d->host_ranks)
        doctor_say(d, "cores", SLOW,
                   "srun --cpus-per-task=N, mpirun --map-by slot:PE=N or --bind-to none give a rank more of them",
                   "a rank is bound to 1 of the %d cores of its host", there);
    else
        doctor_say(d, "cores", FINE, NULL,
                   "a rank may use %d of the %d cores of its host, and the ranks there %d together", fewest, there,
                   shared);
}

/* ---- clocks ---- */

static double wall_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/*
 * How far that rank's clock is ahead of rank 0's: of several questions and answers the quickest one tells, in the
 * middle of which the answer was given.
 */
static double clock_ahead(const doctor *d, int rank)
{
    enum { TRIES = 8 };
    MPI_Comm comm = mnp_ctx_comm(d->ctx);
    double quickest = INFINITY, ahead = 0;
    for (int i = 0; i < TRIES; i++) {
        double there = 0;
        if (d->rank == 0) {
            const double begin = wall_clock();
            MPI_Send(&begin, 1, MPI_DOUBLE, rank, 0, comm);
            MPI_Recv(&there, 1, MPI_DOUBLE, rank, 0, comm, MPI_STATUS_IGNORE);
            const double end = wall_clock();
            if (end - begin < quickest) {
                quickest = end - begin;
                ahead = there - (begin + end) / 2;
            }
        } else if (d->rank == rank) {
            MPI_Recv(&there, 1, MPI_DOUBLE, 0, 0, comm, MPI_STATUS_IGNORE);
            there = wall_clock();
            MPI_Send(&there, 1, MPI_DOUBLE, 0, 0, comm);
        }
    }
    return ahead;
}

void doctor_look_at_clocks(doctor *d)
{
    double furthest = 0;
    int where = 0, seen = 0;
    if (d->hosts == 1)
        return;
    mnp_mpi_begin(d->ctx, "comparing clocks");
    for (int r = 1; r < d->ranks; r++) {
        if (d->infos[r].node <= seen) /* one rank of each host */
            continue;
        seen = d->infos[r].node;
        const double ahead = clock_ahead(d, r);
        if (fabs(ahead) > fabs(furthest)) {
            furthest = ahead;
            where = r;
        }
    }
    mnp_mpi_end(d->ctx);
    doctor_say(d, "clocks", fabs(furthest) > 1 ? SLOW : FINE,
               "let the hosts set their clocks by NTP (chronyc tracking): builds and make go by the times of files",
               "that of %s is %.6f s %s that of %s, which differs most", d->infos[where].host, fabs(furthest),
               furthest > 0 ? "ahead of" : "behind", d->infos[0].host);
}
