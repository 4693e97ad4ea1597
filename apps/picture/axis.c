/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Marks are 1, 2 or 5 times a power of ten apart, as many as their numbers have room for; on logarithmic axes they are
 * a whole number of powers apart, with small marks between them if there are few powers.
 */
#include "picture/axis.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "picture/page.h"

enum { MOST_MARKS = 12 };
#define MINUS "\xe2\x88\x92"
#define TIMES "\xc3\x97"

static const canvas_pen grid_pen = {.width = 0.6, .colour = {225, 225, 225}};

static bool is_log(axis_scale scale)
{
    return scale == AXIS_LOG || scale == AXIS_BYTES;
}

static double scaled(axis_scale scale, double value)
{
    return scale == AXIS_LOG ? log10(value) : scale == AXIS_BYTES ? log2(value) : value;
}

plot_axis axis_new(axis_scale scale, double low, double high)
{
    plot_axis a = {.scale = scale, .low = scaled(scale, low), .high = scaled(scale, high)};
    if (is_log(scale)) { /* up to rounding */
        a.low = floor(a.low + 1e-9);
        a.high = ceil(a.high - 1e-9);
    }
    if (!(a.high > a.low))
        a.high = a.low + (is_log(scale) || a.low == 0 ? 1 : fabs(a.low) * 1e-3);
    return a;
}

double axis_place(const plot_axis *a, double value)
{
    return a->from + (scaled(a->scale, value) - a->low) / (a->high - a->low) * (a->to - a->from);
}

canvas_text axis_number_style(void)
{
    return (canvas_text){.size = AXIS_NUMBER_SIZE, .colour = colour_ink};
}

/* ---- numbers ---- */

typedef struct number {
    char text[AXIS_NUMBER_BYTES], raised[AXIS_NUMBER_BYTES];
} number;

/* Copy a number with a minus as printers have it. */
static void copy_number(const char *digits, int length, char copy[AXIS_NUMBER_BYTES])
{
    const bool negative = *digits == '-';
    snprintf(copy, AXIS_NUMBER_BYTES, "%s%.*s", negative ? MINUS : "", length - negative, digits + negative);
}

static number power_number(int power)
{
    number n = {.text = "10"};
    char digits[AXIS_NUMBER_BYTES];
    copy_number(digits, snprintf(digits, sizeof digits, "%d", power), n.raised);
    return n;
}

static number bytes_number(int power)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    number n = {.raised = ""};
    const int unit = power < 0 ? 0 : power / 10;
    snprintf(n.text, sizeof n.text, "%g %s", ldexp(1, power - 10 * unit), units[unit < 6 ? unit : 6]);
    return n;
}

/* The number of a mark; one that is 0 up to rounding becomes 0. */
static number plain_number(double value, double step, int digits)
{
    char text[AXIS_NUMBER_BYTES];
    number n = {.raised = ""};
    const int length = snprintf(text, sizeof text, "%.*g", digits, fabs(value) < step / 1000 ? 0.0 : value);
    const char *exponent = strchr(text, 'e');
    if (!exponent) {
        copy_number(text, length, n.text);
        return n;
    }
    n = power_number(atoi(exponent + 1));
    if (strncmp(text, "1e", 2) != 0) {
        copy_number(text, (int)(exponent - text), n.text);
        strcat(n.text, TIMES "10");
    }
    return n;
}

void axis_number(double value, int digits, char text[AXIS_NUMBER_BYTES], char raised[AXIS_NUMBER_BYTES])
{
    const number n = plain_number(value, 0, digits);
    strcpy(text, n.text);
    strcpy(raised, n.raised);
}

/* ---- marks ---- */

/* Marks at multiples of `step`, in the units of the axis: values or powers. */
typedef struct marks {
    double step;
    int digits; /* that distinguish them */
} marks;

static double first_mark(const plot_axis *a, const marks *m)
{
    return ceil(a->low / m->step - 1e-9) * m->step;
}

static int count_marks(const plot_axis *a, const marks *m)
{
    const double count = floor((a->high - first_mark(a, m)) / m->step + 1e-9) + 1;
    return count < 0 ? 0 : count > 2 * MOST_MARKS ? 2 * MOST_MARKS : (int)count;
}

static number number_of(const plot_axis *a, const marks *m, int index)
{
    const double value = first_mark(a, m) + index * m->step;
    return a->scale == AXIS_LOG     ? power_number((int)lround(value))
           : a->scale == AXIS_BYTES ? bytes_number((int)lround(value))
                                    : plain_number(value, m->step, m->digits);
}

static double place_of(const plot_axis *a, const marks *m, int index)
{
    return a->from + (first_mark(a, m) + index * m->step - a->low) / (a->high - a->low) * (a->to - a->from);
}

static double number_width(canvas *c, const number *n)
{
    canvas_text style = axis_number_style();
    style.raised = *n->raised ? n->raised : NULL;
    return canvas_text_width(c, n->text, style);
}

/* The distance of about `wanted` marks. */
static marks choose_step(const plot_axis *a, int wanted)
{
    const double span = a->high - a->low, rough = span / wanted, power = pow(10, floor(log10(rough)));
    const double times = rough / power;
    marks m = {.step = power * (times < 1.5 ? 1 : times < 3.5 ? 2 : times < 7.5 ? 5 : 10)};
    if (a->scale == AXIS_BYTES && m.step > 2) /* whole units are told apart best */
        m.step = m.step < 7.5 ? 5 : 10 * ceil(m.step / 10);
    if (a->scale != AXIS_LINEAR)
        m.step = fmax(m.step, 1);
    const double size = fmax(fabs(a->low), fabs(a->high));
    const int digits = (int)ceil(log10(size / m.step)) + 2;
    m.digits = digits < 6 ? 6 : digits > 15 ? 15 : digits;
    return m;
}

/* The marks of an axis: as many as the numbers have room for, side by side or one above the other. */
static marks choose_marks(canvas *c, const plot_axis *a, bool level)
{
    const double length = fabs(a->to - a->from), gap = level ? 10 : 14;
    marks m = {.step = 1};
    for (int wanted = MOST_MARKS; wanted > 0; wanted--) {
        m = choose_step(a, wanted);
        const int count = count_marks(a, &m);
        double widest = AXIS_NUMBER_SIZE;
        for (int i = 0; i < count && level; i++) {
            const number n = number_of(a, &m, i);
            widest = fmax(widest, number_width(c, &n));
        }
        if (count <= MOST_MARKS && m.step / (a->high - a->low) * length >= widest + gap)
            break;
    }
    return m;
}

double axis_numbers_width(canvas *c, const plot_axis *a)
{
    const marks m = choose_marks(c, a, false);
    double widest = 0;
    for (int i = 0; i < count_marks(a, &m); i++) {
        const number n = number_of(a, &m, i);
        widest = fmax(widest, number_width(c, &n));
    }
    return widest;
}

static void write_number(canvas *c, const number *n, double x, double y, canvas_anchor anchor)
{
    canvas_text style = axis_number_style();
    style.x = x;
    style.y = y;
    style.anchor = anchor;
    style.raised = *n->raised ? n->raised : NULL;
    canvas_write_text(c, n->text, style);
}

/* ---- drawing ---- */

/*
 * Small marks at 2 to 9 times the powers of ten, where there are few powers; `level` is y of an x axis, and x of a y.
 */
static void draw_small_marks(canvas *c, const plot_axis *a, double level, bool is_x)
{
    if (a->scale != AXIS_LOG || a->high - a->low > 5)
        return;
    for (int power = (int)a->low; power < (int)a->high; power++) {
        for (int times = 2; times < 10; times++) {
            const double at = axis_place(a, times * pow(10, power));
            if (is_x)
                page_draw_line(c, at, level, at, level + AXIS_MARK / 2, page_pen);
            else
                page_draw_line(c, level - AXIS_MARK / 2, at, level, at, page_pen);
        }
    }
}

void axis_draw_x(canvas *c, const plot_axis *a, double y, double top)
{
    const marks m = choose_marks(c, a, true);
    for (int i = 0; i < count_marks(a, &m); i++) {
        const number n = number_of(a, &m, i);
        const double x = place_of(a, &m, i);
        if (top < y)
            page_draw_line(c, x, top, x, y, grid_pen);
        page_draw_line(c, x, y, x, y + AXIS_MARK, page_pen);
        write_number(c, &n, x, y + AXIS_MARK + AXIS_NUMBER_SIZE + 1, ANCHOR_MIDDLE);
    }
    draw_small_marks(c, a, y, true);
}

void axis_draw_y(canvas *c, const plot_axis *a, double x, double right)
{
    const marks m = choose_marks(c, a, false);
    for (int i = 0; i < count_marks(a, &m); i++) {
        const number n = number_of(a, &m, i);
        const double y = place_of(a, &m, i);
        if (right > x)
            page_draw_line(c, x, y, right, y, grid_pen);
        page_draw_line(c, x - AXIS_MARK, y, x, y, page_pen);
        write_number(c, &n, x - AXIS_MARK - 3, y + 0.35 * AXIS_NUMBER_SIZE, ANCHOR_END);
    }
    draw_small_marks(c, a, x, false);
}

void axis_draw_right(canvas *c, const plot_axis *a, double x)
{
    const marks m = choose_marks(c, a, false);
    for (int i = 0; i < count_marks(a, &m); i++) {
        const number n = number_of(a, &m, i);
        const double y = place_of(a, &m, i);
        page_draw_line(c, x, y, x + AXIS_MARK, y, page_pen);
        write_number(c, &n, x + AXIS_MARK + 3, y + 0.35 * AXIS_NUMBER_SIZE, ANCHOR_START);
    }
}
