/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A look at the headers of a FITS file before CFITSIO gets it: a tile or a block of a compressed image without extent
 * would make CFITSIO divide by zero when it comes to that header.  Headers are cards of 80 bytes in blocks of 2880; data
 * after them fills blocks too.
 */
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "io/fits/fits.h"

enum { BLOCK = 2880, CARD = 80 };

/* What says how many bytes of data follow a header, and what the cards before have announced. */
struct sizes {
    int64_t bits, axes, groups, beside; /* BITPIX, the product of NAXISn, GCOUNT, PCOUNT */
    char block;                         /* the digit n of a card ZNAMEn that says that ZVALn is the size of a block */
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

static bool is_numbered(const char *card, const char *name)
{
    const size_t length = strlen(name);
    return memcmp(card, name, length) == 0 && card[length] >= '0' && card[length] <= '9';
}

static mnp_status take_card(const mnp__fits_file *file, const char *card, struct sizes *sizes)
{
    int64_t value = 0;
    const bool is_integer = card_integer(card, &value);
    if (is_numbered(card, "ZTILE") && (!is_integer || value < 1))
        return MNP_FAIL(MNP_ERR_FORMAT, "'%s' is damaged: a tile of a compressed image has no extent", file->name);
    if (is_numbered(card, "ZNAME") && memcmp(card + 11, "BLOCKSIZE", 9) == 0)
        sizes->block = card[5];
    if (sizes->block && is_numbered(card, "ZVAL") && card[4] == sizes->block && (!is_integer || value < 1))
        return MNP_FAIL(MNP_ERR_FORMAT, "'%s' is damaged: a block of a compressed image has no extent", file->name);
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
    else if (is_numbered(card, "NAXIS") && __builtin_mul_overflow(sizes->axes, value, &sizes->axes))
        sizes->axes = -1;
    return MNP_OK;
}

/* Look at a header from *offset_p on, which then is where its data begins; *found_p: it ends within the file. */
static mnp_status check_header(const mnp__fits_file *file, int64_t *offset_p, struct sizes *sizes, bool *found_p)
{
    char block[BLOCK];
    const int64_t start = *offset_p;
    *found_p = false;
    for (; !*found_p && file->plain.bytes - *offset_p >= BLOCK; *offset_p += BLOCK) {
        MNP_TRY(mnp__plain_file_read(&file->plain, *offset_p, BLOCK, block));
        if (*offset_p == start && memcmp(block, "SIMPLE  ", 8) != 0 && memcmp(block, "XTENSION", 8) != 0)
            return MNP_OK;
        for (int at = 0; at < BLOCK && !*found_p; at += CARD) {
            *found_p = memcmp(block + at, "END     ", 8) == 0;
            MNP_TRY(take_card(file, block + at, sizes));
        }
    }
    return MNP_OK;
}

mnp_status mnp__fits_check(const mnp__fits_file *file)
{
    int64_t offset = 0;
    for (;;) {
        struct sizes sizes = {.groups = 1};
        bool found;
        int64_t bytes;
        MNP_TRY(check_header(file, &offset, &sizes, &found));
        if (!found || __builtin_add_overflow(sizes.axes, sizes.beside, &bytes) ||
            __builtin_mul_overflow(bytes, sizes.groups, &bytes) ||
            __builtin_mul_overflow(bytes, sizes.bits / 8, &bytes) || bytes < 0 ||
            bytes > file->plain.bytes - offset) /* what is wrong here, is found when the image is looked for */
            return MNP_OK;
        offset += (bytes + BLOCK - 1) / BLOCK * BLOCK;
    }
}
