/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writing sparse matrices to HDF5 files: as a group of four vectors in csr, for which every rank supplies the entries
 * of its rows and the offsets of those rows.  It takes memory on the host for one copy of a rank's entries.
 */
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "io/hdf5/h5_sparse.h"

/* The vectors that are written; each rank has the entries of its rows, and their offsets. */
struct vectors {
    mnp_array *data, *indices, *indptr, *shape;
};

/* Convert int64 to int32 in place if `dtype` is MNP_INT32. */
static void narrow(int64_t *values, int64_t count, mnp_dtype dtype)
{
    for (int64_t i = 0; dtype == MNP_INT32 && i < count; i++) {
        const int32_t value = (int32_t)values[i];
        memcpy((char *)values + (size_t)i * sizeof value, &value, sizeof value);
    }
}

/* Make the arrays of the vectors, without values.  Collective. */
static mnp_status new_vectors(const mnp_sparse *matrix, const int64_t *starts, mnp_dtype index, struct vectors *vectors)
{
    mnp_ctx *ctx = mnp_sparse_ctx(matrix);
    const int size = ctx->comm.size;
    const int64_t nrows = mnp_sparse_shape(matrix)[0], two = 2;
    mnp_layout *entries = NULL, *lines = NULL, *root = NULL;
    int64_t *cuts;
    mnp_status st = mnp__malloc(((size_t)size + 1) * sizeof *cuts, &cuts);
    MNP_TRY(MNP_AGREE(ctx, st));
    memcpy(cuts, mnp_layout_cuts(mnp_sparse_row_layout(matrix), 0), (size_t)size * sizeof *cuts);
    cuts[size] = nrows + 1;
    MNP_TRY_OR(mnp__h5_vector_layout(ctx, mnp_sparse_nnz(matrix), starts, &entries), st, release);
    MNP_TRY_OR(mnp__h5_vector_layout(ctx, nrows + 1, cuts, &lines), st, release);
    MNP_TRY_OR(mnp_layout_on_root(size, 0, 1, &two, &root), st, release);
    MNP_TRY_OR(mnp_array_new(ctx, mnp_sparse_dtype(matrix), entries, &vectors->data), st, release);
    MNP_TRY_OR(mnp_array_new(ctx, index, entries, &vectors->indices), st, release);
    MNP_TRY_OR(mnp_array_new(ctx, index, lines, &vectors->indptr), st, release);
    st = mnp_array_new(ctx, MNP_INT64, root, &vectors->shape);
release:
    mnp_layout_free(root);
    mnp_layout_free(lines);
    mnp_layout_free(entries);
    free(cuts);
    return st;
}

static mnp_status set_local(mnp_array *array, const void *values)
{
    return mnp_array_local_size(array) > 0 ? mnp_array_set_local(array, values) : MNP_OK;
}

/* Fill the arrays with this rank's rows; the ranks before it have `before` entries. */
static mnp_status fill_vectors(const mnp_sparse *matrix, int64_t before, mnp_dtype index, const struct vectors *vectors)
{
    const int64_t count = mnp_sparse_local_nnz(matrix);
    int64_t rows, *offsets = NULL, *columns = NULL;
    void *values = NULL;
    mnp_status st;
    mnp_layout_local_shape(mnp_sparse_row_layout(matrix), mnp_sparse_ctx(matrix)->comm.rank, &rows);
    MNP_TRY_OR(mnp__malloc(((size_t)rows + 1) * sizeof *offsets, &offsets), st, release);
    MNP_TRY_OR(mnp__malloc((size_t)count * sizeof *columns, &columns), st, release);
    MNP_TRY_OR(mnp__malloc((size_t)count * mnp_dtype_size(mnp_sparse_dtype(matrix)), &values), st, release);
    MNP_TRY_OR(mnp_sparse_get_local(matrix, offsets, columns, values), st, release);
    for (int64_t i = 0; i <= rows; i++)
        offsets[i] += before;
    narrow(offsets, rows + 1, index);
    narrow(columns, count, index);
    MNP_TRY_OR(set_local(vectors->data, values), st, release);
    MNP_TRY_OR(set_local(vectors->indices, columns), st, release);
    MNP_TRY_OR(set_local(vectors->indptr, offsets), st, release);
    st = set_local(vectors->shape, mnp_sparse_shape(matrix));
release:
    free(values);
    free(columns);
    free(offsets);
    return st;
}

static mnp_status make_vectors(const mnp_sparse *matrix, struct vectors *vectors)
{
    mnp_ctx *ctx = mnp_sparse_ctx(matrix);
    const int64_t count = mnp_sparse_local_nnz(matrix), nnz = mnp_sparse_nnz(matrix);
    const mnp_dtype index = nnz <= INT32_MAX && mnp_sparse_shape(matrix)[1] <= INT32_MAX ? MNP_INT32 : MNP_INT64;
    int64_t *starts;
    mnp_status st = mnp__calloc((size_t)ctx->comm.size + 1, sizeof *starts, &starts);
    MNP_TRY(MNP_AGREE(ctx, st));
    st = mnp__all_gather(&ctx->comm, &count, starts + 1, sizeof count);
    for (int r = 0; r < ctx->comm.size; r++)
        starts[r + 1] += starts[r];
    if (st == MNP_OK)
        st = new_vectors(matrix, starts, index, vectors);
    if (st == MNP_OK)
        st = MNP_AGREE(ctx, fill_vectors(matrix, starts[ctx->comm.rank], index, vectors));
    free(starts);
    return st;
}

mnp_status mnp_h5_write_sparse(const mnp_sparse *matrix, const char *file, const char *group,
                               const mnp_h5_write_options *options)
{
    MNP_ENTER(matrix, file, group);
    static const char *const names[] = {"data", "indices", "indptr", "shape"};
    mnp__h5_place place;
    struct vectors vectors = {NULL, NULL, NULL, NULL};
    char *paths[4] = {NULL};
    mnp_status st;
    MNP_TRY(mnp__h5_place_new(file, group, &place));
    for (int i = 0; i < 4; i++)
        MNP_TRY_OR(mnp__h5_member(&place, names[i], &paths[i]), st, release);
    MNP_TRY_OR(make_vectors(matrix, &vectors), st, release);
    const mnp_h5_item items[] = {
        {paths[0], vectors.data}, {paths[1], vectors.indices}, {paths[2], vectors.indptr}, {paths[3], vectors.shape}};
    const mnp_h5_attribute format = {.object = place.dataset, .name = "format", .text = "csr"};
    st = mnp_h5_write_items(file, 4, items, 1, &format, options);
release:
    mnp_free_all(vectors.shape, vectors.indptr, vectors.indices, vectors.data);
    for (int i = 0; i < 4; i++)
        free(paths[i]);
    mnp__h5_place_free(&place);
    return st;
}
