/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Times the factorisations of `maniple bench linalg` that ScaLAPACK has, and a product of `maniple bench matmul`, in
 * the same words, on matrices of the same kinds.  It is no part of the build:
 *
 *   mpicc -O2 bench/peers/linalg_scalapack.c -lscalapack-openmpi -lopenblas -lm -o linalg_scalapack
 *   OPENBLAS_NUM_THREADS=1 mpirun -n RANKS ./linalg_scalapack CASE [EXTENT REPEATS BLOCK]
 *
 * CASE is solve, cholesky, inv, lu, eigh64, qr64 or double, the product, of float64, or qr, svd or eigh of float32.
 * Blocks of BLOCK rows and columns, 64 unless told, are dealt out over a grid of ranks that is as near to a square as
 * their number allows.  A time is the median of repeats of the slowest rank, and the best one; the matrix is set anew
 * before each, which is not counted.
 */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include <mpi.h>

#include "../../apps/bench/record.h"

/* BLACS and ScaLAPACK have no header */
void Cblacs_get(int context, int what, int *value);
void Cblacs_gridinit(int *context, const char *order, int rows, int columns);
void Cblacs_gridinfo(int context, int *rows, int *columns, int *row, int *column);
int numroc_(const int *n, const int *block, const int *mine, const int *first, const int *parts);
void descinit_(int *desc, const int *m, const int *n, const int *mb, const int *nb, const int *first_row,
               const int *first_column, const int *context, const int *ld, int *info);
typedef const int *in;
void pdgesv_(in n, in nrhs, double *a, in ia, in ja, in desca, int *ipiv, double *b, in ib, in jb, in descb, int *info);
void pdpotrf_(const char *uplo, in n, double *a, in ia, in ja, in desc, int *info);
void pdgetrf_(in m, in n, double *a, in ia, in ja, in desc, int *ipiv, int *info);
void pdgetri_(in n, double *a, in ia, in ja, in desc, in ipiv, double *work, in lwork, int *iwork, in liwork,
              int *info);
void psgeqrf_(in m, in n, float *a, in ia, in ja, in desc, float *tau, float *work, in lwork, int *info);
void pdgeqrf_(in m, in n, double *a, in ia, in ja, in desc, double *tau, double *work, in lwork, int *info);
void pdorgqr_(in m, in n, in k, double *a, in ia, in ja, in desc, const double *tau, double *work, in lwork, int *info);
void pdgemm_(const char *transa, const char *transb, in m, in n, in k, const double *alpha, const double *a, in ia,
             in ja, in desca, const double *b, in ib, in jb, in descb, const double *beta, double *c, in ic, in jc,
             in descc);
void psorgqr_(in m, in n, in k, float *a, in ia, in ja, in desc, const float *tau, float *work, in lwork, int *info);
void pssyevd_(const char *jobz, const char *uplo, in n, float *a, in ia, in ja, in desca, float *w, float *z, in iz,
              in jz, in descz, float *work, in lwork, int *iwork, in liwork, int *info);
void pdsyevd_(const char *jobz, const char *uplo, in n, double *a, in ia, in ja, in desca, double *w, double *z, in iz,
              in jz, in descz, double *work, in lwork, int *iwork, in liwork, int *info);
void psgesvd_(const char *jobu, const char *jobvt, in m, in n, float *a, in ia, in ja, in desca, float *s, float *u,
              in iu, in ju, in descu, float *vt, in ivt, in jvt, in descvt, float *work, in lwork, int *info);

static const int one = 1, zero = 0;

struct problem {
    const char *name;
    bool is_double, is_positive;
    int n, block, rows, columns, row, column, own_rows, own_columns;
    int desc[9], desc_b[9];
    void *a, *z, *vt, *work;
    double *b, *w; /* also eigenvalues in single precision */
    void *tau;
    int *pivots, *iwork, lwork, liwork;
};

/* A number from -1 to 1 that belongs to a place of the matrix. */
static double noise(long long i, long long j)
{
    unsigned long long x = (unsigned long long)i * 0x9e3779b97f4a7c15 + (unsigned long long)j + 1;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return (double)((x ^ (x >> 31)) >> 11) * 0x1p-52 - 1;
}

/* As in apps/bench/arrays/linalg.c: random numbers, or a symmetric matrix with a dominant diagonal. */
static void fill(struct problem *p)
{
    for (int c = 0; c < p->own_columns; c++) {
        const long long j = ((long long)(c / p->block) * p->columns + p->column) * p->block + c % p->block;
        for (int r = 0; r < p->own_rows; r++) {
            const long long i = ((long long)(r / p->block) * p->rows + p->row) * p->block + r % p->block;
            const double value = !p->is_positive ? noise(i, j)
                                 : i == j        ? 8 * sqrt(p->n)
                                                 : noise(i < j ? i : j, i < j ? j : i) * 1.4;
            const size_t at = (size_t)c * (size_t)p->own_rows + (size_t)r;
            if (p->is_double)
                ((double *)p->a)[at] = value;
            else
                ((float *)p->a)[at] = (float)value;
        }
    }
    for (int r = 0; r < p->own_rows; r++)
        p->b[r] = 1;
}

/* Room for a routine that was asked how much it needs. */
static void make_room(struct problem *p, double wanted, int iwanted)
{
    p->lwork = (int)wanted + 1;
    p->liwork = iwanted + 1;
    p->work = malloc((size_t)p->lwork * sizeof(double));
    p->iwork = malloc((size_t)p->liwork * sizeof *p->iwork);
    if (!p->work || !p->iwork)
        MPI_Abort(MPI_COMM_WORLD, 1);
}

static int inverse(struct problem *p)
{
    int info, asked = -1, iwanted;
    double wanted;
    pdgetrf_(&p->n, &p->n, p->a, &one, &one, p->desc, p->pivots, &info);
    if (!p->work) {
        pdgetri_(&p->n, p->a, &one, &one, p->desc, p->pivots, &wanted, &asked, &iwanted, &asked, &info);
        make_room(p, wanted, iwanted);
    }
    pdgetri_(&p->n, p->a, &one, &one, p->desc, p->pivots, p->work, &p->lwork, p->iwork, &p->liwork, &info);
    return info;
}

static int qr(struct problem *p)
{
    int info, asked = -1;
    float wanted, more;
    if (!p->work) {
        psgeqrf_(&p->n, &p->n, p->a, &one, &one, p->desc, p->tau, &wanted, &asked, &info);
        psorgqr_(&p->n, &p->n, &p->n, p->a, &one, &one, p->desc, p->tau, &more, &asked, &info);
        make_room(p, fmax(wanted, more), 1);
    }
    psgeqrf_(&p->n, &p->n, p->a, &one, &one, p->desc, p->tau, p->work, &p->lwork, &info);
    psorgqr_(&p->n, &p->n, &p->n, p->a, &one, &one, p->desc, p->tau, p->work, &p->lwork, &info);
    return info;
}

static int qr64(struct problem *p)
{
    int info, asked = -1;
    double wanted, more;
    if (!p->work) {
        pdgeqrf_(&p->n, &p->n, p->a, &one, &one, p->desc, p->tau, &wanted, &asked, &info);
        pdorgqr_(&p->n, &p->n, &p->n, p->a, &one, &one, p->desc, p->tau, &more, &asked, &info);
        make_room(p, fmax(wanted, more), 1);
    }
    pdgeqrf_(&p->n, &p->n, p->a, &one, &one, p->desc, p->tau, p->work, &p->lwork, &info);
    pdorgqr_(&p->n, &p->n, &p->n, p->a, &one, &one, p->desc, p->tau, p->work, &p->lwork, &info);
    return info;
}

static int multiply(struct problem *p)
{
    const double alpha = 1, beta = 0;
    pdgemm_("N", "N", &p->n, &p->n, &p->n, &alpha, p->a, &one, &one, p->desc, p->a, &one, &one, p->desc, &beta, p->z,
            &one, &one, p->desc);
    return 0;
}

static int eigh(struct problem *p)
{
    int info, asked = -1, iwanted;
    double wanted;
    float single;
    if (!p->work && p->is_double) {
        pdsyevd_("V", "L", &p->n, p->a, &one, &one, p->desc, p->w, p->z, &one, &one, p->desc, &wanted, &asked, &iwanted,
                 &asked, &info);
        make_room(p, wanted, iwanted);
    } else if (!p->work) {
        pssyevd_("V", "L", &p->n, p->a, &one, &one, p->desc, (float *)p->w, p->z, &one, &one, p->desc, &single, &asked,
                 &iwanted, &asked, &info);
        make_room(p, single, iwanted);
    }
    if (p->is_double)
        pdsyevd_("V", "L", &p->n, p->a, &one, &one, p->desc, p->w, p->z, &one, &one, p->desc, p->work, &p->lwork,
                 p->iwork, &p->liwork, &info);
    else
        pssyevd_("V", "L", &p->n, p->a, &one, &one, p->desc, (float *)p->w, p->z, &one, &one, p->desc, p->work,
                 &p->lwork, p->iwork, &p->liwork, &info);
    return info;
}

static int svd(struct problem *p)
{
    int info, asked = -1;
    float wanted;
    if (!p->work) {
        psgesvd_("V", "V", &p->n, &p->n, p->a, &one, &one, p->desc, (float *)p->w, p->z, &one, &one, p->desc, p->vt,
                 &one, &one, p->desc, &wanted, &asked, &info);
        make_room(p, wanted, 1);
    }
    psgesvd_("V", "V", &p->n, &p->n, p->a, &one, &one, p->desc, (float *)p->w, p->z, &one, &one, p->desc, p->vt, &one,
             &one, p->desc, p->work, &p->lwork, &info);
    return info;
}

static int run(struct problem *p)
{
    int info = 0;
    if (strcmp(p->name, "solve") == 0)
        pdgesv_(&p->n, &one, p->a, &one, &one, p->desc, p->pivots, p->b, &one, &one, p->desc_b, &info);
    else if (strcmp(p->name, "cholesky") == 0)
        pdpotrf_("L", &p->n, p->a, &one, &one, p->desc, &info);
    else if (strcmp(p->name, "lu") == 0)
        pdgetrf_(&p->n, &p->n, p->a, &one, &one, p->desc, p->pivots, &info);
    else if (strcmp(p->name, "inv") == 0)
        info = inverse(p);
    else if (strcmp(p->name, "qr") == 0)
        info = qr(p);
    else if (strcmp(p->name, "qr64") == 0)
        info = qr64(p);
    else if (strcmp(p->name, "double") == 0)
        info = multiply(p);
    else if (strcmp(p->name, "svd") == 0)
        info = svd(p);
    else
        info = eigh(p);
    return info;
}

static void begin(struct problem *p, int ranks)
{
    int context, info;
    for (p->rows = (int)sqrt(ranks); ranks % p->rows != 0;)
        p->rows--;
    Cblacs_get(-1, 0, &context);
    Cblacs_gridinit(&context, "Row", p->rows, ranks / p->rows);
    Cblacs_gridinfo(context, &p->rows, &p->columns, &p->row, &p->column);
    p->own_rows = numroc_(&p->n, &p->block, &p->row, &zero, &p->rows);
    p->own_columns = numroc_(&p->n, &p->block, &p->column, &zero, &p->columns);
    const int ld = p->own_rows > 0 ? p->own_rows : 1;
    descinit_(p->desc, &p->n, &p->n, &p->block, &p->block, &zero, &zero, &context, &ld, &info);
    descinit_(p->desc_b, &p->n, &one, &p->block, &p->block, &zero, &zero, &context, &ld, &info);
    const size_t elements = (size_t)ld * (size_t)(p->own_columns + 1), width = p->is_double ? 8 : 4;
    p->a = malloc(elements * width);
    p->z = malloc(elements * width);
    p->vt = malloc(elements * width);
    p->b = malloc((size_t)ld * sizeof *p->b);
    p->w = malloc((size_t)p->n * sizeof *p->w);
    p->tau = malloc((size_t)(p->n + p->block) * sizeof(double));
    p->pivots = malloc((size_t)(p->n + 2 * p->block) * sizeof *p->pivots);
    if (!p->a || !p->z || !p->vt || !p->b || !p->w || !p->tau || !p->pivots)
        MPI_Abort(MPI_COMM_WORLD, 1);
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The model of the processor, as `maniple info` has it. */
static void find_processor(char *name, size_t room)
{
    char line[512];
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, "model name", 10) == 0 && strchr(line, ':')) {
            snprintf(name, room, "%.*s", (int)strcspn(strchr(line, ':') + 2, "\n"), strchr(line, ':') + 2);
            break;
        }
    if (file)
        fclose(file);
}

int main(int argc, char **argv)
{
    static const char *const names[] = {"solve", "cholesky", "inv", "lu",  "eigh64",
                                        "qr64",  "double",   "qr",  "svd", "eigh"};
    struct problem p = {.name = argc > 1 ? argv[1] : "solve",
                        .n = argc > 2 ? atoi(argv[2]) : 4000,
                        .block = argc > 4 ? atoi(argv[4]) : 64};
    const int repeats = argc > 3 ? atoi(argv[3]) : 3;
    int rank, ranks, kind = -1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int k = 0; k < 10; k++)
        kind = strcmp(p.name, names[k]) == 0 ? k : kind;
    if (kind < 0 || p.n < 1 || repeats < 1 || p.block < 1) {
        if (rank == 0)
            fputs("linalg_scalapack CASE [EXTENT REPEATS BLOCK], see the head of its source\n", stderr);
        MPI_Finalize();
        return 2;
    }
    p.is_double = kind < 7;
    p.is_positive = kind < 5 || kind == 9;
    begin(&p, ranks);
    double *seconds = malloc((size_t)repeats * sizeof *seconds);
    for (int i = -1; i < repeats; i++) {
        fill(&p);
        MPI_Barrier(MPI_COMM_WORLD);
        const double start = MPI_Wtime();
        const int info = run(&p);
        double took = MPI_Wtime() - start;
        MPI_Allreduce(MPI_IN_PLACE, &took, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        if (info != 0) {
            fprintf(stderr, "linalg_scalapack: %s reports %d\n", p.name, info);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
        if (i >= 0)
            seconds[i] = took;
    }
    qsort(seconds, (size_t)repeats, sizeof *seconds, compare);
    if (rank == 0) {
        char device[128] = "processor";
        const char *dtype = p.is_double ? "float64" : "float32";
        find_processor(device, sizeof device);
        printf("%-14s %8d %-10s %10.3f ms, best %10.3f ms\n", p.name, p.n, dtype, 1e3 * seconds[repeats / 2],
               1e3 * seconds[0]);
        struct record r = {.benchmark = strcmp(p.name, "double") == 0 ? "matmul" : "linalg",
                           .name = p.name,
                           .library = "ScaLAPACK",
                           .device = device,
                           .ranks = ranks,
                           .seconds = seconds[repeats / 2],
                           .best = seconds[0]};
        snprintf(r.input, sizeof r.input, "%lld %s", (long long)p.n * p.n, dtype);
        record_append(&r);
    }
    MPI_Finalize();
    return 0;
}
