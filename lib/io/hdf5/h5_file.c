/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finding a dataset.  Rank 0 opens it with HDF5's serial driver, which does not wait for other ranks and reports
 * reasons, and broadcasts what it found; only then do all ranks open the file together.  So a missing file or dataset
 * is an ordinary error on all ranks, and never a hang in a collective call.  It costs one open and close of the file
 * more.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/integer.h"
#include "base/process/leftovers.h"
#include "base/status.h"
#include "base/text.h"
#include "comm/pulse.h"
#include "io/commit.h"
#include "io/hdf5/h5.h"
#include "io/hdf5/h5_walk.h"

const char *mnp_h5_version(void)
{
    static _Thread_local char version[32];
    unsigned major, minor, patch;
    if (H5get_libversion(&major, &minor, &patch) < 0)
        return "unknown";
    snprintf(version, sizeof version, "%u.%u.%u", major, minor, patch);
    return version;
}

/* The path from the root with one slash before each part: HDF5 ignores repeated slashes and parts named ".". */
static mnp_status normalise(const char *dataset, char **normal_p)
{
    mnp__text text = MNP__TEXT_EMPTY;
    for (const char *part = dataset; *part; part += strspn(part, "/")) {
        size_t length = strcspn(part, "/");
        if (length > 0 && !(length == 1 && *part == '.')) {
            mnp__text_add(&text, "/");
            mnp__text_add_bytes(&text, part, length);
        }
        part += length;
    }
    mnp_status st = mnp__text_status(&text);
    if (st == MNP_OK && text.length == 0)
        st = MNP_FAIL(MNP_ERR_ARG, "'%s' names no dataset", dataset);
    if (st != MNP_OK)
        mnp__text_free(&text);
    else
        *normal_p = text.data;
    return st;
}

mnp_status mnp__h5_place_new(const char *file, const char *dataset, mnp__h5_place *place)
{
    if (!file || !*file)
        return MNP_FAIL(MNP_ERR_ARG, "the name of the HDF5 file is missing");
    if (!dataset)
        return MNP_FAIL(MNP_ERR_ARG, "the name of the dataset in '%s' is missing", file);
    mnp_status st = MNP_OK;
    mnp__text text = MNP__TEXT_EMPTY;
    *place = (mnp__h5_place){NULL, NULL, NULL};
    MNP_TRY_OR(mnp__strdup(file, &place->file), st, failed);
    MNP_TRY_OR(normalise(dataset, &place->dataset), st, failed);
    mnp__text_add(&text, "'%s' in '%s'", place->dataset, file);
    place->text = text.data;
    MNP_TRY_OR(mnp__text_status(&text), st, failed);
    return MNP_OK;
failed:
    mnp__h5_place_free(place);
    return st;
}

void mnp__h5_place_free(mnp__h5_place *place)
{
    free(place->file);
    free(place->dataset);
    free(place->text);
    *place = (mnp__h5_place){NULL, NULL, NULL};
}

bool mnp__h5_identify(hid_t object, mnp__h5_identity *identity)
{
    H5O_info_t info;
    memset(identity, 0, sizeof *identity);
#if H5_VERSION_GE(1, 12, 0)
    if (H5Oget_info3(object, &info, H5O_INFO_BASIC) < 0)
        return false;
    memcpy(identity->object, &info.token, sizeof info.token);
#else
    if (H5Oget_info2(object, &info, H5O_INFO_BASIC) < 0)
        return false;
    memcpy(identity->object, &info.addr, sizeof info.addr);
#endif
    identity->file = info.fileno;
    return true;
}

/* Open the object at a place.  If this returns true the caller closes *file_p and *object_p. */
static bool open_object(const mnp__h5_place *place, hid_t *file_p, hid_t *object_p)
{
    struct stat status;
    if (stat(place->file, &status) != 0 || !S_ISREG(status.st_mode))
        return false;
    *file_p = mnp__h5_open_file(place->file, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (*file_p < 0)
        return false;
    *object_p = H5Oopen(*file_p, place->dataset, H5P_DEFAULT);
    if (*object_p < 0)
        mnp__h5_close_file(*file_p);
    return *object_p >= 0;
}

static bool is_same(const mnp__h5_place *a, const mnp__h5_place *b)
{
    hid_t files[2], objects[2];
    mnp__h5_identity first, second;
    bool same = false;
    if (!open_object(a, &files[0], &objects[0]))
        return false;
    if (open_object(b, &files[1], &objects[1])) {
        same = mnp__h5_identify(objects[0], &first) && mnp__h5_identify(objects[1], &second) &&
               memcmp(&first, &second, sizeof first) == 0;
        H5Oclose(objects[1]);
        mnp__h5_close_file(files[1]);
    }
    H5Oclose(objects[0]);
    mnp__h5_close_file(files[0]);
    return same;
}

mnp_status mnp_h5_is_same(const char *file_a, const char *dataset_a, const char *file_b, const char *dataset_b,
                          bool *same_p)
{
    MNP_ENTER(file_a, dataset_a, file_b, dataset_b, same_p);
    mnp__h5_place a, b;
    mnp__h5_printing printing;
    MNP_TRY(mnp__h5_place_new(file_a, dataset_a, &a));
    mnp_status st = mnp__h5_place_new(file_b, dataset_b, &b);
    if (st == MNP_OK) {
        mnp__h5_printing_off(&printing);
        *same_p = is_same(&a, &b);
        mnp__h5_printing_restore(&printing);
        mnp__h5_place_free(&b);
    }
    mnp__h5_place_free(&a);
    return st;
}

/* A message lists so many datasets, the ends of paths that are longer, and looks at so many objects. */
enum { LISTED = 8, LONGEST_PATH = 60, LOOKED_AT = 10000 };

struct list {
    mnp__text text;
    int found, looked_at;
};

static mnp_status list_dataset(mnp__h5_visit *visit, void *context)
{
    struct list *list = context;
    const size_t length = strlen(visit->path), left_out = length > LONGEST_PATH ? length - LONGEST_PATH : 0;
    if (visit->type == H5I_DATASET && ++list->found <= LISTED)
        mnp__text_add(&list->text, "%s%s%s", list->found > 1 ? ", " : "the file has ", left_out > 0 ? "..." : "",
                      visit->path + left_out);
    visit->ends = ++list->looked_at == LOOKED_AT;
    return MNP_OK;
}

/* The file's datasets for a message: "the file has /a, /b and 3 more". */
static mnp_status list_datasets(hid_t file, const char *name, char **text_p)
{
    struct list list = {MNP__TEXT_EMPTY, 0, 0};
    mnp_status st = mnp__h5_walk(file, name, list_dataset, &list);
    const bool all = list.looked_at < LOOKED_AT;
    if (list.found == 0)
        mnp__text_add(&list.text, all ? "the file has no datasets" : "the file has many objects");
    else if (!all)
        mnp__text_add(&list.text, " and many more");
    else if (list.found > LISTED)
        mnp__text_add(&list.text, " and %d more", list.found - LISTED);
    if (st == MNP_OK)
        st = mnp__text_status(&list.text);
    if (st != MNP_OK)
        mnp__text_free(&list.text);
    else
        *text_p = list.text.data;
    return st;
}

/* Record that the dataset does not exist, and list the datasets that do. */
static mnp_status fail_naming_others(hid_t file, const mnp__h5_place *place, const char *trouble)
{
    char *others = NULL;
    MNP_TRY(list_datasets(file, place->file, &others));
    mnp_status st = MNP_FAIL(MNP_ERR_IO, "%s %s; %s", place->text, trouble, others);
    free(others);
    return st;
}

mnp_status mnp__h5_open_object(hid_t file, const mnp__h5_place *place, hid_t *object_p)
{
    hid_t object = H5Oopen(file, place->dataset, H5P_DEFAULT);
    if (object < 0) {
        const char *why = mnp__h5_reason();
        if (strstr(why, "doesn't exist") || strstr(why, "not found"))
            return fail_naming_others(file, place, "does not exist");
        return MNP_FAIL(MNP_ERR_IO, "cannot open %s: %s", place->text, why);
    }
    *object_p = object;
    return MNP_OK;
}

static mnp_status open_dataset(hid_t file, const mnp__h5_place *place, hid_t *dataset_p)
{
    hid_t object;
    MNP_TRY(mnp__h5_open_object(file, place, &object));
    H5I_type_t type = H5Iget_type(object);
    if (type == H5I_DATASET) {
        *dataset_p = object;
        return MNP_OK;
    }
    H5Oclose(object);
    if (type == H5I_GROUP)
        return fail_naming_others(file, place, "is a group, not a dataset");
    return MNP_FAIL(MNP_ERR_IO, "%s is a type, not a dataset", place->text);
}

static mnp_status find_shape(hid_t dataset, const char *what, mnp_h5_info *info)
{
    hsize_t extent[H5S_MAX_RANK] = {0};
    hid_t space = H5Dget_space(dataset);
    if (space < 0)
        return MNP_FAIL(MNP_ERR_IO, "cannot read the shape of %s: %s", what, mnp__h5_reason());
    H5S_class_t class = H5Sget_simple_extent_type(space);
    int ndim = H5Sget_simple_extent_dims(space, extent, NULL);
    H5Sclose(space);
    if (class == H5S_NULL)
        return MNP_FAIL(MNP_ERR_UNSUPPORTED, "%s has no shape: it was stored as empty, without values", what);
    if (ndim > MNP_MAX_DIMS)
        return MNP_FAIL(MNP_ERR_UNSUPPORTED, "%s has %d dimensions, more than %d", what, ndim, MNP_MAX_DIMS);
    info->ndim = ndim;
    for (int d = 0; d < ndim; d++)
        info->shape[d] = (int64_t)extent[d];
    return MNP_OK;
}

static mnp_status check_filters(hid_t properties, const char *what, bool *filtered_p)
{
    int count = H5Pget_nfilters(properties);
    for (int i = 0; i < count; i++) {
        char name[64] = "";
        unsigned flags, config;
        size_t values = 0;
        H5Z_filter_t filter =
            H5Pget_filter2(properties, (unsigned)i, &flags, &values, NULL, sizeof name, name, &config);
        if (filter >= 0 && H5Zfilter_avail(filter) <= 0)
            return MNP_FAIL(MNP_ERR_UNSUPPORTED,
                            "%s is stored with filter %d%s%.60s%s, which this HDF5 does not have: install its plug-in, "
                            "set HDF5_PLUGIN_PATH to its folder, or store the data with gzip",
                            what, (int)filter, *name ? " (" : "", name, *name ? ")" : "");
    }
    *filtered_p = count > 0;
    return MNP_OK;
}

/*
 * Find out the chunks, the filters, and whether the file has space for every element.  H5Dget_storage_size() walks the
 * whole index of the chunks, so a damaged index is found here by rank 0 alone, and not by one of many ranks in the
 * middle of a collective call.
 */
static mnp_status find_storage(hid_t dataset, const char *what, mnp__h5_source *source)
{
    mnp_status st = MNP_OK;
    hsize_t chunk[H5S_MAX_RANK];
    hid_t properties = H5Dget_create_plist(dataset);
    if (properties < 0)
        return MNP_FAIL(MNP_ERR_IO, "cannot read how %s is stored: %s", what, mnp__h5_reason());
    H5D_layout_t layout = H5Pget_layout(properties);
    MNP_TRY_OR(check_filters(properties, what, &source->filtered), st, close);

    H5Eclear2(H5E_DEFAULT);
    hsize_t stored = H5Dget_storage_size(dataset);
    if (stored == 0 && H5Eget_num(H5E_DEFAULT) > 0) {
        st = MNP_FAIL(MNP_ERR_IO, "cannot read where %s is stored: %s", what, mnp__h5_reason());
        goto close;
    }
    hid_t type = H5Dget_type(dataset);
    hsize_t needed = H5Tget_size(type);
    H5Tclose(type);
    source->chunked = layout == H5D_CHUNKED;
    if (source->chunked)
        H5Pget_chunk(properties, H5S_MAX_RANK, chunk);
    for (int d = 0; d < source->info.ndim; d++) {
        source->chunk[d] = layout == H5D_CHUNKED ? (int64_t)chunk[d] : 1;
        needed *= (hsize_t)mnp__round_up(source->info.shape[d], source->chunk[d]);
    }
    source->whole = !source->filtered && (layout == H5D_CHUNKED || layout == H5D_CONTIGUOUS) && stored >= needed;
close:
    H5Pclose(properties);
    return st;
}

/*
 * Wait for a process that is changing the file (io/commit.h), which takes milliseconds, and complete what one that was
 * killed has left.
 */
static mnp_status wait_for_writer(const char *path)
{
    mnp__plain_file file;
    MNP_TRY(mnp__commit_complete(path));
    MNP_TRY(mnp__plain_file_open(path, &file));
    mnp_status st = mnp__commit_lock(&file, false);
    mnp__plain_file_close(&file);
    return st;
}

mnp_status mnp__h5_open(const char *path, hid_t *file_p)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return MNP_FAIL(MNP_ERR_IO, "cannot read '%s': %s", path, strerror(errno));
    if (S_ISDIR(status.st_mode))
        return MNP_FAIL(MNP_ERR_IO, "'%s' is a folder, not an HDF5 file", path);
    if (!S_ISREG(status.st_mode)) /* opening a pipe would wait for a writer */
        return MNP_FAIL(MNP_ERR_IO, "'%s' is not a regular file, and so not an HDF5 file", path);
    if (access(path, R_OK) != 0)
        return MNP_FAIL(MNP_ERR_IO, "cannot read '%s': %s", path, strerror(errno));
    *file_p = mnp__h5_open_file(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (*file_p < 0) {
        MNP_TRY(wait_for_writer(path));
        *file_p = mnp__h5_open_file(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    }
    return *file_p < 0 ? mnp__h5_fail_open(path) : MNP_OK;
}

static mnp_status inspect(const mnp__h5_place *place, mnp__h5_source *source)
{
    mnp_status st = MNP_OK;
    hid_t file, dataset = H5I_INVALID_HID;
    mnp__h5_type type;
    MNP_TRY(mnp__h5_open(place->file, &file));
    MNP_TRY_OR(open_dataset(file, place, &dataset), st, close);
    MNP_TRY_OR(find_shape(dataset, place->text, &source->info), st, close);
    MNP_TRY_OR(mnp__h5_type_open(dataset, place->text, &type), st, close);
    source->info.dtype = type.dtype;
    mnp__h5_type_close(&type);
    st = find_storage(dataset, place->text, source);
close:
    if (dataset >= 0)
        H5Dclose(dataset);
    mnp__h5_close_file(file);
    return st;
}

mnp_status mnp__h5_inspect(mnp_ctx *ctx, const mnp__h5_place *place, mnp__h5_source *source)
{
    *source = (mnp__h5_source){.whole = false};
    MNP_TRY(MNP_AGREE(ctx, ctx->comm.rank == 0 ? inspect(place, source) : MNP_OK));
    return mnp__broadcast(&ctx->comm, source, sizeof *source, 0);
}

mnp_status mnp_h5_inspect(mnp_ctx *ctx, const char *file, const char *dataset, mnp_h5_info *info_p)
{
    MNP_ENTER(ctx, file, dataset, info_p);
    mnp__h5_place place;
    mnp__h5_source source;
    mnp__h5_printing printing;
    MNP_TRY(mnp__h5_place_new(file, dataset, &place));
    mnp__h5_printing_off(&printing);
    mnp_status st = mnp__h5_inspect(ctx, &place, &source);
    mnp__h5_printing_restore(&printing);
    mnp__h5_place_free(&place);
    if (st == MNP_OK)
        *info_p = source.info;
    return st;
}

/* A property list for MPI-IO; -1 on failure. */
static hid_t new_access(const mnp_ctx *ctx)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    if (access < 0)
        return H5I_INVALID_HID;
    if (H5Pset_fapl_mpio(access, ctx->comm.mpi, MPI_INFO_NULL) >= 0 &&
        H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) >= 0)
        return access;
    H5Pclose(access);
    return H5I_INVALID_HID;
}

/*
 * Whether Open MPI can open a path.  Two of its three kinds of shared file pointers, which nobody here uses, end the
 * process or fail where a path is long, and those it chooses by itself.  It looks at the variable when it opens the
 * first file of the process.  The third kind has a cost too, further files of every rank, so it is for long paths
 * alone.
 */
static bool can_be_opened(const char *path)
{
#ifdef OPEN_MPI
    enum { LONG = 200 };
    static const char variable[] = "OMPI_MCA_sharedfp";
    static bool one_was_opened;
    const char *kind = getenv(variable);
    if (strlen(path) > LONG && !kind && one_was_opened) {
        H5Eclear2(H5E_DEFAULT);
        H5Epush2(H5E_DEFAULT, __FILE__, __func__, __LINE__, H5E_ERR_CLS, H5E_FILE, H5E_CANTOPENFILE,
                 "Open MPI takes no path of more than %d characters after a shorter one, unless %s=individual is set",
                 LONG, variable);
        return false;
    }
    if (strlen(path) > LONG)
        setenv(variable, "individual", 0);
    one_was_opened = true;
#else
    (void)path;
#endif
    return true;
}

hid_t mnp__h5_open_parallel(mnp_ctx *ctx, const char *path, const char *name, unsigned flags)
{
    if (!can_be_opened(path))
        return H5I_INVALID_HID;
    char locktest[PATH_MAX + 32]; /* Open MPI makes this file, tries locks on it and removes it, for readers too */
    snprintf(locktest, sizeof locktest, "%s.locktest.%d", path, ctx->comm.rank);
    mnp__pulse_enter(ctx->comm.pulse, "opening the file", name);
    mnp__leftover_guard(locktest);
    hid_t access = new_access(ctx); /* HDF5 duplicates the communicator */
    hid_t file = mnp__h5_open_file(path, flags, access);
    if (access >= 0)
        H5Pclose(access);
    mnp__leftover_release(locktest);
    mnp__pulse_leave(ctx->comm.pulse);
    return file;
}

herr_t mnp__h5_close_parallel(mnp_ctx *ctx, hid_t file, const char *name)
{
    mnp__pulse_enter(ctx->comm.pulse, "closing the file", name);
    herr_t done = mnp__h5_close_file(file);
    mnp__pulse_leave(ctx->comm.pulse);
    return done;
}
