/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shared by reading and writing sparse matrices in HDF5 files.
 */
#ifndef MNP__IO_H5_SPARSE_H
#define MNP__IO_H5_SPARSE_H

#include "io/hdf5/h5.h"

/*
 * The layout of a vector whose elements cuts[r] to cuts[r + 1] are on rank r; cuts NULL: equal parts.  Not collective.
 */
mnp_status mnp__h5_vector_layout(mnp_ctx *ctx, int64_t size, const int64_t *cuts, mnp_layout **layout_p);

/*
 * Whether a group has the members of a sparse matrix; then its format, "csr", and its shape.  Not collective.
 */
bool mnp__h5_is_sparse(hid_t group, const char **format_p, int64_t shape[2]);

/* The path of a group's member; the caller releases it with free().  MNP_ERR_MEMORY.  Not collective. */
mnp_status mnp__h5_member(const mnp__h5_place *group, const char *name, char **path_p);

#endif
