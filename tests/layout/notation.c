/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Layouts as text: each form gives the layout that mnp_layout_new_cyclic() makes, what a drawing shows can be read
 * again, and what cannot be read is refused with its column.
 */
#include "layout/layout.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "tests/tap.h"

/* What a text means for six ranks and an array of 10 x 7 elements. */
static const struct form {
    const char *text, *shown; /* shown: what a drawing of that layout has, if it is another text */
    int mesh_ndim, mesh[3], axes[2];
    int64_t blocks[2];
} forms[] = {
    {"0, *", NULL, 1, {6}, {0, MNP_NO_AXIS}, {0, 0}},
    {"*,0", "*, 0", 1, {6}, {MNP_NO_AXIS, 0}, {0, 0}},
    {"0,-", "0, *", 1, {6}, {0, MNP_NO_AXIS}, {0, 0}},
    {"*, *", NULL, 1, {6}, {MNP_NO_AXIS, MNP_NO_AXIS}, {0, 0}},
    {"0, 1", NULL, 2, {3, 2}, {0, 1}, {0, 0}},
    {"1, 0", NULL, 2, {3, 2}, {1, 0}, {0, 0}},
    {"1, *", NULL, 2, {3, 2}, {1, MNP_NO_AXIS}, {0, 0}},
    {"  0 ,1  on 2x3 ", "0, 1 on 2 x 3", 2, {2, 3}, {0, 1}, {0, 0}},
    {"0, 1 on 3 x 2", "0, 1", 2, {3, 2}, {0, 1}, {0, 0}},
    {"0, 1 on 0 x 3", "0, 1 on 2 x 3", 2, {2, 3}, {0, 1}, {0, 0}},
    {"0, * on 2 x 3", NULL, 2, {2, 3}, {0, MNP_NO_AXIS}, {0, 0}},
    {"0, * on 6", "0, *", 1, {6}, {0, MNP_NO_AXIS}, {0, 0}},
    {"1, 2 on 1 x 6 x 1", NULL, 3, {1, 6, 1}, {1, 2}, {0, 0}},
    {"0(1), 1(2)", NULL, 2, {3, 2}, {0, 1}, {1, 2}},
    {"*, 0( 1 ) on 3 x 2", "*, 0(1) on 3 x 2", 2, {3, 2}, {MNP_NO_AXIS, 0}, {0, 1}},
};

static const int64_t shape[] = {10, 7};

static char *drawn(const mnp_layout *layout)
{
    char *text = NULL;
    size_t length;
    FILE *file = open_memstream(&text, &length);
    if (!file || mnp_layout_print(layout, file) != MNP_OK)
        abort();
    fclose(file);
    return text;
}

static void check_forms(void)
{
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        const struct form *form = &forms[i];
        mnp_layout *read = NULL, *right = NULL;
        char shown[64];
        bool same =
            mnp__layout_parse(6, 2, shape, form->text, &read) == MNP_OK &&
            mnp_layout_new_cyclic(form->mesh_ndim, form->mesh, 2, shape, form->axes, form->blocks, &right) == MNP_OK &&
            mnp_layout_equal(read, right) && read->mesh_ndim == right->mesh_ndim &&
            memcmp(read->mesh, right->mesh, sizeof read->mesh) == 0;
        ok(same, "'%s'", form->text);
        snprintf(shown, sizeof shown, "\"%s\"\n", form->shown ? form->shown : form->text);
        char *drawing = same ? drawn(read) : NULL;
        ok(same && strstr(drawing, shown), "a drawing of '%s' shows %s", form->text, shown);
        free(drawing);
        mnp_layout_free(read);
        mnp_layout_free(right);
    }
}

/* Every layout of up to two dimensions on up to 12 ranks that has even cuts is the layout of its text. */
static bool texts_are_read_again(void)
{
    for (int p = 1; p <= 4; p++)
        for (int q = 1; q <= 3; q++)
            for (int k = 0; k < 7 * 3 * 3; k++) {
                static const int axes[7][2] = {{0, 1}, {1, 0}, {0, -1}, {1, -1}, {-1, 0}, {-1, 1}, {-1, -1}};
                mnp_layout *layout = NULL, *read = NULL;
                char room[100];
                mnp__text text = MNP__TEXT_IN(room);
                const int64_t blocks[] = {k / 7 % 3, k / 21 % 3};
                bool right =
                    mnp_layout_new_cyclic(2, (int[]){p, q}, 2, shape, axes[k % 7], blocks, &layout) == MNP_OK &&
                    mnp__layout_write(&text, layout) &&
                    mnp__layout_parse(p * q, 2, shape, mnp__text_string(&text), &read) == MNP_OK &&
                    mnp_layout_equal(layout, read);
                if (!right)
                    printf("# %d x %d, case %d: '%s'\n", p, q, k, mnp__text_string(&text));
                mnp__text_free(&text);
                mnp_layout_free(layout);
                mnp_layout_free(read);
                if (!right)
                    return false;
            }
    return true;
}

static bool has_text(const mnp_layout *layout)
{
    char *drawing = drawn(layout);
    bool found = strchr(drawing, '"');
    free(drawing);
    return found;
}

static void check_without_text(void)
{
    mnp_layout *layout = NULL;
    mnp_layout_new(1, (int[]){2}, 1, shape, (int[]){0}, (const int64_t *[]){(int64_t[]){0, 3, 10}}, &layout);
    ok(!has_text(layout), "a layout with uneven cuts has no text");
    mnp_layout_free(layout);
    mnp_layout_on_root(2, 1, 2, shape, &layout);
    ok(!has_text(layout), "nor has one on one rank");
    mnp_layout_free(layout);
}

static void check_refused(void)
{
    static const struct {
        const char *text, *words;
    } bad[] = {
        {"", "has 0 dimensions, and the shape 2"},
        {"0", "has 1 dimension, and the shape 2"},
        {"0, *, *", "has 3 dimensions, and the shape 2"},
        {"0, x", "at column 4: a mesh axis, or *"},
        {"0,", "at column 3: a mesh axis, or *"},
        {"0; 1", "at column 2: a comma, 'on' and a mesh, or the end"},
        {"0, 8", "the number at column 4 of the layout '0, 8' is not one from 0 to 7"},
        {"0, 0", "mesh axis 0 cuts both dimension 0 and dimension 1"},
        {"0, 1 on", "at column 8: the number of ranks"},
        {"0, 1 on 6", "dimension 1 is to be cut by mesh axis 1"},
        {"0, 1 on 6 x", "at column 12: the number of ranks"},
        {"0, 1 on 4 x 2", "does not divide"},
        {"0, 1 on 2 x 2", "does not divide"},
        {"0, 1 on 2 x 3, *", "at column 14: a comma"},
        {"0(, *", "at column 3: the extent of the blocks"},
        {"0(0), *", "is not one from 1 to"},
        {"0(2, *", "at column 4: a closing parenthesis"},
        {"0(99999999999999999999), *", "is not one from 1 to"},
        {"0, 1 on 99999999999", "is not one from 0 to 2147483647"},
        {"*,*,*,*,*,*,*,*,*", "at column 17: no array has so many dimensions"},
        {"0, 1 on 1x1x1x1x1x1x1x1x6", "at column 25: no mesh has so many axes"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        mnp_layout *layout = NULL;
        mnp_status st = mnp__layout_parse(6, 2, shape, bad[i].text, &layout);
        ok(st == MNP_ERR_ARG && !layout && strstr(mnp_error_message(), bad[i].words), "'%s' is refused: %s",
           bad[i].text, mnp_error_message());
    }
}

int main(void)
{
    mnp_layout *layout = NULL;
    check_forms();
    ok(texts_are_read_again(), "the text of a layout gives the layout");
    ok(mnp__layout_parse(6, 0, NULL, " ", &layout) == MNP_OK && mnp_layout_size(layout) == 1, "no dimensions");
    mnp_layout_free(layout);
    check_without_text();
    check_refused();
    return done_testing();
}
