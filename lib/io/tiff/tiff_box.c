/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The elements of a box of a page, piece by piece.
 */
#include <config.h>

#include "base/integer.h"
#include "io/tiff/tiff_library.h"

#ifdef HAVE_TIFF

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"

enum { ROWS, COLUMNS, SAMPLES };
enum { MOST_DIRECT = 8 << 20 /* bytes that are read at once, but for a row that is longer */ };

/* A box that is being read. */
struct job {
    mnp__tiff_file *file;
    const mnp__tiff_span *spans;
    size_t item;
    char *to;
};

/* Elements of a page that have been read to `data`, in C order. */
struct piece {
    int64_t start[3], extent[3];
    const char *data;
};

/* The wanted indices that lie in [start, end): their numbers from *first_p to before *last_p. */
static void find_wanted(const mnp__tiff_span *span, int64_t start, int64_t end, int64_t *first_p, int64_t *last_p)
{
    *first_p = start <= span->start ? 0 : mnp__divide_up(start - span->start, span->step);
    *last_p = end <= span->start ? 0 : mnp__min(span->count, mnp__divide_up(end - span->start, span->step));
}

static int64_t last_index(const mnp__tiff_span *span)
{
    return span->start + (span->count - 1) * span->step;
}

/* ---- from a piece to the box ---- */

/* The wanted samples of a pixel, or of pixels side by side. */
static void copy_samples(const struct job *job, const struct piece *piece, const char *from, char *to)
{
    const mnp__tiff_span *span = &job->spans[SAMPLES];
    int64_t first, last;
    find_wanted(span, piece->start[SAMPLES], piece->start[SAMPLES] + piece->extent[SAMPLES], &first, &last);
    for (int64_t k = first; k < last; k++)
        memcpy(to + (size_t)k * job->item,
               from + (size_t)(span->start + k * span->step - piece->start[SAMPLES]) * job->item, job->item);
}

static void copy_row(const struct job *job, const struct piece *piece, const char *from, char *to)
{
    const mnp__tiff_span *span = &job->spans[COLUMNS];
    const int64_t wanted = job->spans[SAMPLES].count;
    const size_t pixel = (size_t)piece->extent[SAMPLES] * job->item, packed = (size_t)wanted * job->item;
    int64_t first, last;
    find_wanted(span, piece->start[COLUMNS], piece->start[COLUMNS] + piece->extent[COLUMNS], &first, &last);
    if (first >= last)
        return;
    from += (size_t)(span->start + first * span->step - piece->start[COLUMNS]) * pixel;
    if (span->step == 1 && wanted == piece->extent[SAMPLES]) {
        memcpy(to + (size_t)first * packed, from, (size_t)(last - first) * packed);
        return;
    }
    for (int64_t j = first; j < last; j++, from += (size_t)span->step * pixel)
        copy_samples(job, piece, from, to + (size_t)j * packed);
}

static void copy_piece(const struct job *job, const struct piece *piece)
{
    const mnp__tiff_span *span = &job->spans[ROWS];
    const size_t row = (size_t)(piece->extent[COLUMNS] * piece->extent[SAMPLES]) * job->item,
                 packed = (size_t)(job->spans[COLUMNS].count * job->spans[SAMPLES].count) * job->item;
    int64_t first, last;
    find_wanted(span, piece->start[ROWS], piece->start[ROWS] + piece->extent[ROWS], &first, &last);
    for (int64_t i = first; i < last; i++)
        copy_row(job, piece, piece->data + (size_t)(span->start + i * span->step - piece->start[ROWS]) * row,
                 job->to + (size_t)i * packed);
}

/* ---- from the file to a piece ---- */

static mnp_status make_room(mnp__tiff_file *file, size_t bytes)
{
    if (bytes <= file->room_bytes)
        return MNP_OK;
    free(file->room);
    file->room = NULL;
    file->room_bytes = 0;
    MNP_TRY(mnp__malloc(bytes, &file->room));
    file->room_bytes = bytes;
    return MNP_OK;
}

/* Read the piece, which lies in the segment of that number that begins at `row` and `column`, without libtiff. */
static mnp_status read_direct(const struct job *job, int64_t number, int64_t row, int64_t column, struct piece *piece)
{
    mnp__tiff_file *file = job->file;
    const mnp__tiff_page *page = &file->page;
    const int64_t pixel = piece->extent[SAMPLES] * (int64_t)job->item,
                  skipped =
                      ((piece->start[ROWS] - row) * page->segment_columns + piece->start[COLUMNS] - column) * pixel,
                  count = piece->extent[ROWS] * piece->extent[COLUMNS] * pixel;
    const uint64_t offset = mnp__tiff.TIFFGetStrileOffset(file->tiff, (uint32_t)number),
                   bytes = mnp__tiff.TIFFGetStrileByteCount(file->tiff, (uint32_t)number),
                   size = (uint64_t)file->plain.bytes;
    if ((uint64_t)(skipped + count) > bytes || offset > size || bytes > size - offset)
        return MNP_FAIL(MNP_ERR_FORMAT, "'%s' is damaged or truncated: it lacks elements of %s %" PRId64, file->name,
                        page->tiled ? "tile" : "strip", number);
    MNP_TRY(make_room(file, (size_t)count));
    MNP_TRY(mnp__plain_file_read(&file->plain, (int64_t)offset + skipped, (size_t)count, file->room));
    const size_t parts = mnp_dtype_kind(page->dtype) == 'c' ? 2 : 1, part = job->item / parts;
    if (page->swapped)
        mnp__swap_bytes(part, count / (int64_t)part, file->room);
    piece->data = file->room;
    return MNP_OK;
}

/* The wanted rows of a segment that is not compressed; row by row if only some of its columns are wanted. */
static mnp_status read_direct_segment(const struct job *job, int64_t number, const struct piece *segment)
{
    const mnp__tiff_span *rows = &job->spans[ROWS], *columns = &job->spans[COLUMNS];
    struct piece piece = *segment;
    piece.start[COLUMNS] = mnp__max(columns->start, segment->start[COLUMNS]);
    piece.extent[COLUMNS] =
        mnp__min(last_index(columns) + 1, segment->start[COLUMNS] + segment->extent[COLUMNS]) - piece.start[COLUMNS];
    const int64_t end = segment->start[ROWS] + segment->extent[ROWS],
                  row = piece.extent[COLUMNS] * piece.extent[SAMPLES] * (int64_t)job->item,
                  together = piece.extent[COLUMNS] == segment->extent[COLUMNS] && rows->step == 1
                                 ? mnp__max(1, MOST_DIRECT / row)
                                 : 1;
    int64_t first, last;
    find_wanted(rows, segment->start[ROWS], end, &first, &last);
    for (int64_t i = first; i < last; i += together) {
        piece.start[ROWS] = rows->start + i * rows->step;
        piece.extent[ROWS] = mnp__min(together, last - i);
        MNP_TRY(read_direct(job, number, segment->start[ROWS], segment->start[COLUMNS], &piece));
        copy_piece(job, &piece);
    }
    return MNP_OK;
}

static mnp_status decode_tile(const struct job *job, int64_t number, struct piece *piece)
{
    mnp__tiff_file *file = job->file;
    const tmsize_t bytes = mnp__tiff.TIFFTileSize(file->tiff);
    if (bytes != piece->extent[ROWS] * piece->extent[COLUMNS] * piece->extent[SAMPLES] * (tmsize_t)job->item)
        return mnp__tiff_damaged(file);
    MNP_TRY(make_room(file, (size_t)bytes));
    if (mnp__tiff.TIFFReadEncodedTile(file->tiff, (uint32_t)number, file->room, bytes) != bytes)
        return mnp__tiff_damaged(file);
    piece->data = file->room;
    copy_piece(job, piece);
    return MNP_OK;
}

/*
 * The wanted rows of a strip.  Most decoders go from row to row and cannot skip any, so rows are decoded from the
 * strip's first one on, or from the one after the last that was decoded.
 */
static mnp_status decode_strip(const struct job *job, const struct piece *strip)
{
    mnp__tiff_file *file = job->file;
    const mnp__tiff_span *rows = &job->spans[ROWS];
    const int64_t sample = strip->start[SAMPLES], end = strip->start[ROWS] + strip->extent[ROWS];
    struct piece piece = *strip;
    int64_t first, last, row = strip->start[ROWS];
    MNP_TRY(make_room(file, (size_t)(strip->extent[COLUMNS] * strip->extent[SAMPLES]) * job->item));
    find_wanted(rows, row, end, &first, &last);
    if (file->next_sample == sample && file->next_row > row && file->next_row <= rows->start + first * rows->step)
        row = file->next_row;
    piece.extent[ROWS] = 1;
    piece.data = file->room;
    for (; row <= rows->start + (last - 1) * rows->step; row++) {
        file->next_row = 0;
        if (mnp__tiff.TIFFReadScanline(file->tiff, file->room, (uint32_t)row, (uint16_t)sample) != 1)
            return mnp__tiff_damaged(file);
        file->next_row = row + 1;
        file->next_sample = sample;
        piece.start[ROWS] = row;
        copy_piece(job, &piece);
    }
    return MNP_OK;
}

/* The wanted elements of a plane, whose first sample is `sample` and whose segments are numbered from `number` on. */
static mnp_status read_plane(const struct job *job, int64_t sample, int64_t number)
{
    const mnp__tiff_page *page = &job->file->page;
    const mnp__tiff_span *rows = &job->spans[ROWS], *columns = &job->spans[COLUMNS];
    const int64_t across = mnp__divide_up(page->columns, page->segment_columns);
    for (int64_t i = rows->start / page->segment_rows; i <= last_index(rows) / page->segment_rows; i++) {
        for (int64_t j = columns->start / page->segment_columns; j <= last_index(columns) / page->segment_columns;
             j++) {
            struct piece segment = {
                .start = {i * page->segment_rows, j * page->segment_columns, sample},
                .extent = {page->segment_rows, page->segment_columns, page->planes ? 1 : page->samples}};
            if (!page->tiled)
                segment.extent[ROWS] = mnp__min(page->segment_rows, page->rows - segment.start[ROWS]);
            if (page->direct)
                MNP_TRY(read_direct_segment(job, number + i * across + j, &segment));
            else if (page->tiled)
                MNP_TRY(decode_tile(job, number + i * across + j, &segment));
            else
                MNP_TRY(decode_strip(job, &segment));
        }
    }
    return MNP_OK;
}

mnp_status mnp__tiff_read_box(mnp__tiff_file *file, const mnp__tiff_span spans[3], void *to)
{
    const mnp__tiff_page *page = &file->page;
    const mnp__tiff_span *samples = &spans[SAMPLES];
    const struct job job = {.file = file, .spans = spans, .item = mnp_dtype_size(page->dtype), .to = to};
    const int64_t down = mnp__divide_up(page->rows, page->segment_rows),
                  across = mnp__divide_up(page->columns, page->segment_columns),
                  segments = page->tiled ? (int64_t)mnp__tiff.TIFFNumberOfTiles(file->tiff)
                                         : (int64_t)mnp__tiff.TIFFNumberOfStrips(file->tiff);
    for (int d = 0; d < 3; d++)
        if (spans[d].count == 0)
            return MNP_OK;
    if (segments != down * across * (page->planes ? page->samples : 1))
        return mnp__tiff_damaged(file);
    if (!page->planes)
        return read_plane(&job, 0, 0);
    for (int64_t k = 0; k < samples->count; k++) {
        const int64_t sample = samples->start + k * samples->step;
        MNP_TRY(read_plane(&job, sample, sample * down * across));
    }
    return MNP_OK;
}

#endif
