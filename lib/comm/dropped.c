/* SPDX-License-Identifier: BSD-3-Clause */
/* Rank 0 tells all what it has dropped, each marks what it has dropped too, and the marks are combined. */
#include "comm/dropped.h"

#include <stdlib.h>
#include <string.h>

#include "base/integer.h"
#include "base/status.h"

void mnp__dropped_add(mnp__dropped *dropped, int64_t place)
{
    if (dropped->count == dropped->capacity) {
        const int capacity = 2 * dropped->capacity + 64;
        int64_t *longer = realloc(dropped->places, (size_t)capacity * sizeof *longer);
        if (!longer)
            return;
        dropped->places = longer;
        dropped->capacity = capacity;
    }
    dropped->places[dropped->count++] = place;
}

/* Mark those of rank 0's places that this rank has dropped too. */
static void mark(const mnp__dropped *dropped, int count, const int64_t *places, unsigned char *marks)
{
    for (int i = 0; i < count; i++)
        marks[i] = dropped->count > 0 && bsearch(&places[i], dropped->places, (size_t)dropped->count, sizeof *places,
                                                 mnp__compare_int64) != NULL;
}

/* Take the places out that all ranks have marked; they move to the front of `places`.  Returns how many they are. */
static int take_marked(mnp__dropped *dropped, int count, int64_t *places, const unsigned char *marks)
{
    int taken = 0, left = 0;
    for (int i = 0; i < count; i++)
        if (marks[i])
            places[taken++] = places[i];
    for (int i = 0, next = 0; i < dropped->count; i++) {
        while (next < taken && places[next] < dropped->places[i])
            next++;
        if (next == taken || places[next] != dropped->places[i])
            dropped->places[left++] = dropped->places[i];
    }
    dropped->count = left;
    return taken;
}

mnp_status mnp__dropped_take(mnp__dropped *dropped, const mnp__comm *comm, int64_t **places_p, int *count_p)
{
    enum { MOST = 1 << 20 }; /* places in one go */
    int64_t *places = NULL;
    unsigned char *marks = NULL;
    int count = dropped->count < MOST ? dropped->count : MOST;
    MNP_TRY(mnp__broadcast(comm, &count, sizeof count, 0));
    *places_p = NULL;
    *count_p = 0;
    if (count == 0)
        return MNP_OK;
    mnp_status st = mnp__calloc((size_t)count, sizeof *places, &places);
    if (st == MNP_OK)
        st = mnp__calloc((size_t)count, 1, &marks);
    MNP_TRY_OR(mnp__agree(comm, st), st, done);
    if (dropped->count > 0) /* or there is no list */
        qsort(dropped->places, (size_t)dropped->count, sizeof *dropped->places, mnp__compare_int64);
    if (comm->rank == 0)
        memcpy(places, dropped->places, (size_t)count * sizeof *places);
    MNP_TRY_OR(mnp__broadcast(comm, places, (size_t)count * sizeof *places, 0), st, done);
    mark(dropped, count, places, marks);
    MNP_TRY_OR(mnp__all_reduce(comm, marks, count, MPI_UNSIGNED_CHAR, MPI_BAND), st, done);
    *count_p = take_marked(dropped, count, places, marks);
    *places_p = places;
    places = NULL;
done:
    free(places);
    free(marks);
    return st;
}
