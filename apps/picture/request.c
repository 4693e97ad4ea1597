/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The options of pictures.
 */
#include "picture/request.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "canvas/file.h"
#include "canvas/png.h"
#include "common/paths.h"

static const double least_inches = 1, most_inches = 40, least_dpi = 30, most_dpi = 1200, most_pixels = 25e6;

/* Read a number that is followed by `mark`; returns what is behind it, or NULL. */
static const char *read_number(const char *text, const char *marks, double least, double most, double *number)
{
    char *end;
    *number = strtod(text, &end);
    return isdigit((unsigned char)*text) && *number >= least && *number <= most && strchr(marks, *end) ? end : NULL;
}

static mnp_status parse_size(const char *text, picture_request *request)
{
    const char *at = read_number(text, "x", least_inches, most_inches, &request->width);
    if (at && *at)
        at = read_number(at + 1, "@", least_inches, most_inches, &request->height);
    else
        at = NULL;
    if (at && *at)
        at = read_number(at + 1, "", least_dpi, most_dpi, &request->dpi);
    if (!at)
        return mnp_fail(MNP_ERR_ARG,
                        "--picture-size '%s' is not WIDTHxHEIGHT or WIDTHxHEIGHT@DPI, such as 3.5x2.5@300: %g to %g "
                        "inches, and %g to %g pixels an inch",
                        text, least_inches, most_inches, least_dpi, most_dpi);
    if (request->width * request->height * request->dpi * request->dpi > most_pixels)
        return mnp_fail(MNP_ERR_ARG, "--picture-size '%s' has more than %g million pixels", text, most_pixels / 1e6);
    return MNP_OK;
}

static mnp_status parse_file(const char *path, picture_request *request)
{
    request->path = path;
    if (!*path)
        return mnp_fail(MNP_ERR_ARG, "--picture has an empty name; name a file such as picture.png");
    if (!file_is_png(path) && !file_is_svg(path))
        return mnp_fail(MNP_ERR_ARG, "--picture '%s' ends neither in .png nor in .svg, which tells what it becomes",
                        path);
    if (file_is_png(path) && !png_supported())
        return mnp_fail(MNP_ERR_UNSUPPORTED,
                        "--picture '%s' is not possible: this maniple was built without libpng; .svg is possible",
                        path);
    return MNP_OK;
}

mnp_status picture_option(int key, const char *argument, picture_request *request)
{
    if (key == KEY_PICTURE_MAP) {
        request->map = true;
        return MNP_OK;
    }
    return key == KEY_PICTURE ? parse_file(argument, request) : parse_size(argument, request);
}

mnp_status picture_check_options(const picture_request *request)
{
    if (request->path || (request->width == 0 && !request->map))
        return MNP_OK;
    return mnp_fail(MNP_ERR_ARG, "--picture-%s is for a picture: add --picture FILE", request->map ? "map" : "size");
}

mnp_status picture_check_place(const picture_request *request)
{
    const char *path = request->path;
    struct stat info;
    if (!path)
        return MNP_OK;
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode))
        return mnp_fail(MNP_ERR_IO, "--picture '%s' cannot be written: it is %s", path,
                        S_ISDIR(info.st_mode) ? "a folder; name a file in it" : "not a regular file");
    char folder[PATH_MAX];
    split_path(path, folder);
    if (stat(folder, &info) != 0)
        return mnp_fail(MNP_ERR_IO, "--picture '%s' cannot be written: the folder '%s' cannot be used: %s", path,
                        folder, strerror(errno));
    if (access(folder, W_OK | X_OK) != 0)
        return mnp_fail(MNP_ERR_IO, "--picture '%s' cannot be written: files cannot be made in '%s': %s", path, folder,
                        strerror(errno));
    return MNP_OK;
}

mnp_status picture_finish(canvas *c, picture_made *made)
{
    double width, height;
    const char *unit;
    canvas_size(c, &width, &height, &unit);
    mnp_status status = canvas_write(c);
    if (status == MNP_OK)
        snprintf(made->size, sizeof made->size, "%g x %g %s", round(width * 10) / 10, round(height * 10) / 10, unit);
    canvas_free(c);
    return status;
}
