/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writing arrays to datasets of a file, with attributes.
 *
 * Rank 0 makes a temporary file (io/atomic_file.h) and everything in it except the values, with HDF5's serial driver.
 * Anything that is wrong with the file, its groups or the space on the disk shows there, on one rank and before data
 * moves; all that is left for HDF5's parallel driver is to store values in space that is allocated already.  This
 * matters because a collective call that fails on one rank alone leaves the others waiting in it.
 *
 * HDF5 allocates space for compressed chunks only when it writes them, collectively; no space is reserved for them,
 * since their size is not known in advance.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "array/input.h"
#include "base/integer.h"
#include "base/status.h"
#include "io/atomic_file.h"
#include "io/commit.h"
#include "io/hdf5/h5.h"

#define CHUNK_BYTES (INT64_C(1) << 20)

/* A dataset. */
struct part {
    const mnp_array *array;
    mnp__input input; /* that array dense */
    mnp__h5_place place;
    bool chunked;
    int64_t chunk[MNP_MAX_DIMS];
    int64_t values; /* bytes of all chunks before compression */
    int64_t index;  /* upper bound of the bytes of HDF5's index of the chunks */
};

struct job {
    mnp_ctx *ctx;
    const char *file;
    int nparts, nattributes;
    struct part *parts;
    const mnp_h5_attribute *attributes;
    mnp__atomic_file output;
    int deflate;
    int64_t values, index; /* sums over the parts */
    bool keep;             /* the old file holds something besides these datasets (rank 0) */
};

/*
 * The number of rows of a chunk along a dimension that is cut into blocks of `block` rows; about `wanted` rows are
 * desired.  If the blocks are equal and `block` has a divisor that is not much smaller than `wanted`, that divisor is
 * taken: then no chunk crosses the border of a block.
 */
static int64_t chunk_rows(int64_t block, int64_t wanted, bool even)
{
    int64_t fewest = mnp__divide_up(block, wanted);
    for (int64_t pieces = fewest; even && pieces <= 4 * fewest && pieces <= block; pieces++)
        if (block % pieces == 0)
            return block / pieces;
    return mnp__divide_up(block, fewest);
}

/* The extent of the largest block along a dimension, and whether all blocks have the same extent. */
static int64_t largest_part(const mnp_layout *layout, int dim, bool *even_p)
{
    const int64_t *cuts = mnp_layout_cuts(layout, dim);
    int64_t largest = 0;
    *even_p = true;
    for (int i = 0; i < mnp_layout_parts(layout, dim); i++) {
        int64_t part = cuts[i + 1] - cuts[i];
        *even_p = *even_p && (i == 0 || part == largest);
        largest = mnp__max(part, largest);
    }
    return largest;
}

/*
 * Choose chunks of about CHUNK_BYTES that are contiguous in a block's memory: whole rows of the last dimensions.  So a
 * slab holds whole chunks, and each is written once.
 */
static void choose_chunk(struct part *part)
{
    const mnp_layout *layout = part->array->layout;
    int64_t bytes = (int64_t)mnp_dtype_size(part->array->dtype), chunks = 1; /* bytes of a chunk so far */
    part->values = bytes;
    part->chunked = mnp_layout_ndim(layout) > 0 && mnp_layout_size(layout) > 0;
    for (int d = mnp_layout_ndim(layout) - 1; d >= 0; d--) {
        bool even;
        int64_t block = largest_part(layout, d, &even), extent = mnp_layout_shape(layout)[d];
        if (!part->chunked) {
            part->values *= extent;
            continue;
        }
        int64_t wanted = CHUNK_BYTES / bytes;
        part->chunk[d] = chunk_rows(block, mnp__max(wanted, 1), even);
        bytes = part->chunk[d] < block
                    ? CHUNK_BYTES
                    : bytes * part->chunk[d]; /* dimensions before the cut one get one index a chunk */
        int64_t along = mnp__divide_up(extent, part->chunk[d]);
        chunks *= along;
        part->values *= along * part->chunk[d];
    }
    part->index = chunks * 256 + (INT64_C(64) << 10);
}

/* ---- before anything is written, on rank 0: the old file ---- */

static herr_t any_attribute(hid_t object, const char *name, const H5A_info_t *info, void *unused)
{
    (void)object;
    (void)name;
    (void)info;
    (void)unused;
    return 1;
}

/* Whether a link's name is the name of a part, or of a group on the path to one. */
static bool leads_to_part(const struct job *job, const char *name, bool *is_group_p)
{
    const size_t length = strlen(name);
    bool leads = false;
    *is_group_p = false;
    for (int i = 0; i < job->nparts; i++) {
        const char *dataset = job->parts[i].place.dataset + 1; /* without the first slash */
        if (strncmp(name, dataset, length) != 0 || (dataset[length] != '/' && dataset[length] != '\0'))
            continue;
        leads = true;
        *is_group_p = *is_group_p || dataset[length] == '/';
    }
    return leads;
}

/* Ends the visit with 1 at the first link that is neither a dataset of ours nor a plain group on the path to one. */
static herr_t visit_link(hid_t root, const char *name, const H5L_info_t *link, void *context)
{
    bool is_group;
    if (!leads_to_part(context, name, &is_group))
        return 1;
    if (!is_group)
        return 0;
    if (link->type != H5L_TYPE_HARD)
        return 1;
    return H5Aiterate_by_name(root, name, H5_INDEX_NAME, H5_ITER_NATIVE, NULL, any_attribute, NULL, H5P_DEFAULT);
}

/* Whether the file holds anything that would be lost if a new file held these datasets alone. */
static bool holds_others(const struct job *job, hid_t file)
{
    hsize_t user_block = 0;
    hid_t properties = H5Fget_create_plist(file);
    bool plain = H5Pget_userblock(properties, &user_block) >= 0 && user_block == 0;
    H5Pclose(properties);
    return !plain || H5Aiterate2(file, H5_INDEX_NAME, H5_ITER_NATIVE, NULL, any_attribute, NULL) != 0 ||
           H5Lvisit(file, H5_INDEX_NAME, H5_ITER_NATIVE, visit_link, (void *)job) != 0;
}

/* The type of the object at `path`: a group, a dataset, ...; H5I_BADID if there is none, or a dangling link. */
static H5I_type_t kind_of(hid_t file, const char *path)
{
    hid_t object = H5Oopen(file, path, H5P_DEFAULT);
    if (object < 0)
        return H5I_BADID;
    H5I_type_t type = H5Iget_type(object);
    H5Oclose(object);
    return type;
}

/* Whether the object at `path` is in the file itself, and not in another file that a link leads to. */
static bool is_inside(hid_t file, const char *path)
{
    mnp__h5_identity root, identity;
    hid_t object = H5Oopen(file, path, H5P_DEFAULT);
    bool inside = object < 0 ||
                  (mnp__h5_identify(file, &root) && mnp__h5_identify(object, &identity) && identity.file == root.file);
    if (object >= 0)
        H5Oclose(object);
    return inside;
}

/*
 * Check the dataset's path: every part before the last must be a group or not exist, and the last must not be a group.
 */
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
            st = MNP_FAIL(MNP_ERR_IO, "cannot write %s: '%s' there is a link to another file; name that file",
                          place->text, part);
        else if (kind != H5I_GROUP)
            st = MNP_FAIL(MNP_ERR_IO, "cannot write %s: '%s' is not a group there", place->text, part);
        *slash = '/';
    }
    free(part);
    if (st == MNP_OK && kind_of(file, place->dataset) == H5I_GROUP)
        st = MNP_FAIL(MNP_ERR_IO, "cannot write %s: it is a group there, which is not replaced", place->text);
    return st;
}

/* Check the file and the paths of the datasets.  Rank 0. */
static mnp_status check_target(struct job *job)
{
    MNP_TRY(mnp__atomic_file_find(job->file, &job->output));
    if (!job->output.exists || job->output.replaced.st_size == 0)
        return MNP_OK;
    MNP_TRY(mnp__commit_complete(job->output.target));
    hid_t file = mnp__h5_open_file(job->output.target, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file < 0)
        return mnp__fail_context(mnp__h5_fail_open(job->file), "cannot write %s", job->parts[0].place.text);
    mnp_status st = MNP_OK;
    for (int i = 0; i < job->nparts && st == MNP_OK; i++)
        st = check_path(file, &job->parts[i].place);
    job->keep = holds_others(job, file);
    mnp__h5_close_file(file);
    return st;
}

/* ---- on rank 0: the file and everything in it except the values ---- */

static hid_t dataset_properties(const struct part *part, int deflate)
{
    hsize_t chunk[MNP_MAX_DIMS];
    int ndim = mnp_array_ndim(part->array);
    hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    bool good = properties >= 0 && H5Pset_fill_time(properties, H5D_FILL_TIME_NEVER) >= 0;
    for (int d = 0; d < ndim; d++)
        chunk[d] = (hsize_t)part->chunk[d];
    if (good && part->chunked)
        good = H5Pset_chunk(properties, ndim, chunk) >= 0;
    if (good && part->chunked && deflate > 0)
        good = H5Pset_shuffle(properties) >= 0 && H5Pset_deflate(properties, (unsigned)deflate) >= 0;
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

static mnp_status make_dataset(const struct part *part, int deflate, hid_t file)
{
    hsize_t shape[MNP_MAX_DIMS];
    int ndim = mnp_array_ndim(part->array);
    for (int d = 0; d < ndim; d++)
        shape[d] = (hsize_t)mnp_array_shape(part->array)[d];
    hid_t type = mnp__h5_type_new(mnp_array_dtype(part->array)), properties = dataset_properties(part, deflate);
    hid_t space = ndim > 0 ? H5Screate_simple(ndim, shape, NULL) : H5Screate(H5S_SCALAR);
    hid_t links = H5Pcreate(H5P_LINK_CREATE), dataset = H5I_INVALID_HID;
    if (type >= 0 && properties >= 0 && space >= 0 && H5Pset_create_intermediate_group(links, 1) >= 0)
        dataset = H5Dcreate2(file, part->place.dataset, type, space, links, properties, H5P_DEFAULT);
    mnp_status st = MNP_OK;
    if (dataset < 0)
        st = MNP_FAIL(MNP_ERR_IO, "cannot make %s: %s", part->place.text, mnp__h5_reason());
    release(dataset);
    release(links);
    release(space);
    release(properties);
    release(type);
    return st;
}

/* Make everything but the values with the serial driver, up to the flush, after which closing the file cannot fail. */
static mnp_status make_contents(const struct job *job, hid_t file)
{
    for (int i = 0; i < job->nparts; i++) {
        const mnp__h5_place *place = &job->parts[i].place;
        if (job->keep && H5Lexists(file, place->dataset, H5P_DEFAULT) > 0 &&
            H5Ldelete(file, place->dataset, H5P_DEFAULT) < 0)
            return MNP_FAIL(MNP_ERR_IO, "cannot replace %s: %s", place->text, mnp__h5_reason());
        MNP_TRY(make_dataset(&job->parts[i], job->deflate, file));
    }
    for (int i = 0; i < job->nattributes; i++)
        MNP_TRY(mnp__h5_make_attribute(&job->attributes[i], file));
    if (H5Fflush(file, H5F_SCOPE_GLOBAL) < 0)
        return MNP_FAIL(MNP_ERR_IO, "cannot write '%s': %s", job->file, mnp__h5_reason());
    return MNP_OK;
}

static mnp_status make_file(struct job *job)
{
    MNP_TRY(check_target(job));
    int64_t old = job->keep ? job->output.replaced.st_size : 0, values = job->deflate > 0 ? 0 : job->values;
    MNP_TRY(mnp__atomic_file_make(&job->output, old + values + job->index, job->keep));
    hid_t file = job->keep ? mnp__h5_open_file(job->output.path, H5F_ACC_RDWR, H5P_DEFAULT)
                           : H5Fcreate(job->output.path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    if (file < 0)
        return MNP_FAIL(MNP_ERR_IO, "cannot write '%s': %s", job->file, mnp__h5_reason());
    mnp_status st = make_contents(job, file);
    if (st != MNP_OK)
        mnp__atomic_file_detach(&job->output);
    if (mnp__h5_close_file(file) < 0 && st == MNP_OK)
        st = MNP_FAIL(MNP_ERR_IO, "cannot write '%s': %s", job->file, mnp__h5_reason());
    MNP_TRY(st);
    return mnp__atomic_file_reserve(&job->output, job->output.bytes);
}

/* ---- on all ranks: the values ---- */

static mnp_status open_together(const struct job *job, hid_t *file_p)
{
    *file_p = mnp__h5_open_parallel(job->ctx, job->output.path, job->file, H5F_ACC_RDWR);
    mnp_status st = *file_p < 0 ? MNP_FAIL(MNP_ERR_IO, "cannot write '%s': %s", job->file, mnp__h5_reason()) : MNP_OK;
    return MNP_AGREE(job->ctx, st);
}

static mnp_status open_dataset(const struct part *part, hid_t file, hid_t *dataset_p, mnp__h5_type *type)
{
    *dataset_p = H5Dopen2(file, part->place.dataset, H5P_DEFAULT);
    if (*dataset_p < 0)
        return MNP_FAIL(MNP_ERR_IO, "cannot write %s: %s", part->place.text, mnp__h5_reason());
    return mnp__h5_type_open(*dataset_p, part->place.text, type);
}

/* Write the values of one dataset. */
static mnp_status write_part(struct job *job, const struct part *part, hid_t file)
{
    hid_t dataset = H5I_INVALID_HID;
    mnp__h5_type type = {MNP_DTYPE_AUTO, H5I_INVALID_HID, H5I_INVALID_HID, H5I_INVALID_HID};
    mnp__selection all;
    mnp_status st =
        mnp__selection_new(part->place.text, mnp_array_ndim(part->array), mnp_array_shape(part->array), NULL, &all);
    if (st == MNP_OK)
        st = MNP_AGREE(job->ctx, open_dataset(part, file, &dataset, &type));
    if (st == MNP_OK && mnp_layout_size(part->array->layout) > 0)
        st = mnp__h5_transfer_run(&(mnp__h5_transfer){.array = part->array,
                                                      .selection = &all,
                                                      .place = &part->place,
                                                      .dataset = dataset,
                                                      .type = &type,
                                                      .chunk = part->chunked ? part->chunk : NULL,
                                                      .filtered = job->deflate > 0,
                                                      .collective = true,
                                                      .written = &job->output});
    mnp__h5_type_close(&type);
    if (dataset >= 0)
        H5Dclose(dataset);
    return st;
}

/*
 * Wait until the values are on disk, and reserve space for what HDF5 writes when it closes the file.  HDF5 waits for
 * all ranks while it closes a file, so a failure of one rank there would leave the others waiting.
 */
static mnp_status values_are_stored(const struct job *job)
{
    struct stat status;
    MNP_TRY(mnp__atomic_file_sync(&job->output));
    if (job->deflate == 0 || job->ctx->comm.rank != 0 || fstat(job->output.descriptor, &status) != 0)
        return MNP_OK;
    return mnp__atomic_file_reserve(&job->output, status.st_size + job->index);
}

static mnp_status write_values(struct job *job)
{
    hid_t file = H5I_INVALID_HID;
    mnp_status st = open_together(job, &file);
    for (int i = 0; i < job->nparts && st == MNP_OK; i++)
        st = write_part(job, &job->parts[i], file);
    if (st == MNP_OK)
        st = MNP_AGREE(job->ctx, values_are_stored(job));
    if (st != MNP_OK)
        mnp__atomic_file_detach(&job->output);
    if (file >= 0 && mnp__h5_close_parallel(job->ctx, file, job->file) < 0 && st == MNP_OK)
        st = MNP_FAIL(MNP_ERR_IO, "cannot write '%s': %s", job->file, mnp__h5_reason());
    if (st == MNP_OK)
        st = mnp__atomic_file_sync(&job->output);
    return MNP_AGREE(job->ctx, st);
}

/* Inspect the temporary file as a reader would. */
static mnp_status check_written(const struct job *job, const struct part *part)
{
    mnp__h5_source source;
    const mnp_array *array = part->array;
    const mnp__h5_place written = {(char *)job->output.path, part->place.dataset, part->place.text};
    MNP_TRY(mnp__h5_inspect(job->ctx, &written, &source));
    bool same = source.info.dtype == array->dtype && source.info.ndim == mnp_array_ndim(array) &&
                (source.whole || source.filtered || mnp_layout_size(array->layout) == 0);
    for (int d = 0; same && d < source.info.ndim; d++)
        same = source.info.shape[d] == mnp_array_shape(array)[d];
    return same ? MNP_OK : MNP_FAIL(MNP_ERR_IO, "%s was not written as it should be", part->place.text);
}

static mnp_status write_file(struct job *job)
{
    bool first = job->ctx->comm.rank == 0;
    mnp_status st;
    for (int i = 0; i < job->nparts; i++) {
        choose_chunk(&job->parts[i]);
        job->values += job->parts[i].values;
        job->index += job->parts[i].index;
    }
    job->output = (mnp__atomic_file){.file = job->file, .descriptor = -1};
    MNP_TRY_OR(MNP_AGREE(job->ctx, first ? make_file(job) : MNP_OK), st, close);
    MNP_TRY_OR(mnp__atomic_file_share(&job->ctx->comm, &job->output), st, close);
    MNP_TRY_OR(write_values(job), st, close);
    for (int i = 0; i < job->nparts; i++)
        MNP_TRY_OR(check_written(job, &job->parts[i]), st, close);
    st = MNP_AGREE(job->ctx, first ? mnp__atomic_file_commit(&job->output) : MNP_OK);
close:
    mnp__atomic_file_close(&job->output);
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

static void free_parts(struct job *job)
{
    for (int i = 0; i < job->nparts; i++) {
        mnp__h5_place_free(&job->parts[i].place);
        mnp__input_close(&job->parts[i].input);
    }
    free(job->parts);
}

/* Make the names and the dense arrays of the parts.  The caller frees them, also on failure.  Collective. */
static mnp_status make_parts(struct job *job, const mnp_h5_item *items, int count)
{
    for (int i = 0; i < count; i++)
        MNP_TRY(mnp__array_check_blocks("mnp_h5_write", items[i].array));
    MNP_TRY(MNP_AGREE(job->ctx, mnp__calloc((size_t)count, sizeof *job->parts, &job->parts)));
    for (int i = 0; i < count; i++) {
        struct part *part = &job->parts[i];
        MNP_TRY(mnp__h5_place_new(job->file, items[i].dataset, &part->place));
        job->nparts = i + 1;
        MNP_TRY(mnp__input_open(items[i].array, NULL, MNP_DTYPE_AUTO, MNP__INPUT_DENSE, &part->input));
        part->array = part->input.array;
    }
    return MNP_OK;
}

mnp_status mnp_h5_write_items(const char *file, int count, const mnp_h5_item *items, int nattributes,
                              const mnp_h5_attribute *attributes, const mnp_h5_write_options *options)
{
    MNP_ENTER(file);
    MNP_NEED_IF(count > 0, items);
    MNP_NEED_IF(nattributes > 0, attributes);
    if (count < 1)
        return MNP_FAIL(MNP_ERR_ARG, "%d datasets are to be written; at least 1 must be", count);
    struct job job = {.ctx = items[0].array->ctx,
                      .file = file,
                      .nattributes = nattributes,
                      .attributes = attributes,
                      .deflate = options ? options->deflate : 0};
    mnp__h5_printing printing;
    struct sigaction ignore = {.sa_handler = SIG_IGN}, previous;
    MNP_TRY(check_deflate(job.deflate));
    mnp_status st = make_parts(&job, items, count);
    if (st == MNP_OK) {
        mnp__h5_printing_off(&printing);
        sigaction(SIGXFSZ, &ignore,
                  &previous); /* exceeding the limit of file sizes is an error, and does not end the process */
        st = write_file(&job);
        sigaction(SIGXFSZ, &previous, NULL);
        mnp__h5_printing_restore(&printing);
    }
    free_parts(&job);
    return st;
}

mnp_status mnp_h5_write(const mnp_array *array, const char *file, const char *dataset,
                        const mnp_h5_write_options *options)
{
    MNP_ENTER(array, file, dataset);
    return mnp_h5_write_items(file, 1, &(mnp_h5_item){dataset, array}, 0, NULL, options);
}

mnp_status mnp_h5_check_write(mnp_ctx *ctx, const char *file, const char *dataset)
{
    MNP_ENTER(ctx, file, dataset);
    struct part part = {.array = NULL};
    struct job job = {.ctx = ctx, .file = file, .nparts = 1, .parts = &part};
    mnp__h5_printing printing;
    MNP_TRY(mnp__h5_place_new(file, dataset, &part.place));
    mnp__h5_printing_off(&printing);
    mnp_status st = MNP_AGREE(ctx, ctx->comm.rank == 0 ? check_target(&job) : MNP_OK);
    mnp__h5_printing_restore(&printing);
    mnp__h5_place_free(&part.place);
    return st;
}
