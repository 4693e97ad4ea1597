/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The driver, as HDF5's "Virtual File Layer" describes it, and the pages that it has written to.
 */
#include "io/hdf5/h5_overlay.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

#include "base/hash.h"
#include "base/status.h"

enum { PAGE = 4096, NEAR = 32 /* written, but equal bytes between two runs that are patched as one */ };

/* A page of the file that has been written to. */
typedef struct page {
    int64_t number;                          /* -1: an empty place of the table */
    unsigned char *before, *after, *written; /* the file's bytes; HDF5's; 1 for each of which HDF5 has written */
} page;

struct mnp__h5_overlay {
    hid_t driver; /* registered as long as the overlay is there */
    int descriptor;
    int64_t bytes;    /* the file's size */
    haddr_t eoa, eof; /* the end of what HDF5 has allocated; of what it may read */
    page *table;      /* a hash table, at most half full */
    int64_t places, used;
    bool drops;
    int64_t dropped; /* where the last values that were dropped belong; -1: none */
};

/* ---- pages ---- */

static page *find_page(page *table, int64_t places, int64_t number)
{
    uint64_t at = mnp__hash(MNP__HASH_START, &number, sizeof number) % (uint64_t)places;
    while (table[at].number >= 0 && table[at].number != number)
        at = (at + 1) % (uint64_t)places;
    return &table[at];
}

static bool enlarge(mnp__h5_overlay *overlay)
{
    const int64_t places = overlay->places > 0 ? 2 * overlay->places : 64;
    page *table = malloc((size_t)places * sizeof *table);
    if (!table)
        return false;
    for (int64_t i = 0; i < places; i++)
        table[i].number = -1;
    for (int64_t i = 0; i < overlay->places; i++)
        if (overlay->table[i].number >= 0)
            *find_page(table, places, overlay->table[i].number) = overlay->table[i];
    free(overlay->table);
    overlay->table = table;
    overlay->places = places;
    return true;
}

/* Read bytes of the file; beyond its end they are 0. */
static bool read_file(const mnp__h5_overlay *overlay, int64_t offset, size_t size, unsigned char *to)
{
    size_t done = 0;
    while (done < size) {
        const ssize_t got = pread(overlay->descriptor, to + done, size - done, (off_t)(offset + (int64_t)done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return false;
        if (got == 0)
            break;
        done += (size_t)got;
    }
    memset(to + done, 0, size - done);
    return true;
}

/* The page of that number, made on its first use; NULL without memory, or if the file cannot be read. */
static page *take_page(mnp__h5_overlay *overlay, int64_t number)
{
    if (2 * overlay->used >= overlay->places && !enlarge(overlay))
        return NULL;
    page *found = find_page(overlay->table, overlay->places, number);
    if (found->number >= 0)
        return found;
    unsigned char *memory = calloc(3, PAGE);
    if (!memory || !read_file(overlay, number * PAGE, PAGE, memory)) {
        free(memory);
        return NULL;
    }
    memcpy(memory + PAGE, memory, PAGE);
    *found = (page){number, memory, memory + PAGE, memory + 2 * (size_t)PAGE};
    overlay->used++;
    return found;
}

/* ---- the driver ---- */

/* What HDF5 knows of an open file; the overlay outlives it. */
typedef struct driver_file {
    H5FD_t pub; /* first: HDF5's own */
    mnp__h5_overlay *overlay;
} driver_file;

static mnp__h5_overlay *overlay_of(const H5FD_t *file)
{
    return ((const driver_file *)file)->overlay;
}

static H5FD_t *driver_open(const char *name, unsigned flags, hid_t access_list, haddr_t most)
{
    (void)name, (void)flags, (void)most;
    mnp__h5_overlay *const *overlay = H5Pget_driver_info(access_list);
    driver_file *file = overlay ? calloc(1, sizeof *file) : NULL;
    if (!file)
        return NULL;
    file->overlay = *overlay;
    return &file->pub;
}

static herr_t driver_close(H5FD_t *file)
{
    free(file);
    return 0;
}

/* Two overlays are two files, even of the same file. */
static int driver_compare(const H5FD_t *a, const H5FD_t *b)
{
    const uintptr_t x = (uintptr_t)overlay_of(a), y = (uintptr_t)overlay_of(b);
    return x < y ? -1 : x > y;
}

static herr_t driver_query(const H5FD_t *file, unsigned long *flags)
{
    (void)file;
    *flags = H5FD_FEAT_AGGREGATE_METADATA;
    return 0;
}

static haddr_t driver_get_eoa(const H5FD_t *file, H5FD_mem_t type)
{
    (void)type;
    return overlay_of(file)->eoa;
}

static herr_t driver_set_eoa(H5FD_t *file, H5FD_mem_t type, haddr_t end)
{
    (void)type;
    overlay_of(file)->eoa = end;
    return 0;
}

static haddr_t driver_get_eof(const H5FD_t *file, H5FD_mem_t type)
{
    (void)type;
    return overlay_of(file)->eof;
}

static herr_t driver_read(H5FD_t *file, H5FD_mem_t type, hid_t properties, haddr_t from, size_t size, void *buffer)
{
    (void)type, (void)properties;
    const mnp__h5_overlay *overlay = overlay_of(file);
    unsigned char *to = buffer;
    if (!read_file(overlay, (int64_t)from, size, to))
        return -1;
    for (int64_t at = (int64_t)from, end = (int64_t)(from + size); at < end && overlay->places > 0;) {
        const int64_t number = at / PAGE, next = (number + 1) * PAGE < end ? (number + 1) * PAGE : end;
        const page *found = find_page(overlay->table, overlay->places, number);
        if (found->number >= 0)
            memcpy(to + (at - (int64_t)from), found->after + at % PAGE, (size_t)(next - at));
        at = next;
    }
    return 0;
}

static herr_t driver_write(H5FD_t *file, H5FD_mem_t type, hid_t properties, haddr_t to, size_t size, const void *buffer)
{
    (void)properties;
    mnp__h5_overlay *overlay = overlay_of(file);
    const unsigned char *from = buffer;
    if (to + size > overlay->eof)
        overlay->eof = to + size;
    if (overlay->drops && type == H5FD_MEM_DRAW) {
        overlay->dropped = (int64_t)to;
        return 0;
    }
    for (int64_t at = (int64_t)to, end = (int64_t)(to + size); at < end;) {
        const int64_t number = at / PAGE, next = (number + 1) * PAGE < end ? (number + 1) * PAGE : end;
        page *found = take_page(overlay, number);
        if (!found)
            return -1;
        memcpy(found->after + at % PAGE, from + (at - (int64_t)to), (size_t)(next - at));
        memset(found->written + at % PAGE, 1, (size_t)(next - at));
        at = next;
    }
    return 0;
}

static herr_t driver_flush(H5FD_t *file, hid_t properties, hbool_t closing)
{
    (void)file, (void)properties, (void)closing;
    return 0;
}

/* The end of the file is where HDF5 has allocated space up to; io/commit.h sets its size. */
static herr_t driver_truncate(H5FD_t *file, hid_t properties, hbool_t closing)
{
    (void)properties, (void)closing;
    overlay_of(file)->eof = overlay_of(file)->eoa;
    return 0;
}

static const H5FD_class_t driver = {
#if H5_VERSION_GE(1, 13, 0)
    .version = H5FD_CLASS_VERSION,
    .value = (H5FD_class_value_t)600, /* of those that HDF5 leaves to others, for use in one place */
#endif
    .name = "maniple overlay",
    .maxaddr = (haddr_t)INT64_MAX,
    .fc_degree = H5F_CLOSE_STRONG,
    .fapl_size = sizeof(mnp__h5_overlay *),
    .open = driver_open,
    .close = driver_close,
    .cmp = driver_compare,
    .query = driver_query,
    .get_eoa = driver_get_eoa,
    .set_eoa = driver_set_eoa,
    .get_eof = driver_get_eof,
    .read = driver_read,
    .write = driver_write,
    .flush = driver_flush,
    .truncate = driver_truncate,
    .fl_map = H5FD_FLMAP_DICHOTOMY, /* space that headers leave is not used for values: those are written at once */
};

/* ---- overlays ---- */

mnp_status mnp__h5_overlay_new(int descriptor, mnp__h5_overlay **overlay_p)
{
    struct stat status;
    mnp__h5_overlay *overlay;
    if (fstat(descriptor, &status) != 0)
        return MNP_FAIL(MNP_ERR_IO, "the size of a file cannot be found out: %s", strerror(errno));
    MNP_TRY(mnp__calloc(1, sizeof *overlay, &overlay));
    overlay->descriptor = descriptor;
    overlay->driver = H5I_INVALID_HID;
    overlay->bytes = (int64_t)status.st_size;
    overlay->eof = (haddr_t)status.st_size;
    *overlay_p = overlay;
    return MNP_OK;
}

void mnp__h5_overlay_free(mnp__h5_overlay *overlay)
{
    if (!overlay)
        return;
    for (int64_t i = 0; i < overlay->places; i++)
        if (overlay->table[i].number >= 0)
            free(overlay->table[i].before);
    free(overlay->table);
    if (overlay->driver >= 0) /* not before the file is closed: HDF5 reads the driver's table after letting it go */
        H5FDunregister(overlay->driver);
    free(overlay);
}

mnp_status mnp__h5_overlay_open(mnp__h5_overlay *overlay, const char *name, hid_t *file_p)
{
    const hid_t id = H5FDregister(&driver), access_list = H5Pcreate(H5P_FILE_ACCESS);
    overlay->driver = id;
    *file_p = H5I_INVALID_HID;
    if (id >= 0 && access_list >= 0 && H5Pset_driver(access_list, id, &overlay) >= 0 &&
        H5Pset_fclose_degree(access_list, H5F_CLOSE_STRONG) >= 0)
        *file_p = mnp__h5_open_file(name, H5F_ACC_RDWR, access_list);
    mnp_status st = *file_p < 0 ? mnp__h5_fail_open(name) : MNP_OK;
    if (access_list >= 0)
        H5Pclose(access_list);
    return st;
}

void mnp__h5_overlay_drop_values(mnp__h5_overlay *overlay)
{
    overlay->drops = true;
    overlay->dropped = -1;
}

int64_t mnp__h5_overlay_keep_values(mnp__h5_overlay *overlay)
{
    overlay->drops = false;
    return overlay->dropped;
}

int64_t mnp__h5_overlay_end(const mnp__h5_overlay *overlay)
{
    return (int64_t)overlay->eoa;
}

/* ---- patches ---- */

static int compare_pages(const void *a, const void *b)
{
    const int64_t x = (*(const page *const *)a)->number, y = (*(const page *const *)b)->number;
    return x < y ? -1 : x > y;
}

/* The runs of a page that are to be written, added to `patches` if that is not NULL; returns their number. */
static int64_t find_runs(const page *p, int64_t end, mnp__patch *patches)
{
    int64_t count = 0;
    int begin = -1, last = -1; /* the first and the last byte of the present run that differ */
    for (int i = 0; i <= PAGE; i++) {
        const bool written = i < PAGE && p->written[i];
        const bool differs = written && (p->before[i] != p->after[i] || p->number * PAGE + i >= end);
        if (begin >= 0 && (!written || (differs && i - last > NEAR))) {
            if (patches)
                patches[count] = (mnp__patch){p->number * PAGE + begin, (size_t)(last + 1 - begin), p->before + begin,
                                              p->after + begin};
            count++;
            begin = -1;
        }
        if (differs) {
            begin = begin < 0 ? i : begin;
            last = i;
        }
    }
    return count;
}

mnp_status mnp__h5_overlay_patches(const mnp__h5_overlay *overlay, int64_t end, int64_t *count_p,
                                   mnp__patch **patches_p)
{
    const page **pages;
    mnp__patch *patches;
    int64_t used = 0, count = 0, at = 0;
    MNP_TRY(mnp__malloc((size_t)overlay->used * sizeof *pages, &pages));
    for (int64_t i = 0; i < overlay->places; i++)
        if (overlay->table[i].number >= 0)
            pages[used++] = &overlay->table[i];
    qsort(pages, (size_t)used, sizeof *pages, compare_pages);
    for (int64_t i = 0; i < used; i++)
        count += find_runs(pages[i], end, NULL);
    mnp_status st = mnp__malloc((size_t)count * sizeof *patches, &patches);
    for (int64_t i = 0; st == MNP_OK && i < used; i++)
        at += find_runs(pages[i], end, patches + at);
    free(pages);
    MNP_TRY(st);
    *count_p = count;
    *patches_p = patches;
    return MNP_OK;
}
