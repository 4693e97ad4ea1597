/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The colours of lines are those of Okabe and Ito, "Color Universal Design" (2008), without the yellow, which is too
 * light for lines on white.  The map is a curve through Oklab (B. Ottosson, "A perceptual color space for image
 * processing", 2020), in which equal distances look equally different: the lightness grows evenly while the hue turns
 * from violet to yellow.
 */
#include "canvas/colours.h"

#include <math.h>

const colour colour_ink = {38, 38, 38}, colour_faint = {225, 225, 225}, colour_paper = {255, 255, 255};

colour colour_of_line(int index)
{
    static const colour colours[] = {
        {0, 114, 178},   /* blue */
        {213, 94, 0},    /* vermilion */
        {0, 158, 115},   /* bluish green */
        {204, 121, 167}, /* reddish purple */
        {230, 159, 0},   /* orange */
        {86, 180, 233},  /* sky blue */
        {0, 0, 0},
    };
    return colours[index % (int)(sizeof colours / sizeof *colours)];
}

/* A byte of sRGB from linear light. */
static unsigned char encode(double light)
{
    light = fmin(fmax(light, 0), 1);
    return (unsigned char)lround(255 * (light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055));
}

colour colour_of_value(double value)
{
    const double degree = 3.14159265358979323846 / 180, lightness = 0.27 + 0.65 * value;
    const double hue = (320 - 212 * value) * degree, chroma = 0.098 + 0.09 * pow(value, 4); /* inside sRGB */
    const double a = chroma * cos(hue), b = chroma * sin(hue);
    const double l = pow(lightness + 0.3963377774 * a + 0.2158037573 * b, 3);
    const double m = pow(lightness - 0.1055613458 * a - 0.0638541728 * b, 3);
    const double s = pow(lightness - 0.0894841775 * a - 1.2914855480 * b, 3);
    return (colour){encode(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
                    encode(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
                    encode(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s)};
}
