/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading the array of a file.
 */
#include "io/file_array.h"

#include <string.h>

#include "array/output.h"
#include "base/status.h"

mnp_status mnp__file_array_layout(mnp_ctx *ctx, const char *name, const mnp__selection *selection,
                                  const mnp_layout *given, mnp_layout **layout_p)
{
    if (!given)
        return mnp_layout_block(ctx->comm.size, selection->ndim, selection->shape, layout_p);
    if (mnp_layout_ndim(given) != selection->ndim ||
        memcmp(mnp_layout_shape(given), selection->shape, (size_t)selection->ndim * sizeof(int64_t)) != 0)
        return MNP_FAIL(MNP_ERR_ARG, "the layout has another shape than what is read of '%s'", name);
    if (mnp_layout_is_cyclic(given))
        return MNP_FAIL(MNP_ERR_ARG,
                        "'%s' cannot be read block-cyclically; read it in a layout of blocks, and "
                        "mnp_redistribute() it",
                        name);
    *layout_p = mnp_layout_retain(given);
    return MNP_OK;
}

mnp_status mnp__file_array_read(mnp_ctx *ctx, const mnp__file_array *source, const mnp_selection *wanted,
                                const mnp_layout *given, mnp_array **array_p)
{
    mnp__selection selection;
    mnp_layout *layout = NULL;
    mnp__output output;
    mnp_status st;
    MNP_TRY(mnp__selection_new(source->name, source->ndim, source->shape, wanted, &selection));
    MNP_TRY(mnp__file_array_layout(ctx, source->name, &selection, given, &layout));
    const mnp__output_spec spec = {.function = source->function,
                                   .ctx = ctx,
                                   .dtype = source->dtype,
                                   .layout = layout,
                                   .needs = MNP__OUTPUT_EXACT | MNP__OUTPUT_DENSE};
    MNP_TRY_OR(mnp__output_open(&spec, array_p, &output), st, release);
    st = mnp__transfer_read(&(mnp__transfer){.array = output.array,
                                             .selection = &selection,
                                             .stored = source->stored,
                                             .unit = source->unit,
                                             .whole_units = source->unit != NULL,
                                             .ops = source->ops,
                                             .file = source->file});
    st = mnp__output_close(1, &output, st);
release:
    mnp_layout_free(layout);
    return st;
}
