/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Times the same as bench/solve.c with PETSc (https://petsc.org), in the same words.  It is no part of the build:
 *
 *   mpicc -O2 bench/peers/solve_petsc.c $(pkg-config --cflags --libs PETSc) -lm -o solve_petsc
 *   mpirun -n RANKS ./solve_petsc [--case A,B,...] [--matrix GENERATOR] [--weak] [--iterations N] [--restart M]
 *                                 [--repeats N]
 *
 * Cases: cg, gmres, fgmres, bicgstab, with nothing, jacobi, ilu0, ic0, ssor; hpcg.  ilu0 and ic0 factor the block that
 * a rank has in its own rows and columns (PCBJACOBI), ssor relaxes it (PCSOR), in the order of the rows.  gmres, fgmres
 * and bicgstab have the preconditioner on the right.  The norm is that of the residual, as ours; tolerances are 0.
 * Matrices: poisson, convdiff with one P, hpcg, by the formulas in include/maniple/sparse.h, in AIJ, with rows cut as
 * ours.  PETSC_OPTIONS in the environment has PETSc's own options, and BENCH_JSON names the file of records (record.h).
 */
#include <petscksp.h>

#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../apps/bench/record.h"

enum { MOST_POINTS = 27, MOST_DIMS = 3 };
static const char hpcg[] = "hpcg", hpcg_matrix[] = "hpcg:104x104x104", usual_matrix[] = "poisson:128x128x128";

typedef struct arguments {
    char *cases;
    const char *matrix; /* NULL: the case's own */
    PetscBool weak;
    int iterations, restart, repeats;
} arguments;

typedef struct grid {
    int ndim, points;
    PetscInt shape[MOST_DIMS], rows;
    PetscInt offsets[MOST_POINTS][MOST_DIMS];
    PetscScalar coefficients[MOST_POINTS];
} grid;

static int compare_seconds(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* ---- matrices ---- */

static void add_point(grid *g, PetscInt i, PetscInt j, PetscInt k, double coefficient)
{
    g->offsets[g->points][0] = i;
    g->offsets[g->points][1] = j;
    g->offsets[g->points][2] = k;
    g->coefficients[g->points++] = coefficient;
}

/* NAME:NX[xNY[xNZ]][@P], the first extent times `factor`. */
static PetscBool parse_grid(const char *text, PetscInt factor, grid *g)
{
    const char *colon = strchr(text, ':');
    char *at = (char *)colon;
    *g = (grid){.ndim = 0, .rows = 1, .shape = {1, 1, 1}};
    if (!colon)
        return PETSC_FALSE;
    do {
        g->shape[g->ndim] = strtol(at + 1, &at, 10) * (g->ndim == 0 ? factor : 1);
        g->rows *= g->shape[g->ndim++];
    } while (*at == 'x' && g->ndim < MOST_DIMS);
    const double peclet = strncmp(text, "convdiff:", 9) != 0 ? 0 : *at == '@' ? strtod(at + 1, NULL) : 1;
    if (strncmp(text, "hpcg:", 5) == 0) {
        for (int n = 0; n < MOST_POINTS; n++)
            add_point(g, n / 9 - 1, n / 3 % 3 - 1, n % 3 - 1, n == MOST_POINTS / 2 ? 26 : -1);
        return g->ndim == MOST_DIMS;
    }
    const double below = -1 - fmax(peclet, 0), above = -1 - fmax(-peclet, 0);
    for (int d = 0; d < g->ndim; d++)
        add_point(g, -(d == 0), -(d == 1), -(d == 2), below);
    add_point(g, 0, 0, 0, -(below + above) * g->ndim);
    for (int d = g->ndim - 1; d >= 0; d--)
        add_point(g, d == 0, d == 1, d == 2, above);
    return strncmp(text, "poisson:", 8) == 0 || strncmp(text, "convdiff:", 9) == 0;
}

/* The entries of a row; how many. */
static PetscInt make_row(const grid *g, PetscInt row, PetscInt *columns, PetscScalar *values)
{
    const PetscInt *n = g->shape, at[] = {row / (n[1] * n[2]), row / n[2] % n[1], row % n[2]};
    PetscInt count = 0;
    for (int p = 0; p < g->points; p++) {
        const PetscInt i = at[0] + g->offsets[p][0], j = at[1] + g->offsets[p][1], k = at[2] + g->offsets[p][2];
        if (i < 0 || j < 0 || k < 0 || i >= n[0] || j >= n[1] || k >= n[2])
            continue;
        columns[count] = (i * n[1] + j) * n[2] + k;
        values[count++] = g->coefficients[p];
    }
    return count;
}

static PetscErrorCode make_matrix(const grid *g, Mat *a)
{
    PetscInt first, last, columns[MOST_POINTS];
    PetscScalar values[MOST_POINTS];
    PetscFunctionBeginUser;
    PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, g->rows, g->rows, g->points, NULL, g->points,
                           NULL, a));
    PetscCall(MatGetOwnershipRange(*a, &first, &last));
    for (PetscInt row = first; row < last; row++) {
        const PetscInt count = make_row(g, row, columns, values);
        PetscCall(MatSetValues(*a, 1, &row, count, columns, values, INSERT_VALUES));
    }
    PetscCall(MatAssemblyBegin(*a, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(*a, MAT_FINAL_ASSEMBLY));
    PetscFunctionReturn(0);
}

/* ---- methods ---- */

static PetscErrorCode choose_method(KSP ksp, const char *name, size_t length, int restart, PetscBool *known)
{
    static const char *const names[][2] = {
        {"cg", KSPCG}, {"gmres", KSPGMRES}, {"fgmres", KSPFGMRES}, {"bicgstab", KSPBCGS}};
    PetscFunctionBeginUser;
    *known = PETSC_FALSE;
    for (int i = 0; i < 4; i++) {
        if (strlen(names[i][0]) != length || strncmp(names[i][0], name, length) != 0)
            continue;
        *known = PETSC_TRUE;
        PetscCall(KSPSetType(ksp, names[i][1]));
        PetscCall(KSPSetPCSide(ksp, i == 0 ? PC_LEFT : PC_RIGHT));
        PetscCall(KSPSetNormType(ksp, KSP_NORM_UNPRECONDITIONED));
        PetscCall(KSPGMRESSetRestart(ksp, restart));
    }
    PetscFunctionReturn(0);
}

/* Each rank's own block by one solver, which exists once the method is set up. */
static PetscErrorCode factor_blocks(KSP ksp, PC pc, PCType type)
{
    KSP *own;
    PC own_pc;
    PetscFunctionBeginUser;
    PetscCall(PCSetType(pc, PCBJACOBI));
    PetscCall(KSPSetUp(ksp));
    PetscCall(PCBJacobiGetSubKSP(pc, NULL, NULL, &own));
    PetscCall(KSPSetType(own[0], KSPPREONLY));
    PetscCall(KSPGetPC(own[0], &own_pc));
    PetscCall(PCSetType(own_pc, type));
    PetscCall(PCFactorSetLevels(own_pc, 0));
    PetscFunctionReturn(0);
}

static PetscErrorCode choose_precond(KSP ksp, const char *name, PetscBool *known)
{
    PC pc;
    PetscFunctionBeginUser;
    *known = PETSC_TRUE;
    PetscCall(KSPGetPC(ksp, &pc));
    if (strcmp(name, "none") == 0) {
        PetscCall(PCSetType(pc, PCNONE));
    } else if (strcmp(name, "jacobi") == 0) {
        PetscCall(PCSetType(pc, PCJACOBI));
    } else if (strcmp(name, "ilu0") == 0) {
        PetscCall(factor_blocks(ksp, pc, PCILU));
    } else if (strcmp(name, "ic0") == 0) {
        PetscCall(factor_blocks(ksp, pc, PCICC));
    } else if (strcmp(name, "ssor") == 0) {
        PetscCall(PCSetType(pc, PCSOR));
        PetscCall(PCSORSetSymmetric(pc, SOR_LOCAL_SYMMETRIC_SWEEP));
    } else {
        *known = PETSC_FALSE;
    }
    PetscFunctionReturn(0);
}

static PetscErrorCode prepare(const arguments *arguments, const char *name, Mat a, KSP *ksp)
{
    const char *method = strcmp(name, hpcg) == 0 ? "cg-ssor" : name;
    const size_t length = strcspn(method, "-");
    PetscBool known_method, known_precond;
    PetscFunctionBeginUser;
    PetscCall(KSPCreate(PETSC_COMM_WORLD, ksp));
    PetscCall(KSPSetOperators(*ksp, a, a));
    PetscCall(choose_method(*ksp, method, length, arguments->restart, &known_method));
    PetscCall(choose_precond(*ksp, method[length] == '-' ? method + length + 1 : "none", &known_precond));
    PetscCheck(known_method && known_precond, PETSC_COMM_WORLD, PETSC_ERR_USER, "there is no case %s", name);
    PetscCall(KSPSetTolerances(*ksp, 1e-300, 1e-300, 1e300, arguments->iterations));
    PetscCall(KSPSetUp(*ksp));
    PetscCall(KSPSetUpOnBlocks(*ksp));
    PetscFunctionReturn(0);
}

/* ---- cases ---- */

/* The operations of a set of n iterations, as HPCG counts them: see bench/solve.c. */
static double hpcg_operations(double rows, double entries, double n)
{
    return 2 * (3 * n + 1) * 2 * rows + (n + 1) * 2 * entries + n * 4 * entries;
}

/* Whether the matrix is that of a rank. */
static PetscBool is_weak(const arguments *arguments, const char *name)
{
    return arguments->weak || strcmp(name, hpcg) == 0 ? PETSC_TRUE : PETSC_FALSE;
}

/* The model of the processor, as Maniple has it. */
static void processor(char *text, size_t size)
{
    FILE *file = fopen("/proc/cpuinfo", "r");
    char line[256];
    text[0] = '\0';
    while (file && !text[0] && fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        if (colon && strncmp(line, "model name", 10) == 0)
            snprintf(text, size, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
    }
    if (file)
        fclose(file);
}

/*
 * Record the time of an iteration, of the matrix in the words of `maniple bench solve`: with all of its first extent.
 */
static void record_iteration(const char *name, const char *matrix, const grid *g, int ranks, double median, double best)
{
    char version[32], device[128];
    const char *peclet = strchr(matrix, '@');
    struct record r = {.benchmark = "solve",
                       .name = name,
                       .library = "PETSc",
                       .version = version,
                       .device = device,
                       .ranks = ranks,
                       .seconds = median,
                       .best = best};
    int length = snprintf(r.input, sizeof r.input, "%.*s", (int)(strchr(matrix, ':') - matrix), matrix);
    for (int d = 0; d < g->ndim; d++)
        length += snprintf(r.input + length, sizeof r.input - (size_t)length, "%s%lld", d > 0 ? "x" : ":",
                           (long long)g->shape[d]);
    snprintf(r.input + length, sizeof r.input - (size_t)length, "%s csr", peclet ? peclet : "");
    snprintf(version, sizeof version, "%d.%d.%d", PETSC_VERSION_MAJOR, PETSC_VERSION_MINOR, PETSC_VERSION_SUBMINOR);
    processor(device, sizeof device);
    record_append(&r);
}

static PetscErrorCode report(const arguments *arguments, const char *name, const char *matrix, const grid *g, Mat a,
                             double setup, const double *seconds, int iterations, double residual)
{
    const double median = seconds[arguments->repeats / 2];
    PetscInt rows;
    MatInfo info;
    PetscMPIInt ranks, rank;
    PetscFunctionBeginUser;
    PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
    PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
    if (rank == 0)
        record_iteration(name, matrix, g, ranks, median / iterations, seconds[0] / iterations);
    PetscCall(MatGetSize(a, &rows, NULL));
    PetscCall(MatGetInfo(a, MAT_GLOBAL_SUM, &info));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%-24s%s%s: %" PetscInt_FMT " rows, %.0f entries, aij\n", name, matrix,
                          is_weak(arguments, name) ? " a rank" : "", rows, info.nz_used));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                          "%-24s%.4f ms an iteration (best %.4f) of %d; setup %.4f s; residual %.6e of b\n", "",
                          1e3 * median / iterations, 1e3 * seconds[0] / iterations, iterations, setup, residual));
    if (strcmp(name, hpcg) == 0) {
        const double rate = 1e-9 * hpcg_operations(rows, info.nz_used, iterations) / median;
        PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                              "%-24s%.3f GFLOP/s, %.3f a rank, counted as HPCG counts, without multigrid\n", "", rate,
                              rate / ranks));
    }
    PetscFunctionReturn(0);
}

static PetscErrorCode solve(const arguments *arguments, KSP ksp, Vec b, Vec x, double *seconds)
{
    PetscFunctionBeginUser;
    for (int i = -1; i < arguments->repeats; i++) {
        PetscCall(VecZeroEntries(x));
        PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
        double own = MPI_Wtime();
        PetscCall(KSPSolve(ksp, b, x));
        own = MPI_Wtime() - own;
        if (i >= 0)
            PetscCallMPI(MPI_Allreduce(&own, &seconds[i], 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
    }
    qsort(seconds, (size_t)arguments->repeats, sizeof *seconds, compare_seconds);
    PetscFunctionReturn(0);
}

static PetscErrorCode run_case(const arguments *arguments, const char *name)
{
    const char *matrix = arguments->matrix ? arguments->matrix : strcmp(name, hpcg) == 0 ? hpcg_matrix : usual_matrix;
    grid g;
    Mat a;
    Vec b, x, r;
    KSP ksp;
    PetscInt iterations;
    PetscReal norms[2];
    PetscMPIInt ranks;
    double *seconds;
    PetscFunctionBeginUser;
    PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
    PetscCheck(parse_grid(matrix, is_weak(arguments, name) ? ranks : 1, &g), PETSC_COMM_WORLD, PETSC_ERR_USER,
               "there is no matrix %s", matrix);
    PetscCall(PetscMalloc1(arguments->repeats, &seconds));
    PetscCall(make_matrix(&g, &a));
    PetscCall(MatCreateVecs(a, &x, &b));
    PetscCall(VecDuplicate(b, &r));
    PetscCall(VecSet(x, 1));
    PetscCall(MatMult(a, x, b));
    PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
    double setup = MPI_Wtime();
    PetscCall(prepare(arguments, name, a, &ksp));
    setup = MPI_Wtime() - setup;
    PetscCall(solve(arguments, ksp, b, x, seconds));
    PetscCall(KSPGetIterationNumber(ksp, &iterations));
    PetscCall(MatMult(a, x, r));
    PetscCall(VecAYPX(r, -1, b));
    PetscCall(VecNorm(r, NORM_2, &norms[0]));
    PetscCall(VecNorm(b, NORM_2, &norms[1]));
    PetscCall(report(arguments, name, matrix, &g, a, setup, seconds, (int)iterations, norms[0] / norms[1]));
    PetscCall(KSPDestroy(&ksp));
    PetscCall(VecDestroy(&b));
    PetscCall(VecDestroy(&x));
    PetscCall(VecDestroy(&r));
    PetscCall(MatDestroy(&a));
    PetscCall(PetscFree(seconds));
    PetscFunctionReturn(0);
}

static PetscBool parse(int argc, char **argv, arguments *a)
{
    static const struct option options[] = {
        {"case", 1, NULL, 'c'},       {"matrix", 1, NULL, 'm'},  {"weak", 0, NULL, 'w'}, {"restart", 1, NULL, 's'},
        {"iterations", 1, NULL, 'i'}, {"repeats", 1, NULL, 'r'}, {NULL, 0, NULL, 0}};
    for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        switch (c) {
        case 'c':
            a->cases = optarg;
            break;
        case 'm':
            a->matrix = optarg;
            break;
        case 'w':
            a->weak = PETSC_TRUE;
            break;
        case 'i':
            a->iterations = atoi(optarg);
            break;
        case 's':
            a->restart = atoi(optarg);
            break;
        case 'r':
            a->repeats = atoi(optarg);
            break;
        default:
            return PETSC_FALSE;
        }
    }
    return optind == argc && a->iterations > 0 && a->restart > 0 && a->repeats > 0 ? PETSC_TRUE : PETSC_FALSE;
}

int main(int argc, char **argv)
{
    static char usual_cases[] = "cg,cg-jacobi,cg-ic0,gmres-jacobi,gmres-ilu0,bicgstab-ilu0";
    arguments a = {.cases = usual_cases, .iterations = 50, .restart = 20, .repeats = 5};
    PetscMPIInt ranks;
    if (!parse(argc, argv, &a)) {
        fprintf(stderr,
                "usage: %s [--case METHOD[-PRECOND],hpcg,...] [--matrix GENERATOR] [--weak]\n"
                "       [--iterations N] [--restart M] [--repeats N]\n",
                argv[0]);
        return 2;
    }
    PetscCall(PetscInitialize(NULL, NULL, NULL, NULL));
    PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%d rank%s, PETSc %d.%d.%d, median of %d\n", ranks, ranks == 1 ? "" : "s",
                          PETSC_VERSION_MAJOR, PETSC_VERSION_MINOR, PETSC_VERSION_SUBMINOR, a.repeats));
    for (char *name = strtok(a.cases, ","); name; name = strtok(NULL, ","))
        PetscCall(run_case(&a, name));
    PetscCall(PetscFinalize());
    return 0;
}
