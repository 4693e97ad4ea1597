/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Layouts as text, "0, *" or "0(32), 1(32) on 2 x 3": what mnp_layout_parse() reads and mnp_layout_print() shows.
 *
 *   layout     [dimension {"," dimension}] ["on" extent {"x" extent}]
 *   dimension  axis | axis "(" block ")" | "*" | "-"
 *
 * Without "on" the mesh has the axes 0 to the highest one that is named, at least one, with the extents that
 * mnp_mesh_dims() chooses.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <maniple/mesh.h>

#include "base/status.h"
#include "base/text.h"
#include "layout/layout.h"

struct notation {
    const char *text, *at;
    int ndim, axes[MNP_MAX_DIMS];
    int64_t blocks[MNP_MAX_DIMS];
    int mesh_ndim, mesh[MNP_MAX_DIMS]; /* an extent of 0 is to be chosen */
};

static mnp_status fail_at(const struct notation *n, const char *what)
{
    return MNP_FAIL(MNP_ERR_ARG, "mnp_layout_parse: cannot read the layout '%s' at column %d: %s", n->text,
                    (int)(n->at - n->text) + 1, what);
}

static void skip_space(struct notation *n)
{
    while (isspace((unsigned char)*n->at))
        n->at++;
}

static bool take(struct notation *n, const char *words)
{
    skip_space(n);
    if (!mnp__text_begins(n->at, words))
        return false;
    n->at += strlen(words);
    return true;
}

/* Read a number from `least` to `most`; `what` says what should be there if there is none. */
static mnp_status read_number(struct notation *n, int64_t least, int64_t most, const char *what, int64_t *number_p)
{
    char *end;
    skip_space(n);
    if (!isdigit((unsigned char)*n->at))
        return fail_at(n, what);
    errno = 0;
    *number_p = strtoll(n->at, &end, 10);
    if (errno == ERANGE || *number_p < least || *number_p > most)
        return MNP_FAIL(MNP_ERR_ARG,
                        "mnp_layout_parse: the number at column %d of the layout '%s' is not one from %" PRId64
                        " to %" PRId64,
                        (int)(n->at - n->text) + 1, n->text, least, most);
    n->at = end;
    return MNP_OK;
}

static mnp_status read_dimension(struct notation *n)
{
    int64_t axis;
    if (n->ndim == MNP_MAX_DIMS)
        return fail_at(n, "no array has so many dimensions");
    if (take(n, "*") || take(n, "-")) {
        n->axes[n->ndim++] = MNP_NO_AXIS;
        return MNP_OK;
    }
    MNP_TRY(read_number(n, 0, MNP_MAX_DIMS - 1, "a mesh axis, or * for a dimension that is not cut, should be here",
                        &axis));
    if (take(n, "(")) {
        MNP_TRY(read_number(n, 1, INT64_MAX, "the extent of the blocks should be here", &n->blocks[n->ndim]));
        if (!take(n, ")"))
            return fail_at(n, "a closing parenthesis should be here");
    }
    n->axes[n->ndim++] = (int)axis;
    n->mesh_ndim = axis >= n->mesh_ndim ? (int)axis + 1 : n->mesh_ndim;
    return MNP_OK;
}

static mnp_status read_mesh(struct notation *n)
{
    int64_t extent;
    n->mesh_ndim = 0;
    do {
        if (n->mesh_ndim == MNP_MAX_DIMS)
            return fail_at(n, "no mesh has so many axes");
        MNP_TRY(read_number(n, 0, INT_MAX, "the number of ranks along a mesh axis should be here", &extent));
        n->mesh[n->mesh_ndim++] = (int)extent;
    } while (take(n, "x"));
    return MNP_OK;
}

static mnp_status read_notation(struct notation *n)
{
    n->mesh_ndim = 1;
    skip_space(n);
    if (*n->at != '\0' && *n->at != 'o') {
        do
            MNP_TRY(read_dimension(n));
        while (take(n, ","));
    }
    if (take(n, "on"))
        MNP_TRY(read_mesh(n));
    skip_space(n);
    return *n->at == '\0' ? MNP_OK : fail_at(n, "a comma, 'on' and a mesh, or the end should be here");
}

mnp_status mnp__layout_parse(int nranks, int ndim, const int64_t *shape, const char *text, mnp_layout **layout_p)
{
    struct notation n = {.text = text, .at = text};
    MNP_TRY(read_notation(&n));
    if (n.ndim != ndim)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_layout_parse: the layout '%s' has %d dimension%s, and the shape %d", text,
                        n.ndim, n.ndim == 1 ? "" : "s", ndim);
    mnp_status st = mnp_mesh_dims(nranks, n.mesh_ndim, n.mesh);
    if (st == MNP_OK)
        st = mnp_layout_new_cyclic(n.mesh_ndim, n.mesh, ndim, shape, n.axes, n.blocks, layout_p);
    return st == MNP_ERR_ARG ? mnp__fail_context(st, "mnp_layout_parse: the layout '%s'", text) : st;
}

/* ---- writing ---- */

static void write(mnp__text *text, const mnp_layout *layout, bool with_mesh)
{
    for (int d = 0; d < layout->ndim; d++) {
        mnp__text_add(text, "%s", d ? ", " : "");
        if (layout->axes[d] == MNP_NO_AXIS)
            mnp__text_add(text, "*");
        else
            mnp__text_add(text, "%d", layout->axes[d]);
        if (layout->blocks[d] > 0)
            mnp__text_add(text, "(%" PRId64 ")", layout->blocks[d]);
    }
    for (int a = 0; with_mesh && a < layout->mesh_ndim; a++)
        mnp__text_add(text, "%s%d", a ? " x " : " on ", layout->mesh[a]);
}

static bool is_text_of(const mnp__text *text, const mnp_layout *layout)
{
    mnp_layout *made = NULL;
    const char *string = mnp__text_string(text);
    bool same = !text->failed &&
                mnp__layout_parse(layout->nranks, layout->ndim, layout->shape, string, &made) == MNP_OK &&
                mnp_layout_equal(made, layout);
    mnp_layout_free(made);
    return same;
}

bool mnp__layout_write(mnp__text *text, const mnp_layout *layout)
{
    for (int with_mesh = 0; with_mesh < 2; with_mesh++) {
        char room[256];
        mnp__text found = MNP__TEXT_IN(room);
        write(&found, layout, with_mesh);
        bool right = is_text_of(&found, layout);
        if (right)
            mnp__text_add(text, "%s", mnp__text_string(&found));
        mnp__text_free(&found);
        if (right)
            return true;
    }
    return false;
}
