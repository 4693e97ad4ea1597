/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The headers of a FITS file without CFITSIO: where the HDUs of a file lie that gets another one, and a look at all of
 * them before CFITSIO gets the file, as a tile or a block of a compressed image without extent would make it divide by
 * zero when it comes to that header.  Headers are cards of 80 bytes in blocks of 2880; data after them fills blocks
 * too.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/integer.h"
#include "base/status.h"
#include "io/fits/fits.h"

enum { BLOCK = MNP__FITS_BLOCK, CARD = MNP__FITS_CARD };

/* What says how many bytes of data follow a header, and what the cards before have announced. */
struct sizes {
    int64_t bits, axes, groups, beside; /* BITPIX, the product of NAXISn, GCOUNT, PCOUNT */
    bool no_first, random_groups; /* NAXIS1 is 0, and not in the product; GROUPS is T, so that this means a kind */
    char block;                   /* the digit n of a card ZNAMEn that says that ZVALn is the size of a block */
};

/* The integer that a card has; false if it has none. */
static bool card_integer(const char *card, int64_t *value_p)
{
    char text[CARD - 10 + 1] = "", *end;
    memcpy(text, card + 10, CARD - 10);
    if (memcmp(card + 8, "= ", 2) != 0)
        return false;
    *value_p = strtoll(text, &end, 10);
    return end != text && (*end == ' ' || *end == '/' || *end == '\0');
}

static bool card_is(const char *card, const char *name, char letter)
{
    const char *value = card + 10;
    while (value < card + CARD - 1 && *value == ' ')
        value++;
    return memcmp(card, name, 8) == 0 && *value == letter;
}

/* The text between the quotes of a card, without spaces at its end; "" if it has none. */
static void card_text(const char *card, size_t room, char *text)
{
    size_t length = 0;
    const char *from = memchr(card + 10, '\'', CARD - 10), *end = card + CARD;
    for (from = from ? from + 1 : end; from < end && length + 1 < room; from++) {
        if (*from == '\'' && (from + 1 == end || *++from != '\''))
            break;
        text[length++] = *from;
    }
    while (length > 0 && text[length - 1] == ' ')
        length--;
    text[length] = '\0';
}

static bool is_numbered(const char *card, const char *name)
{
    const size_t length = strlen(name);
    return memcmp(card, name, length) == 0 && card[length] >= '0' && card[length] <= '9';
}

/* What a card says about what kind of HDU it is and how it is called. */
static void take_kind(const char *card, mnp__fits_hdu *hdu)
{
    char text[sizeof hdu->name];
    if (memcmp(card, "EXTNAME = ", 10) == 0)
        card_text(card, sizeof hdu->name, hdu->name);
    card_text(card, sizeof text, text);
    hdu->is_image = hdu->is_image || memcmp(card, "SIMPLE  ", 8) == 0 || card_is(card, "ZIMAGE  ", 'T') ||
                    (memcmp(card, "XTENSION", 8) == 0 && strcmp(text, "IMAGE") == 0);
}

static mnp_status take_size(const mnp__fits_file *file, const char *card, struct sizes *sizes)
{
    int64_t value = 0;
    const bool is_integer = card_integer(card, &value);
    if (is_numbered(card, "ZTILE") && (!is_integer || value < 1))
        return MNP_FAIL(MNP_ERR_FORMAT, "'%s' is damaged: a tile of a compressed image has no extent", file->name);
    if (is_numbered(card, "ZNAME") && memcmp(card + 11, "BLOCKSIZE", 9) == 0)
        sizes->block = card[5];
    if (sizes->block && is_numbered(card, "ZVAL") && card[4] == sizes->block && (!is_integer || value < 1))
        return MNP_FAIL(MNP_ERR_FORMAT, "'%s' is damaged: a block of a compressed image has no extent", file->name);
    sizes->random_groups = sizes->random_groups || card_is(card, "GROUPS  ", 'T');
    if (!is_integer)
        return MNP_OK;
    if (memcmp(card, "BITPIX  ", 8) == 0)
        sizes->bits = value >= -64 && value <= 64 ? llabs(value) : 0;
    else if (memcmp(card, "GCOUNT  ", 8) == 0)
        sizes->groups = value;
    else if (memcmp(card, "PCOUNT  ", 8) == 0)
        sizes->beside = value;
    else if (memcmp(card, "NAXIS   ", 8) == 0)
        sizes->axes = value > 0;
    else if (memcmp(card, "NAXIS1  ", 8) == 0 && value == 0)
        sizes->no_first = true;
    else if (is_numbered(card, "NAXIS") && __builtin_mul_overflow(sizes->axes, value, &sizes->axes))
        sizes->axes = -1;
    return MNP_OK;
}

/* Look at the header that begins at hdu->begin; *found_p: it ends within the file, before hdu->data. */
static mnp_status read_header(const mnp__fits_file *file, mnp__fits_hdu *hdu, struct sizes *sizes, bool *found_p)
{
    char block[BLOCK];
    *found_p = false;
    for (hdu->data = hdu->begin; !*found_p && file->plain.bytes - hdu->data >= BLOCK; hdu->data += BLOCK) {
        MNP_TRY(mnp__plain_file_read(&file->plain, hdu->data, BLOCK, block));
        if (hdu->data == hdu->begin)
            hdu->is_begun = memcmp(block, hdu->begin == 0 ? "SIMPLE  " : "XTENSION", 8) == 0;
        if (!hdu->is_begun)
            return MNP_OK;
        for (int at = 0; at < BLOCK && !*found_p; at += CARD) {
            *found_p = memcmp(block + at, "END     ", 8) == 0;
            MNP_TRY(take_size(file, block + at, sizes));
            take_kind(block + at, hdu);
        }
    }
    return MNP_OK;
}

mnp_status mnp__fits_walk(const mnp__fits_file *file, int64_t begin, mnp__fits_hdu *hdu, bool *found_p)
{
    struct sizes sizes = {.groups = 1};
    int64_t bytes;
    *hdu = (mnp__fits_hdu){.begin = begin};
    MNP_TRY(read_header(file, hdu, &sizes, found_p));
    if (sizes.no_first && !sizes.random_groups)
        sizes.axes = 0;
    *found_p = *found_p && !__builtin_add_overflow(sizes.axes, sizes.beside, &bytes) &&
               !__builtin_mul_overflow(bytes, sizes.groups, &bytes) &&
               !__builtin_mul_overflow(bytes, sizes.bits / 8, &bytes) && bytes >= 0 &&
               bytes <= file->plain.bytes - hdu->data;
    if (*found_p)
        hdu->end = hdu->data + mnp__round_up(bytes, BLOCK);
    return MNP_OK;
}

mnp_status mnp__fits_check(const mnp__fits_file *file)
{
    mnp__fits_hdu hdu = {.end = 0};
    for (bool found = true; found;) /* what is wrong where it ends, is found when the image is looked for */
        MNP_TRY(mnp__fits_walk(file, hdu.end, &hdu, &found));
    return MNP_OK;
}
