/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * maniple solve --plan: what an iteration takes, and what the preconditioner takes to be made and to be applied.  The
 * matrix is known by its head alone, so how many iterations there will be is not.
 */
#include "solve/solve.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/command.h"

/* Every row of a matrix in CSR has a pointer; every entry a column of 32 bits. */
enum { POINTER = 4, COLUMN = 4 };

/*
 * What an iteration of a method takes: products with the matrix, applications of the preconditioner, vectors that are
 * read or written, and all-reduces.  Vectors 0: it was not counted.
 */
typedef struct method_cost {
    double products, preconds, vectors, joins;
} method_cost;

static method_cost cost_of(const job *j)
{
    const double restart = j->options.restart > 0 ? j->options.restart : 20;
    switch (j->method) {
    case MNP_SOLVER_CG:
        return (method_cost){1, 1, 9, 2};
    case MNP_SOLVER_CG1:
        return (method_cost){1, 1, 12, 1};
    case MNP_SOLVER_MINRES:
        return (method_cost){1, 1, 14, 3};
    case MNP_SOLVER_BICGSTAB:
        return (method_cost){2, 2, 20, 3};
    case MNP_SOLVER_BICG:
        return (method_cost){2, 2, 17, 2};
    case MNP_SOLVER_QMR:
        return (method_cost){2, 2, 28, 3};
    case MNP_SOLVER_TFQMR: /* the mean of two */
        return (method_cost){1, 1, 21, 2.5};
    case MNP_SOLVER_GMRES:
    case MNP_SOLVER_FGMRES: /* half of the basis in the mean; made orthogonal twice, by a product and an update each */
        return (method_cost){1, 1, 2 * restart + 4, 3};
    case MNP_SOLVER_LSQR:
        return (method_cost){2, 0, 12, 2};
    default:
        return (method_cost){1, 1, 0, 2};
    }
}

/* The share of the rank that has most. */
typedef struct share {
    double rows, entries, value; /* value: bytes of an element */
    double matrix;               /* bytes that a product reads of the matrix */
} share;

static share share_of(const plan *p, const matrix_head *head)
{
    share s = {.rows = ceil((double)head->rows / p->ranks), .value = (double)mnp_dtype_size(head->dtype)};
    s.entries = head->rows > 0 ? (double)head->nnz / (double)head->rows * s.rows : 0;
    s.matrix = head->diagonals ? s.entries * s.value : s.entries * (s.value + COLUMN) + s.rows * POINTER;
    return s;
}

/* A product: the matrix, x and y once, and the elements of x that other ranks own. */
static plan_step product(const plan *p, const matrix_head *head, const share *s, double times)
{
    plan_step step = {.what = times > 1 ? "products with MATRIX" : "product with MATRIX",
                      .each = true,
                      .bytes = times * (s->matrix + 2 * s->rows * s->value),
                      .launches = times,
                      .at_least = p->ranks > 1 && head->reach == 0};
    if (p->ranks > 1 && head->reach > 0) {
        /* a rank between others sends to both sides, and each of them what it reaches */
        const double sides = p->ranks > 2 ? 2 : 1,
                     ghosts = fmin(sides * (double)head->reach, (double)head->rows - s->rows);
        plan_neighbours(p, &step, times * ghosts * s->value, sides * times);
        step.bytes += 2 * times * ghosts * s->value;
    }
    return step;
}

/* One application of the preconditioner. */
static plan_step application(const job *j, const share *s, double times)
{
    const mnp_precond_options *o = &j->precond_options;
    const double vector = s->rows * s->value, csr = s->entries * (s->value + COLUMN) + s->rows * POINTER;
    const double sweeps = o->sweeps > 0 ? o->sweeps : 1, degree = o->degree > 0 ? o->degree : 4;
    plan_step step = {.what = "preconditioner", .each = true, .launches = 1, .at_least = true};
    switch (j->precond_kind) {
    case MNP_PRECOND_JACOBI:
        step.bytes = 7 * vector; /* with what the method reads and sums of its result */
        step.at_least = false;
        break;
    case MNP_PRECOND_BLOCK_JACOBI:
        step.bytes = ((o->block > 0 ? o->block : 4) + 6) * vector;
        break;
    case MNP_PRECOND_SOR:
        step.bytes = sweeps * (csr + 3 * vector) + 4 * vector;
        break;
    case MNP_PRECOND_SSOR:
        step.bytes = 2 * sweeps * (csr + 3 * vector) + 4 * vector;
        break;
    case MNP_PRECOND_CHEBYSHEV:
    case MNP_PRECOND_POLYNOMIAL:
        step.bytes = degree * (s->matrix + 6 * vector);
        step.launches = 2 * degree;
        break;
    default:
        step.bytes = csr + 8 * vector;
        step.launches = 2;
    }
    step.bytes *= times;
    step.launches *= times;
    return step;
}

/* Making it: factors and colours are found by the CPU, at a pace that was measured. */
static plan_step making(const job *j, const plan *p, const share *s)
{
    plan_step step = {.what = "making the preconditioner", .bytes = s->matrix, .launches = 1};
    switch (j->precond_kind) {
    case MNP_PRECOND_ILU0:
        step.seconds = p->machine->setup.ilu0 * s->entries;
        break;
    case MNP_PRECOND_IC0:
        step.seconds = p->machine->setup.ic0 * s->entries;
        break;
    case MNP_PRECOND_SOR:
    case MNP_PRECOND_SSOR:
        step.seconds = p->machine->setup.relaxation * s->entries;
        break;
    case MNP_PRECOND_JACOBI:
        break;
    default:
        step.at_least = true;
    }
    return step;
}

static void keep(const job *j, plan *p, const share *s, const method_cost *cost)
{
    const double vector = s->rows * s->value, csr = s->entries * (s->value + COLUMN) + s->rows * POINTER;
    const bool gmres = j->method == MNP_SOLVER_GMRES || j->method == MNP_SOLVER_FGMRES;
    const bool factors = j->precond_kind == MNP_PRECOND_ILU0 || j->precond_kind == MNP_PRECOND_IC0 ||
                         j->precond_kind == MNP_PRECOND_SOR || j->precond_kind == MNP_PRECOND_SSOR;
    plan_keep(p, "matrix", csr);
    plan_keep(p, "as it is multiplied", s->matrix);
    plan_keep(p, "b and x", 2 * vector);
    plan_keep(p, "vectors of the method", vector * (gmres ? (cost->vectors - 4) / 2 + 3 : 6));
    if (j->precond_kind != MNP_PRECOND_NONE)
        plan_keep(p, "preconditioner", factors ? csr : vector);
}

/* What suits a matrix is known only when its entries are: generated ones are, files are taken to have no symmetry. */
static void choose(job *j, const matrix_head *head, plan *p)
{
    if (j->method_given || j->precond_given) {
        j->method = j->method_given || j->precond_kind == MNP_PRECOND_ILU0 ? j->method : MNP_SOLVER_CG;
        return;
    }
    const bool positive = j->matrix.kind == MATRIX_GENERATOR && strncmp(j->matrix.text, "convdiff", 8) != 0;
    const mnp_solve_system system = {
        .shape = {head->rows, head->columns},
        .vector_bytes = (head->columns + p->ranks - 1) / p->ranks * (int64_t)mnp_dtype_size(head->dtype),
        .on_gpu = p->machine->gpu,
        .traits = {.hermitian = positive, .positive_diagonal = positive, .full_diagonal = true}};
    mnp_solve_choice choice;
    if (mnp_solve_choose_for(&system, 0, &choice)) {
        j->method = choice.solver;
        j->precond_kind = choice.precond;
        j->options.restart = choice.restart;
    }
    if (j->matrix.kind != MATRIX_GENERATOR)
        plan_note(p, "the method depends on the entries, which were not read: here a matrix without symmetry is taken");
}

/* What the report tells of the system. */
typedef struct told {
    const job *job;
    matrix_head head;
} told;

static void plan_text(const void *run)
{
    const told *t = run;
    printf("matrix    %s: %lldx%lld %s, %lld entries\n", t->job->matrix.text, (long long)t->head.rows,
           (long long)t->head.columns, mnp_dtype_name(t->head.dtype), (long long)t->head.nnz);
}

static void plan_json(const void *run, json_writer *out)
{
    const told *t = run;
    json_text(out, "matrix", t->job->matrix.text);
    json_integers(out, "shape", 2, (const int64_t[]){t->head.rows, t->head.columns});
    json_integer(out, "nnz", t->head.nnz);
    json_text(out, "method", method_names[t->job->method]);
    json_text(out, "precond", precond_names[t->job->precond_kind]);
}

void solve_plan(job *j)
{
    plan p;
    told t = {.job = j};
    OR_EXIT(matrix_look(j->ctx, &j->matrix, &t.head));
    OR_EXIT(plan_begin(j->ctx, &j->plan, &p));
    choose(j, &t.head, &p);
    const share s = share_of(&p, &t.head);
    const method_cost cost = cost_of(j);
    plan_by(&p, "%s with preconditioner %s, rows cut evenly over the ranks", method_names[j->method],
            precond_names[j->precond_kind]);
    keep(j, &p, &s, &cost);
    if (j->precond_kind != MNP_PRECOND_NONE && cost.preconds > 0) {
        plan_add(&p, making(j, &p, &s));
        plan_add(&p, application(j, &s, cost.preconds));
    }
    plan_add(&p, product(&p, &t.head, &s, cost.products));
    plan_add(&p, (plan_step){.what = "vectors",
                             .each = true,
                             .bytes = cost.vectors * s.rows * s.value,
                             .launches = 2,
                             .joins = cost.joins,
                             .at_least = cost.vectors == 0});
    plan_note(&p, "how many iterations there will be is not known before they are made");
    if (j->precond_kind == MNP_PRECOND_ILU0 || j->precond_kind == MNP_PRECOND_IC0)
        plan_note(&p, "triangles wait for their rows, one level after the other, which is not in the model");
    if (p.ranks > 1 && t.head.reach == 0)
        plan_note(&p, "which elements of x other ranks need is in the entries: that exchange is not counted");
    p.run = &t;
    p.text = plan_text;
    p.json = plan_json;
    plan_print(&p, j->result.quiet, j->result.json);
}
