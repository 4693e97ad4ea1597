/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which kind of picture an array gets.
 */
#include "picture/array.h"

#include <stdio.h>

#include "picture/line.h"
#include "picture/picture.h"

mnp_status array_write(const picture_request *request, const char *title, const mnp_array *array, int rows, int columns,
                       char words[ARRAY_WORDS])
{
    line_result line;
    picture_result image = {.reduction = {1, 1}};
    picture p = {.title = title, .count = 1, .rows = rows, .columns = columns};
    mnp_status status;
    if (mnp_layout_size(mnp_array_layout(array)) == 0)
        return mnp_fail(MNP_ERR_IO, "no picture was made: there are no elements to draw");
    if (mnp_array_ndim(array) == 1) {
        status = line_write(request, title, array, &line);
        if (status == MNP_OK)
            snprintf(words, ARRAY_WORDS, "%s", line.made.size);
        return status;
    }
    p.arrays[0] = array;
    if (rows < 0)
        picture_usual_dims(array, &p.rows, &p.columns);
    status = picture_write(request, &p, &image);
    if (status != MNP_OK)
        return status;
    int length = snprintf(words, ARRAY_WORDS, "%s", image.made.size);
    if (!image.in_colour[0])
        length += snprintf(words + length, ARRAY_WORDS - (size_t)length, ", %s is %g to %g",
                           request->map ? "violet to yellow" : "black to white", image.low[0], image.high[0]);
    if (image.reduction[0] > 1 || image.reduction[1] > 1)
        snprintf(words + length, ARRAY_WORDS - (size_t)length, ", a dot is the mean of %dx%d elements",
                 (int)image.reduction[0], (int)image.reduction[1]);
    return MNP_OK;
}
