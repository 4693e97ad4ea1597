/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Elements by indices on the host.  A worker goes through its share of the elements by rows, which lie along the last
 * dimension: either all elements of a row have one index, or each has its own.
 */

/* Copy a row of bytes; of a short one by words, the last of which may overlap the one before it. */
template <typename Word> MNP_INLINE void move_words(char *dst, const char *src, int64_t bytes)
{
    Word word;
    for (int64_t at = 0; at + (int64_t)sizeof word < bytes; at += sizeof word) {
        memcpy(&word, src + at, sizeof word);
        memcpy(dst + at, &word, sizeof word);
    }
    memcpy(&word, src + bytes - sizeof word, sizeof word);
    memcpy(dst + bytes - sizeof word, &word, sizeof word);
}
MNP_INLINE void move_bytes(char *dst, const char *src, int64_t bytes)
{
    constexpr int64_t few = 256;
    if (bytes > few)
        memcpy(dst, src, (size_t)bytes);
    else if (bytes >= 16)
        move_words<mnp_sixteen>(dst, src, bytes);
    else if (bytes >= 8)
        move_words<uint64_t>(dst, src, bytes);
    else if (bytes >= 4)
        move_words<uint32_t>(dst, src, bytes);
    else if (bytes > 0)
        move_words<uint8_t>(dst, src, bytes);
}

/* Copy a row of elements at equal distances. */
MNP_INLINE void copy_row(MNP_UNIT *dst, int64_t dst_stride, const MNP_UNIT *src, int64_t src_stride, int64_t count)
{
    if (dst_stride == 1 && src_stride == 1) {
        move_bytes((char *)dst, (const char *)src, count * (int64_t)sizeof *dst);
        return;
    }
    for (int64_t k = 0; k < count; k++)
        dst[k * dst_stride] = src[k * src_stride];
}

/* Whether elements are so far from each other that they may not be in a cache. */
MNP_INLINE bool is_far(int64_t count, int64_t jump)
{
    constexpr int64_t cache = 8 << 20;
    const int64_t reach = count * jump * (int64_t)sizeof(MNP_UNIT);
    return reach > cache || reach < -cache;
}

/* The sum of j * stride over all dimensions but the last. */
MNP_INLINE int64_t offset_of(const mnp_indexed_params &p, const int64_t *j, const long long *stride)
{
    int64_t offset = 0;
    for (int d = 0; d < p.ndim - 1; d++)
        offset += j[d] * stride[d];
    return offset;
}

#if MNP_REACHES

/* The number of the block that has an index: of few blocks by comparing all, else by bisection. */
MNP_INLINE int owner_of(const mnp_indexed_params &p, int64_t i)
{
    constexpr int few = 4;
    int owner = 0;
    if (p.nblocks <= few) {
        for (int k = 1; k < p.nblocks; k++)
            owner += i >= p.blocks[k].first;
        return owner;
    }
    for (int left = p.nblocks; left > 1;) {
        const int half = left / 2;
        owner += i >= p.blocks[owner + half].first ? half : 0;
        left -= half;
    }
    return owner;
}

/* Where the element of index 0 of a row would be in every block, and how far apart those of an index are. */
struct sources {
    const mnp_indexed_params &p;
    const char *at[MNP_INDEXED_BLOCKS];
    int64_t jump[MNP_INDEXED_BLOCKS];
    static constexpr int64_t along = 0; /* from an element of a row to the next one, before its index is added */
    MNP_INLINE sources(const mnp_indexed_params &params, const int64_t *j) : p(params)
    {
        for (int k = 0; k < p.nblocks; k++) {
            const mnp_indexed_block &block = p.blocks[k];
            jump[k] = block.jump * (int64_t)sizeof(MNP_UNIT);
            at[k] = (const char *)((const MNP_UNIT *)block.src + offset_of(p, j, block.stride)) - block.first * jump[k];
        }
    }
    MNP_INLINE const MNP_UNIT *in(int owner, int64_t i) const
    {
        return (const MNP_UNIT *)(at[owner] + i * jump[owner]);
    }
    MNP_INLINE const MNP_UNIT *of(int64_t i) const
    {
        return in(owner_of(p, i), i);
    }
    /* How far the element of the next row is, of the dimension before the last. */
    MNP_INLINE int64_t step(int64_t i) const
    {
        return p.blocks[owner_of(p, i)].stride[p.ndim - 2];
    }
};

/* Gather `rows` rows, each with an index of its own. */
MNP_INLINE void move_rows(const mnp_indexed_params &p, const int64_t *j, MNP_UNIT *dst, const MNP_INDEX *index,
                          int64_t rows)
{
    const int last = p.ndim - 1;
    const sources src(p, j);
    for (int64_t r = 0; r < rows; r++) {
        const int64_t i = mnp_inside(index[r * p.index_stride[last - 1]], p.count, p.mode);
        const int owner = owner_of(p, i);
        copy_row(dst + r * p.dst_stride[last - 1], p.dst_stride[last], src.in(owner, i), p.blocks[owner].stride[last],
                 p.extent[last]);
    }
}

/* Gather a row of elements with one index for all of them, from element `column` on. */
static void move_run(const mnp_indexed_params &p, const int64_t *j, int64_t column, MNP_UNIT *dst, int64_t i,
                     int64_t count)
{
    const mnp_indexed_block &block = p.blocks[owner_of(p, i)];
    const int last = p.ndim - 1;
    const int64_t src_stride = block.stride[last], dst_stride = p.dst_stride[last];
    const MNP_UNIT *src = (const MNP_UNIT *)block.src + offset_of(p, j, block.stride) + (i - block.first) * block.jump +
                          column * src_stride;
    copy_row(dst, dst_stride, src, src_stride, count);
}

/* Gather a row where every element has an index of its own.  Those that are far apart are prefetched. */
template <int mode>
static void move_row(const mnp_indexed_params &p, const int64_t *j, int64_t, MNP_UNIT *dst, const MNP_INDEX *index,
                     int64_t count)
{
    enum { AHEAD = 32 };
    const int last = p.ndim - 1;
    const int64_t dst_stride = p.dst_stride[last], step = p.index_stride[last], inside = p.count;
    const bool far = is_far(inside, p.blocks[0].jump);
    const sources src(p, j);
    const MNP_UNIT *from[AHEAD];
    for (int64_t begin = 0; begin < count; begin += AHEAD) {
        const int some = (int)mnp_least(AHEAD, count - begin);
        for (int k = 0; k < some; k++)
            from[k] = src.of(mnp_inside<mode>(index[(begin + k) * step], inside));
        for (int k = 0; far && k < some; k++)
            __builtin_prefetch(from[k]);
        for (int k = 0; k < some; k++)
            dst[(begin + k) * dst_stride] = *from[k];
    }
}

#else

/* Where the element of an index is in the row with the indices `j`, and how far that of the next row. */
struct sources {
    const mnp_indexed_params &p;
    const MNP_UNIT *at;
    const int64_t along; /* from an element of a row to the next one, before its index is added */
    MNP_INLINE sources(const mnp_indexed_params &params, const int64_t *j)
        : p(params), at((const MNP_UNIT *)p.src + offset_of(p, j, p.src_stride)), along(p.src_stride[p.ndim - 1])
    {
    }
    MNP_INLINE const MNP_UNIT *of(int64_t i) const
    {
        return at + i * p.jump;
    }
    MNP_INLINE int64_t step(int64_t) const
    {
        return p.src_stride[p.ndim - 2];
    }
};

/* Move `rows` rows, each with an index of its own. */
MNP_INLINE void move_rows(const mnp_indexed_params &p, const int64_t *j, MNP_UNIT *dst, const MNP_INDEX *index,
                          int64_t rows)
{
    const int last = p.ndim - 1;
    const int64_t width = p.extent[last], dst_stride = p.dst_stride[last], src_stride = p.src_stride[last];
    const MNP_UNIT *src = (const MNP_UNIT *)p.src + offset_of(p, j, p.src_stride);
    for (int64_t r = 0; r < rows; r++) {
        const int64_t jump = mnp_inside(index[r * p.index_stride[last - 1]], p.count, p.mode) * p.jump;
        MNP_UNIT *to = dst + r * p.dst_stride[last - 1] + (p.scatters ? jump : 0);
        const MNP_UNIT *from = src + r * p.src_stride[last - 1] + (p.scatters ? 0 : jump);
        copy_row(to, dst_stride, from, src_stride, width);
    }
}

/* Move a row of elements with one index for all of them, from element `column` on. */
static void move_run(const mnp_indexed_params &p, const int64_t *j, int64_t column, MNP_UNIT *dst, int64_t i,
                     int64_t count)
{
    const int last = p.ndim - 1;
    const int64_t src_stride = p.src_stride[last], dst_stride = p.dst_stride[last];
    const MNP_UNIT *src = (const MNP_UNIT *)p.src + offset_of(p, j, p.src_stride) + column * src_stride;
    if (p.scatters)
        dst += i * p.jump;
    else
        src += i * p.jump;
    copy_row(dst, dst_stride, src, src_stride, count);
}

/*
 * Move a row where every element has an index of its own.  `dense`: all strides are 1.  Elements that are near each
 * other are in a cache; of others, those that some indices name are prefetched together, as processors cannot predict
 * their addresses.
 */
template <int mode, bool scatters, bool dense>
static void move_each(const mnp_indexed_params &p, MNP_UNIT *dst, const MNP_UNIT *src, const MNP_INDEX *index,
                      int64_t count)
{
    enum { AHEAD = 32 };
    const int last = p.ndim - 1;
    const int64_t dst_stride = dense && !scatters ? 1 : p.dst_stride[last];
    const int64_t src_stride = dense && scatters ? 1 : p.src_stride[last];
    const int64_t step = dense ? 1 : p.index_stride[last], jump = dense ? 1 : p.jump, inside = p.count;
    int64_t at[AHEAD];
    const bool far = is_far(inside, jump);
    for (int64_t begin = 0; begin < count; begin += AHEAD) {
        const int some = (int)mnp_least(AHEAD, count - begin);
        for (int k = 0; k < some; k++)
            at[k] = jump * mnp_inside<mode>(index[(begin + k) * step], inside);
        for (int k = 0; far && k < some; k++)
            __builtin_prefetch(scatters ? dst + at[k] : src + at[k], scatters);
        for (int k = 0; k < some; k++) {
            if (scatters)
                dst[(begin + k) * dst_stride + at[k]] = src[(begin + k) * src_stride];
            else
                dst[(begin + k) * dst_stride] = src[(begin + k) * src_stride + at[k]];
        }
    }
}

template <int mode>
static void move_row(const mnp_indexed_params &p, const int64_t *j, int64_t column, MNP_UNIT *dst,
                     const MNP_INDEX *index, int64_t count)
{
    const int last = p.ndim - 1;
    const MNP_UNIT *src = (const MNP_UNIT *)p.src + offset_of(p, j, p.src_stride) + column * p.src_stride[last];
    const bool dense =
        p.jump == 1 && p.index_stride[last] == 1 && (p.scatters ? p.src_stride : p.dst_stride)[last] == 1;
    if (p.scatters && dense)
        move_each<mode, true, true>(p, dst, src, index, count);
    else if (p.scatters)
        move_each<mode, true, false>(p, dst, src, index, count);
    else if (dense)
        move_each<mode, false, true>(p, dst, src, index, count);
    else
        move_each<mode, false, false>(p, dst, src, index, count);
}

#endif

/* Gather `rows` rows, all with the same indices, which are found once for several rows. */
static void move_grid(const mnp_indexed_params &p, const int64_t *j, MNP_UNIT *dst, const MNP_INDEX *index,
                      int64_t rows)
{
    enum { SOME = 64, BAND = 16 };
    const int last = p.ndim - 1;
    const int64_t dst_stride = p.dst_stride[last], dst_step = p.dst_stride[last - 1];
    const sources src(p, j);
    const MNP_UNIT *from[SOME];
    int64_t step[SOME];
    for (int64_t band = 0; band < rows; band += BAND) {
        const int64_t stop = mnp_least(band + BAND, rows);
        for (int64_t begin = 0; begin < p.extent[last]; begin += SOME) {
            const int some = (int)mnp_least(SOME, p.extent[last] - begin);
            for (int k = 0; k < some; k++) {
                const int64_t i = mnp_inside(index[(begin + k) * p.index_stride[last]], p.count, p.mode);
                step[k] = src.step(i);
                from[k] = src.of(i) + (begin + k) * src.along + band * step[k];
            }
            for (int64_t r = band; r < stop; r++) {
                MNP_UNIT *to = dst + r * dst_step + begin * dst_stride;
                for (int k = 0; k < some; k++)
                    to[k * dst_stride] = from[k][(r - band) * step[k]];
            }
        }
    }
}

/*
 * Whether whole rows are moved at once: of elements that have one index, and then, at least in the blocks of other
 * ranks, nothing else; or of elements whose indices are those of the next row too.
 */
MNP_INLINE bool has_rows(const mnp_indexed_params &p)
{
    const int last = p.ndim - 1;
    if (last == 0)
        return false;
    if (p.index_stride[last] != 0)
        return p.index_stride[last - 1] == 0 && !p.scatters;
#if MNP_REACHES
    for (int k = 0; k < p.nblocks; k++) {
        if (p.blocks[k].stride[last - 1] != 0)
            return false;
    }
#endif
    return true;
}

/* Move `count` elements of the row with the indices `j`, from element `column` on; or whole rows. */
MNP_INLINE void move_part(const mnp_indexed_params &p, const int64_t *j, int64_t column, int64_t count)
{
    const int last = p.ndim - 1;
    MNP_UNIT *dst = (MNP_UNIT *)p.dst + offset_of(p, j, p.dst_stride) + column * p.dst_stride[last];
    const MNP_INDEX *index =
        (const MNP_INDEX *)p.index + offset_of(p, j, p.index_stride) + column * p.index_stride[last];
    if (count > p.extent[last] && p.index_stride[last] != 0)
        move_grid(p, j, dst, index, count / p.extent[last]);
    else if (count > p.extent[last])
        move_rows(p, j, dst, index, count / p.extent[last]);
    else if (p.index_stride[last] == 0)
        move_run(p, j, column, dst, mnp_inside(*index, p.count, p.mode), count);
    else if (p.mode == MNP_INDEXED_RAISE)
        move_row<MNP_INDEXED_RAISE>(p, j, column, dst, index, count);
    else if (p.mode == MNP_INDEXED_WRAP)
        move_row<MNP_INDEXED_WRAP>(p, j, column, dst, index, count);
    else
        move_row<MNP_INDEXED_CLIP>(p, j, column, dst, index, count);
}

/* Scatter a row where every element has an index of its own, those whose numbers are in first .. first + own - 1. */
template <int mode>
static void scatter_own(const mnp_indexed_params &p, MNP_UNIT *dst, const MNP_UNIT *src, const MNP_INDEX *index,
                        int64_t first, uint64_t own)
{
    const int last = p.ndim - 1;
    const int64_t count = p.extent[last], step = p.index_stride[last], jump = p.jump, inside = p.count;
    const int64_t dst_stride = p.dst_stride[last], src_stride = p.src_stride[last];
    MNP_UNIT nowhere;
    for (int64_t k = 0; k < count; k++) {
        const int64_t number = mnp_inside<mode>(index[k * step], inside);
        *mnp_to_own((uint64_t)(number - first) < own, dst + number * jump + k * dst_stride, &nowhere) =
            src[k * src_stride];
    }
}

/* Scatter to those numbers that are this worker's, in the order of the indices. */
static void scatter_in_order(const mnp_indexed_params &p, int64_t worker, int64_t workers)
{
    const int last = p.ndim - 1;
    const int64_t width = p.extent[last], first = p.first + mnp_share_begin(p.span, worker, workers);
    const uint64_t own = (uint64_t)(p.first + mnp_share_begin(p.span, worker + 1, workers) - first);
    int64_t j[MNP_INDEXED_DIMS] = {};
    for (int64_t row = 0; row < p.total / width; row++) {
        MNP_UNIT *dst = (MNP_UNIT *)p.dst + offset_of(p, j, p.dst_stride);
        const MNP_UNIT *src = (const MNP_UNIT *)p.src + offset_of(p, j, p.src_stride);
        const MNP_INDEX *index = (const MNP_INDEX *)p.index + offset_of(p, j, p.index_stride);
        if (p.index_stride[last] == 0) {
            const int64_t number = mnp_inside(*index, p.count, p.mode);
            if ((uint64_t)(number - first) < own)
                copy_row(dst + number * p.jump, p.dst_stride[last], src, p.src_stride[last], width);
        } else if (p.mode == MNP_INDEXED_RAISE) {
            scatter_own<MNP_INDEXED_RAISE>(p, dst, src, index, first, own);
        } else if (p.mode == MNP_INDEXED_WRAP) {
            scatter_own<MNP_INDEXED_WRAP>(p, dst, src, index, first, own);
        } else {
            scatter_own<MNP_INDEXED_CLIP>(p, dst, src, index, first, own);
        }
        for (int d = last - 1; d >= 0 && ++j[d] == p.extent[d]; d--)
            j[d] = 0;
    }
}

MNP_KERNEL(move_indexed, mnp_indexed_params)
{
    if (p.span > 0 && (workers > 1 || p.span < p.count) && p.total > 0) {
        scatter_in_order(p, worker, workers);
        return;
    }
    const int64_t width = p.extent[p.ndim - 1], begin = mnp_share_begin(p.total, worker, workers),
                  end = mnp_share_begin(p.total, worker + 1, workers);
    int64_t j[MNP_INDEXED_DIMS], row = begin / width, column = begin % width;
    for (int d = p.ndim - 2; d >= 0; d--) {
        j[d] = row % p.extent[d];
        row /= p.extent[d];
    }
    const bool rows = has_rows(p);
    for (int64_t i = begin; i < end; column = 0) {
        const int last = p.ndim - 1;
        const int64_t whole = rows && column == 0 ? mnp_least(p.extent[last - 1] - j[last - 1], (end - i) / width) : 0;
        const int64_t count = whole > 0 ? whole * width : mnp_least(width - column, end - i);
        move_part(p, j, column, count);
        i += count;
        if (last > 0)
            j[last - 1] += whole > 0 ? whole - 1 : 0;
        for (int d = last - 1; d >= 0 && ++j[d] == p.extent[d]; d--)
            j[d] = 0;
    }
}
