/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading sparse matrices from HDF5 files: from groups with the members of a scipy.sparse matrix as datasets.
 *
 * Rank 0 inspects the group and broadcasts its format.  If that is csr (csc), every rank reads an equal share of indptr
 * and the entries of those rows (columns); if it is coo, an equal share of all entries.  mnp_sparse_from_triplets()
 * then sends the entries to the owners of their rows, so a rank needs memory for its share of the file and for its own
 * rows.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "base/text.h"
#include "io/agree_format.h"
#include "io/hdf5/h5_sparse.h"

typedef enum kind { CSR, CSC, COO, NUM_KINDS } kind;
static const char *const kind_names[] = {"csr", "csc", "coo"};

/* What rank 0 finds out about a group and tells all ranks. */
struct found {
    kind kind;
    int64_t shape[2];
};

struct job {
    mnp_ctx *ctx;
    mnp__h5_place place; /* of the group */
    struct found found;
    mnp_dtype dtype;
    int64_t count;       /* entries of the matrix */
    int64_t local_count; /* entries that this rank reads, in the arrays below */
    int64_t *rows, *columns;
    void *values;
};

/* ---- looking at a group, rank 0 ---- */

/* A member of the group, an attribute or a dataset; both are negative if there is none. */
struct member {
    hid_t attribute, dataset;
};

static struct member open_member(hid_t group, const char *name)
{
    struct member member = {H5I_INVALID_HID, H5I_INVALID_HID};
    if (H5Aexists(group, name) > 0)
        member.attribute = H5Aopen(group, name, H5P_DEFAULT);
    else if (H5Lexists(group, name, H5P_DEFAULT) > 0)
        member.dataset = H5Dopen2(group, name, H5P_DEFAULT);
    return member;
}

static bool is_there(struct member member)
{
    return member.attribute >= 0 || member.dataset >= 0;
}

static void close_member(struct member member)
{
    if (member.attribute >= 0)
        H5Aclose(member.attribute);
    if (member.dataset >= 0)
        H5Dclose(member.dataset);
}

static bool read_member(struct member member, hid_t type, void *values)
{
    if (member.attribute >= 0)
        return H5Aread(member.attribute, type, values) >= 0;
    return H5Dread(member.dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
}

static int64_t member_size(struct member member)
{
    hid_t space = member.attribute >= 0 ? H5Aget_space(member.attribute) : H5Dget_space(member.dataset);
    hssize_t size = space >= 0 ? H5Sget_simple_extent_npoints(space) : -1;
    if (space >= 0)
        H5Sclose(space);
    return size;
}

/* The beginning of a string of fixed or variable length; "" if the member is not a string. */
enum { LONGEST_STRING = 32 };
static void read_string(struct member member, char text[LONGEST_STRING])
{
    hid_t type = member.attribute >= 0 ? H5Aget_type(member.attribute) : H5Dget_type(member.dataset);
    char *any = NULL;
    memset(text, 0, LONGEST_STRING);
    if (type < 0)
        return;
    if (H5Tget_class(type) == H5T_STRING && member_size(member) == 1) {
        size_t size = H5Tget_size(type);
        if (H5Tis_variable_str(type) > 0) {
            if (read_member(member, type, &any) && any)
                strncpy(text, any, LONGEST_STRING - 1);
            H5free_memory(any);
        } else if (size < LONGEST_STRING && !read_member(member, type, text)) {
            text[0] = '\0';
        }
    }
    H5Tclose(type);
}

static mnp_status find_kind(hid_t group, const char *what, kind *kind_p)
{
    static const char *const names[] = {"format", "encoding-type"};
    char text[LONGEST_STRING] = "";
    for (int i = 0; i < 2 && !*text; i++) {
        struct member member = open_member(group, names[i]);
        if (is_there(member))
            read_string(member, text);
        close_member(member);
    }
    if (!*text)
        strcpy(text, H5Lexists(group, "indptr", H5P_DEFAULT) > 0 ? "csr" : "coo");
    for (kind k = CSR; k < NUM_KINDS; k++) {
        if (strncmp(text, kind_names[k], 3) == 0) {
            *kind_p = k;
            return MNP_OK;
        }
    }
    return MNP_FAIL(MNP_ERR_UNSUPPORTED, "%s has the format '%s'; csr, csc and coo are supported", what, text);
}

static mnp_status find_shape(hid_t group, const char *what, int64_t shape[2])
{
    mnp_status st = MNP_OK;
    struct member member = open_member(group, "shape");
    if (!is_there(member))
        return MNP_FAIL(MNP_ERR_FORMAT, "%s has no shape, neither as an attribute nor as a dataset", what);
    if (member_size(member) != 2 || !read_member(member, H5T_NATIVE_INT64, shape))
        st = MNP_FAIL(MNP_ERR_FORMAT, "the shape of %s is not two integers", what);
    else if (shape[0] < 0 || shape[1] < 0)
        st = MNP_FAIL(MNP_ERR_FORMAT, "the shape of %s is (%" PRId64 ", %" PRId64 ")", what, shape[0], shape[1]);
    close_member(member);
    return st;
}

static const char *const members[NUM_KINDS][3] = {
    [CSR] = {"data", "indices", "indptr"}, [CSC] = {"data", "indices", "indptr"}, [COO] = {"data", "row", "col"}};

static mnp_status check_members(hid_t group, const char *what, kind k)
{
    for (int i = 0; i < 3; i++)
        if (H5Lexists(group, members[k][i], H5P_DEFAULT) <= 0)
            return MNP_FAIL(MNP_ERR_FORMAT, "%s is not a sparse matrix: it lacks the dataset '%s'", what,
                            members[k][i]);
    return MNP_OK;
}

bool mnp__h5_is_sparse(hid_t group, const char **format_p, int64_t shape[2])
{
    kind found;
    /* what is no matrix usually lacks these */
    if (H5Lexists(group, "data", H5P_DEFAULT) <= 0 ||
        (H5Aexists(group, "shape") <= 0 && H5Lexists(group, "shape", H5P_DEFAULT) <= 0))
        return false;
    if (find_kind(group, "", &found) != MNP_OK || check_members(group, "", found) != MNP_OK ||
        find_shape(group, "", shape) != MNP_OK)
        return false;
    *format_p = kind_names[found];
    return true;
}

static mnp_status inspect_group(const mnp__h5_place *place, struct found *found)
{
    hid_t file;
    MNP_TRY(mnp__h5_open(place->file, &file));
    hid_t group = H5I_INVALID_HID;
    mnp_status st = mnp__h5_open_object(file, place, &group);
    if (st == MNP_OK && H5Iget_type(group) != H5I_GROUP)
        st = MNP_FAIL(MNP_ERR_FORMAT, "%s is not a group, and so not a sparse matrix", place->text);
    if (st == MNP_OK)
        st = find_kind(group, place->text, &found->kind);
    if (st == MNP_OK)
        st = check_members(group, place->text, found->kind);
    if (st == MNP_OK)
        st = find_shape(group, place->text, found->shape);
    if (group >= 0)
        H5Oclose(group);
    mnp__h5_close_file(file);
    return st;
}

/* ---- reading vectors ---- */

mnp_status mnp__h5_vector_layout(mnp_ctx *ctx, int64_t size, const int64_t *cuts, mnp_layout **layout_p)
{
    const int axis = 0;
    return mnp_layout_new(1, &ctx->comm.size, 1, &size, &axis, cuts ? &cuts : NULL, layout_p);
}

mnp_status mnp__h5_member(const mnp__h5_place *group, const char *name, char **path_p)
{
    mnp__text text = MNP__TEXT_EMPTY;
    mnp__text_add(&text, "%s/%s", group->dataset, name);
    *path_p = text.data;
    return mnp__text_status(&text);
}

/* Find the length and the dtype of a member, which must be a vector.  Collective. */
static mnp_status inspect(const struct job *job, const char *name, mnp_dtype *dtype_p, int64_t *size_p)
{
    char *path;
    mnp_h5_info info;
    MNP_TRY(mnp__h5_member(&job->place, name, &path));
    mnp_status st = mnp_h5_inspect(job->ctx, job->place.file, path, &info);
    free(path);
    MNP_TRY(st);
    if (info.ndim != 1)
        return MNP_FAIL(MNP_ERR_FORMAT, "'%s' of %s has %d dimensions, but should have 1", name, job->place.text,
                        info.ndim);
    *dtype_p = info.dtype;
    *size_p = info.shape[0];
    return MNP_OK;
}

/*
 * Read this rank's part of a member, converted to that dtype; the caller releases *values_p with free().  Collective.
 */
static mnp_status read_part(const struct job *job, const char *name, mnp_dtype dtype, const mnp_layout *layout,
                            void *values_p)
{
    char *path;
    void *values = NULL;
    mnp_array *stored = NULL, *cast = NULL;
    mnp_status st;
    MNP_TRY(mnp__h5_member(&job->place, name, &path));
    MNP_TRY_OR(mnp_h5_read(job->ctx, job->place.file, path, layout, &stored), st, release);
    MNP_TRY_OR(mnp_astype(stored, dtype, &cast), st, release);
    st = mnp__malloc((size_t)mnp_array_local_size(cast) * mnp_dtype_size(dtype), &values);
    if (st == MNP_OK && mnp_array_local_size(cast) > 0)
        st = mnp_array_get_local(cast, values);
    st = MNP_AGREE(job->ctx, st);
    if (st == MNP_OK)
        *(void **)values_p = values;
    else
        free(values);
release:
    mnp_free_all(cast, stored);
    free(path);
    return st;
}

static mnp_status check_integers(const struct job *job, const char *name, mnp_dtype dtype)
{
    char letter = mnp_dtype_kind(dtype);
    return letter == 'i' || letter == 'u' ? MNP_OK
                                          : MNP_FAIL(MNP_ERR_FORMAT, "'%s' of %s is %s, not integers", name,
                                                     job->place.text, mnp_dtype_name(dtype));
}

static mnp_status choose_dtype(struct job *job, mnp_dtype stored)
{
    const bool complex_data = mnp_dtype_kind(stored) == 'c';
    if (job->dtype == MNP_DTYPE_AUTO)
        job->dtype = stored == MNP_FLOAT32 || complex_data ? stored : MNP_FLOAT64;
    if (complex_data && mnp_dtype_kind(job->dtype) != 'c')
        return MNP_FAIL(MNP_ERR_ARG, "%s has complex values, which %s does not hold", job->place.text,
                        mnp_dtype_name(job->dtype));
    return MNP_OK;
}

/* Check the types and lengths of `data` and of the members that have a value for every entry.  Collective. */
static mnp_status check_vectors(struct job *job)
{
    mnp_dtype dtype;
    int64_t size;
    MNP_TRY(inspect(job, "data", &dtype, &job->count));
    MNP_TRY(choose_dtype(job, dtype));
    for (int i = 1; i < 3; i++) {
        const char *name = members[job->found.kind][i];
        const bool by_entry = strcmp(name, "indptr") != 0;
        const int64_t extent = job->found.shape[job->found.kind == CSC];
        MNP_TRY(inspect(job, name, &dtype, &size));
        MNP_TRY(check_integers(job, name, dtype));
        if (by_entry && size != job->count)
            return MNP_FAIL(MNP_ERR_FORMAT, "%s has %" PRId64 " values in 'data' and %" PRId64 " in '%s'",
                            job->place.text, job->count, size, name);
        if (!by_entry && size - 1 != extent)
            return MNP_FAIL(MNP_ERR_FORMAT, "'indptr' of %s has %" PRId64 " values, and %" PRId64 " %s need %" PRId64,
                            job->place.text, size, extent, job->found.kind == CSC ? "columns" : "rows", extent + 1);
    }
    return MNP_OK;
}

/* ---- entries ---- */

static mnp_status check_indices(const struct job *job, const char *name, const int64_t *indices, int64_t extent)
{
    for (int64_t k = 0; k < job->local_count; k++)
        if (indices[k] < 0 || indices[k] >= extent)
            return MNP_FAIL(MNP_ERR_FORMAT, "'%s' of %s has an index %" PRId64 ", outside 0..%" PRId64, name,
                            job->place.text, indices[k], extent - 1);
    return MNP_OK;
}

static mnp_status read_coo(struct job *job)
{
    mnp_layout *layout = NULL;
    MNP_TRY(mnp__h5_vector_layout(job->ctx, job->count, NULL, &layout));
    mnp_layout_local_shape(layout, job->ctx->comm.rank, &job->local_count);
    mnp_status st = read_part(job, "row", MNP_INT64, layout, &job->rows);
    if (st == MNP_OK)
        st = read_part(job, "col", MNP_INT64, layout, &job->columns);
    if (st == MNP_OK)
        st = read_part(job, "data", job->dtype, layout, &job->values);
    mnp_layout_free(layout);
    MNP_TRY(st);
    st = check_indices(job, "row", job->rows, job->found.shape[0]);
    if (st == MNP_OK)
        st = check_indices(job, "col", job->columns, job->found.shape[1]);
    return mnp__agree_format(job->ctx, st);
}

/*
 * This rank's offsets: where each of its `lines` rows (columns) begins, and where the last of them ends, which is where
 * the rows of the next rank begin.  Also the index of every rank's first row (column).
 */
struct offsets {
    int64_t first, lines;
    int64_t *values; /* lines + 1 offsets */
    int64_t *starts; /* one a rank, and the end */
};

static mnp_status check_offsets(const struct job *job, const struct offsets *offsets)
{
    const int rank = job->ctx->comm.rank;
    for (int64_t i = 0; i < offsets->lines; i++)
        if (offsets->values[i] > offsets->values[i + 1])
            return MNP_FAIL(MNP_ERR_FORMAT, "'indptr' of %s falls from %" PRId64 " to %" PRId64 " at %" PRId64,
                            job->place.text, offsets->values[i], offsets->values[i + 1], offsets->first + i);
    if (rank == 0 && offsets->starts[0] != 0)
        return MNP_FAIL(MNP_ERR_FORMAT, "'indptr' of %s begins with %" PRId64 ", not with 0", job->place.text,
                        offsets->starts[0]);
    if (rank == 0 && offsets->starts[job->ctx->comm.size] != job->count)
        return MNP_FAIL(MNP_ERR_FORMAT, "'indptr' of %s ends with %" PRId64 ", and 'data' has %" PRId64 " values",
                        job->place.text, offsets->starts[job->ctx->comm.size], job->count);
    return MNP_OK;
}

/*
 * Read the offsets.  The ranks exchange their first ones, so that each knows where its last row ends.  The caller
 * releases what has been made, also on failure.
 */
static mnp_status read_offsets(const struct job *job, struct offsets *offsets)
{
    const int size = job->ctx->comm.size, rank = job->ctx->comm.rank;
    const int64_t extent = job->found.shape[job->found.kind == CSC];
    int64_t *values = NULL, begin = -1;
    mnp_layout *even = NULL, *layout = NULL;
    mnp_status st = mnp__calloc((size_t)size + 1, sizeof *offsets->starts, &offsets->starts);
    MNP_TRY(MNP_AGREE(job->ctx, st));
    MNP_TRY_OR(mnp__h5_vector_layout(job->ctx, extent, NULL, &even), st, release);
    memcpy(offsets->starts, mnp_layout_cuts(even, 0), (size_t)size * sizeof *offsets->starts);
    offsets->starts[size] = extent + 1; /* the last rank also reads the final offset */
    MNP_TRY_OR(mnp__h5_vector_layout(job->ctx, extent + 1, offsets->starts, &layout), st, release);
    mnp_layout_box(even, rank, &offsets->first, &offsets->lines);
    MNP_TRY_OR(read_part(job, "indptr", MNP_INT64, layout, &values), st, release);

    st = MNP_AGREE(job->ctx, mnp__malloc(((size_t)offsets->lines + 1) * sizeof *values, &offsets->values));
    if (st != MNP_OK)
        goto release;
    memcpy(offsets->values, values, (size_t)offsets->lines * sizeof *values);
    const int64_t last = rank == size - 1 ? values[offsets->lines] : -1;
    if (offsets->lines > 0 || rank == size - 1)
        begin = values[0];
    MNP_TRY_OR(mnp__all_gather(&job->ctx->comm, &begin, offsets->starts, sizeof begin), st, release);
    offsets->starts[size] = last;
    MNP_TRY_OR(mnp__broadcast(&job->ctx->comm, offsets->starts + size, sizeof last, size - 1), st, release);
    for (int r = size - 1; r >= 0; r--)
        if (mnp_layout_cuts(even, 0)[r] == mnp_layout_cuts(even, 0)[r + 1])
            offsets->starts[r] = offsets->starts[r + 1];
    offsets->values[offsets->lines] = offsets->starts[rank + 1];
    st = mnp__agree_format(job->ctx, check_offsets(job, offsets));
release:
    free(values);
    mnp_layout_free(layout);
    mnp_layout_free(even);
    return st;
}

/*
 * Read the entries of this rank's rows (columns): *common_p receives their rows (columns), *indices_p the other index.
 */
static mnp_status read_lines(struct job *job, const struct offsets *offsets, int64_t **common_p, int64_t **indices_p)
{
    mnp_layout *layout = NULL;
    int64_t *common;
    MNP_TRY(mnp__h5_vector_layout(job->ctx, job->count, offsets->starts, &layout));
    job->local_count = offsets->values[offsets->lines] - offsets->values[0];
    mnp_status st = read_part(job, "indices", MNP_INT64, layout, indices_p);
    if (st == MNP_OK)
        st = read_part(job, "data", job->dtype, layout, &job->values);
    mnp_layout_free(layout);
    MNP_TRY(st);
    st = mnp__malloc((size_t)job->local_count * sizeof *common, common_p);
    MNP_TRY(MNP_AGREE(job->ctx, st));
    common = *common_p;
    for (int64_t i = 0; i < offsets->lines; i++)
        for (int64_t k = offsets->values[i]; k < offsets->values[i + 1]; k++)
            common[k - offsets->values[0]] = offsets->first + i;
    return mnp__agree_format(job->ctx,
                             check_indices(job, "indices", *indices_p, job->found.shape[job->found.kind == CSR]));
}

static mnp_status read_compressed(struct job *job)
{
    struct offsets offsets = {.values = NULL};
    mnp_status st = read_offsets(job, &offsets);
    if (st == MNP_OK && job->found.kind == CSR)
        st = read_lines(job, &offsets, &job->rows, &job->columns);
    else if (st == MNP_OK)
        st = read_lines(job, &offsets, &job->columns, &job->rows);
    free(offsets.values);
    free(offsets.starts);
    return st;
}

static mnp_status read_matrix(struct job *job, mnp_sparse **matrix_p)
{
    MNP_TRY(mnp__agree_format(job->ctx, job->ctx->comm.rank == 0 ? inspect_group(&job->place, &job->found) : MNP_OK));
    MNP_TRY(mnp__broadcast(&job->ctx->comm, &job->found, sizeof job->found, 0));
    MNP_TRY(check_vectors(job));
    MNP_TRY(job->found.kind == COO ? read_coo(job) : read_compressed(job));
    return mnp_sparse_from_triplets(job->ctx, job->dtype, job->found.shape[0], job->found.shape[1], NULL, NULL,
                                    job->local_count, job->rows, job->columns, job->values, matrix_p);
}

mnp_status mnp_h5_read_sparse(mnp_ctx *ctx, const char *file, const char *group, mnp_dtype dtype, mnp_sparse **matrix_p)
{
    MNP_ENTER(ctx, file, group, matrix_p);
    struct job job = {.ctx = ctx, .dtype = dtype};
    mnp__h5_printing printing;
    if (dtype != MNP_DTYPE_AUTO && mnp_dtype_kind(dtype) != 'c' && dtype != MNP_FLOAT32 && dtype != MNP_FLOAT64)
        return MNP_FAIL(MNP_ERR_ARG, "dtype is %s; sparse matrices are float32, float64, complex64 or complex128",
                        mnp_dtype_name(dtype));
    MNP_TRY(mnp__h5_place_new(file, group, &job.place));
    mnp__h5_printing_off(&printing);
    mnp_status st = read_matrix(&job, matrix_p);
    mnp__h5_printing_restore(&printing);
    free(job.rows);
    free(job.columns);
    free(job.values);
    mnp__h5_place_free(&job.place);
    return st;
}
