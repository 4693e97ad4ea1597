/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The letters, as paths in a language like that of SVG: M x y begins a stroke, L x y continues it by a line, and a by
 * an arc of an ellipse: its centre, its radii, and the angles in degrees at which it begins and ends.  A begins a
 * stroke with an arc.  A letter lies to the right of x = 0 on the line y = 0; capitals are 14 high.
 */
#include "canvas/font.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

enum {
    UNITS = 20,       /* the size of a text, in the units of the paths */
    MOST_POINTS = 64, /* of a stroke */
    ARC_STEP = 15     /* degrees between points of an arc */
};
static const double side = 1.95; /* the space on either side of a letter */
static const double pi = 3.14159265358979323846;

typedef struct letter {
    uint32_t code; /* in Unicode */
    double width;
    const char *path;
} letter;

static const letter letters[] = {
    {' ', 3, ""},
    {'!', 0, "M0 14L0 4.5M0 0L0 .2"},
    {'"', 3.6, "M0 14L0 9.6M3.6 14L3.6 9.6"},
    {'#', 11, "M3.6 0L5.4 14M7 0L8.8 14M.4 4.6L10.6 4.6M1 9.4L11.2 9.4"},
    {'$', 8.4, "A4.2 9.6 3.8 3 25 270a4.2 3.4 4.2 3.2 90 -155M4.2 -2.6L4.2 15"},
    {'%', 14, "A3 10.6 3 3.4 0 360A11 3.4 3 3.4 0 360M11.6 14L2.4 0"},
    {'&', 11.4, "M11.4 0L2.2 9.2a4.6 11 3 3 217 -40L6.6 8.8L2 5.6a4.4 3.4 4.4 3.4 145 325L10.8 6.4"},
    {'\'', 0, "M0 14L0 9.6"},
    {'(', 2.8, "A7 5.6 7 10.6 130 230"},
    {')', 2.8, "A-4.2 5.6 7 10.6 50 -50"},
    {'*', 7, "M3.5 14L3.5 6.4M0 12.2L7 8.2M7 12.2L0 8.2"},
    {'+', 10, "M5 1L5 11M0 6L10 6"},
    {',', 1, "M1 .4L0 -2.6"},
    {'-', 4.4, "M0 5L4.4 5"},
    {'.', 0, "M0 0L0 .2"},
    {'/', 5.6, "M0 -1.6L5.6 14.4"},
    {'0', 8, "A4 7 4 7 0 360"},
    {'1', 8, "M1.4 11.8L4.6 14L4.6 0M1.4 0L7.8 0"},
    {'2', 8, "A4 10.1 3.9 3.9 160 -38L.2 0L8 0"},
    {'3', 8, "A3.8 10.5 3.5 3.5 145 -90L3 7M3.8 7a3.8 3.5 4.2 3.5 90 -150"},
    {'4', 8, "M6.2 0L6.2 14L0 4.2L8.4 4.2"},
    {'5', 8, "M7.2 14L1.3 14L1 7.8a3.7 4.5 4.3 4.5 132 -150"},
    {'6', 8, "A4 4.5 4 4.5 0 360A5.6 4.5 5.6 9.5 180 72"},
    {'7', 8, "M0 14L8 14L2.8 0"},
    {'8', 8, "A4 10.6 3.5 3.4 0 360A4 3.6 4 3.6 0 360"},
    {'9', 8, "A4 9.5 4 4.5 0 360A2.4 9.5 5.6 9.5 0 -108"},
    {':', 0, "M0 0L0 .2M0 8L0 8.2"},
    {';', 1, "M1 .4L0 -2.6M1 8L1 8.2"},
    {'<', 9.6, "M9.6 11L0 6L9.6 1"},
    {'=', 10, "M0 8.2L10 8.2M0 3.8L10 3.8"},
    {'>', 9.6, "M0 11L9.6 6L0 1"},
    {'?', 6.6, "A3.4 10.6 3.3 3.4 155 -45L3.2 6L3.2 4.2M3.2 0L3.2 .2"},
    {'@', 15, "A7.2 5.2 3 3.4 0 360M10.6 8.6L10.6 3.6a12.6 4.2 2 2.2 190 320a7.4 5.4 7.4 8 -5 300"},
    {'A', 10.8, "M0 0L5.4 14L10.8 0M1.9 4.8L8.9 4.8"},
    {'B', 9, "M0 7.2L4.8 7.2a4.8 10.6 3.4 3.4 -90 90L0 14L0 0L5.2 0a5.2 3.6 3.8 3.6 -90 90"},
    {'C', 11, "A6.8 7 6.8 7 48 312"},
    {'D', 10.6, "M0 0L0 14L4 14a4 7 6.6 7 90 -90L0 0"},
    {'E', 8, "M8 14L0 14L0 0L8.2 0M0 7.4L7.6 7.4"},
    {'F', 7.4, "M7.6 14L0 14L0 0M0 7.4L6.8 7.4"},
    {'G', 12, "A6.8 7 6.8 7 46 322L12.1 6.6L7.8 6.6"},
    {'H', 9.8, "M0 0L0 14M9.8 0L9.8 14M0 7.4L9.8 7.4"},
    {'I', 0, "M0 0L0 14"},
    {'J', 3, "M3 14L3 .6a.2 .6 2.8 4 0 -80"},
    {'K', 9.4, "M0 0L0 14M9 14L0 6M3.2 8.8L9.6 0"},
    {'L', 7.4, "M0 14L0 0L7.6 0"},
    {'M', 11.6, "M0 0L0 14L5.8 4.4L11.6 14L11.6 0"},
    {'N', 10, "M0 0L0 14L10 0L10 14"},
    {'O', 13, "A6.5 7 6.5 7 0 360"},
    {'P', 8.4, "M0 0L0 14L4.6 14a4.6 10.2 3.8 3.8 90 -90L0 6.4"},
    {'Q', 13, "A6.5 7 6.5 7 0 360M8 2.6L11.4 -1.8"},
    {'R', 9.2, "M0 0L0 14L4.6 14a4.6 10.3 3.7 3.7 90 -90L0 6.6M4.8 6.6L9.2 0"},
    {'S', 9, "A4.5 10.5 4.1 3.5 32 250L5.4 6.8a4.5 3.5 4.5 3.5 78 -150"},
    {'T', 10.8, "M0 14L10.8 14M5.4 14L5.4 0"},
    {'U', 9.8, "M0 14L0 5a4.9 5 4.9 5 180 360L9.8 14"},
    {'V', 10.6, "M0 14L5.3 0L10.6 14"},
    {'W', 15.6, "M0 14L3.9 0L7.8 14L11.7 0L15.6 14"},
    {'X', 10, "M.2 14L10 0M0 0L9.8 14"},
    {'Y', 10.2, "M0 14L5.1 7L10.2 14M5.1 7L5.1 0"},
    {'Z', 10, "M.2 14L10 14L0 0L10.2 0"},
    {'[', 3, "M3 15.4L0 15.4L0 -2.6L3 -2.6"},
    {'\\', 5.6, "M0 14.4L5.6 -1.6"},
    {']', 3, "M0 15.4L3 15.4L3 -2.6L0 -2.6"},
    {'^', 9, "M0 9.6L4.5 14L9 9.6"},
    {'_', 8, "M-1 -3L9 -3"},
    {'`', 3, "M0 14.4L2.8 11.8"},
    {'a', 7.6, "A3.8 6.7 3.8 3.5 155 0L7.6 0M7.6 6L3.6 6a3.4 3 3.4 3 90 270a3.6 3.6 4 3.6 -90 0"},
    {'b', 8.4, "M0 0L0 14.6A4.2 5.1 4.2 5.1 0 360"},
    {'c', 7.4, "A4.6 5.1 4.6 5.1 52 308"},
    {'d', 8.4, "M8.4 0L8.4 14.6A4.2 5.1 4.2 5.1 0 360"},
    {'e', 8.6, "M.1 5.4L8.6 5.4a4.3 5.1 4.3 5.1 4 320"},
    {'f', 5, "M2.2 0L2.2 11a5.2 11 3 3.6 180 85M0 10.1L5 10.1"},
    {'g', 8.4, "A4.2 5.1 4.2 5.1 0 360M8.4 10.2L8.4 0a4.2 0 4.2 4.3 0 -145"},
    {'h', 8, "M0 0L0 14.6M0 5.6a4 6 4 4.2 180 0L8 0"},
    {'i', 0, "M0 0L0 10.2M0 14L0 14.2"},
    {'j', 1.6, "M1.6 10.2L1.6 -.6a-1 -.6 2.6 3.6 0 -85M1.6 14L1.6 14.2"},
    {'k', 7.6, "M0 0L0 14.6M7.2 10.2L0 4.4M2.4 6.3L7.8 0"},
    {'l', 0, "M0 0L0 14.6"},
    {'m', 13.6, "M0 0L0 10.2M0 6a3.4 6.4 3.4 3.8 180 0L6.8 0M6.8 6a10.2 6.4 3.4 3.8 180 0L13.6 0"},
    {'n', 8, "M0 0L0 10.2M0 5.6a4 6 4 4.2 180 0L8 0"},
    {'o', 8.8, "A4.4 5.1 4.4 5.1 0 360"},
    {'p', 8.4, "M0 10.2L0 -4.3A4.2 5.1 4.2 5.1 0 360"},
    {'q', 8.4, "M8.4 10.2L8.4 -4.3A4.2 5.1 4.2 5.1 0 360"},
    {'r', 4.8, "M0 0L0 10.2M0 5.4a4 6 4 4.2 180 78"},
    {'s', 7, "A3.5 7.6 3.2 2.6 38 250L4.3 4.9a3.5 2.6 3.5 2.6 75 -150"},
    {'t', 5, "M2.2 13.4L2.2 3a5 3 2.8 3 180 270M0 10.1L5.2 10.1"},
    {'u', 8, "M0 10.2L0 4.2a4 4.2 4 4.2 180 360M8 10.2L8 0"},
    {'v', 8.4, "M0 10.2L4.2 0L8.4 10.2"},
    {'w', 12.8, "M0 10.2L3.2 0L6.4 10.2L9.6 0L12.8 10.2"},
    {'x', 8.2, "M.2 10.2L8.2 0M0 0L8 10.2"},
    {'y', 8.4, "M0 10.2L4.3 .2M8.4 10.2L3.6 -2.4a1.4 -1.6 2.4 2.7 -15 -100"},
    {'z', 7.2, "M0 10.2L7.2 10.2L0 0L7.4 0"},
    {'{', 4.6,
     "M4.6 15.4a4.6 12.9 2.4 2.5 90 180L2.2 9a0 9 2.2 2.6 0 -90M0 6.4a0 3.8 2.2 2.6 90 0L2.2 -.1a4.6 -.1 2.4 2.5 180 "
     "270"},
    {'|', 0, "M0 16L0 -4"},
    {'}', 4.6,
     "M0 15.4a0 12.9 2.4 2.5 90 0L2.4 9a4.6 9 2.2 2.6 180 270M4.6 6.4a4.6 3.8 2.2 2.6 90 180L2.4 -.1a0 -.1 2.4 2.5 0 "
     "-90"},
    {'~', 10, "A2.5 5.4 2.5 2 175 35L5.8 5.6a7.5 6.4 2.5 2 205 350"},
    {0xb0, 4, "A2 12 2 2.2 0 360"},                                   /* degree */
    {0xb1, 10, "M5 3L5 13M0 8L10 8M0 0L10 0"},                        /* plus or minus */
    {0xb5, 8, "M0 10.2L0 -4.3M0 4.2a4 4.2 4 4.2 180 360M8 10.2L8 0"}, /* micro */
    {0xb7, 0, "M0 6L0 6.2"},                                          /* middle dot */
    {0xd7, 8, "M0 10L8 2M0 2L8 10"},                                  /* times */
    {0x2026, 12, "M0 0L0 .2M6 0L6 .2M12 0L12 .2"},                    /* ellipsis */
    {0x2212, 10, "M0 6L10 6"},                                        /* minus */
};
static const letter unknown = {0, 8, "M0 0L0 14L8 14L8 0L0 0"};

/* The next character of a text that is valid UTF-8. */
static uint32_t next_code(const char **text)
{
    const unsigned char *at = (const unsigned char *)*text;
    int more = *at >= 0xf0 ? 3 : *at >= 0xe0 ? 2 : *at >= 0xc0 ? 1 : 0;
    uint32_t code = more > 0 ? *at & (0x3fU >> more) : *at;
    *text += 1 + more;
    for (; more > 0; more--)
        code = code << 6 | (*++at & 0x3f);
    return code;
}

static const letter *find(uint32_t code)
{
    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++)
        if (letters[i].code == code)
            return &letters[i];
    return &unknown;
}

double font_width(const char *text)
{
    double width = 0;
    while (*text)
        width += find(next_code(&text))->width + 2 * side;
    return width / UNITS;
}

double font_pen(bool bold)
{
    return (bold ? 2.7 : 1.75) / UNITS;
}

typedef struct stroke_points {
    int count;
    canvas_point points[MOST_POINTS];
} stroke_points;

static void add_point(stroke_points *s, double x, double y)
{
    if (s->count < MOST_POINTS)
        s->points[s->count++] = (canvas_point){x / UNITS, y / UNITS};
}

/* Add an arc: centre, radii, first and last angle. */
static void add_arc(stroke_points *s, double x, const double *arc)
{
    const double turn = arc[5] - arc[4];
    const int steps = (int)ceil(fabs(turn) / ARC_STEP);
    for (int i = 0; i <= steps; i++) {
        double angle = (arc[4] + turn * i / steps) * pi / 180;
        add_point(s, x + arc[0] + arc[2] * cos(angle), arc[1] + arc[3] * sin(angle));
    }
}

void font_strokes(const char *text, void (*stroke)(void *argument, int count, const canvas_point *points),
                  void *argument)
{
    double x = 0;
    while (*text) {
        const letter *l = find(next_code(&text));
        stroke_points s = {.count = 0};
        for (const char *at = l->path; *at;) {
            const char command = *at++;
            const int numbers = command == 'A' || command == 'a' ? 6 : 2;
            double number[6];
            char *end;
            for (int i = 0; i < numbers; i++, at = end)
                number[i] = strtod(at, &end);
            if ((command == 'M' || command == 'A') && s.count > 0) {
                stroke(argument, s.count, s.points);
                s.count = 0;
            }
            if (numbers == 6)
                add_arc(&s, x + side, number);
            else
                add_point(&s, x + side + number[0], number[1]);
        }
        if (s.count > 0)
            stroke(argument, s.count, s.points);
        x += l->width + 2 * side;
    }
}
