/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Agreement on errors in the contents of a file.
 */
#include "io/agree_format.h"

#include <stdio.h>

mnp_status mnp__agree_format(mnp_ctx *ctx, mnp_status status)
{
    const int nobody = ctx->comm.size;
    int lowest = status == MNP_ERR_FORMAT ? ctx->comm.rank : nobody;
    char sentence[MNP__MESSAGE_BYTES] = "";
    if (lowest != nobody)
        snprintf(sentence, sizeof sentence, "%s", mnp__without_function(mnp_error_message()));
    MNP_TRY(MNP_AGREE(ctx, status == MNP_ERR_FORMAT ? MNP_OK : status));
    MNP_TRY(mnp__all_reduce(&ctx->comm, &lowest, 1, MPI_INT, MPI_MIN));
    if (lowest == nobody)
        return MNP_OK;
    MNP_TRY(mnp__broadcast(&ctx->comm, sentence, sizeof sentence, lowest));
    return MNP_FAIL(MNP_ERR_FORMAT, "%s", sentence);
}

mnp_status mnp__tell_format(mnp_ctx *ctx, mnp_status status)
{
    const bool fact = status == MNP_ERR_FORMAT || status == MNP_ERR_UNSUPPORTED || status == MNP_ERR_ARG;
    char sentence[MNP__MESSAGE_BYTES] = "";
    mnp_status told = ctx->comm.rank == 0 && fact ? status : MNP_OK;
    if (told != MNP_OK)
        snprintf(sentence, sizeof sentence, "%s", mnp__without_function(mnp_error_message()));
    MNP_TRY(mnp__broadcast(&ctx->comm, &told, sizeof told, 0));
    if (told == MNP_OK)
        return MNP_AGREE(ctx, status);
    MNP_TRY(mnp__broadcast(&ctx->comm, sentence, sizeof sentence, 0));
    return MNP_FAIL(told, "%s", sentence);
}
