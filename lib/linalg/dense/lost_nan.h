/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * LU factorisation of matrices with NaN.  On GPUs cuSOLVER takes NaN for 0, so that a system or a determinant would have
 * a result as if nothing were wrong; NumPy's is NaN.  Here the diagonal of U has NaN in the columns in which the matrix
 * has some: determinants are NaN, and solutions and inverses have NaN.
 */
#ifndef MNP__LINALG_LOST_NAN_H
#define MNP__LINALG_LOST_NAN_H

#include "context/context.h"
#include "device/lapack.h"

/* Load what mnp__lost_nan_getrf() needs beside LAPACK; NULL where LAPACK keeps NaN.  Collective. */
mnp_status mnp__lost_nan_load(mnp_ctx *ctx, mnp_dtype dtype, mnp__kernel **kernel_p);

/* The device's getrf, with NaN.  Not collective. */
mnp_status mnp__lost_nan_getrf(mnp_ctx *ctx, mnp__kernel *kernel, const mnp__lapack_job *job);

#endif
