/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * maniple solve: read a matrix and a right-hand side, solve the system by iteration, and write the solution.
 */
#include "solve/solve.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <getopt.h>

#include "common/command.h"
#include "report/progress.h"
#include "common/files.h"
#include "common/options.h"
#include "common/words.h"

enum {
    KEY_METHOD = UCHAR_MAX + 1,
    KEY_PRECOND,
    KEY_RTOL,
    KEY_ATOL,
    KEY_MAXITER,
    KEY_RESTART,
    KEY_BLOCK,
    KEY_OMEGA,
    KEY_SWEEPS,
    KEY_DEGREE,
    KEY_GUESS,
    KEY_CHECKPOINT,
    KEY_EVERY,
    KEY_RESUME,
    KEY_REQUEUE
};
enum { MOST_RESTART = 1000, MOST_IDR = 16 }; /* maniple/solve.h */

static const option_row options_table[] = {
    {'o', "output", "OUTPUT",
     "write the solution to FILE:/DATASET, and the norms of the residuals\n"
     "to FILE:/DATASET_history; or write the solution alone to\n"
     "FILE.npy, FILE.tif, FILE.fits or FILE.fits:NAME"},
    {KEY_METHOD, "method", "M", "iterative method, see below (default: what suits the matrix)"},
    {KEY_PRECOND, "precond", "P",
     "preconditioner, see below (default: none with --method, otherwise\n"
     "what suits the matrix)"},
    {KEY_RTOL, "rtol", "R", "stop when |b - A x| <= R |b| (default: 1e-5); 0: use --atol alone"},
    {KEY_ATOL, "atol", "A", "or when |b - A x| <= A (default: 0)"},
    {KEY_MAXITER, "maxiter", "N", "limit of iterations (default: 10 times the columns of MATRIX)"},
    {KEY_RESTART, "restart", "M",
     "vectors of gmres and fgmres between restarts (default: 20);\n"
     "s of idr (default: 4)"},
    {KEY_BLOCK, "block", "N", "rows in a block of block-jacobi (default: 4)"},
    {KEY_OMEGA, "omega", "W", "relaxation factor of sor and ssor, damping of richardson (default: 1)"},
    {KEY_SWEEPS, "sweeps", "N", "sweeps of sor and ssor (default: 1)"},
    {KEY_DEGREE, "degree", "N", "degree of the preconditioners chebyshev and polynomial (default: 4)"},
    {KEY_GUESS, "guess", "GUESS", "start from an array in a file instead of 0"},
    {KEY_CHECKPOINT, "checkpoint", "FILE", "save the iterate of one right-hand side in FILE, an HDF5 file"},
    {KEY_EVERY, "every", "N", "iterations between checkpoints (default: 100)"},
    {KEY_RESUME, "resume", "FILE",
     "continue from a checkpoint, with its iterate and its number of\n"
     "iterations; the method itself is restarted there"},
    {KEY_REQUEUE, "requeue", "N",
     "in a job of Slurm: go on from --checkpoint if it is there; at the\n"
     "warning of sbatch --signal=USR1@60 save one and requeue the job, at\n"
     "most N times"},
    PLAN_ROWS,
    PICTURE_OPTIONS("the residual over the iterations"),
    PROGRESS_ROW,
    JSON_ROW,
    QUIET_ROW,
    HELP_ROW,
    {0},
};

#define NAME(constant, name, help) name,
const char *const method_names[] = {MNP_SOLVERS(NAME) NULL};
const char *const precond_names[] = {MNP_PRECONDS(NAME) NULL};

void solve_help(void)
{
    puts("Usage: maniple solve MATRIX [RHS] -o OUTPUT [OPTION...]\n"
         "       maniple solve MATRIX --plan [OPTION...]\n"
         "       mpirun -n RANKS maniple solve MATRIX [RHS] -o OUTPUT [OPTION...]\n"
         "\n"
         "Solve A x = b by iteration.  MATRIX is FILE.mtx (Matrix Market), FILE.h5:/GROUP (scipy.sparse's\n"
         "members) or generated, such as poisson:64x64; see maniple spinfo --help.  RHS is\n"
         "FILE.h5:/DATASET, FILE.npy or a part of one, such as 'FILE.npy[:, 0]', or an array file FILE.mtx,\n"
         "with one or several columns; without it b is all ones.\n"
         "\n"
         "Options:");
    options_print(options_table);
#define LINE(constant, name, help) printf("  %-14s%s\n", name, help);
    puts("\nMethods:");
    MNP_SOLVERS(LINE)
    puts("\nPreconditioners:");
    MNP_PRECONDS(LINE)
    puts("\n"
         "Without --method and --precond the matrix decides: a symmetric (Hermitian) one with a positive\n"
         "diagonal is solved by cg with ic0, on a GPU with jacobi, or, if that shows that it is not\n"
         "definite, by minres, as are other symmetric ones; one without symmetry by gmres with ilu0, and\n"
         "then with more vectors; one that is not square by lsqr.  The report says what was chosen.\n"
         "\n"
         "The exit status is 0 if the method has converged, and 3 if not: then the last iterate is written\n"
         "(or the best one that was checked, for methods whose residual is not monotonic), and its attribute\n"
         "`converged` is 0.  The residual that is printed is computed from b, A and x at the end.  It is 4\n"
         "if the job was requeued, and then nothing is written but the checkpoint.\n"
         "\n"
         "Example:\n"
         "  mpirun -n 4 maniple solve poisson:256x256 -o x.h5:/x --method cg --precond ic0 --rtol 1e-8");
}

static const words_row words_table[] = {
    {"b is", "RHS is"},         {"b must", "RHS must"},   {"x is", "GUESS is"}, {"x must", "GUESS must"},
    {"the operator", "MATRIX"}, {"the matrix", "MATRIX"}, {"omega", "--omega"}, {NULL, NULL},
};

/* ---- the command line ---- */

static mnp_status choose(const char *option, const char *word, const char *const *names, int *index_p)
{
    for (int i = 0; names[i]; i++) {
        if (strcmp(names[i], word) == 0) {
            *index_p = i;
            return MNP_OK;
        }
    }
    const char *nearest = nearest_word(word, names);
    if (nearest)
        return mnp_fail(MNP_ERR_ARG, "--%s is '%s'; did you mean '%s'?", option, word, nearest);
    return mnp_fail(MNP_ERR_ARG, "--%s is '%s'; 'maniple solve --help' lists what there is", option, word);
}

static mnp_status parse_option(int key, job *j)
{
    mnp_status status;
    int index = 0;
    switch (key) {
    case KEY_METHOD:
        status = choose("method", optarg, method_names, &index);
        j->method = (mnp_solver)index;
        j->method_given = true;
        return status;
    case KEY_PRECOND:
        status = choose("precond", optarg, precond_names, &index);
        j->precond_kind = (mnp_precond_kind)index;
        j->precond_given = true;
        return status;
    case KEY_RTOL:
        status = options_number("rtol", optarg, 0, 1, &j->options.rtol);
        if (j->options.rtol == 0)
            j->options.rtol = -1; /* in the library: none */
        return status;
    case KEY_ATOL:
        return options_number("atol", optarg, 0, 1e300, &j->options.atol);
    case KEY_MAXITER:
        return options_count("maxiter", optarg, 1, (int64_t)1e15, &j->options.maxiter);
    case KEY_RESTART:
        return options_int("restart", optarg, 1, MOST_RESTART, &j->options.restart);
    case KEY_BLOCK:
        return options_int("block", optarg, 1, 64, &j->precond_options.block);
    case KEY_OMEGA:
        return options_number("omega", optarg, 1e-12, 1e12, &j->precond_options.omega);
    case KEY_SWEEPS:
        return options_int("sweeps", optarg, 1, 1000, &j->precond_options.sweeps);
    case KEY_DEGREE:
        return options_int("degree", optarg, 1, 1000, &j->precond_options.degree);
    case KEY_GUESS:
        return operand_parse_file("GUESS", optarg, &j->guess);
    case KEY_CHECKPOINT:
        j->checkpoint = optarg;
        return MNP_OK;
    case KEY_EVERY:
        return options_int("every", optarg, 1, 1000000000, &j->every);
    case KEY_RESUME:
        j->resume = optarg;
        return MNP_OK;
    case KEY_REQUEUE:
        return options_int("requeue", optarg, 1, 1000000, &j->requeues);
    default:
        return plan_is_option(key) ? plan_option(key, &j->plan) : result_option(key, &j->result);
    }
}

static bool is_market(const char *text)
{
    size_t length = strlen(text);
    return length > 4 && strcmp(text + length - 4, ".mtx") == 0;
}

static mnp_status parse_operands(int count, char **words, job *j)
{
    if (count < 1)
        return mnp_fail(MNP_ERR_ARG, "solve needs MATRIX, as in: maniple solve MATRIX -o OUTPUT");
    if (count > 2)
        return mnp_fail(MNP_ERR_ARG, "solve takes MATRIX and RHS, but was also given '%s'", words[2]);
    if (!j->result.output.text && !j->plan.wanted)
        return mnp_fail(MNP_ERR_ARG, "solve needs a place for the solution: -o FILE:/DATASET or FILE.npy; or --plan");
    mnp_status status = matrix_parse(words[0], &j->matrix);
    if (status != MNP_OK || count == 1)
        return status;
    j->rhs_text = words[1];
    j->rhs_kind = is_market(words[1]) ? RHS_MARKET : RHS_DATASET;
    return j->rhs_kind == RHS_DATASET ? operand_parse_file("RHS", words[1], &j->rhs) : MNP_OK;
}

/* An option that this method and this preconditioner do not use is a mistake. */
static mnp_status check_effects(const job *j)
{
    const mnp_precond_kind kind = j->precond_kind;
    const mnp_precond_options *given = &j->precond_options;
    const bool relaxes = kind == MNP_PRECOND_SOR || kind == MNP_PRECOND_SSOR;
    const bool is_polynomial = kind == MNP_PRECOND_CHEBYSHEV || kind == MNP_PRECOND_POLYNOMIAL;
    const bool is_gmres = j->method == MNP_SOLVER_GMRES || j->method == MNP_SOLVER_FGMRES;
    const struct {
        const char *option, *users;
        bool given, used;
    } rules[] = {
        {"restart", "--method gmres, fgmres and idr", j->options.restart > 0, is_gmres || j->method == MNP_SOLVER_IDR},
        {"block", "--precond block-jacobi", given->block > 0, kind == MNP_PRECOND_BLOCK_JACOBI},
        {"omega", "--precond sor and ssor, and --method richardson", given->omega > 0,
         relaxes || j->method == MNP_SOLVER_RICHARDSON},
        {"sweeps", "--precond sor and ssor", given->sweeps > 0, relaxes},
        {"degree", "--precond chebyshev and polynomial", given->degree > 0, is_polynomial},
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (rules[i].given && !rules[i].used)
            return mnp_fail(MNP_ERR_ARG, "--%s goes with %s", rules[i].option, rules[i].users);
    if (relaxes && j->method != MNP_SOLVER_RICHARDSON && given->omega >= 2)
        return mnp_fail(MNP_ERR_ARG, "--omega is %g; for sor and ssor it must be below 2", given->omega);
    if (j->method == MNP_SOLVER_IDR && j->options.restart > MOST_IDR)
        return mnp_fail(MNP_ERR_ARG, "--restart is %d; for idr it must be at most %d", j->options.restart, MOST_IDR);
    return MNP_OK;
}

static mnp_status check(job *j)
{
    if (j->resume && j->guess.text)
        return mnp_fail(MNP_ERR_ARG, "--resume and --guess both give an iterate to start from");
    if (j->every && !j->checkpoint)
        return mnp_fail(MNP_ERR_ARG, "--every goes with --checkpoint");
    if (j->requeues && !j->checkpoint)
        return mnp_fail(MNP_ERR_ARG, "--requeue goes with --checkpoint");
    if (j->requeues && j->resume)
        return mnp_fail(MNP_ERR_ARG, "--requeue goes on from --checkpoint by itself: leave out --resume");
    if (j->method == MNP_SOLVER_LSQR && j->precond_kind != MNP_PRECOND_NONE)
        return mnp_fail(MNP_ERR_ARG, "--method lsqr takes no preconditioner");
    mnp_status status = result_check_options(&j->result);
    if (status == MNP_OK)
        status = plan_check_options(&j->plan);
    if (status == MNP_OK)
        status = check_effects(j);
    if (status != MNP_OK)
        return status;
    if (j->method == MNP_SOLVER_RICHARDSON && j->precond_options.omega > 0) {
        j->options.bounds[0] = j->precond_options.omega;
        j->precond_options.omega = 0;
    }
    j->every = j->every ? j->every : 100;
    j->method_given = j->method_given || j->options.restart > 0; /* then it is gmres */
    return MNP_OK;
}

static mnp_status parse(int argc, char **argv, job *j)
{
    mnp_status status = MNP_OK;
    for (int key; status == MNP_OK && (key = options_next(argc, argv, options_table)) != OPTIONS_END;)
        status = parse_option(key, j);
    if (status == MNP_OK)
        status = parse_operands(argc - optind, argv + optind, j);
    return status == MNP_OK ? check(j) : status;
}

/* ---- checks before the work, on rank 0 ---- */

static run_file file_of_rhs(const job *j)
{
    if (j->rhs_kind == RHS_DATASET)
        return file_of_operand(&j->rhs);
    return (run_file){.role = "RHS", .text = j->rhs_text, .path = j->rhs_kind == RHS_MARKET ? j->rhs_text : NULL};
}

static mnp_status check_overwriting(const job *j)
{
    run_file files[] = {file_of_matrix(&j->matrix),
                        file_of_rhs(j),
                        file_of_operand(&j->guess),
                        file_of_option("--resume", j->resume),
                        file_of_output(&j->result.output),
                        file_of_option("--checkpoint", j->checkpoint),
                        file_of_option("--picture", j->result.picture.path)};
    enum { RESUME = 3, CHECKPOINT = 5 };
    files[RESUME].writes = false;
    files[RESUME].checkpoint = files[CHECKPOINT].checkpoint = true;
    mnp_status status = files_check(sizeof files / sizeof *files, files);
    return status == MNP_OK ? picture_check_place(&j->result.picture) : status;
}

/* ---- the work ---- */

/* A right-hand side of one column is a vector. */
static mnp_status squeeze(mnp_array **array_p)
{
    mnp_array *view = NULL;
    if (mnp_array_ndim(*array_p) != 2 || mnp_array_shape(*array_p)[1] != 1)
        return MNP_OK;
    mnp_status status = mnp_index(*array_p, ":, 0", &view);
    if (status == MNP_OK) {
        mnp_array_free(*array_p);
        *array_p = view;
    }
    return status;
}

static mnp_status read_rhs(job *j)
{
    mnp_status status;
    if (j->rhs_kind == RHS_ONES)
        status = mnp_ones(j->ctx, mnp_sparse_dtype(j->a), 1, mnp_sparse_shape(j->a), &j->b);
    else if (j->rhs_kind == RHS_MARKET)
        status = mnp_mm_read_array(j->ctx, j->rhs_text, MNP_DTYPE_AUTO, NULL, &j->b);
    else
        status = operand_load(j->ctx, &j->rhs, &j->b);
    if (status == MNP_OK)
        status = squeeze(&j->b);
    if (status != MNP_OK)
        return status;
    const int ndim = mnp_array_ndim(j->b);
    const int64_t *shape = mnp_array_shape(j->b), rows = mnp_sparse_shape(j->a)[0];
    if (ndim < 1 || ndim > 2 || shape[0] != rows)
        return mnp_fail(MNP_ERR_ARG, "RHS '%s' must have %" PRId64 " rows, as MATRIX has, and one or two dimensions",
                        j->rhs_text, rows);
    j->columns = ndim == 1 ? 1 : shape[1];
    if (j->columns > 1 && (j->checkpoint || j->resume))
        return mnp_fail(MNP_ERR_ARG, "RHS '%s' has %" PRId64 " columns; --checkpoint and --resume are for one",
                        j->rhs_text, j->columns);
    return MNP_OK;
}

/* Check that the guess has the shape of the solution. */
static mnp_status check_guess(const job *j, const mnp_array *guess)
{
    const int ndim = mnp_array_ndim(guess);
    const int64_t *shape = mnp_array_shape(guess), rows = mnp_sparse_shape(j->a)[1];
    if (ndim == mnp_array_ndim(j->b) && shape[0] == rows && (ndim == 1 || shape[1] == j->columns))
        return MNP_OK;
    return mnp_fail(MNP_ERR_ARG, "GUESS '%s' must have %" PRId64 " rows and %" PRId64 " column%s", j->guess.text, rows,
                    j->columns, j->columns == 1 ? "" : "s");
}

/* The guess as the file has it; NULL: none. */
static mnp_status read_guess(job *j, mnp_array **guess_p)
{
    if (j->resume)
        return checkpoint_resume(j, guess_p);
    if (!j->guess.text)
        return MNP_OK;
    mnp_status status = operand_load(j->ctx, &j->guess, guess_p);
    if (status == MNP_OK)
        status = squeeze(guess_p);
    return status == MNP_OK ? check_guess(j, *guess_p) : status;
}

/* A system whose guess is complex has a complex right-hand side. */
static mnp_status widen_rhs(job *j, const mnp_array *guess)
{
    mnp_array *wide = NULL;
    if (!guess || mnp_dtype_kind(mnp_array_dtype(guess)) != 'c')
        return MNP_OK;
    mnp_status status = mnp_astype(j->b, mnp_dtype_promote(mnp_array_dtype(j->b), MNP_COMPLEX64), &wide);
    if (status == MNP_OK) {
        mnp_array_free(j->b);
        j->b = wide;
    }
    return status;
}

static mnp_status read_vectors(job *j)
{
    mnp_array *guess = NULL;
    mnp_status status = read_rhs(j);
    if (status == MNP_OK)
        status = read_guess(j, &guess);
    if (status == MNP_OK)
        status = widen_rhs(j, guess);
    if (status == MNP_OK)
        status = checkpoint_check_system(j);
    if (status == MNP_OK && guess)
        status = mnp_astype(guess, mnp_solve_dtype(j->op, j->b, NULL), &j->x);
    mnp_array_free(guess);
    return status;
}

static mnp_status read_matrix(job *j)
{
    mnp_status status = matrix_read(j->ctx, &j->matrix, MNP_DTYPE_AUTO, &j->a);
    const int64_t *shape = status == MNP_OK ? mnp_sparse_shape(j->a) : NULL;
    const bool suits = j->method_given ? j->method == MNP_SOLVER_LSQR : !j->precond_given;
    if (shape && shape[0] != shape[1] && !suits)
        return mnp_fail(MNP_ERR_ARG,
                        "MATRIX '%s' has %" PRId64 " rows and %" PRId64 " columns; %s needs a square one, and only "
                        "--method lsqr takes any",
                        j->matrix.text, shape[0], shape[1], j->method_given ? method_names[j->method] : "--precond");
    return status == MNP_OK ? mnp_operator_from_sparse(j->a, &j->op) : status;
}

static void read_all(job *j)
{
    progress_stage(0, NULL, "reading MATRIX");
    OR_EXIT(read_matrix(j));
    progress_stage(0, NULL, "reading RHS");
    OR_EXIT(read_vectors(j));
    j->results = calloc((size_t)j->columns + 1, sizeof *j->results);
    OR_EXIT(mnp_agree(j->ctx, j->results ? MNP_OK : mnp_fail(MNP_ERR_MEMORY, "no memory for results")));
}

/* Returns the exit status. */
static int run(job *j)
{
    OR_EXIT(mnp_agree(j->ctx, mnp_ctx_rank(j->ctx) == 0 ? check_overwriting(j) : MNP_OK));
    if (j->plan.wanted) {
        solve_plan(j);
        return EXIT_SUCCESS;
    }
    OR_EXIT(operand_check_output(j->ctx, &j->result.output));
    if (j->checkpoint)
        OR_EXIT(mnp_h5_check_write(j->ctx, j->checkpoint, "/x"));
    OR_EXIT(checkpoint_check_files(j));
    j->watch = stopwatch_start(j->ctx);
    progress_begin(j->ctx, "solve", j->result.quiet);
    solve_rehearse_reading(j);
    read_all(j);
    stopwatch_lap(&j->watch, STAGE_READ);
    solve_run(j);
    if (j->leaves)
        return requeue_job(j);
    progress_stage(array_bytes(j->x), "B", "writing OUTPUT");
    OR_EXIT(solve_write(j));
    const mnp_status drawn = j->result.picture.path ? solve_draw(j) : MNP_OK;
    stopwatch_lap(&j->watch, STAGE_WRITE);
    progress_end();
    if (!j->result.quiet)
        solve_report(j);
    if (!j->result.quiet && !j->result.json && !solve_converged(j))
        solve_hint(j);
    return command_say(j->ctx, "", drawn);
}

static void free_all(job *j)
{
    for (int64_t k = 0; k < j->columns; k++)
        mnp_solve_result_clear(&j->results[k]);
    free(j->results);
    mnp_array_free(j->x);
    mnp_array_free(j->b);
    mnp_precond_free(j->precond);
    mnp_operator_free(j->op);
    mnp_sparse_free(j->a);
    mnp_finalize(j->ctx);
    matrix_operand_free(&j->matrix);
    operand_free(&j->rhs);
    operand_free(&j->result.output);
    operand_free(&j->guess);
}

int solve_main(int argc, char **argv)
{
    job j = {.method = MNP_SOLVER_GMRES, .result.picture = PICTURE_REQUEST_DEFAULTS};
    words_set(words_table);
    if (parse(argc, argv, &j) != MNP_OK)
        misused_exit();
    requeue_listen(&j);
    j.ctx = command_begin(NULL);
    const int status = close_output(run(&j));
    const bool converged = j.plan.wanted || solve_converged(&j);
    free_all(&j);
    return status == EXIT_SUCCESS && !converged ? EXIT_NOT_CONVERGED : status;
}
