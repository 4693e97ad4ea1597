/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How ranks agree on what one of them has found wrong with a file's contents: that is a fact about the file, so all
 * ranks fail with the same status and sentence, and a program ends with the same exit status everywhere.
 */
#ifndef MNP__IO_AGREE_FORMAT_H
#define MNP__IO_AGREE_FORMAT_H

#include "context/context.h"

/*
 * mnp__agree(), but where a rank has MNP_ERR_FORMAT and none has another failure, all get it, in the lowest one's
 * words.
 */
mnp_status mnp__agree_format(mnp_ctx *ctx, mnp_status status);

#endif
