/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Agreement on errors in the contents of a file.  Such an error is a fact about the file, not about one rank: all ranks
 * fail with the same status and the same message, and a program ends with the same exit status on all of them.
 */
#ifndef MNP__IO_AGREE_FORMAT_H
#define MNP__IO_AGREE_FORMAT_H

#include "context/context.h"

/*
 * As mnp__agree(); but if some ranks pass MNP_ERR_FORMAT and no rank passes another failure, all ranks fail with
 * MNP_ERR_FORMAT and the message of the lowest of them.  It costs one small all-reduce more than mnp__agree().
 * Collective.
 */
mnp_status mnp__agree_format(mnp_ctx *ctx, mnp_status status);

/*
 * What rank 0 has found in a file while the others waited: with MNP_ERR_FORMAT, MNP_ERR_UNSUPPORTED and MNP_ERR_ARG all
 * ranks fail alike, with its message; other failures as with mnp__agree().  Collective.
 */
mnp_status mnp__tell_format(mnp_ctx *ctx, mnp_status status);

#endif
