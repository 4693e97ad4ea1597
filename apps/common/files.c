/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The files of a run, compared in pairs.
 */
#include "common/files.h"

#include <stdio.h>
#include <string.h>

#include "common/paths.h"

/* ---- listing ---- */

run_file file_of_operand(const operand *op)
{
    return (run_file){.role = op->role,
                      .text = op->text,
                      .path = op->file,
                      .dataset = op->kind == OPERAND_DATASET ? op->dataset : NULL};
}

run_file file_of_output(const operand *op)
{
    run_file file = file_of_operand(op);
    file.writes = true;
    return file;
}

run_file file_of_matrix(const matrix_operand *op)
{
    if (op->kind == MATRIX_MARKET)
        return (run_file){.role = "MATRIX", .text = op->text, .path = op->text};
    if (op->kind == MATRIX_GENERATOR)
        return (run_file){.role = "MATRIX", .text = op->text};
    return (run_file){
        .role = "MATRIX", .text = op->text, .path = op->group.file, .dataset = op->group.dataset, .group = true};
}

run_file file_of_option(const char *option, const char *path)
{
    return (run_file){.role = option, .text = path, .path = path, .writes = true};
}

/* ---- comparing ---- */

/*
 * The next name of a path in an HDF5 file, and its length, which is 0 at the end.  "." and repeated slashes are
 * skipped.
 */
static const char *next_name(const char *path, size_t *length_p)
{
    for (;;) {
        path += strspn(path, "/");
        *length_p = strcspn(path, "/");
        if (*length_p != 1 || *path != '.')
            return path;
        path++;
    }
}

/* Whether `inner` is `outer`, or lies in it, by their names alone. */
static bool lies_in(const char *inner, const char *outer)
{
    for (;;) {
        size_t i, o;
        inner = next_name(inner, &i);
        outer = next_name(outer, &o);
        if (o == 0)
            return true;
        if (i != o || strncmp(inner, outer, i) != 0)
            return false;
        inner += i;
        outer += o;
    }
}

/* Whether a dataset is one of those that make a sparse matrix of a group, by another name too. */
static mnp_status is_member(const run_file *dataset, const run_file *group, bool *same_p)
{
    static const char *const members[] = {"data", "indices", "indptr", "row", "col", "offsets", "shape"};
    for (size_t k = 0; k < sizeof members / sizeof *members && !*same_p; k++) {
        char name[4096];
        snprintf(name, sizeof name, "%s/%s", group->dataset, members[k]);
        mnp_status status = mnp_h5_is_same(dataset->path, dataset->dataset, group->path, name, same_p);
        if (status != MNP_OK)
            return status;
    }
    return MNP_OK;
}

/* Compare two datasets of HDF5 files, of which the first is written. */
static mnp_status check_datasets(const run_file *written, const run_file *other)
{
    bool same = false, member = false;
    mnp_status status = mnp_h5_is_same(written->path, written->dataset, other->path, other->dataset, &same);
    if (status == MNP_OK && same_place(written->path, other->path)) {
        const bool inside = lies_in(written->dataset, other->dataset),
                   around = lies_in(other->dataset, written->dataset);
        same = same || (inside && around);
        member = around || (inside && !other->group); /* a group may get datasets that are not the matrix's */
    }
    if (status == MNP_OK && other->group && !same && !member)
        status = is_member(written, other, &member);
    if (status != MNP_OK)
        return status;
    if (same && other->writes)
        return mnp_fail(MNP_ERR_ARG, "%s and %s are the same dataset, '%s'; name another", other->role, written->role,
                        written->text);
    if (same)
        return mnp_fail(MNP_ERR_ARG, "%s '%s' is %s itself, and operands are not overwritten; name another dataset",
                        written->role, written->text, other->role);
    if (member && other->writes)
        return mnp_fail(MNP_ERR_ARG, "%s '%s' and %s '%s' lie in one another; name another dataset", other->role,
                        other->text, written->role, written->text);
    if (member)
        return mnp_fail(MNP_ERR_ARG, "%s '%s' is part of %s, and operands are not overwritten; name another dataset",
                        written->role, written->text, other->role);
    return MNP_OK;
}

static mnp_status check_pair(const run_file *written, const run_file *other)
{
    if (written->checkpoint && other->checkpoint)
        return MNP_OK;
    if (written->dataset && other->dataset && operand_appends() && !other->writes && !other->group)
        return MNP_OK; /* an operand may grow: it is read before */
    if (written->dataset && other->dataset)
        return check_datasets(written, other);
    if (!same_place(written->path, other->path))
        return MNP_OK;
    if (other->writes)
        return mnp_fail(MNP_ERR_ARG, "%s '%s' is the file of %s; name another file", written->role, written->text,
                        other->role);
    return mnp_fail(MNP_ERR_ARG, "%s '%s' is the file of %s, and operands are not overwritten; name another",
                    written->role, written->text, other->role);
}

mnp_status files_check(int count, const run_file *files)
{
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < count; k++) {
            const run_file *written = &files[i], *other = &files[k];
            /* of two that are written, the later one in the list is compared with the earlier one */
            if (!written->writes || !written->path || !other->path || k == i || (other->writes && k > i))
                continue;
            mnp_status status = check_pair(written, other);
            if (status != MNP_OK)
                return status;
        }
    }
    return MNP_OK;
}
