/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Operators of stencils: the body of a kernel over a grid, written from offsets and coefficients.
 */
#include "sparse/operator/operator_kernel.h"

#include <inttypes.h>
#include <math.h>

#include "base/dtype.h"
#include "base/integer.h"
#include "base/text.h"
#include "base/value.h"
#include "layout/layout.h"

/* An exact C++ literal. */
static void add_number(mnp__text *text, double number, bool is_single)
{
    if (isfinite(number))
        mnp__text_add(text, "%a%s", number, is_single ? "f" : "");
    else
        mnp__text_add(text, isnan(number) ? "NAN" : number < 0 ? "-INFINITY" : "INFINITY");
}

/* The term of one neighbour; for A^H it is the neighbour on the other side, with the conjugate coefficient. */
static void add_point(mnp__text *text, const mnp__grid_request *request, const int64_t *offset,
                      const double coefficient[2], bool adjoint)
{
    const bool is_single = mnp__dtype_is_single(request->dtype);
    mnp__text_add(text, coefficient[1] == 0 ? "y += " : "y += T(");
    add_number(text, coefficient[0], is_single);
    if (coefficient[1] != 0) {
        mnp__text_add(text, ", ");
        add_number(text, adjoint ? -coefficient[1] : coefficient[1], is_single);
        mnp__text_add(text, ")");
    }
    mnp__text_add(text, " * x(");
    for (int d = 0; d < request->ndim; d++)
        mnp__text_add(text, "%s%" PRId64, d > 0 ? ", " : "", adjoint ? -offset[d] : offset[d]);
    mnp__text_add(text, ");\n");
}

/* A neighbour's offset, shortened.  Whether some point of the grid has that neighbour. */
static bool shorten(const mnp__grid_request *request, const int64_t *offset, int64_t *shorter)
{
    for (int d = 0; d < request->ndim; d++) {
        const mnp_boundary boundary = mnp__boundary_of(request->boundaries, d);
        shorter[d] = mnp__boundary_shorten(boundary, request->shape[d], offset[d]);
        if (boundary == MNP_BOUNDARY_FILL && (offset[d] >= request->shape[d] || offset[d] <= -request->shape[d]))
            return false;
    }
    return true;
}

/* Whether A^H is the stencil of the opposite offsets: where points outside are 0, or the grid is a torus. */
static bool has_opposite(const mnp__grid_request *request)
{
    for (int d = 0; d < request->ndim; d++) {
        const mnp_boundary boundary = mnp__boundary_of(request->boundaries, d);
        if (boundary != MNP_BOUNDARY_FILL && boundary != MNP_BOUNDARY_WRAP)
            return false;
    }
    return true;
}

static void write_stencil(const mnp__grid_request *request, int npoints, const int64_t *offsets,
                          const void *coefficients, int64_t *reach, mnp__text bodies[2])
{
    for (int p = 0; p < npoints; p++) {
        int64_t offset[MNP_MAX_DIMS];
        double coefficient[2];
        mnp__value_get(request->dtype, coefficients, p, coefficient);
        if (!shorten(request, offsets + (int64_t)p * request->ndim, offset))
            continue;
        for (int d = 0; d < request->ndim; d++)
            reach[d] = mnp__max(reach[d], offset[d] < 0 ? -offset[d] : offset[d]);
        for (int adjoint = 0; adjoint < 2; adjoint++)
            add_point(&bodies[adjoint], request, offset, coefficient, adjoint);
    }
}

mnp_status mnp_operator_from_stencil(mnp_ctx *ctx, mnp_dtype dtype, int ndim, const int64_t *shape,
                                     const mnp_boundary *boundaries, int npoints, const int64_t *offsets,
                                     const void *coefficients, mnp_operator **operator_p)
{
    MNP_ENTER(ctx, operator_p);
    MNP_NEED_IF(ndim > 0, shape);
    MNP_NEED_IF(npoints > 0, offsets);
    MNP_NEED_IF(npoints > 0, coefficients);
    int64_t reach[MNP_MAX_DIMS] = {0};
    mnp__text bodies[2] = {MNP__TEXT_EMPTY, MNP__TEXT_EMPTY};
    mnp__grid_request request = {.function = "mnp_operator_from_stencil()",
                                 .ctx = ctx,
                                 .dtype = dtype,
                                 .ndim = ndim,
                                 .shape = shape,
                                 .reach = reach,
                                 .boundaries = boundaries,
                                 .points = npoints};
    MNP_TRY(mnp__grid_check(&request));
    if (npoints < 0)
        return MNP_FAIL(MNP_ERR_ARG, "%s: npoints is %d", request.function, npoints);
    write_stencil(&request, npoints, offsets, coefficients, reach, bodies);
    mnp_status st = mnp__text_status(&bodies[0]);
    if (st == MNP_OK)
        st = mnp__text_status(&bodies[1]);
    st = MNP_AGREE(ctx, st);
    request.body[0] = mnp__text_string(&bodies[0]);
    request.body[1] = has_opposite(&request) ? mnp__text_string(&bodies[1]) : NULL;
    if (st == MNP_OK)
        st = mnp__grid_operator(&request, operator_p);
    mnp__text_free(&bodies[0]);
    mnp__text_free(&bodies[1]);
    return st;
}
