/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Walking through a file: every object once, however many links lead to it, in the order of names, a group before what
 * is in it.
 *
 * An object is opened from the group that it is in, and not by its path, so a file of nested groups takes as long as
 * one of groups side by side.  Links to other places (soft, external) are visited, and not followed.
 */
#ifndef MNP__IO_H5_WALK_H
#define MNP__IO_H5_WALK_H

#include "io/hdf5/h5.h"

typedef struct mnp__h5_visit {
    const char *path;   /* "/a/b"; "/" for the root group */
    hid_t object;       /* H5I_INVALID_HID for a link */
    H5I_type_t type;    /* H5I_GROUP, H5I_DATASET, H5I_DATATYPE; H5I_BADID for a link */
    const char *target; /* of a link: the path to which it leads, "FILE:PATH" or the path of an object visited before */
    const char *const *left_out; /* the visitor may set it: names in this group that are not visited, up to NULL */
    bool ends;                   /* the visitor may set it: the walk is over */
} mnp__h5_visit;

typedef mnp_status mnp__h5_visitor(mnp__h5_visit *visit, void *argument);

/*
 * Call `visitor` for every object of an open file, which messages call `name`.  MNP_ERR_FORMAT if a part of the file
 * cannot be read, MNP_ERR_MEMORY, and what the visitor returns.  Not collective.
 */
mnp_status mnp__h5_walk(hid_t file, const char *name, mnp__h5_visitor *visitor, void *argument);

#endif
