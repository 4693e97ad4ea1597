/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writing TIFF files, without libtiff: after Adobe's TIFF 6.0, and
 * https://www.awaresystems.be/imaging/tiff/bigtiff.html
 *
 * A file begins with a header; then come the heads of all pages with their tables of strips, and then the elements,
 * page after page in C order and in this machine's order of bytes.  So where everything lies follows from the shape
 * alone.  Rank 0 writes all that comes before the elements.
 */
#include <config.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/integer.h"
#include "base/status.h"
#include "io/file_array.h"
#include "io/tiff/tiff.h"

enum { ALIGNMENT = 16, STRIP_BYTES = 1 << 20 };

/* Types of fields; a word has 8 bytes in BigTIFF, otherwise 4. */
enum { ASCII = 2, SHORT = 3, LONG = 4, RATIONAL = 5, LONG8 = 16 };

static const char software[] = "maniple " PACKAGE_VERSION;

struct job {
    mnp_dtype dtype;
    int64_t pages, rows, columns, samples;
    int64_t strip_rows, strips; /* of a page */
    int64_t page_bytes;
    bool big;
    int64_t word;
    int64_t fields, field_bytes, head_bytes; /* of a page's head */
    int64_t offset;                          /* where the elements begin */
};

/* The head of a page while it is made. */
struct head {
    const struct job *job;
    char *bytes;
    int64_t at;    /* where in the file it lies */
    int64_t field; /* where in `bytes` the next field goes, */
    int64_t extra; /* and the next values that do not fit into a field */
};

/* ---- where everything lies ---- */

/* The bytes of values beside their field; none if they fit into it. */
static int64_t beside(const struct job *job, int64_t bytes)
{
    return bytes <= job->word ? 0 : mnp__round_up(bytes, 8);
}

/* The size of a page's head: the number of fields, the fields, the place of the next head, and what lies beside. */
static void measure(struct job *job, bool big)
{
    job->big = big;
    job->word = big ? 8 : 4;
    job->fields = job->samples == 2 || job->samples > 3 ? 17 : 16;
    job->field_bytes = big ? 20 : 12;
    job->head_bytes = mnp__round_up((big ? 8 : 2) + job->fields * job->field_bytes + job->word, 8) +
                      2 * beside(job, job->strips * job->word) /* places and sizes of strips */
                      + 2 * beside(job, 2 * job->samples)      /* bits and format of each sample */
                      + beside(job, 2 * (job->samples - 1))    /* what samples beyond the colours are */
                      + 2 * beside(job, 8)                     /* resolutions */
                      + beside(job, (int64_t)sizeof software);
    job->offset = mnp__round_up(ALIGNMENT + job->pages * job->head_bytes, ALIGNMENT);
}

/* Find what is a page and what a sample.  False: the array has too few or too many dimensions. */
static bool split_shape(const mnp_array *array, const mnp_tiff_write_options *options, struct job *job)
{
    const int ndim = mnp_layout_ndim(array->layout);
    const int64_t *shape = mnp_layout_shape(array->layout);
    const bool likely = ndim > 2 && (shape[ndim - 1] == 3 || shape[ndim - 1] == 4) &&
                        (array->dtype == MNP_UINT8 || array->dtype == MNP_UINT16);
    const mnp_tiff_last last = options ? options->last : MNP_TIFF_LAST_AUTO;
    const bool samples = last == MNP_TIFF_LAST_AUTO ? likely : last == MNP_TIFF_LAST_SAMPLES;
    const int plane = ndim - samples; /* dimensions without the samples */
    if (plane < 2 || plane > 3)
        return false;
    job->dtype = array->dtype;
    job->pages = plane == 3 ? shape[0] : 1;
    job->rows = shape[plane - 2];
    job->columns = shape[plane - 1];
    job->samples = plane < ndim ? shape[plane] : 1;
    return true;
}

static mnp_status plan(const mnp_array *array, const mnp_tiff_write_options *options, struct job *job)
{
    const int64_t item = (int64_t)mnp_dtype_size(array->dtype);
    if (array->dtype == MNP_BOOL || array->dtype == MNP_BFLOAT16)
        return MNP_FAIL(MNP_ERR_UNSUPPORTED,
                        "TIFF files of %s are not written: convert it, such as to %s; written are integers of 8 to 64 "
                        "bits, floats of 16 to 64, and complex numbers",
                        mnp_dtype_name(array->dtype), array->dtype == MNP_BOOL ? "uint8" : "float32");
    if (!split_shape(array, options, job))
        return MNP_FAIL(MNP_ERR_ARG,
                        "a TIFF file has rows and columns, pages before them and samples behind them; this array has "
                        "%d dimension%s",
                        mnp_layout_ndim(array->layout), mnp_layout_ndim(array->layout) == 1 ? "" : "s");
    if (job->pages == 0 || job->rows == 0 || job->columns == 0 || job->samples == 0)
        return MNP_FAIL(MNP_ERR_ARG, "a TIFF file cannot have an image without pixels, and this array is empty");
    if (job->rows > INT32_MAX || job->columns > INT32_MAX || job->samples > UINT16_MAX)
        return MNP_FAIL(MNP_ERR_ARG,
                        "an image of %" PRId64 " x %" PRId64 " pixels of %" PRId64 " samples is too large for TIFF",
                        job->rows, job->columns, job->samples);
    const int64_t row = job->columns * job->samples * item;
    job->strip_rows = row < STRIP_BYTES ? STRIP_BYTES / row : 1;
    if (job->strip_rows > job->rows)
        job->strip_rows = job->rows;
    job->strips = mnp__divide_up(job->rows, job->strip_rows);
    job->page_bytes = row * job->rows;
    measure(job, options && options->bigtiff);
    if (!job->big && job->offset + job->pages * job->page_bytes > UINT32_MAX)
        measure(job, true);
    return MNP_OK;
}

/* ---- heads ---- */

/* Store a number of `size` bytes in this machine's order. */
static void store(char *to, int64_t size, uint64_t value)
{
    const uint16_t two = (uint16_t)value;
    const uint32_t four = (uint32_t)value;
    memcpy(to, size == 2 ? (const void *)&two : size == 4 ? (const void *)&four : (const void *)&value, (size_t)size);
}

/*
 * Add a field of `count` values of `size` bytes; the result is where they go.  Fields come in the order of their tags.
 */
static char *add_field(struct head *head, int tag, int type, int64_t count, int64_t size)
{
    const struct job *job = head->job;
    char *field = head->bytes + head->field, *value = field + 4 + job->word;
    store(field, 2, (uint64_t)tag);
    store(field + 2, 2, (uint64_t)type);
    store(field + 4, job->word, (uint64_t)count);
    head->field += job->field_bytes;
    if (count * size <= job->word)
        return value;
    store(value, job->word, (uint64_t)(head->at + head->extra));
    value = head->bytes + head->extra;
    head->extra += beside(job, count * size);
    return value;
}

/* A field of values that are all the same. */
static void add_shorts(struct head *head, int tag, int64_t count, int value)
{
    char *to = add_field(head, tag, SHORT, count, 2);
    for (int64_t i = 0; i < count; i++)
        store(to + 2 * i, 2, (uint64_t)value);
}

static void add_long(struct head *head, int tag, int64_t value)
{
    store(add_field(head, tag, LONG, 1, 4), 4, (uint64_t)value);
}

/* The places of a page's strips, or their sizes. */
static void add_strips(struct head *head, int tag, int64_t page, bool sizes)
{
    const struct job *job = head->job;
    const int64_t row = job->page_bytes / job->rows, strip = job->strip_rows * row;
    char *to = add_field(head, tag, job->big ? LONG8 : LONG, job->strips, job->word);
    for (int64_t i = 0; i < job->strips; i++) {
        const int64_t left = job->page_bytes - i * strip;
        const int64_t value = sizes ? mnp__min(left, strip) : job->offset + page * job->page_bytes + i * strip;
        store(to + i * job->word, job->word, (uint64_t)value);
    }
}

static void add_resolution(struct head *head, int tag)
{
    char *to = add_field(head, tag, RATIONAL, 1, 8);
    store(to, 4, 1);
    store(to + 4, 4, 1);
}

static void make_head(struct head *head, int64_t page)
{
    enum { ONE_OF_MANY = 2, BLACK_IS_ZERO = 1, RGB = 2, ALPHA = 2, UNSIGNED = 1, SIGNED = 2, FLOAT = 3, COMPLEX = 6 };
    const struct job *job = head->job;
    const char kind = mnp_dtype_kind(job->dtype);
    const int64_t count = job->big ? 8 : 2;
    const bool colours = job->samples == 3 || job->samples == 4;
    store(head->bytes, count, (uint64_t)job->fields);
    head->field = count;
    head->extra = mnp__round_up(count + job->fields * job->field_bytes + job->word, 8);
    add_long(head, 254, job->pages > 1 ? ONE_OF_MANY : 0); /* NewSubfileType */
    add_long(head, 256, job->columns);                     /* ImageWidth */
    add_long(head, 257, job->rows);                        /* ImageLength */
    add_shorts(head, 258, job->samples, (int)mnp_dtype_size(job->dtype) * 8);
    add_shorts(head, 259, 1, 1);                                       /* Compression: none */
    add_shorts(head, 262, 1, colours ? RGB : BLACK_IS_ZERO);           /* PhotometricInterpretation */
    add_strips(head, 273, page, false);                                /* StripOffsets */
    add_shorts(head, 277, 1, (int)job->samples);                       /* SamplesPerPixel */
    add_long(head, 278, job->strip_rows);                              /* RowsPerStrip */
    add_strips(head, 279, page, true);                                 /* StripByteCounts */
    add_resolution(head, 282);                                         /* XResolution */
    add_resolution(head, 283);                                         /* YResolution */
    add_shorts(head, 284, 1, 1);                                       /* PlanarConfiguration: samples side by side */
    add_shorts(head, 296, 1, 1);                                       /* ResolutionUnit: none */
    strcpy(add_field(head, 305, ASCII, sizeof software, 1), software); /* Software */
    if (job->samples == 4)
        add_shorts(head, 338, 1, ALPHA); /* ExtraSamples */
    else if (job->samples != 1 && job->samples != 3)
        add_shorts(head, 338, job->samples - 1, 0);
    add_shorts(head, 339, job->samples,
               kind == 'u'   ? UNSIGNED
               : kind == 'i' ? SIGNED
               : kind == 'f' ? FLOAT
                             : COMPLEX); /* SampleFormat */
    if (page + 1 < job->pages)
        store(head->bytes + head->field, job->word, (uint64_t)(head->at + job->head_bytes));
}

static mnp_status write_heads(const mnp__plain_file *file, void *argument)
{
    const struct job *job = argument;
    char first[ALIGNMENT] = {0};
    mnp_status st = MNP_OK;
    char *bytes;
    memcpy(first, __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? "II" : "MM", 2);
    store(first + 2, 2, job->big ? 43 : 42);
    store(first + 4, job->big ? 2 : 4, job->big ? 8 : ALIGNMENT);
    if (job->big)
        store(first + 8, 8, ALIGNMENT);
    MNP_TRY(mnp__plain_file_write(file, 0, sizeof first, first));
    MNP_TRY(mnp__malloc((size_t)job->head_bytes, &bytes));
    for (int64_t page = 0; st == MNP_OK && page < job->pages; page++) {
        memset(bytes, 0, (size_t)job->head_bytes);
        struct head head = {.job = job, .bytes = bytes, .at = ALIGNMENT + page * job->head_bytes};
        make_head(&head, page);
        st = mnp__plain_file_write(file, head.at, (size_t)job->head_bytes, bytes);
    }
    free(bytes);
    return st;
}

/* ---- */

mnp_status mnp_tiff_write(const mnp_array *array, const char *file, const mnp_tiff_write_options *options)
{
    MNP_ENTER(array, file);
    struct job job = {.pages = 0};
    if (!file || !*file)
        return MNP_FAIL(MNP_ERR_ARG, "the name of the file is missing");
    MNP_TRY(plan(array, options, &job));
    return mnp__file_array_write(array, &(mnp__file_output){.function = "mnp_tiff_write",
                                                            .name = file,
                                                            .offset = job.offset,
                                                            .bytes = job.offset + job.pages * job.page_bytes,
                                                            .frame = write_heads,
                                                            .argument = &job});
}

mnp_status mnp_tiff_check_write(mnp_ctx *ctx, const char *file)
{
    MNP_ENTER(ctx, file);
    return mnp__file_array_check_write(ctx, file);
}
