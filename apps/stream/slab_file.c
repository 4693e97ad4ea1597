/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Results that are written slab by slab.
 */
#include "stream/slab_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/paths.h"

/* The result is in FILE.part before it is complete; one that is there goes, but not where it is what is read. */
static mnp_status check_part(const slab_file *file, int count, const operand *const *inputs)
{
    for (int i = 0; i < count; i++)
        if (inputs[i]->file && same_file(file->part, inputs[i]->file))
            return mnp_fail(MNP_ERR_ARG,
                            "%s '%s' is in the file '%s', as OUTPUT '%s' is until it is complete; name another OUTPUT",
                            inputs[i]->role, inputs[i]->text, file->part, file->output->text);
    return MNP_OK;
}

static mnp_status check_output(const operand *output)
{
    if (output->kind != OPERAND_DATASET)
        return mnp_fail(MNP_ERR_ARG,
                        "OUTPUT '%s' is larger than the memory limit, so it has to be FILE:/DATASET of HDF5",
                        output->text);
    if (operand_appends() || access(output->file, F_OK) == 0)
        return mnp_fail(MNP_ERR_ARG,
                        "OUTPUT '%s' is larger than the memory limit, so it is written into a new file; '%s' exists",
                        output->text, output->file);
    return MNP_OK;
}

mnp_status slab_file_open(mnp_ctx *ctx, const operand *output, int64_t rows, int count, const operand *const *inputs,
                          slab_file *file)
{
    const bool root = mnp_ctx_rank(ctx) == 0;
    slab_file opened = {.ctx = ctx, .output = output, .rows = rows};
    *file = opened; /* without the name of a file, which is not to be removed */
    mnp_status st = root ? check_output(output) : MNP_OK;
    if (st == MNP_OK)
        snprintf(opened.part, sizeof opened.part, "%s.part", output->file);
    if (st == MNP_OK && root)
        st = check_part(&opened, count, inputs);
    st = mnp_agree(ctx, st);
    if (st != MNP_OK)
        return st;
    *file = opened;
    if (root)
        (void)unlink(file->part);
    /* by all ranks: when a signal has ended one, mpirun kills the others, rank 0 perhaps before it has removed the file */
    mnp_temporary_guard(file->part);
    st = mnp_h5_file_open(ctx, file->part, true, &file->file);
    return st == MNP_OK ? mnp_h5_file_set_sync(file->file, false) : st;
}

mnp_status slab_file_write(slab_file *file, int64_t begin, const mnp_array *y)
{
    int64_t start[MNP_MAX_DIMS] = {begin}, shape[MNP_MAX_DIMS];
    const char *dataset = file->output->dataset;
    mnp_status st = MNP_OK;
    if (begin == 0) {
        memcpy(shape, mnp_array_shape(y), (size_t)mnp_array_ndim(y) * sizeof *shape);
        shape[0] = file->rows;
        st = mnp_h5_file_create(file->file, dataset, mnp_array_dtype(y), mnp_array_ndim(y), shape, MNP_NO_AXIS);
    }
    return st == MNP_OK ? mnp_h5_file_write(file->file, dataset, start, y) : st;
}

mnp_status slab_file_close(slab_file *file, mnp_status st)
{
    const bool root = mnp_ctx_rank(file->ctx) == 0;
    if (st == MNP_OK)
        st = mnp_h5_file_set_sync(file->file, true);
    mnp_h5_file_close(file->file);
    if (root && st == MNP_OK && rename(file->part, file->output->file) != 0)
        st =
            mnp_fail(MNP_ERR_IO, "'%s' cannot be renamed to '%s': %s", file->part, file->output->file, strerror(errno));
    if (root && st != MNP_OK && *file->part)
        (void)unlink(file->part);
    mnp_temporary_release(file->part);
    return mnp_agree(file->ctx, st);
}
