/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Factoring a number of ranks into the extents of a mesh.
 */
#include <maniple/mesh.h>

#include <string.h>

#include "base/status.h"

/*
 * Find the extents of `count` axes, in descending order and none above `most`, whose product is `nranks`.  The largest
 * extent is as small as possible, then the second largest, and so on.  False if there are no such extents.
 */
static bool factor(int nranks, int count, int most, int *extents)
{
    if (count == 0)
        return nranks == 1;
    for (int extent = 1; extent <= nranks && extent <= most; extent++) {
        int64_t reach = 1; /* the largest product that axes of this extent can have */
        for (int i = 0; i < count && reach < nranks; i++)
            reach *= extent;
        if (nranks % extent != 0 || reach < nranks)
            continue;
        extents[0] = extent;
        if (factor(nranks / extent, count - 1, extent, extents + 1))
            return true;
    }
    return false;
}

static mnp_status check(int nranks, int ndim, const int *extents, int *left_p, int *chosen_p)
{
    int left = nranks, chosen = 0;
    if (nranks < 1)
        return MNP_FAIL(MNP_ERR_ARG, "nranks is %d, below 1", nranks);
    if (ndim < 1 || ndim > MNP_MAX_DIMS)
        return MNP_FAIL(MNP_ERR_ARG, "a mesh has %d axes, outside 1..%d", ndim, MNP_MAX_DIMS);
    for (int a = 0; a < ndim; a++) {
        if (extents[a] < 0)
            return MNP_FAIL(MNP_ERR_ARG, "extent %d of the mesh is %d, negative", a, extents[a]);
        chosen += extents[a] == 0;
        if (extents[a] > 0 && left % extents[a] != 0)
            return MNP_FAIL(MNP_ERR_ARG, "extent %d of the mesh is %d, which does not divide %s%d ranks", a, extents[a],
                            left < nranks ? "what the others leave of " : "", nranks);
        left /= extents[a] > 0 ? extents[a] : 1;
    }
    if (chosen == 0 && left > 1)
        return MNP_FAIL(MNP_ERR_ARG, "the extents of the mesh multiply to %d, and there are %d ranks", nranks / left,
                        nranks);
    *left_p = left;
    *chosen_p = chosen;
    return MNP_OK;
}

mnp_status mnp_mesh_dims(int nranks, int ndim, int *extents)
{
    MNP_ENTER_NAME();
    MNP_NEED_IF(ndim > 0, extents);
    int found[MNP_MAX_DIMS] = {0}, left = 1, chosen = 0, next = 0;
    MNP_TRY(check(nranks, ndim, extents, &left, &chosen));
    factor(left, chosen, left, found); /* succeeds: `left` and ones are extents */
    for (int a = 0; a < ndim; a++) {
        if (extents[a] == 0)
            extents[a] = found[next++];
    }
    return MNP_OK;
}
