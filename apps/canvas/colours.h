/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Colours: those of lines, which also colour-blind people can tell apart, and a map from numbers to colours whose
 * lightness grows evenly.
 */
#ifndef APPS_CANVAS_COLOURS_H
#define APPS_CANVAS_COLOURS_H

typedef struct colour {
    unsigned char red, green, blue;
} colour;

/* Colours of axes and letters, of what helps to read a value, and of the background. */
extern const colour colour_ink, colour_faint, colour_paper;

/* The colour of line number 0, 1, ...; there are seven, which then repeat. */
colour colour_of_line(int index);

/* The colour of a value from 0 to 1, from dark violet over blue and green to yellow. */
colour colour_of_value(double value);

#endif
