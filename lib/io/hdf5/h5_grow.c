/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files that grow.
 *
 * A change has five steps.  Rank 0 makes the new extents and the index of chunks in a session (h5_session.h), which is
 * memory alone; all ranks learn where the values belong (h5_raw.h); they write them there, beyond what the file has;
 * their values come to disk; and rank 0 commits.  A failure before the commit leaves the file as it was.
 */
#include <maniple/h5_file.h>

#include <fcntl.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "array/input.h"
#include "base/integer.h"
#include "base/status.h"
#include "io/hdf5/h5_handle.h"
#include "io/hdf5/h5_raw.h"
#include "io/write_behind.h"

/* An array and the box of a dataset that it is written to. */
struct part {
    const mnp_array *array;
    mnp__input input; /* that array dense */
    mnp__h5_place place;
    mnp__selection selection;
    mnp__h5_raw raw;
    mnp__h5_fills fills;
};

struct job {
    mnp_h5_file *file;
    int axis;             /* that grows; MNP_H5_NEW_AXIS; MNP_H5_WHOLE: datasets are made of the arrays */
    const int64_t *start; /* a box that is written to; NULL: there is none, see axis */
    int nparts, nattributes;
    struct part *parts;
    const mnp_h5_attribute *attributes;
    mnp__h5_session session; /* rank 0's */
};

/* ---- datasets, on rank 0 ---- */

/* Bytes of a chunk that is not smaller than the array, and of one that holds the elements of many small arrays. */
enum { MOST_CHUNK = 1 << 20, FEW_CHUNK = 1 << 16 };

/*
 * Chunks of a dataset that grows along `axis`, made for arrays of that shape, whose extent along the axis is `piece`:
 * whole rows of the last dimensions up to 1 MiB; and along the axis as many pieces as make 64 KiB, if they are small.
 */
static void choose_chunk(mnp_dtype dtype, int ndim, const int64_t *shape, int axis, hsize_t *chunk)
{
    int64_t bytes = (int64_t)mnp_dtype_size(dtype);
    for (int d = ndim - 1; d >= 0; d--) {
        const int64_t room = MOST_CHUNK / bytes > 0 ? MOST_CHUNK / bytes : 1;
        int64_t extent = shape[d] > 0 ? shape[d] : 1;
        if (extent > room)
            extent = mnp__divide_up(extent, mnp__divide_up(extent, room));
        chunk[d] = (hsize_t)extent;
        bytes *= extent;
    }
    if (axis >= 0 && bytes < FEW_CHUNK)
        chunk[axis] *= (hsize_t)(FEW_CHUNK / bytes);
}

/*
 * Make a dataset without values, for arrays that have the shape `piece`.  (A dimension that is fixed at 0 would allow
 * no chunks; what does not grow has none.)
 */
static mnp_status make_dataset(hid_t file, const mnp__h5_place *place, mnp_dtype dtype, int ndim, const int64_t *shape,
                               const int64_t *piece, int axis)
{
    hsize_t extent[MNP_MAX_DIMS], limit[MNP_MAX_DIMS], chunk[MNP_MAX_DIMS];
    for (int d = 0; d < ndim; d++) {
        extent[d] = (hsize_t)shape[d];
        limit[d] = axis >= 0 && (d == axis || shape[d] == 0) ? H5S_UNLIMITED : extent[d];
    }
    choose_chunk(dtype, ndim, piece, axis, chunk);
    hid_t type = mnp__h5_type_new(dtype), properties = H5Pcreate(H5P_DATASET_CREATE),
          links = H5Pcreate(H5P_LINK_CREATE);
    hid_t space = ndim > 0 ? H5Screate_simple(ndim, extent, limit) : H5Screate(H5S_SCALAR);
    hid_t dataset = H5I_INVALID_HID;
    if (type >= 0 && properties >= 0 && space >= 0 && H5Pset_create_intermediate_group(links, 1) >= 0 &&
        (axis < 0 || H5Pset_chunk(properties, ndim, chunk) >= 0))
        dataset = H5Dcreate2(file, place->dataset, type, space, links, properties, H5P_DEFAULT);
    mnp_status st = dataset >= 0 ? MNP_OK : MNP_FAIL(MNP_ERR_IO, "cannot make %s: %s", place->text, mnp__h5_reason());
    const hid_t ids[] = {dataset, space, links, properties, type};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        if (ids[i] >= 0)
            H5Idec_ref(ids[i]);
    return st;
}

/* The same for a dataset that must not exist. */
static mnp_status make_new(hid_t file, const mnp__h5_place *place, mnp_dtype dtype, int ndim, const int64_t *shape,
                           int axis)
{
    if (H5Lexists(file, place->dataset, H5P_DEFAULT) > 0)
        return MNP_FAIL(MNP_ERR_ARG, "%s exists already", place->text);
    return make_dataset(file, place, dtype, ndim, shape, shape, axis);
}

static bool makes_datasets(const struct job *job)
{
    return !job->start && job->axis == MNP_H5_WHOLE;
}

static bool appends(const struct job *job)
{
    return !job->start && job->axis != MNP_H5_WHOLE;
}

/* The shape that an array has in its dataset: with a new first dimension of extent 1, or as it is. */
static int shape_in_dataset(const struct job *job, const mnp_array *array, int64_t *shape)
{
    const int ndim = mnp_array_ndim(array), more = !job->start && job->axis == MNP_H5_NEW_AXIS;
    shape[0] = 1;
    memcpy(shape + more, mnp_array_shape(array), (size_t)ndim * sizeof *shape);
    return ndim + more;
}

/* MNP_ERR_ARG unless the dataset's elements are what the array's memory has, byte by byte. */
static mnp_status check_type(hid_t dataset, const struct part *part)
{
    mnp__h5_type type;
    MNP_TRY(mnp__h5_type_open(dataset, part->place.text, &type));
    const mnp_dtype dtype = mnp_array_dtype(part->array);
    const bool same = type.dtype == dtype && H5Tequal(type.from, type.to) > 0;
    const bool swapped = !same && type.dtype == dtype && H5Tget_size(type.stored) == mnp_dtype_size(dtype);
    mnp_status st = MNP_OK;
    if (swapped)
        st = MNP_FAIL(MNP_ERR_UNSUPPORTED, "%s has numbers in another byte order than memory, and is not written to",
                      part->place.text);
    else if (!same)
        st = MNP_FAIL(MNP_ERR_ARG, "%s has elements of %s, and the array has %s", part->place.text,
                      mnp_dtype_name(type.dtype), mnp_dtype_name(dtype));
    mnp__h5_type_close(&type);
    return st;
}

/* Find the extents of a dataset, and how far they can grow. */
static mnp_status find_extents(hid_t dataset, const char *what, int *ndim_p, hsize_t *extent, hsize_t *limit)
{
    hid_t space = H5Dget_space(dataset);
    *ndim_p = space < 0 ? -1 : H5Sget_simple_extent_ndims(space);
    if (*ndim_p > MNP_MAX_DIMS)
        *ndim_p = -1;
    if (*ndim_p >= 0)
        H5Sget_simple_extent_dims(space, extent, limit);
    if (space >= 0)
        H5Sclose(space);
    return *ndim_p >= 0 ? MNP_OK : MNP_FAIL(MNP_ERR_UNSUPPORTED, "%s has no shape that can be written to", what);
}

/* Enlarge the dataset for the array, and find the index at which the array begins. */
static mnp_status enlarge(const struct job *job, const struct part *part, hid_t dataset, const int64_t *shape, int ndim,
                          int64_t *start)
{
    hsize_t extent[MNP_MAX_DIMS], limit[MNP_MAX_DIMS];
    const int axis = job->axis == MNP_H5_NEW_AXIS ? 0 : job->axis;
    int have;
    MNP_TRY(find_extents(dataset, part->place.text, &have, extent, limit));
    if (have != ndim)
        return MNP_FAIL(MNP_ERR_ARG, "%s has %d dimensions, and the array would need %d", part->place.text, have, ndim);
    for (int d = 0; d < ndim; d++) {
        if (d != axis && (int64_t)extent[d] != shape[d])
            return MNP_FAIL(MNP_ERR_ARG, "%s has %" PRId64 " elements along dimension %d, and the array has %" PRId64,
                            part->place.text, (int64_t)extent[d], d, shape[d]);
        start[d] = d == axis ? (int64_t)extent[d] : 0;
    }
    extent[axis] += (hsize_t)shape[axis];
    if (limit[axis] != H5S_UNLIMITED && extent[axis] > limit[axis])
        return MNP_FAIL(MNP_ERR_UNSUPPORTED,
                        "%s cannot grow along dimension %d to %" PRId64 ": it was made for %" PRId64, part->place.text,
                        axis, (int64_t)extent[axis], (int64_t)limit[axis]);
    if (H5Dset_extent(dataset, extent) < 0)
        return MNP_FAIL(MNP_ERR_IO, "cannot enlarge %s: %s", part->place.text, mnp__h5_reason());
    return MNP_OK;
}

/* Check that the box lies in the dataset. */
static mnp_status check_box(const struct job *job, const struct part *part, hid_t dataset, const int64_t *shape,
                            int ndim)
{
    hsize_t extent[MNP_MAX_DIMS], limit[MNP_MAX_DIMS];
    int have;
    MNP_TRY(find_extents(dataset, part->place.text, &have, extent, limit));
    if (have != ndim)
        return MNP_FAIL(MNP_ERR_ARG, "%s has %d dimensions, and the array has %d", part->place.text, have, ndim);
    for (int d = 0; d < ndim; d++)
        if (job->start[d] < 0 || shape[d] > (int64_t)extent[d] || job->start[d] > (int64_t)extent[d] - shape[d])
            return MNP_FAIL(MNP_ERR_ARG,
                            "%" PRId64 " elements from %" PRId64
                            " on do not lie in dimension %d of %s, which has %" PRId64,
                            shape[d], job->start[d], d, part->place.text, (int64_t)extent[d]);
    return MNP_OK;
}

/* Open a part's dataset, which is made if it is to be new, or does not exist and arrays are appended. */
static mnp_status open_dataset(const struct job *job, const struct part *part, const int64_t *shape, int ndim,
                               hid_t *dataset_p)
{
    const hid_t file = job->session.file;
    const mnp_dtype dtype = mnp_array_dtype(part->array);
    const int axis = job->axis == MNP_H5_NEW_AXIS ? 0 : job->axis;
    if (makes_datasets(job))
        MNP_TRY(make_new(file, &part->place, dtype, ndim, shape, MNP_NO_AXIS));
    hid_t object = H5Oopen(file, part->place.dataset, H5P_DEFAULT);
    if (object < 0 && appends(job)) {
        int64_t empty[MNP_MAX_DIMS];
        memcpy(empty, shape, (size_t)ndim * sizeof *empty);
        empty[axis] = 0;
        MNP_TRY(make_dataset(file, &part->place, dtype, ndim, empty, shape, axis));
        object = H5Oopen(file, part->place.dataset, H5P_DEFAULT);
    }
    if (object < 0)
        return MNP_FAIL(MNP_ERR_IO, "cannot open %s: %s", part->place.text, mnp__h5_reason());
    *dataset_p = object;
    return H5Iget_type(object) == H5I_DATASET ? MNP_OK : MNP_FAIL(MNP_ERR_ARG, "%s is not a dataset", part->place.text);
}

/* Where the array's elements are in the dataset: at `start`, with a new first dimension if it is appended so. */
static void set_selection(struct part *part, int ndim, const int64_t *start)
{
    const int own = mnp_array_ndim(part->array), more = ndim - own;
    mnp__selection *selection = &part->selection;
    *selection = (mnp__selection){.ndim = own, .file_ndim = ndim};
    if (more > 0)
        selection->at[0] = start[0];
    for (int d = 0; d < own; d++) {
        const int64_t extent = mnp_array_shape(part->array)[d];
        selection->shape[d] = extent;
        selection->dims[d] = (mnp__view_dim){.from = d + more, .start = start[d + more], .step = 1, .extent = extent};
    }
}

static mnp_status prepare_part(struct job *job, struct part *part)
{
    int64_t shape[MNP_MAX_DIMS + 1], start[MNP_MAX_DIMS] = {0};
    hid_t dataset = H5I_INVALID_HID;
    const int ndim = shape_in_dataset(job, part->array, shape);
    mnp_status st;
    MNP_TRY_OR(open_dataset(job, part, shape, ndim, &dataset), st, close);
    MNP_TRY_OR(check_type(dataset, part), st, close);
    if (job->start) {
        memcpy(start, job->start, (size_t)ndim * sizeof *start);
        MNP_TRY_OR(check_box(job, part, dataset, shape, ndim), st, close);
    } else if (appends(job)) {
        MNP_TRY_OR(enlarge(job, part, dataset, shape, ndim, start), st, close);
    }
    MNP_TRY_OR(mnp__h5_raw_find(&job->session, dataset, part->place.text, start, shape, &part->raw, &part->fills), st,
               close);
    set_selection(part, ndim, start);
    for (int d = 0; d < ndim; d++)
        part->selection.file_shape[d] = part->raw.shape[d];
close:
    if (dataset >= 0)
        H5Oclose(dataset);
    return st;
}

/* Rank 0's part: everything but the values of the arrays. */
static mnp_status prepare(struct job *job)
{
    MNP_TRY(mnp__h5_session_begin(job->file->name, &job->session));
    for (int i = 0; i < job->nparts; i++)
        MNP_TRY(prepare_part(job, &job->parts[i]));
    for (int i = 0; i < job->nattributes; i++)
        MNP_TRY(mnp__h5_make_attribute(&job->attributes[i], job->session.file));
    MNP_TRY(mnp__h5_session_prepare(&job->session));
    for (int i = 0; i < job->nparts; i++)
        MNP_TRY(mnp__h5_raw_fill(&job->session, &job->parts[i].raw, &job->parts[i].fills));
    return MNP_OK;
}

/* ---- checking, on rank 0 ---- */

/* Whether a dataset of an open file can grow along `axis`. */
static mnp_status check_growth(hid_t dataset, const char *what, int axis)
{
    hsize_t extent[MNP_MAX_DIMS], limit[MNP_MAX_DIMS];
    int ndim;
    MNP_TRY(find_extents(dataset, what, &ndim, extent, limit));
    hid_t properties = H5Dget_create_plist(dataset);
    const bool filtered = properties >= 0 && H5Pget_nfilters(properties) > 0;
    if (properties >= 0)
        H5Pclose(properties);
    if (filtered)
        return MNP_FAIL(MNP_ERR_UNSUPPORTED, "%s is compressed, and cannot be changed in place", what);
    if (axis >= ndim)
        return MNP_FAIL(MNP_ERR_ARG, "%s has %d dimensions, and cannot grow along dimension %d", what, ndim, axis);
    if (limit[axis] == extent[axis])
        return MNP_FAIL(MNP_ERR_UNSUPPORTED, "%s cannot grow along dimension %d: it was made for %" PRId64, what, axis,
                        (int64_t)limit[axis]);
    return MNP_OK;
}

static mnp_status check_append(const char *name, const mnp__h5_place *place, int axis)
{
    struct stat status;
    hid_t file, object;
    if (stat(name, &status) != 0 || status.st_size == 0)
        return MNP_OK;
    MNP_TRY(mnp__h5_open(name, &file));
    mnp_status st = MNP_OK;
    object = H5Oopen(file, place->dataset, H5P_DEFAULT);
    if (object >= 0 && H5Iget_type(object) != H5I_DATASET)
        st = MNP_FAIL(MNP_ERR_ARG, "%s is not a dataset", place->text);
    else if (object >= 0)
        st = check_growth(object, place->text, axis == MNP_H5_NEW_AXIS ? 0 : axis);
    if (object >= 0)
        H5Oclose(object);
    mnp__h5_close_file(file);
    return st;
}

mnp_status mnp_h5_check_append(mnp_ctx *ctx, const char *file, const char *dataset, int axis)
{
    MNP_ENTER(ctx, file, dataset);
    mnp__h5_place place;
    mnp__h5_printing printing;
    if (axis < MNP_H5_NEW_AXIS || axis >= MNP_MAX_DIMS)
        return MNP_FAIL(MNP_ERR_ARG, "nothing can be appended along dimension %d", axis);
    MNP_TRY(mnp_h5_check_write(ctx, file, dataset));
    MNP_TRY(mnp__h5_place_new(file, dataset, &place));
    mnp__h5_printing_off(&printing);
    mnp_status st = MNP_AGREE(ctx, ctx->comm.rank == 0 ? check_append(file, &place, axis) : MNP_OK);
    mnp__h5_printing_restore(&printing);
    mnp__h5_place_free(&place);
    return st;
}

/* ---- values, on all ranks ---- */

static mnp_status open_for_values(const mnp_h5_file *file, mnp__plain_file *opened)
{
    *opened = (mnp__plain_file){.name = file->name, .descriptor = open(file->name, O_RDWR | O_CLOEXEC)};
    if (opened->descriptor >= 0 && file->later)
        opened->behind = mnp__write_behind_start();
    return opened->descriptor >= 0
               ? MNP_OK
               : MNP_FAIL(MNP_ERR_IO,
                          "rank 0 can write '%s' but rank %d cannot: %s; the folder must be one that all ranks share",
                          file->name, file->ctx->comm.rank, strerror(errno));
}

static mnp_status write_values(struct job *job)
{
    mnp_ctx *ctx = job->file->ctx;
    mnp__plain_file *opened = &job->file->values;
    /* what is on its way in the background is that of one call at most */
    mnp_status st = opened->descriptor < 0 ? open_for_values(job->file, opened) : mnp__plain_file_catch_up(opened);
    st = MNP_AGREE(ctx, st);
    for (int i = 0; st == MNP_OK && i < job->nparts; i++) {
        struct part *part = &job->parts[i];
        MNP_TRY_OR(mnp__h5_raw_share(ctx, &part->raw), st, close);
        MNP_TRY_OR(mnp__broadcast(&ctx->comm, &part->selection, sizeof part->selection, 0), st, close);
        st = mnp__h5_raw_write(part->array, &part->selection, &part->raw, opened);
    }
    if (st == MNP_OK && !job->file->later)
        st = MNP_AGREE(ctx, mnp__plain_file_sync(opened));
close:
    if (!job->file->later)
        mnp__plain_file_close(opened);
    else if (st != MNP_OK) { /* what is on its way goes to space that rank 0 gives back */
        (void)mnp__plain_file_catch_up(opened);
        st = MNP_AGREE(ctx, st);
    }
    return st;
}

/* ---- a change ---- */

static mnp_status change(struct job *job)
{
    mnp_ctx *ctx = job->file->ctx;
    const bool first = ctx->comm.rank == 0;
    mnp_status st = MNP_AGREE(ctx, first ? prepare(job) : MNP_OK);
    if (st == MNP_OK && job->nparts > 0)
        st = write_values(job);
    if (st == MNP_OK)
        st = MNP_AGREE(ctx, first ? mnp__h5_session_commit(&job->session) : MNP_OK);
    if (first)
        mnp__h5_session_end(&job->session);
    return st;
}

static mnp_status run(struct job *job)
{
    mnp__h5_printing printing;
    struct sigaction ignore = {.sa_handler = SIG_IGN}, previous;
    job->session = (mnp__h5_session){.opened = MNP__PLAIN_FILE_CLOSED, .file = H5I_INVALID_HID};
    if (!job->file->writable)
        return MNP_FAIL(MNP_ERR_ARG, "'%s' was opened for reading alone", job->file->name);
    mnp__h5_printing_off(&printing);
    sigaction(SIGXFSZ, &ignore, &previous); /* exceeding the limit of file sizes is an error, and ends no process */
    mnp_status st = change(job);
    sigaction(SIGXFSZ, &previous, NULL);
    mnp__h5_printing_restore(&printing);
    return st;
}

static void free_parts(struct job *job)
{
    for (int i = 0; i < job->nparts; i++) {
        mnp__h5_place_free(&job->parts[i].place);
        mnp__input_close(&job->parts[i].input);
        mnp__h5_raw_free(&job->parts[i].raw);
        free(job->parts[i].fills.list);
    }
    free(job->parts);
}

/* Make the names and the dense arrays of the parts.  The caller frees them, also on failure.  Collective. */
static mnp_status make_parts(struct job *job, const char *function, int count, const mnp_h5_item *items)
{
    for (int i = 0; i < count; i++) {
        const int ndim = mnp_array_ndim(items[i].array);
        MNP_TRY(mnp__array_check_blocks(function, items[i].array));
        if (!job->start && job->axis == MNP_H5_NEW_AXIS ? ndim == MNP_MAX_DIMS : !job->start && job->axis >= ndim)
            return MNP_FAIL(MNP_ERR_ARG, "%s: the array for '%s' has %d dimensions, and cannot be appended along %s",
                            function, items[i].dataset ? items[i].dataset : "", ndim,
                            job->axis < 0 ? "a new one" : "one that it does not have");
    }
    MNP_TRY(MNP_AGREE(job->file->ctx, mnp__calloc((size_t)count, sizeof *job->parts, &job->parts)));
    for (int i = 0; i < count; i++) {
        struct part *part = &job->parts[i];
        MNP_TRY(mnp__h5_place_new(job->file->name, items[i].dataset, &part->place));
        job->nparts = i + 1;
        MNP_TRY(mnp__input_open(items[i].array, NULL, MNP_DTYPE_AUTO, MNP__INPUT_DENSE, &part->input));
        part->array = part->input.array;
        for (int before = 0; before < i; before++)
            if (strcmp(job->parts[before].place.dataset, part->place.dataset) == 0)
                return MNP_FAIL(MNP_ERR_ARG, "%s: %s is named twice", function, part->place.text);
    }
    return MNP_OK;
}

mnp_status mnp_h5_file_append(mnp_h5_file *file, int axis, int count, const mnp_h5_item *items, int nattributes,
                              const mnp_h5_attribute *attributes)
{
    MNP_ENTER(file);
    MNP_NEED_IF(count > 0, items);
    MNP_NEED_IF(nattributes > 0, attributes);
    struct job job = {.file = file, .axis = axis, .nattributes = nattributes, .attributes = attributes};
    if (count < 0 || axis < MNP_H5_WHOLE)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_h5_file_append: %d arrays are to be appended along dimension %d", count,
                        axis);
    mnp_status st = make_parts(&job, "mnp_h5_file_append", count, items);
    if (st == MNP_OK)
        st = run(&job);
    free_parts(&job);
    return st;
}

mnp_status mnp_h5_file_write(mnp_h5_file *file, const char *dataset, const int64_t *start, const mnp_array *array)
{
    MNP_ENTER(file, dataset, array);
    const int64_t origin[MNP_MAX_DIMS] = {0};
    struct job job = {.file = file, .axis = MNP_H5_NEW_AXIS, .start = start ? start : origin};
    mnp_status st = make_parts(&job, "mnp_h5_file_write", 1, &(mnp_h5_item){dataset, array});
    if (st == MNP_OK)
        st = run(&job);
    free_parts(&job);
    return st;
}

mnp_status mnp_h5_file_set_attributes(mnp_h5_file *file, int count, const mnp_h5_attribute *attributes)
{
    MNP_ENTER(file);
    MNP_NEED_IF(count > 0, attributes);
    struct job job = {.file = file, .nattributes = count, .attributes = attributes};
    return run(&job);
}

/* ---- making datasets ---- */

static mnp_status create(mnp_h5_file *file, const mnp__h5_place *place, mnp_dtype dtype, int ndim, const int64_t *shape,
                         int axis)
{
    mnp__h5_session session;
    mnp_status st = mnp__h5_session_begin(file->name, &session);
    if (st == MNP_OK)
        st = make_new(session.file, place, dtype, ndim, shape, axis);
    if (st == MNP_OK)
        st = mnp__h5_session_prepare(&session);
    if (st == MNP_OK)
        st = mnp__h5_session_commit(&session);
    mnp__h5_session_end(&session);
    return st;
}

mnp_status mnp_h5_file_create(mnp_h5_file *file, const char *dataset, mnp_dtype dtype, int ndim, const int64_t *shape,
                              int axis)
{
    MNP_ENTER(file, dataset);
    MNP_NEED_IF(ndim > 0, shape);
    mnp__h5_place place;
    mnp__h5_printing printing;
    if (!file->writable)
        return MNP_FAIL(MNP_ERR_ARG, "'%s' was opened for reading alone", file->name);
    if (ndim < 0 || ndim > MNP_MAX_DIMS || mnp_dtype_size(dtype) == 0 || axis >= ndim)
        return MNP_FAIL(MNP_ERR_ARG, "mnp_h5_file_create: there is no dataset of %d dimensions that grows along %d",
                        ndim, axis);
    for (int d = 0; d < ndim; d++)
        if (shape[d] < 0)
            return MNP_FAIL(MNP_ERR_ARG, "mnp_h5_file_create: the extent along dimension %d is %" PRId64, d, shape[d]);
    MNP_TRY(mnp__h5_place_new(file->name, dataset, &place));
    mnp__h5_printing_off(&printing);
    mnp_status st = MNP_AGREE(
        file->ctx, file->ctx->comm.rank == 0 ? create(file, &place, dtype, ndim, shape, axis < 0 ? -1 : axis) : MNP_OK);
    mnp__h5_printing_restore(&printing);
    mnp__h5_place_free(&place);
    return st;
}
