/* SPDX-License-Identifier: BSD-3-Clause */
#include "array/reach.h"

#include <stdlib.h>
#include <string.h>

#include "comm/heap.h"
#include "layout/layout.h"

/* What ranks tell each other of a block: views begin anywhere in the memory of their arrays. */
struct place {
    int64_t offset; /* bytes from the beginning of the buffer; -1: the block is empty */
    int64_t strides[MNP_MAX_DIMS];
};

bool mnp__reaches(const mnp_array *array)
{
    const mnp__comm *comm = &array->ctx->comm;
    return mnp__heap_cpu_shared(comm->heap) && comm->peers->count == comm->size && array->buffer &&
           array->buffer->shared;
}

static struct place place_of(const mnp_array *array)
{
    struct place place = {.offset = array->local_size > 0 ? (char *)array->data - (char *)array->buffer->data : -1};
    memcpy(place.strides, array->local_strides, sizeof place.strides);
    return place;
}

static mnp__reached reached_at(const mnp_array *array, const mnp_comm *group, int member, const struct place *place)
{
    const mnp__heap *heap = array->ctx->comm.heap;
    mnp__reached block = {NULL};
    mnp__layout_box(array->layout, group->ranks[member], block.lo, block.extent);
    memcpy(block.strides, place->strides, sizeof block.strides);
    if (place->offset >= 0)
        block.data = (char *)array->buffer->data + mnp__heap_distance(heap, group->peer_of[member]) + place->offset;
    return block;
}

mnp_status mnp__reach(mnp_comm *group, int count, const mnp_array *const *arrays, mnp__reached *blocks)
{
    const int members = mnp_comm_size(group), mine = mnp_comm_rank(group);
    struct place *places;
    MNP_TRY(mnp__malloc((size_t)members * (size_t)count * sizeof *places, &places));
    for (int i = 0; i < count; i++)
        places[mine * count + i] = place_of(arrays[i]);
    const mnp_status st =
        mnp_comm_all_gather(group, places + mine * count, count * (int64_t)sizeof *places, places, MNP_UINT8);
    for (int k = 0; k < members * count && st == MNP_OK; k++)
        blocks[k] = reached_at(arrays[k % count], group, k / count, &places[k]);
    free(places);
    return st;
}
