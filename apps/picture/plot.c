/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Drawing of bars, curves, axes, and marks with numbers, in gray.  Letters have 5 x 7 pixels, drawn twice as large.
 */
#include "picture/plot.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "picture/png_file.h"

enum {
    LEFT = 110,
    RIGHT = 30,
    TOP = 24,
    BOTTOM = 50, /* margins of the field */
    MARK = 6,    /* length of a mark on an axis */
    LETTER_WIDTH = 5,
    LETTER_HEIGHT = 7,
    LETTER_SCALE = 2,
    LETTER_STEP = (LETTER_WIDTH + 1) * LETTER_SCALE,
    WHITE = 255,
    LIGHT = 225,
    MIDDLE = 95,
    BLACK = 0,
    MAX_LABEL = 24
};

/* Rows from the top; the highest of 5 bits is on the left. */
static const struct letter {
    char letter;
    unsigned char rows[LETTER_HEIGHT];
} letters[] = {
    {'0', {14, 17, 19, 21, 25, 17, 14}}, {'1', {4, 12, 4, 4, 4, 4, 14}},    {'2', {14, 17, 1, 2, 4, 8, 31}},
    {'3', {31, 2, 4, 2, 1, 17, 14}},     {'4', {2, 6, 10, 18, 31, 2, 2}},   {'5', {31, 16, 30, 1, 1, 17, 14}},
    {'6', {6, 8, 16, 30, 17, 17, 14}},   {'7', {31, 1, 2, 4, 8, 8, 8}},     {'8', {14, 17, 17, 14, 17, 17, 14}},
    {'9', {14, 17, 17, 15, 1, 2, 12}},   {'-', {0, 0, 0, 31, 0, 0, 0}},     {'+', {0, 4, 4, 31, 4, 4, 0}},
    {'.', {0, 0, 0, 0, 0, 12, 12}},      {'/', {0, 1, 2, 4, 8, 16, 0}},     {'B', {30, 17, 17, 30, 17, 17, 30}},
    {'G', {14, 17, 16, 23, 17, 17, 15}}, {'a', {0, 0, 14, 1, 15, 17, 15}},  {'b', {16, 16, 22, 25, 17, 17, 30}},
    {'c', {0, 0, 14, 16, 16, 17, 14}},   {'d', {1, 1, 13, 19, 17, 17, 15}}, {'e', {0, 0, 14, 17, 31, 16, 14}},
    {'f', {6, 9, 8, 28, 8, 8, 8}},       {'g', {0, 15, 17, 17, 15, 1, 14}}, {'h', {16, 16, 22, 25, 17, 17, 17}},
    {'i', {4, 0, 12, 4, 4, 4, 14}},      {'j', {2, 0, 6, 2, 2, 18, 12}},    {'k', {16, 16, 18, 20, 24, 20, 18}},
    {'l', {12, 4, 4, 4, 4, 4, 14}},      {'m', {0, 0, 26, 21, 21, 17, 17}}, {'n', {0, 0, 22, 25, 17, 17, 17}},
    {'o', {0, 0, 14, 17, 17, 17, 14}},   {'p', {0, 0, 30, 17, 30, 16, 16}}, {'q', {0, 0, 13, 19, 15, 1, 1}},
    {'r', {0, 0, 22, 25, 16, 16, 16}},   {'s', {0, 0, 14, 16, 14, 1, 30}},  {'t', {8, 8, 28, 8, 8, 9, 6}},
    {'u', {0, 0, 17, 17, 17, 19, 13}},   {'v', {0, 0, 17, 17, 17, 10, 4}},  {'w', {0, 0, 17, 17, 21, 21, 10}},
    {'x', {0, 0, 17, 10, 4, 10, 17}},    {'y', {0, 0, 17, 17, 15, 1, 14}},  {'z', {0, 0, 31, 2, 4, 8, 31}},
};

static void fill(unsigned char *pixels, int x, int y, int width, int height, int gray)
{
    for (int row = y < 0 ? 0 : y; row < y + height && row < PLOT_HEIGHT; row++)
        for (int column = x < 0 ? 0 : x; column < x + width && column < PLOT_WIDTH; column++)
            pixels[row * PLOT_WIDTH + column] = (unsigned char)gray;
}

static void write_letter(unsigned char *pixels, int x, int y, char letter)
{
    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++) {
        for (int bit = 0; letters[i].letter == letter && bit < LETTER_WIDTH * LETTER_HEIGHT; bit++) {
            int row = bit / LETTER_WIDTH, column = bit % LETTER_WIDTH;
            if (letters[i].rows[row] >> (LETTER_WIDTH - 1 - column) & 1)
                fill(pixels, x + column * LETTER_SCALE, y + row * LETTER_SCALE, LETTER_SCALE, LETTER_SCALE, BLACK);
        }
    }
}

static void write_text(unsigned char *pixels, int x, int y, const char *text)
{
    for (; *text; text++, x += LETTER_STEP)
        write_letter(pixels, x, y, *text);
}

static int text_width(const char *text)
{
    return (int)strlen(text) * LETTER_STEP - LETTER_SCALE;
}

/* The distance of marks, 1, 2 or 5 times a power of ten, that gives about `wanted` of them over `span`. */
static double mark_step(double span, int wanted)
{
    double rough = span / wanted, power = pow(10, floor(log10(rough)));
    double times = rough / power;
    return power * (times < 1.5 ? 1 : times < 3.5 ? 2 : times < 7.5 ? 5 : 10);
}

/* The number of digits that distinguish marks `step` apart, for values up to `size`. */
static int mark_digits(double size, double step)
{
    int digits = (int)ceil(log10(size / step)) + 2;
    return digits < 6 ? 6 : digits > 15 ? 15 : digits;
}

/* Write the number of a mark; a value that is 0 up to rounding becomes 0. */
static void label(double value, double step, int digits, char text[MAX_LABEL])
{
    snprintf(text, MAX_LABEL, "%.*g", digits, fabs(value) < step / 1000 ? 0.0 : value);
}

/* An axis: the values at its ends, or their exponents if it is logarithmic, and the pixels between them. */
typedef struct axis {
    plot_scale scale;
    double low, high;
    int pixels;
} axis;

/* A value in the units of its axis: itself or its logarithm. */
static double scaled(plot_scale scale, double value)
{
    return scale == PLOT_LOG ? log10(value) : value;
}

static int place(const axis *a, double value)
{
    return (int)lround((scaled(a->scale, value) - a->low) / (a->high - a->low) * a->pixels);
}

static void draw_counts_axis(unsigned char *pixels, double greatest)
{
    int field = PLOT_HEIGHT - TOP - BOTTOM;
    double step = fmax(mark_step(greatest, 5), 1);
    for (double value = 0; value <= greatest * (1 + 1e-9); value += step) {
        char text[MAX_LABEL];
        int y = TOP + field - (int)lround(value / greatest * field);
        label(value, step, 6, text);
        fill(pixels, LEFT, y, PLOT_WIDTH - LEFT - RIGHT, 1, LIGHT);
        fill(pixels, LEFT - MARK, y, MARK, 1, BLACK);
        write_text(pixels, LEFT - MARK - 4 - text_width(text), y - LETTER_HEIGHT * LETTER_SCALE / 2, text);
    }
}

/* Whether the numbers of marks `step` apart have room; the widest one is at an end. */
static bool labels_fit(const axis *x, double step, int digits)
{
    const double room = step / (x->high - x->low) * x->pixels - LETTER_STEP;
    char first[MAX_LABEL], last[MAX_LABEL];
    label(ceil(x->low / step) * step, step, digits, first);
    label(floor(x->high / step) * step, step, digits, last);
    return room > text_width(first) && room > text_width(last);
}

/* Draw marks below the field, as many as their numbers have room for, with light lines of that length above them. */
static void draw_linear_marks(unsigned char *pixels, const axis *x, int length)
{
    int y = PLOT_HEIGHT - BOTTOM, digits = 0;
    double span = x->high - x->low, size = fmax(fabs(x->low), fabs(x->high)), step = span;
    bool fit = false;
    for (int wanted = 6; wanted > 0 && !fit; wanted--) {
        step = mark_step(span, wanted);
        digits = mark_digits(size, step);
        fit = labels_fit(x, step, digits);
    }
    for (double value = ceil(x->low / step) * step; value <= x->high + span * 1e-9; value += step) {
        char text[MAX_LABEL];
        int at = LEFT + place(x, value);
        label(value, step, digits, text);
        fill(pixels, at, y - length, 1, length, LIGHT);
        fill(pixels, at, y, 1, MARK, BLACK);
        write_text(pixels, at - text_width(text) / 2, y + MARK + 4, text);
        if (value + step == value)
            break;
    }
}

static void draw_bars(unsigned char *pixels, int bins, const int64_t *counts, double greatest)
{
    int width = PLOT_WIDTH - LEFT - RIGHT, field = PLOT_HEIGHT - TOP - BOTTOM;
    for (int b = 0; b < bins; b++) {
        int from = LEFT + (int)((int64_t)b * width / bins), to = LEFT + (int)((int64_t)(b + 1) * width / bins);
        int gap = to - from > 4 ? 1 : 0;
        int height = (int)lround((double)counts[b] / greatest * field);
        if (counts[b] > 0 && height == 0)
            height = 1; /* a count above 0 is visible */
        fill(pixels, from, TOP + field - height, to > from ? to - from - gap : 1, height, MIDDLE);
    }
}

mnp_status plot_histogram(const char *path, int bins, const int64_t *counts, double low, double high)
{
    size_t size = (size_t)PLOT_WIDTH * PLOT_HEIGHT;
    unsigned char *pixels = malloc(size);
    double greatest = 1;
    if (!pixels)
        return mnp_fail(MNP_ERR_MEMORY, "no memory on the host for the picture, %zu bytes", size);
    for (int b = 0; b < bins; b++)
        greatest = fmax(greatest, (double)counts[b]);
    memset(pixels, WHITE, size);
    draw_counts_axis(pixels, greatest);
    draw_bars(pixels, bins, counts, greatest);
    fill(pixels, LEFT - 1, TOP, 1, PLOT_HEIGHT - TOP - BOTTOM, BLACK);
    fill(pixels, LEFT - 1, PLOT_HEIGHT - BOTTOM, PLOT_WIDTH - LEFT - RIGHT + 1, 1, BLACK);
    draw_linear_marks(pixels, &(axis){PLOT_LINEAR, low, high, PLOT_WIDTH - LEFT - RIGHT}, 0);
    mnp_status status = png_write(path, PLOT_WIDTH, PLOT_HEIGHT, pixels);
    free(pixels);
    return status;
}

/* ---- curves ---- */

enum {
    POINT = 5,
    MOST_POINTS = 40, /* points are marked on curves with at most so many */
    MAX_CURVES = 16
};

/* The width of the space to the right of the field for the names. */
static int names_margin(int count, const plot_curve *curves)
{
    int widest = 0;
    for (int c = 0; c < count; c++)
        widest = text_width(curves[c].name) > widest ? text_width(curves[c].name) : widest;
    return widest + 4 * POINT;
}

/* The axis for coordinate number `which` of all points. */
static axis axis_of(plot_scale scale, int count, const plot_curve *curves, int which, int pixels)
{
    double low = scale == PLOT_LOG ? INFINITY : 0, high = -INFINITY;
    for (int c = 0; c < count; c++) {
        for (int i = 0; i < curves[c].count; i++) {
            low = fmin(low, scaled(scale, curves[c].points[2 * i + which]));
            high = fmax(high, scaled(scale, curves[c].points[2 * i + which]));
        }
    }
    if (low > high)
        low = high = 0;
    if (scale == PLOT_LOG) {
        low = floor(low);
        high = ceil(high);
    }
    return (axis){scale, low, high > low ? high : low + 1, pixels};
}

/* The same as draw_linear_marks(), with a mark at every power of ten. */
static void draw_log_marks(unsigned char *pixels, const axis *x, int length)
{
    char text[MAX_LABEL];
    int y = PLOT_HEIGHT - BOTTOM;
    for (int power = (int)x->low; power <= (int)x->high; power++) {
        int at = LEFT + place(x, pow(10, power));
        snprintf(text, sizeof text, "1e%d", power);
        fill(pixels, at, y - length, 1, length, LIGHT);
        fill(pixels, at, y, 1, MARK, BLACK);
        write_text(pixels, at - text_width(text) / 2, y + MARK + 4, text);
    }
}

static void draw_axes(unsigned char *pixels, const axis *x, const axis *y)
{
    char text[MAX_LABEL];
    (x->scale == PLOT_LOG ? draw_log_marks : draw_linear_marks)(pixels, x, y->pixels);
    for (int power = (int)y->low; power <= (int)y->high; power++) {
        int at = TOP + y->pixels - place(y, pow(10, power));
        snprintf(text, sizeof text, "1e%d", power);
        fill(pixels, LEFT, at, x->pixels, 1, LIGHT);
        fill(pixels, LEFT - MARK, at, MARK, 1, BLACK);
        write_text(pixels, LEFT - MARK - 4 - text_width(text), at - LETTER_HEIGHT * LETTER_SCALE / 2, text);
    }
    fill(pixels, LEFT - 1, TOP, 1, y->pixels, BLACK);
    fill(pixels, LEFT - 1, TOP + y->pixels, x->pixels + 1, 1, BLACK);
}

static void draw_line(unsigned char *pixels, int x0, int y0, int x1, int y1, int gray)
{
    int steps = abs(x1 - x0) > abs(y1 - y0) ? abs(x1 - x0) : abs(y1 - y0);
    for (int i = 0; i <= steps; i++) {
        int x = steps > 0 ? x0 + (x1 - x0) * i / steps : x0, y = steps > 0 ? y0 + (y1 - y0) * i / steps : y0;
        fill(pixels, x, y, 2, 2, gray);
    }
}

static void draw_curve(unsigned char *pixels, const plot_curve *curve, const axis *x, const axis *y, int gray)
{
    int last_x = 0, last_y = 0;
    for (int i = 0; i < curve->count; i++) {
        int at_x = LEFT + place(x, curve->points[2 * i]), at_y = TOP + y->pixels - place(y, curve->points[2 * i + 1]);
        if (i > 0)
            draw_line(pixels, last_x, last_y, at_x, at_y, gray);
        if (curve->count <= MOST_POINTS)
            fill(pixels, at_x - POINT / 2, at_y - POINT / 2, POINT, POINT, gray);
        last_x = at_x;
        last_y = at_y;
    }
}

/* Write the names after the ends of the curves, the highest first, moved down where they would overlap. */
static void name_curves(unsigned char *pixels, int count, const plot_curve *curves, const axis *x, const axis *y)
{
    const int height = LETTER_HEIGHT * LETTER_SCALE + 3;
    bool named[MAX_CURVES] = {false};
    int below = 0;
    for (int n = 0; n < count; n++) {
        int highest = -1;
        for (int c = 0; c < count; c++) {
            if (!named[c] && (highest < 0 || curves[c].points[2 * curves[c].count - 1] >
                                                 curves[highest].points[2 * curves[highest].count - 1]))
                highest = c;
        }
        const plot_curve *curve = &curves[highest];
        const double *end = &curve->points[2 * (curve->count - 1)];
        int at = TOP + y->pixels - place(y, end[1]) - height / 2;
        at = at > below ? at : below;
        named[highest] = true;
        below = at + height;
        write_text(pixels, LEFT + x->pixels + 2 * POINT, at, curve->name);
        draw_line(pixels, LEFT + place(x, end[0]), TOP + y->pixels - place(y, end[1]), LEFT + x->pixels + POINT,
                  at + height / 2, LIGHT);
    }
}

mnp_status plot_curves(const char *path, int count, const plot_curve *curves, plot_scale x_scale, const char *x_name,
                       const char *y_name)
{
    static const int grays[] = {BLACK, MIDDLE, 150, 190};
    size_t size = (size_t)PLOT_WIDTH * PLOT_HEIGHT;
    unsigned char *pixels = malloc(size);
    if (!pixels)
        return mnp_fail(MNP_ERR_MEMORY, "no memory on the host for the picture, %zu bytes", size);
    const axis x = axis_of(x_scale, count, curves, 0, PLOT_WIDTH - LEFT - names_margin(count, curves));
    const axis y = axis_of(PLOT_LOG, count, curves, 1, PLOT_HEIGHT - TOP - BOTTOM);
    memset(pixels, WHITE, size);
    draw_axes(pixels, &x, &y);
    name_curves(pixels, count < MAX_CURVES ? count : MAX_CURVES, curves, &x, &y);
    for (int c = count - 1; c >= 0; c--)
        draw_curve(pixels, &curves[c], &x, &y, grays[(size_t)c % (sizeof grays / sizeof *grays)]);
    write_text(pixels, LEFT + (x.pixels - text_width(x_name)) / 2, PLOT_HEIGHT - LETTER_HEIGHT * LETTER_SCALE - 4,
               x_name);
    write_text(pixels, LEFT + MARK, 4, y_name);
    mnp_status status = png_write(path, PLOT_WIDTH, PLOT_HEIGHT, pixels);
    free(pixels);
    return status;
}
