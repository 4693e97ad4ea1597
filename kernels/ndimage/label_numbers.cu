/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From the parts of blocks to numbers from 1 on, on GPUs, in an array that is one block, or blocks that follow one
 * another in C order along one axis.
 *
 * A part's number is how many elements up to its first one are first ones.  label_count notes first elements as bits,
 * with the number of those before every 32 of them; label_finish looks up the first element of every element's part,
 * and how many there are up to it.
 *
 * Where there are several blocks, parts are joined by what lies in the first and in the last plane of every block.  The
 * elements of both planes are nodes of a union-find that all ranks have, and that all of them build alike:
 *
 *   label_edges, label_nodes   name the node of each part of the block that reaches a plane
 *   (gathered from all ranks)
 *   label_meet                 unites the nodes of neighbouring blocks
 *   label_least, label_yield   a part that begins in an earlier block, or joins one that begins before it in this
 *                              block, is not counted
 *   label_count, label_sum     count the others
 *   label_tell                 the numbers, within the block, of counted parts that have nodes
 *   (gathered from all ranks)
 *   label_hear, label_settle   the number in the array of every node
 *
 * The node of a part is its first element, if that is in the first plane; a part that reaches only the last plane has
 * its first node there.  The label of its first element, which is a number of an element only of itself, says so until
 * the end: x - plane - 1 for element x of the last plane, or less by `plane` if the part is not counted.  So it takes no
 * memory of the size of a block, and no pass over it, to find a part's node.
 *
 * Compiled with MNP_LABEL, the type of labels, MNP_OUT, that of the result, MNP_NDIM, and MNP_NEIGHBOURS (label.cu).
 */
#include "kernels/prelude.h"
#include "kernels/ndimage/label_params.h"
#include "kernels/ndimage/label_union.h"
#include "kernels/prefix_sum.h"

struct mnp_steps {
    signed char by[MNP_NDIM];
};
static __device__ const mnp_steps earlier[] = {MNP_NEIGHBOURS};

enum { MNP_COUNTERS = MNP_LABEL_PART / 32 };

/* ---- a block ---- */

/* Whether element i with this label is the first one of a part that is counted. */
MNP_INLINE bool is_counted(const mnp_label_params &p, int64_t i, MNP_LABEL label)
{
    return label == i || (label < -1 && label >= -1 - p.plane);
}

/* How many counted parts of the block begin up to this element, which is one's first. */
MNP_INLINE int64_t count_up_to(const mnp_label_params &p, MNP_LABEL first)
{
    const uint2 word = ((const uint2 *)p.words)[first / 32];
    return p.before[first / MNP_LABEL_PART] + word.y + __popc(word.x << (31 - first % 32));
}

/* The first element of a part, and its label; `settled`: no thread changes labels. */
struct mnp_first {
    MNP_LABEL element, label;
};
template <bool settled = false> MNP_INLINE mnp_first find_first(const MNP_LABEL *labels, MNP_LABEL i)
{
    for (;;) {
        const MNP_LABEL next = settled ? labels[i] : read_label(labels + i);
        if (next == i || next < 0)
            return mnp_first{i, next};
        i = next;
    }
}

/* The node of a part, or -1 if it reaches neither plane. */
MNP_INLINE int64_t node_of(const mnp_label_params &p, const mnp_first &first)
{
    if (first.element < p.plane)
        return first.element;
    if (first.label >= 0)
        return -1;
    return first.label + 2 * p.plane + 1 + (first.label < -1 - p.plane ? p.plane : 0);
}

extern "C" __global__ void __launch_bounds__(MNP_COUNTERS) label_count(const __grid_constant__ mnp_label_params p)
{
    const MNP_LABEL *labels = (const MNP_LABEL *)p.labels;
    const int lane = threadIdx.x % 32;
    const int64_t first = (int64_t)blockIdx.x * MNP_LABEL_PART + threadIdx.x / 32 * 1024;
    unsigned own = 0;
    int all;
#pragma unroll 8
    for (int word = 0; word < 32; word++) {
        const int64_t i = first + 32 * word + lane;
        const unsigned bits = __ballot_sync(0xffffffffu, i < p.count && is_counted(p, i, labels[i]));
        own = lane == word ? bits : own;
    }
    const int before = mnp_prefix_block<MNP_COUNTERS / 32>(__popc(own), &all);
    ((uint2 *)p.words)[(int64_t)blockIdx.x * MNP_COUNTERS + threadIdx.x] = uint2{own, (unsigned)before};
    if (threadIdx.x == 0)
        p.before[blockIdx.x] = all;
}

extern "C" __global__ void __launch_bounds__(1024) label_sum(const __grid_constant__ mnp_label_params p)
{
    mnp_prefix_array<32>(p.before, p.blocks);
}

extern "C" __global__ void __launch_bounds__(256) label_finish(const __grid_constant__ mnp_label_params p)
{
    constexpr int each = MNP_LABEL_FINISHED / 256;
    const MNP_LABEL *labels = (const MNP_LABEL *)p.labels;
    const int64_t begin = (int64_t)blockIdx.x * MNP_LABEL_FINISHED + threadIdx.x;
    const int64_t before = p.plane > 0 ? p.totals[0] : 0;
    MNP_LABEL label[each];
#pragma unroll
    for (int k = 0; k < each; k++)
        label[k] = begin + 256 * k < p.count ? labels[begin + 256 * k] : -1;
#pragma unroll
    for (int k = 0; k < each; k++) {
        const int64_t i = begin + 256 * k;
        int64_t number = 0;
        if (i >= p.count)
            return;
        if (label[k] != -1) {
            const mnp_first first = find_first<true>(labels, label[k] < 0 ? (MNP_LABEL)i : label[k]);
            const int64_t node = node_of(p, first);
            number = node < 0 ? before + count_up_to(p, first.element) : p.numbers[node];
        }
        ((MNP_OUT *)p.out)[i] = mnp_to<MNP_OUT>::from(number);
    }
}

/* ---- blocks that follow one another: what every rank tells ---- */

/* What a rank has for all others, in ints: a head, and a node for each element of both planes, or -1. */
struct mnp_head {
    long long begin, count; /* of its block, in elements; of an empty one -1 and 0 */
};
enum { MNP_HEAD = sizeof(mnp_head) / sizeof(int) };

MNP_INLINE int stride_of(const mnp_label_params &p)
{
    return MNP_HEAD + 2 * (int)p.plane;
}
MNP_INLINE mnp_head &head_of(const mnp_label_params &p, int rank)
{
    return *(mnp_head *)(p.nodes + rank * stride_of(p));
}
/* The number of a rank's first node. */
MNP_INLINE int nodes_of(const mnp_label_params &p, int rank)
{
    return rank * stride_of(p) + MNP_HEAD;
}

/* What a rank tells then, in labels: how many parts it counts, and the numbers of those that have nodes, or 0. */
MNP_INLINE MNP_LABEL *told_by(const mnp_label_params &p, int rank)
{
    return (MNP_LABEL *)p.told + rank * (1 + 2 * p.plane);
}

/* The element of the block that is number k of both planes, if it is of a part: its part's first element and node. */
struct mnp_border {
    mnp_first first;
    int64_t node;
};
MNP_INLINE bool find_border(const mnp_label_params &p, int64_t k, mnp_border *border)
{
    const MNP_LABEL *labels = (const MNP_LABEL *)p.labels;
    const int64_t element = k < p.plane ? k : p.count - 2 * p.plane + k;
    if (p.count == 0 || read_label(labels + element) == -1)
        return false;
    border->first = find_first(labels, (MNP_LABEL)element);
    border->node = node_of(p, border->first);
    return true;
}

/* The lowest element of the last plane becomes the node of a part that begins after the first plane. */
MNP_KERNEL(label_edges, mnp_label_params)
{
    MNP_LABEL *labels = (MNP_LABEL *)p.labels;
    MNP_FOR (x, p.count > 0 ? p.plane : 0) {
        const int64_t element = p.count - p.plane + x;
        if (read_label(labels + element) == -1)
            continue;
        const mnp_first first = find_first(labels, (MNP_LABEL)element);
        if (first.element >= p.plane)
            lower_label(labels + first.element, (MNP_LABEL)(x - p.plane - 1));
    }
}

MNP_KERNEL(label_nodes, mnp_label_params)
{
    int *nodes = p.nodes + nodes_of(p, p.rank);
    MNP_FOR (k, 2 * p.plane) {
        mnp_border border;
        nodes[k] = find_border(p, k, &border) ? nodes_of(p, p.rank) + (int)border.node : -1;
        if (k >= p.plane)
            ((MNP_LABEL *)p.least)[k - p.plane] = (MNP_LABEL)(~0ull >> (65 - 8 * sizeof(MNP_LABEL)));
        if (k == 0)
            head_of(p, p.rank) = mnp_head{p.begin, p.count};
    }
}

/* ---- blocks that follow one another: joining ---- */

/* Unite what lies in a block's first plane with what it touches in the last plane of the block before. */
MNP_KERNEL(label_meet, mnp_label_params)
{
    MNP_FOR (i, p.ranks * p.plane) {
        const int rank = (int)(i / p.plane), own = nodes_of(p, rank) + (int)(i - rank * p.plane);
        const mnp_head head = head_of(p, rank);
        int before = 0, index[MNP_NDIM] = {};
        if (head.count == 0 || read_label(p.nodes + own) < 0)
            continue;
        while (before < rank && head_of(p, before).begin + head_of(p, before).count != head.begin)
            before++;
        if (before == rank)
            continue;
        int64_t rest = i - rank * p.plane;
        for (int d = MNP_NDIM - 1; d > p.axis; d--) {
            index[d] = (int)(rest % p.whole[d]);
            rest /= p.whole[d];
        }
        for (const mnp_steps &step : earlier) {
            int64_t other = 0;
            bool inside = step.by[p.axis] == -1;
            for (int d = 0; d < MNP_NDIM; d++) {
                const int64_t j = index[d] + step.by[d];
                if (d == p.axis)
                    continue;
                inside = inside && j >= 0 && j < p.whole[d];
                other = other * p.whole[d] + j;
            }
            const int there = nodes_of(p, before) + (int)(p.plane + other);
            if (inside && read_label(p.nodes + there) >= 0)
                unite(p.nodes, own, there);
        }
    }
}

/* The lowest first element of this block's parts whose first node is of its last plane. */
MNP_KERNEL(label_least, mnp_label_params)
{
    MNP_FOR (x, p.plane) {
        mnp_border border;
        if (!find_border(p, p.plane + x, &border) || border.node != p.plane + x)
            continue;
        const int own = nodes_of(p, p.own), root = find_root(p.nodes, own + (int)border.node);
        if (root >= own + p.plane)
            lower_label((MNP_LABEL *)p.least + (root - own - p.plane), border.first.element);
    }
}

MNP_KERNEL(label_yield, mnp_label_params)
{
    MNP_FOR (k, 2 * p.plane) {
        mnp_border border;
        if (!find_border(p, k, &border) || border.node != k)
            continue;
        const int own = nodes_of(p, p.own), root = find_root(p.nodes, own + (int)k);
        const bool is_counted = root < own + p.plane
                                    ? root == own + k
                                    : ((const MNP_LABEL *)p.least)[root - own - p.plane] == border.first.element;
        if (!is_counted)
            ((MNP_LABEL *)p.labels)[border.first.element] =
                (MNP_LABEL)(k < p.plane ? -2 - p.plane : border.first.label - p.plane);
    }
}

/* ---- blocks that follow one another: numbers ---- */

MNP_KERNEL(label_tell, mnp_label_params)
{
    MNP_LABEL *told = told_by(p, p.rank);
    MNP_FOR (k, 2 * p.plane) {
        mnp_border border;
        const bool tells =
            find_border(p, k, &border) && border.node == k && is_counted(p, border.first.element, border.first.label);
        told[1 + k] = tells ? (MNP_LABEL)count_up_to(p, border.first.element) : 0;
        if (k == 0)
            told[0] = p.count > 0 ? (MNP_LABEL)p.before[p.blocks] : 0;
    }
}

/* How many parts are counted in blocks that begin before an element of the array. */
MNP_INLINE int64_t count_before(const mnp_label_params &p, int64_t element)
{
    int64_t count = 0, last = -1;
    for (int rank = 0; rank < p.ranks; rank++) {
        const mnp_head head = head_of(p, rank);
        if (head.count == 0 || head.begin == last || head.begin >= element)
            continue; /* another rank's copy of the same block follows it */
        count += *told_by(p, rank);
        last = head.begin;
    }
    return count;
}

/* The number of a counted part goes to the root of its node. */
MNP_KERNEL(label_hear, mnp_label_params)
{
    MNP_FOR (i, p.ranks * 2 * p.plane) {
        const int rank = (int)(i / (2 * p.plane));
        const int64_t k = i - rank * 2 * p.plane;
        const MNP_LABEL number = told_by(p, rank)[1 + k];
        if (number > 0)
            p.heard[find_root(p.nodes, nodes_of(p, rank) + (int)k)] = count_before(p, head_of(p, rank).begin) + number;
    }
}

MNP_KERNEL(label_settle, mnp_label_params)
{
    const int own = nodes_of(p, p.own);
    MNP_FOR (k, 2 * p.plane) {
        p.numbers[k] = p.nodes[own + k] < 0 ? 0 : p.heard[find_root(p.nodes, own + (int)k)];
        if (k < 2)
            p.totals[k] = count_before(p, k == 0 ? p.begin : ~0ull >> 1);
    }
}
