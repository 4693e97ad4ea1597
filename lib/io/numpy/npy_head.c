/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading and writing the head of .npy files.
 */
#include "io/numpy/npy.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/status.h"

static const char magic[] = "\x93NUMPY";
enum { MAGIC = 6 };

mnp_status mnp__npy_find_text(const char *file, const unsigned char *bytes, size_t count, size_t *begin_p,
                              size_t *end_p)
{
    if (count < MAGIC || memcmp(bytes, magic, MAGIC) != 0)
        return MNP_FAIL(MNP_ERR_FORMAT, "'%s' is not a .npy file", file);
    if (count < MNP__NPY_FIRST)
        return MNP_FAIL(MNP_ERR_FORMAT, "'%s' is truncated: it ends within its head", file);
    const int version = bytes[MAGIC];
    if (version < 1 || version > 3)
        return MNP_FAIL(MNP_ERR_UNSUPPORTED, "'%s' is a .npy file of version %d, and versions 1 to 3 can be read", file,
                        version);
    const unsigned char *length = bytes + MAGIC + 2;
    *begin_p = version == 1 ? 10 : 12;
    *end_p = *begin_p + length[0] + ((size_t)length[1] << 8);
    if (version > 1)
        *end_p += ((size_t)length[2] << 16) + ((size_t)length[3] << 24);
    if (*end_p - *begin_p > MNP__NPY_MOST_TEXT)
        return MNP_FAIL(MNP_ERR_FORMAT, "'%s' is damaged: its head would have %zu bytes", file, *end_p);
    return MNP_OK;
}

/* ---- the dictionary ---- */

/* What is left of a text. */
struct reader {
    const char *file, *at, *end;
};

static mnp_status fail_head(const struct reader *reader, const char *why)
{
    return MNP_FAIL(MNP_ERR_FORMAT, "'%s' is damaged: %s", reader->file, why);
}

static void skip_space(struct reader *reader)
{
    while (reader->at < reader->end && isspace((unsigned char)*reader->at))
        reader->at++;
}

/* Skip spaces, and then the character if it comes next. */
static bool take(struct reader *reader, char character)
{
    skip_space(reader);
    if (reader->at == reader->end || *reader->at != character)
        return false;
    reader->at++;
    return true;
}

static bool take_word(struct reader *reader, const char *word)
{
    skip_space(reader);
    const size_t length = strlen(word);
    if ((size_t)(reader->end - reader->at) < length || memcmp(reader->at, word, length) != 0)
        return false;
    reader->at += length;
    return true;
}

/* Read a string in either kind of quotes. */
static bool take_string(struct reader *reader, const char **begin_p, int *length_p)
{
    const char quote = take(reader, '\'') ? '\'' : take(reader, '"') ? '"' : '\0';
    const char *stop = quote ? memchr(reader->at, quote, (size_t)(reader->end - reader->at)) : NULL;
    if (!stop)
        return false;
    *begin_p = reader->at;
    *length_p = (int)(stop - reader->at);
    reader->at = stop + 1;
    return true;
}

/* Read a tuple of integers, (3, 4) or (3,) or (); Python 2 wrote (3L, 4L). */
static mnp_status read_shape(struct reader *reader, mnp_npy_info *info)
{
    int64_t shape[32];
    int ndim = 0;
    if (!take(reader, '('))
        return fail_head(reader, "its shape is not a tuple");
    while (!take(reader, ')')) {
        int64_t extent = 0;
        const char *first = reader->at;
        while (reader->at < reader->end && isdigit((unsigned char)*reader->at)) {
            const int digit = *reader->at++ - '0';
            if (extent > (INT64_MAX - digit) / 10)
                return fail_head(reader, "its shape does not fit 64 bits");
            extent = extent * 10 + digit;
        }
        if (reader->at == first || ndim == 32)
            return fail_head(reader, "its shape is not a tuple of numbers");
        shape[ndim++] = extent;
        if (reader->at < reader->end && *reader->at == 'L')
            reader->at++;
        if (!take(reader, ',') && !(reader->at < reader->end && *reader->at == ')'))
            return fail_head(reader, "its shape is not a tuple of numbers");
    }
    if (ndim > MNP_MAX_DIMS)
        return MNP_FAIL(MNP_ERR_UNSUPPORTED, "'%s' has %d dimensions, more than %d", reader->file, ndim, MNP_MAX_DIMS);
    info->ndim = ndim;
    memcpy(info->shape, shape, (size_t)ndim * sizeof *shape);
    return MNP_OK;
}

static const struct {
    mnp_dtype dtype;
    char name[4];
} types[] = {
    {MNP_BOOL, "b1"},     {MNP_INT8, "i1"},    {MNP_INT16, "i2"},   {MNP_INT32, "i4"},     {MNP_INT64, "i8"},
    {MNP_UINT8, "u1"},    {MNP_UINT16, "u2"},  {MNP_UINT32, "u4"},  {MNP_UINT64, "u8"},    {MNP_FLOAT16, "f2"},
    {MNP_BFLOAT16, "V2"}, {MNP_FLOAT32, "f4"}, {MNP_FLOAT64, "f8"}, {MNP_COMPLEX64, "c8"}, {MNP_COMPLEX128, "c16"},
};
enum { NUM_TYPES = sizeof types / sizeof *types };

/* Read the type of the elements, such as '<f4'; a list of fields is that of a structured array. */
static mnp_status read_type(struct reader *reader, mnp_npy_info *info)
{
    const char *name;
    int length;
    if (take(reader, '['))
        return MNP_FAIL(MNP_ERR_UNSUPPORTED, "'%s' has elements with several fields; only numbers can be read",
                        reader->file);
    if (!take_string(reader, &name, &length))
        return fail_head(reader, "the type of its elements is missing");
    for (int i = 0; i < length; i++)
        if ((unsigned char)name[i] < ' ' || (unsigned char)name[i] > '~')
            return fail_head(reader, "the type of its elements is not text");
    const bool has_order = length > 0 && strchr("<>=|", *name);
    info->swapped = has_order && *name == '>';
    for (int i = 0; i < NUM_TYPES; i++) {
        if ((int)strlen(types[i].name) == length - has_order &&
            memcmp(types[i].name, name + has_order, (size_t)(length - has_order)) == 0) {
            info->dtype = types[i].dtype;
            info->swapped = info->swapped && mnp_dtype_size(info->dtype) > 1;
            return MNP_OK;
        }
    }
    return MNP_FAIL(MNP_ERR_UNSUPPORTED,
                    "'%s' has elements of the type '%.*s'; only bool, integers of up to 8 bytes, "
                    "floats of up to 8 and complex numbers of up to 16 can be read",
                    reader->file, length < 40 ? length : 40, name);
}

static mnp_status read_value(struct reader *reader, const char *key, int length, unsigned *found, mnp_npy_info *info)
{
    if (length == 5 && memcmp(key, "descr", 5) == 0) {
        *found |= 1;
        return read_type(reader, info);
    }
    if (length == 5 && memcmp(key, "shape", 5) == 0) {
        *found |= 2;
        return read_shape(reader, info);
    }
    if (length == 13 && memcmp(key, "fortran_order", 13) == 0) {
        *found |= 4;
        info->fortran_order = take_word(reader, "True");
        return info->fortran_order || take_word(reader, "False")
                   ? MNP_OK
                   : fail_head(reader, "fortran_order is neither True nor False");
    }
    return fail_head(reader, "its head has another key than descr, fortran_order and shape");
}

mnp_status mnp__npy_parse(const char *file, const char *text, size_t length, mnp_npy_info *info)
{
    struct reader reader = {file, text, text + length};
    unsigned found = 0;
    *info = (mnp_npy_info){.dtype = MNP_DTYPE_AUTO};
    if (!take(&reader, '{'))
        return fail_head(&reader, "its head is not a dictionary");
    while (!take(&reader, '}')) {
        const char *key;
        int key_length;
        if (!take_string(&reader, &key, &key_length) || !take(&reader, ':'))
            return fail_head(&reader, "its head is not a dictionary");
        MNP_TRY(read_value(&reader, key, key_length, &found, info));
        if (!take(&reader, ',') && !(reader.at < reader.end && *reader.at == '}'))
            return fail_head(&reader, "its head is not a dictionary");
    }
    if (found != 7)
        return fail_head(&reader, "its head lacks descr, fortran_order or shape");
    info->fortran_order = info->fortran_order && info->ndim > 1;
    return MNP_OK;
}

size_t mnp__npy_make_head(mnp_dtype dtype, int ndim, const int64_t *shape, char *head)
{
    enum { BEGIN = 10 };
    const char *name = "";
    for (int i = 0; i < NUM_TYPES; i++)
        if (types[i].dtype == dtype)
            name = types[i].name;
    char *text = head + BEGIN;
    size_t room = MNP__NPY_MOST_HEAD - BEGIN, length = 0;
    length += (size_t)snprintf(text, room, "{'descr': '%c%s', 'fortran_order': False, 'shape': (",
                               mnp_dtype_size(dtype) == 1 ? '|' : '<', name);
    for (int d = 0; d < ndim; d++)
        length += (size_t)snprintf(text + length, room - length, "%" PRId64 "%s", shape[d],
                                   ndim == 1      ? ","
                                   : d < ndim - 1 ? ", "
                                                  : "");
    length += (size_t)snprintf(text + length, room - length, "), }");
    while ((BEGIN + length + 1) % 64 != 0)
        text[length++] = ' ';
    text[length++] = '\n';
    memcpy(head, magic, MAGIC);
    head[MAGIC] = 1;
    head[MAGIC + 1] = 0;
    head[MAGIC + 2] = (char)(length & 0xff);
    head[MAGIC + 3] = (char)(length >> 8);
    return BEGIN + length;
}
