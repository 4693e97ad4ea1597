/*
 * Writing an array to a dataset.
 *
 * Rank 0 makes the file aside (io/aside.h) and everything in it but the values, with HDF5's serial driver: whatever can
 * be wrong with the file, its groups or the room on the disk shows there, before data moves, and in HDF5's parallel
 * part nothing is left to do but to store values where they have their place.  A collective call that fails on one rank
 * alone would leave the others waiting in it.
 *
 * Compressed chunks get their place only when they are written, by HDF5, collectively; room for them is not reserved,
 * since nobody knows how little they need.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/status.h"
#include "io/aside.h"
#include "io/h5.h"

#define CHUNK_BYTES (INT64_C(1) << 20)

struct job {
    const mnp_array *array;
    mnp__h5_place place;
    mnp__aside aside;
    int deflate;
    bool chunked;
    int64_t chunk[MNP_MAX_DIMS];
    int64_t values; /* bytes of all chunks before compression */
    int64_t index;  /* bytes, at most, that HDF5 needs to find them */
    bool keep;      /* the file has something besides this dataset (rank 0) */
};

/*
 * The rows of a chunk along a dimension that is cut into blocks of `block` rows, of which about `wanted` should make a
 * chunk.  Even blocks are divided evenly, so that no chunk crosses their borders, if their number of rows has a divisor
 * that is not much less.
 */
static int64_t chunk_rows(int64_t block, int64_t wanted, bool even)
{
    int64_t fewest = (block + wanted - 1) / wanted;
    for (int64_t pieces = fewest; even && pieces <= 4 * fewest && pieces <= block; pieces++)
        if (block % pieces == 0)
            return block / pieces;
    return (block + fewest - 1) / fewest;
}

/* The largest block's extent along a dimension, and whether all have the same. */
static int64_t largest_part(const mnp_layout *layout, int dim, bool *even_p)
{
    const int64_t *cuts = mnp_layout_cuts(layout, dim);
    int64_t largest = 0;
    *even_p = true;
    for (int i = 0; i < mnp_layout_parts(layout, dim); i++) {
        int64_t part = cuts[i + 1] - cuts[i];
        *even_p = *even_p && (i == 0 || part == largest);
        largest = part > largest ? part : largest;
    }
    return largest;
}

/*
 * Chunks of about CHUNK_BYTES that are runs of a block's memory: whole rows of the last dimensions.  So they fit into
 * slabs, and are written in one piece.
 */
static void choose_chunk(struct job *job)
{
    const mnp_layout *layout = job->array->layout;
    int64_t bytes = (int64_t)mnp_dtype_size(job->array->dtype), chunks = 1; /* bytes of a chunk so far */
    job->values = bytes;
    job->chunked = mnp_layout_ndim(layout) > 0 && mnp_layout_size(layout) > 0;
    for (int d = mnp_layout_ndim(layout) - 1; d >= 0; d--) {
        bool even;
        int64_t block = largest_part(layout, d, &even), extent = mnp_layout_shape(layout)[d];
        if (!job->chunked) {
            job->values *= extent;
            continue;
        }
        int64_t wanted = CHUNK_BYTES / bytes;
        job->chunk[d] = chunk_rows(block, wanted > 1 ? wanted : 1, even);
        bytes = job->chunk[d] < block ? CHUNK_BYTES : bytes * job->chunk[d]; /* one row of what comes before a cut */
        int64_t along = (extent + job->chunk[d] - 1) / job->chunk[d];
        chunks *= along;
        job->values *= along * job->chunk[d];
    }
    job->index = chunks * 256 + (INT64_C(64) << 10);
}

/* Rank 0, before anything is written: what is there already. */

static herr_t any_attribute(hid_t object, const char *name, const H5A_info_t *info, void *unused)
{
    (void)object;
    (void)name;
    (void)info;
    (void)unused;
    return 1;
}

/*
 * Ends the visit with 1 at the first link that is neither the dataset (`context` is its name without the first slash)
 * nor a plain group on the way to it.
 */
static herr_t visit_link(hid_t root, const char *name, const H5L_info_t *link, void *context)
{
    const char *dataset = context;
    size_t length = strlen(name);
    if (strcmp(name, dataset) == 0)
        return 0;
    if (link->type != H5L_TYPE_HARD || strncmp(name, dataset, length) != 0 || dataset[length] != '/')
        return 1;
    return H5Aiterate_by_name(root, name, H5_INDEX_NAME, H5_ITER_NATIVE, NULL, any_attribute, NULL, H5P_DEFAULT);
}

/* Whether the file holds anything that would be missed if only this dataset were written to a new one. */
static bool holds_others(hid_t file, const char *dataset)
{
    hsize_t user_block = 0;
    hid_t properties = H5Fget_create_plist(file);
    bool plain = H5Pget_userblock(properties, &user_block) >= 0 && user_block == 0;
    H5Pclose(properties);
    return !plain || H5Aiterate2(file, H5_INDEX_NAME, H5_ITER_NATIVE, NULL, any_attribute, NULL) != 0 ||
           H5Lvisit(file, H5_INDEX_NAME, H5_ITER_NATIVE, visit_link, (void *)(dataset + 1)) != 0;
}

/* What is at `path`: a group, a dataset, ...; H5I_BADID if nothing is, or a link that leads nowhere. */
static H5I_type_t kind_of(hid_t file, const char *path)
{
    hid_t object = H5Oopen(file, path, H5P_DEFAULT);
    if (object < 0)
        return H5I_BADID;
    H5I_type_t type = H5Iget_type(object);
    H5Oclose(object);
    return type;
}

/* Whether what is at `path` is in the file itself, and not in another one that a link leads to. */
static bool is_inside(hid_t file, const char *path)
{
    mnp__h5_identity root, identity;
    hid_t object = H5Oopen(file, path, H5P_DEFAULT);
    bool inside = object < 0 || (mnp__h5_identify(file, &root) && mnp__h5_identify(object, &identity) &&
                                 identity.file == root.file);
    if (object >= 0)
        H5Oclose(object);
    return inside;
}

/* Whether the dataset can have its name: groups or nothing on the way, and no group at the end. */
static mnp_status check_path(hid_t file, const mnp__h5_place *place)
{
    mnp_status st = MNP_OK;
    char *part;
    MNP_TRY(mnp__strdup(place->dataset, &part));
    for (char *slash = strchr(part + 1, '/'); slash && st == MNP_OK; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        H5I_type_t kind = kind_of(file, part);
        if (kind == H5I_BADID && H5Lexists(file, part, H5P_DEFAULT) <= 0)
            break;
        if (!is_inside(file, part))
            st = MNP_FAIL(MNP_ERR_IO, "cannot write %s: '%s' there is a link to another file; name that file", place->text,
                          part);
        else if (kind != H5I_GROUP)
            st = MNP_FAIL(MNP_ERR_IO, "cannot write %s: '%s' is no group there", place->text, part);
        *slash = '/';
    }
    free(part);
    if (st == MNP_OK && kind_of(file, place->dataset) == H5I_GROUP)
        st = MNP_FAIL(MNP_ERR_IO, "cannot write %s: it is a group there, which is not replaced", place->text);
    return st;
}

/* Look at where the dataset is to be.  Rank 0. */
static mnp_status survey(struct job *job)
{
    MNP_TRY(mnp__aside_find(job->place.file, &job->aside));
    if (!job->aside.exists || job->aside.replaced.st_size == 0)
        return MNP_OK;
    hid_t file = H5Fopen(job->aside.target, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file < 0)
        return mnp__fail_context(mnp__h5_fail_open(job->place.file), "cannot write %s", job->place.text);
    mnp_status st = check_path(file, &job->place);
    job->keep = holds_others(file, job->place.dataset);
    H5Fclose(file);
    return st;
}

/* Rank 0: the file and everything in it but the values. */

static hid_t dataset_properties(const struct job *job)
{
    hsize_t chunk[MNP_MAX_DIMS];
    int ndim = mnp_array_ndim(job->array);
    hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    bool good = properties >= 0 && H5Pset_fill_time(properties, H5D_FILL_TIME_NEVER) >= 0;
    for (int d = 0; d < ndim; d++)
        chunk[d] = (hsize_t)job->chunk[d];
    if (good && job->chunked)
        good = H5Pset_chunk(properties, ndim, chunk) >= 0;
    if (good && job->chunked && job->deflate > 0)
        good = H5Pset_shuffle(properties) >= 0 && H5Pset_deflate(properties, (unsigned)job->deflate) >= 0;
    else if (good)
        good = H5Pset_alloc_time(properties, H5D_ALLOC_TIME_EARLY) >= 0;
    if (good)
        return properties;
    if (properties >= 0)
        H5Pclose(properties);
    return H5I_INVALID_HID;
}

static void release(hid_t id)
{
    if (id >= 0)
        H5Idec_ref(id);
}

static mnp_status make_dataset(const struct job *job, hid_t file)
{
    hsize_t shape[MNP_MAX_DIMS];
    int ndim = mnp_array_ndim(job->array);
    for (int d = 0; d < ndim; d++)
        shape[d] = (hsize_t)mnp_array_shape(job->array)[d];
    hid_t type = mnp__h5_type_new(mnp_array_dtype(job->array)), properties = dataset_properties(job);
    hid_t space = ndim > 0 ? H5Screate_simple(ndim, shape, NULL) : H5Screate(H5S_SCALAR);
    hid_t links = H5Pcreate(H5P_LINK_CREATE), dataset = H5I_INVALID_HID;
    if (type >= 0 && properties >= 0 && space >= 0 && H5Pset_create_intermediate_group(links, 1) >= 0)
        dataset = H5Dcreate2(file, job->place.dataset, type, space, links, properties, H5P_DEFAULT);
    mnp_status st = MNP_OK;
    if (dataset < 0)
        st = MNP_FAIL(MNP_ERR_IO, "cannot make %s: %s", job->place.text, mnp__h5_reason());
    release(dataset);
    release(links);
    release(space);
    release(properties);
    release(type);
    return st;
}

/* Everything that the serial driver does, up to where all that can fail has been done and the file can be closed. */
static mnp_status make_contents(const struct job *job, hid_t file)
{
    const char *dataset = job->place.dataset;
    if (job->keep && H5Lexists(file, dataset, H5P_DEFAULT) > 0 && H5Ldelete(file, dataset, H5P_DEFAULT) < 0)
        return MNP_FAIL(MNP_ERR_IO, "cannot replace %s: %s", job->place.text, mnp__h5_reason());
    MNP_TRY(make_dataset(job, file));
    if (H5Fflush(file, H5F_SCOPE_GLOBAL) < 0)
        return MNP_FAIL(MNP_ERR_IO, "cannot write '%s': %s", job->place.file, mnp__h5_reason());
    return MNP_OK;
}

static mnp_status make_file(struct job *job)
{
    MNP_TRY(survey(job));
    int64_t old = job->keep ? job->aside.replaced.st_size : 0, values = job->deflate > 0 ? 0 : job->values;
    MNP_TRY(mnp__aside_make(&job->aside, old + values + job->index, job->keep));
    hid_t file = job->keep ? H5Fopen(job->aside.path, H5F_ACC_RDWR, H5P_DEFAULT)
                           : H5Fcreate(job->aside.path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    if (file < 0)
        return MNP_FAIL(MNP_ERR_IO, "cannot write '%s': %s", job->place.file, mnp__h5_reason());
    mnp_status st = make_contents(job, file);
    if (st != MNP_OK)
        mnp__aside_detach(&job->aside);
    if (H5Fclose(file) < 0 && st == MNP_OK)
        st = MNP_FAIL(MNP_ERR_IO, "cannot write '%s': %s", job->place.file, mnp__h5_reason());
    MNP_TRY(st);
    return mnp__aside_reserve(&job->aside, job->aside.bytes);
}

/* All ranks: the values. */

static mnp_status open_together(const struct job *job, hid_t *file_p, hid_t *dataset_p, mnp__h5_type *type)
{
    mnp_ctx *ctx = job->array->ctx;
    hid_t access_list = mnp__h5_parallel(ctx);
    *file_p = H5Fopen(job->aside.path, H5F_ACC_RDWR, access_list);
    if (*file_p >= 0)
        *dataset_p = H5Dopen2(*file_p, job->place.dataset, H5P_DEFAULT);
    mnp_status st = *dataset_p < 0
                        ? MNP_FAIL(MNP_ERR_IO, "cannot write %s: %s", job->place.text, mnp__h5_reason())
                        : mnp__h5_type_open(*dataset_p, job->place.text, type);
    if (access_list >= 0)
        H5Pclose(access_list);
    return MNP_AGREE(ctx, st);
}

/*
 * The values are on disk, and there is room for what HDF5 writes when it closes the file: it waits for all ranks in the
 * middle of that, and would do so in vain if it failed on one.
 */
static mnp_status values_are_stored(const struct job *job)
{
    struct stat status;
    MNP_TRY(mnp__aside_sync(&job->aside));
    if (job->deflate == 0 || job->array->ctx->comm.rank != 0 || fstat(job->aside.descriptor, &status) != 0)
        return MNP_OK;
    return mnp__aside_reserve(&job->aside, status.st_size + job->index);
}

static mnp_status write_values(struct job *job)
{
    mnp_ctx *ctx = job->array->ctx;
    hid_t file = H5I_INVALID_HID, dataset = H5I_INVALID_HID;
    mnp__h5_type type = {MNP_DTYPE_AUTO, H5I_INVALID_HID, H5I_INVALID_HID, H5I_INVALID_HID};
    mnp_status st = open_together(job, &file, &dataset, &type);
    if (st == MNP_OK && mnp_layout_size(job->array->layout) > 0)
        st = mnp__h5_transfer_write(&(mnp__h5_transfer){.array = job->array,
                                                        .place = &job->place,
                                                        .dataset = dataset,
                                                        .type = &type,
                                                        .chunk = job->deflate > 0 ? job->chunk : NULL,
                                                        .collective = true,
                                                        .written = &job->aside});
    if (st == MNP_OK)
        st = MNP_AGREE(ctx, values_are_stored(job));
    if (st != MNP_OK)
        mnp__aside_detach(&job->aside);
    mnp__h5_type_close(&type);
    if (dataset >= 0)
        H5Dclose(dataset);
    if (file >= 0 && H5Fclose(file) < 0 && st == MNP_OK)
        st = MNP_FAIL(MNP_ERR_IO, "cannot write '%s': %s", job->place.file, mnp__h5_reason());
    if (st == MNP_OK)
        st = mnp__aside_sync(&job->aside);
    return MNP_AGREE(ctx, st);
}

/* Look at what has been written as a reader would. */
static mnp_status check_written(const struct job *job)
{
    mnp__h5_source source;
    const mnp_array *array = job->array;
    const mnp__h5_place written = {(char *)job->aside.path, job->place.dataset, job->place.text};
    MNP_TRY(mnp__h5_look(array->ctx, &written, &source));
    bool same = source.info.dtype == array->dtype && source.info.ndim == mnp_array_ndim(array) &&
                (source.whole || source.filtered || mnp_layout_size(array->layout) == 0);
    for (int d = 0; same && d < source.info.ndim; d++)
        same = source.info.shape[d] == mnp_array_shape(array)[d];
    return same ? MNP_OK : MNP_FAIL(MNP_ERR_IO, "%s was not written as it should be", job->place.text);
}

static mnp_status write_dataset(struct job *job)
{
    mnp_ctx *ctx = job->array->ctx;
    bool first = ctx->comm.rank == 0;
    mnp_status st;
    choose_chunk(job);
    job->aside = (mnp__aside){.file = job->place.file, .descriptor = -1};
    MNP_TRY_OR(MNP_AGREE(ctx, first ? make_file(job) : MNP_OK), st, close);
    MNP_TRY_OR(mnp__aside_share(&ctx->comm, &job->aside), st, close);
    MNP_TRY_OR(write_values(job), st, close);
    MNP_TRY_OR(check_written(job), st, close);
    st = MNP_AGREE(ctx, first ? mnp__aside_commit(&job->aside) : MNP_OK);
close:
    mnp__aside_close(&job->aside);
    return st;
}

static mnp_status check_deflate(int level)
{
    if (level < 0 || level > 9)
        return MNP_FAIL(MNP_ERR_ARG, "the gzip level is %d, outside 0..9", level);
    if (level > 0 && H5Zfilter_avail(H5Z_FILTER_DEFLATE) <= 0)
        return MNP_FAIL(MNP_ERR_UNSUPPORTED, "HDF5 was built without gzip");
    return MNP_OK;
}

mnp_status mnp_h5_write(const mnp_array *array, const char *file, const char *dataset,
                        const mnp_h5_write_options *options)
{
    struct job job = {.deflate = options ? options->deflate : 0};
    mnp_array *temporary;
    mnp__h5_printing printing;
    struct sigaction ignore = {.sa_handler = SIG_IGN}, previous;
    MNP_TRY(mnp__array_check_blocks("mnp_h5_write", array));
    MNP_TRY(check_deflate(job.deflate));
    MNP_TRY(mnp__h5_place_new(file, dataset, &job.place));
    mnp_status st = mnp__array_dense(array, &job.array, &temporary);
    if (st != MNP_OK)
        goto free_place;
    mnp__h5_printing_off(&printing);
    sigaction(SIGXFSZ, &ignore, &previous); /* a file beyond the limit is an error, not the end of the process */
    st = write_dataset(&job);
    sigaction(SIGXFSZ, &previous, NULL);
    mnp__h5_printing_restore(&printing);
    mnp_array_free(temporary);
free_place:
    mnp__h5_place_free(&job.place);
    return st;
}

mnp_status mnp_h5_check_write(mnp_ctx *ctx, const char *file, const char *dataset)
{
    struct job job = {.array = NULL};
    mnp__h5_printing printing;
    MNP_TRY(mnp__h5_place_new(file, dataset, &job.place));
    mnp__h5_printing_off(&printing);
    mnp_status st = MNP_AGREE(ctx, ctx->comm.rank == 0 ? survey(&job) : MNP_OK);
    mnp__h5_printing_restore(&printing);
    mnp__h5_place_free(&job.place);
    return st;
}
