/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Matrices generated from a text such as "poisson:64x64".  Finite differences are stencils; elasticity is assembled
 * from finite elements.  Every rank makes its own rows from nothing but their numbers.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "sparse/rows/matrix_from_rows.h"

enum { MOST_DIMS = 3, MOST_POINTS = 27 };

/* A parsed text. */
struct request {
    mnp_ctx *ctx;
    mnp_dtype dtype;
    const char *text;
    int ndim;
    int64_t shape[MOST_DIMS];
    int nparameters;
    double parameters[MOST_DIMS];
};

typedef mnp_status (*generate)(const struct request *request, mnp_sparse **matrix_p);

/* ---- finite differences ---- */

struct stencil {
    int count;
    int64_t offsets[MOST_POINTS * MOST_DIMS];
    double coefficients[MOST_POINTS * 2]; /* as complex numbers */
};

/* A point at `step` along one dimension. */
static void add_point(struct stencil *stencil, int ndim, int dim, int64_t step, double coefficient)
{
    for (int d = 0; d < ndim; d++)
        stencil->offsets[stencil->count * ndim + d] = d == dim ? step : 0;
    stencil->coefficients[2 * stencil->count++] = coefficient;
}

static mnp_status make_stencil(const struct request *request, const struct stencil *stencil, mnp_sparse **matrix_p)
{
    _Alignas(double) char coefficients[sizeof stencil->coefficients];
    for (int i = 0; i < stencil->count; i++)
        mnp__value_set(request->dtype, coefficients, i, stencil->coefficients + 2 * i);
    return mnp_csr_from_stencil(request->ctx, request->dtype, request->ndim, request->shape, NULL, stencil->count,
                                stencil->offsets, coefficients, matrix_p);
}

/* Upwind convection along every dimension, with cell Peclet number p; p = 0 is Poisson's equation. */
static mnp_status make_convection(const struct request *request, mnp_sparse **matrix_p)
{
    struct stencil stencil = {.count = 0};
    double diagonal = 0;
    for (int d = 0; d < request->ndim; d++) {
        const double p = request->nparameters == 0 ? 1 : request->parameters[request->nparameters == 1 ? 0 : d];
        const double below = -1 - fmax(p, 0), above = -1 - fmax(-p, 0);
        add_point(&stencil, request->ndim, d, -1, below);
        add_point(&stencil, request->ndim, d, 1, above);
        diagonal -= below + above;
    }
    add_point(&stencil, request->ndim, 0, 0, diagonal);
    return make_stencil(request, &stencil, matrix_p);
}

static mnp_status make_poisson(const struct request *request, mnp_sparse **matrix_p)
{
    struct request still = *request;
    still.nparameters = 1;
    still.parameters[0] = 0;
    return make_convection(&still, matrix_p);
}

static mnp_status make_hpcg(const struct request *request, mnp_sparse **matrix_p)
{
    struct stencil stencil = {.count = MOST_POINTS};
    for (int i = 0; i < MOST_POINTS; i++) {
        int64_t *offset = stencil.offsets + 3 * i;
        offset[0] = i / 9 - 1;
        offset[1] = i / 3 % 3 - 1;
        offset[2] = i % 3 - 1;
        stencil.coefficients[2 * i] = i == MOST_POINTS / 2 ? 26 : -1;
    }
    return make_stencil(request, &stencil, matrix_p);
}

/* ---- elasticity ---- */

/*
 * Node n of an element is at its corner (n / 2, n % 2), and has displacements along x and y.  A row couples nine nodes
 * at most.
 */
enum { NODES = 4, UNKNOWNS = 2 * NODES, MOST_IN_ROW = 18 };

/*
 * The stiffness of a square element of bilinear shape functions in plane stress, Young's modulus 1, by Gauss's rule of
 * 2 x 2 points, which is exact here: T. J. R. Hughes, The Finite Element Method, 1987, chapters 2 and 3.
 */
static void make_element(double poisson, double stiffness[UNKNOWNS][UNKNOWNS])
{
    const double scale = 1 / (1 - poisson * poisson);
    const double elastic[3][3] = {
        {scale, poisson * scale, 0}, {poisson * scale, scale, 0}, {0, 0, scale * (1 - poisson) / 2}};
    memset(stiffness, 0, sizeof(double[UNKNOWNS][UNKNOWNS]));
    for (int point = 0; point < 4; point++) {
        const double x = 0.5 + (point / 2 ? 0.5 : -0.5) / sqrt(3), y = 0.5 + (point % 2 ? 0.5 : -0.5) / sqrt(3);
        double strain[3][UNKNOWNS] = {{0}}; /* from a unit displacement of every unknown: along x, along y, shear */
        for (int n = 0; n < NODES; n++) {
            const double along_x = (n / 2 ? 1 : -1) * (n % 2 ? y : 1 - y),
                         along_y = (n % 2 ? 1 : -1) * (n / 2 ? x : 1 - x);
            strain[0][2 * n] = strain[2][2 * n + 1] = along_x;
            strain[1][2 * n + 1] = strain[2][2 * n] = along_y;
        }
        for (int i = 0; i < UNKNOWNS; i++)
            for (int j = 0; j <= i; j++)
                for (int k = 0; k < 9; k++)
                    stiffness[i][j] += strain[k / 3][i] * elastic[k / 3][k % 3] * strain[k % 3][j] / 4;
    }
    for (int i = 0; i < UNKNOWNS; i++) /* symmetric to the last bit, and so will be the matrix */
        for (int j = i + 1; j < UNKNOWNS; j++)
            stiffness[i][j] = stiffness[j][i];
}

/*
 * The coupling of a node to itself and the eight around it: blocks[di + 1][dj + 1] for the node at (i + di, j + dj),
 * summed over the elements that have both.  there[][] is false for nodes outside the grid, and for fixed ones.
 */
struct neighbours {
    bool there[3][3];
    double blocks[3][3][2][2];
};

static void gather_elements(const struct request *request, const double stiffness[UNKNOWNS][UNKNOWNS], int64_t i,
                            int64_t j, struct neighbours *near)
{
    *near = (struct neighbours){.there = {{false}}};
    for (int own = 0; own < NODES; own++) { /* which corner of an element the node is */
        const int64_t ei = i - own / 2, ej = j - own % 2;
        if (ei < 0 || ej < 0 || ei >= request->shape[0] || ej >= request->shape[1])
            continue;
        for (int other = 0; other < NODES; other++) {
            const int di = other / 2 - own / 2 + 1, dj = other % 2 - own % 2 + 1;
            if (ei + other / 2 == 0) /* fixed */
                continue;
            near->there[di][dj] = true;
            for (int c = 0; c < 4; c++)
                near->blocks[di][dj][c / 2][c % 2] += stiffness[2 * own + c / 2][2 * other + c % 2];
        }
    }
}

/* Nodes at i = 0 are fixed and left out: node (i, j) has unknowns 2 ((i - 1) (shape[1] + 1) + j) and the next one. */
static void fill_elasticity(const struct request *request, int64_t first, mnp__csr *csr)
{
    double stiffness[UNKNOWNS][UNKNOWNS];
    const int64_t line = request->shape[1] + 1;
    int64_t count = 0;
    make_element(request->nparameters ? request->parameters[0] : 0.3, stiffness);
    for (int64_t row = 0; row < csr->rows; row++) {
        const int64_t node = (first + row) / 2, i = node / line + 1, j = node % line;
        const int component = (int)((first + row) % 2);
        struct neighbours near;
        gather_elements(request, stiffness, i, j, &near);
        for (int k = 0; k < 9; k++) {
            if (!near.there[k / 3][k % 3])
                continue;
            const int64_t column = 2 * (node + (k / 3 - 1) * line + k % 3 - 1);
            for (int c = 0; c < 2; c++) {
                const double value[] = {near.blocks[k / 3][k % 3][component][c], 0};
                csr->indices[count] = column + c;
                mnp__value_set(csr->dtype, csr->values, count++, value);
            }
        }
        csr->offsets[row + 1] = count;
    }
}

static mnp_status make_elasticity(const struct request *request, mnp_sparse **matrix_p)
{
    const double poisson = request->nparameters ? request->parameters[0] : 0.3;
    int64_t size, first, rows;
    mnp_layout *layout = NULL;
    mnp__csr csr = {.rows = 0};
    if (request->nparameters > 1 || !(poisson > -1 && poisson < 0.5))
        return MNP_FAIL(MNP_ERR_ARG, "'%s': Poisson's ratio is one number, above -1 and below 0.5", request->text);
    if (request->shape[1] > INT64_MAX / 4 ||
        __builtin_mul_overflow(request->shape[0], 2 * (request->shape[1] + 1), &size) || size > INT64_MAX / MOST_IN_ROW)
        return MNP_FAIL(MNP_ERR_ARG, "'%s' has more unknowns than can be counted", request->text);
    MNP_TRY(mnp_layout_block(request->ctx->comm.size, 1, &size, &layout));
    mnp_layout_box(layout, request->ctx->comm.rank, &first, &rows);
    mnp_status st = mnp__csr_new(request->dtype, rows, size, MOST_IN_ROW * rows, &csr);
    if (st == MNP_OK)
        fill_elasticity(request, first, &csr);
    st = MNP_AGREE(request->ctx, st);
    if (st == MNP_OK)
        st = mnp__sparse_from_csr(&(mnp__sparse_shape){.ctx = request->ctx,
                                                       .dtype = request->dtype,
                                                       .rows = size,
                                                       .columns = size,
                                                       .row_layout = layout,
                                                       .column_layout = layout},
                                  &csr, MNP_CSR, 0, matrix_p);
    mnp__csr_free(&csr);
    mnp_layout_free(layout);
    return st;
}

/* ---- texts ---- */

static const struct generator {
    const char *name;
    generate make;
    int least, most; /* dimensions */
    bool has_parameters;
    const char *form;
} generators[] = {
    {"poisson", make_poisson, 1, 3, false, "poisson:NX[xNY[xNZ]]"},
    {"hpcg", make_hpcg, 3, 3, false, "hpcg:NXxNYxNZ"},
    {"convdiff", make_convection, 1, 3, true, "convdiff:NX[xNY[xNZ]][@PECLET[xPECLET...]]"},
    {"elasticity", make_elasticity, 2, 2, true, "elasticity:NXxNY[@POISSON]"},
};
enum { NUM_GENERATORS = sizeof generators / sizeof *generators };

static mnp_status fail_form(const struct request *request, const struct generator *generator)
{
    return MNP_FAIL(MNP_ERR_ARG, "'%s' is not of the form %s", request->text, generator->form);
}

static mnp_status parse_shape(struct request *request, const struct generator *generator, const char **at_p)
{
    int64_t size = 1;
    do {
        char *end;
        const char *at = *at_p + (request->ndim > 0); /* behind the x */
        errno = 0;
        const long long extent = strtoll(at, &end, 10);
        if (request->ndim == generator->most || *at < '0' || *at > '9')
            return fail_form(request, generator);
        if (errno || extent < 1 || __builtin_mul_overflow(size, (int64_t)extent, &size))
            return MNP_FAIL(MNP_ERR_ARG, "'%s': extents must be at least 1, and their product below 2^63",
                            request->text);
        request->shape[request->ndim++] = extent;
        *at_p = end;
    } while (**at_p == 'x');
    return request->ndim < generator->least ? fail_form(request, generator) : MNP_OK;
}

/* A decimal number: mnp__parse_number() alone would read "0x1", which is two numbers here, as hexadecimal. */
static bool parse_number(const char **at_p, double *value_p)
{
    char word[64], *end;
    const size_t length = strspn(*at_p, "+-.0123456789eE");
    if (length == 0 || length >= sizeof word)
        return false;
    memcpy(word, *at_p, length);
    word[length] = '\0';
    *value_p = mnp__parse_number(word, &end);
    *at_p += length;
    return *end == '\0' && isfinite(*value_p);
}

static mnp_status parse_parameters(struct request *request, const struct generator *generator, const char **at_p)
{
    do {
        ++*at_p; /* behind the @ or the x */
        if (request->nparameters == request->ndim || !parse_number(at_p, &request->parameters[request->nparameters++]))
            return fail_form(request, generator);
    } while (**at_p == 'x');
    if (request->nparameters > 1 && request->nparameters != request->ndim)
        return MNP_FAIL(MNP_ERR_ARG, "'%s' has %d parameters for %d dimensions; give one, or one for each",
                        request->text, request->nparameters, request->ndim);
    return MNP_OK;
}

static const struct generator *find_generator(const char *text)
{
    const size_t length = strcspn(text, ":");
    for (int i = 0; i < NUM_GENERATORS; i++)
        if (strlen(generators[i].name) == length && strncmp(generators[i].name, text, length) == 0)
            return &generators[i];
    return NULL;
}

bool mnp_sparse_is_generator(const char *text)
{
    MNP_NEED_OR(false, text);
    return text && strchr(text, ':') && find_generator(text);
}

mnp_status mnp_sparse_generate(mnp_ctx *ctx, const char *text, mnp_dtype dtype, mnp_sparse **matrix_p)
{
    MNP_ENTER(ctx, text, matrix_p);
    struct request request = {.ctx = ctx, .dtype = dtype == MNP_DTYPE_AUTO ? MNP_FLOAT64 : dtype, .text = text};
    if (!mnp_sparse_is_generator(text))
        return MNP_FAIL(MNP_ERR_ARG,
                        "'%s' is no generator: there are poisson, hpcg, convdiff and elasticity, "
                        "as in poisson:64x64",
                        text ? text : "");
    const struct generator *generator = find_generator(text);
    const char *at = strchr(text, ':') + 1;
    MNP_TRY(mnp__sparse_check_dtype("mnp_sparse_generate", request.dtype));
    MNP_TRY(parse_shape(&request, generator, &at));
    if (*at == '@' && generator->has_parameters)
        MNP_TRY(parse_parameters(&request, generator, &at));
    return *at ? fail_form(&request, generator) : generator->make(&request, matrix_p);
}
