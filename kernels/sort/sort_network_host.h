/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sorting short lines of keys alone on the host: as many lines as a line of the cache has numbers, side by side, by a
 * network that compares and exchanges elements at fixed places (K. E. Batcher's merge exchange; D. Knuth, The Art of
 * Computer Programming 3, algorithm 5.2.2M).  No branch depends on the data, and compilers make an exchange from a few
 * instructions for all lines.
 *
 * Numbers are sorted, and keys made from them again.  Where that does not give each key as it was, lines are left to
 * radix_sort_host.h: zeros with a sign, whose order is to stay, and NaN.
 */

enum {
    MNP_NETWORK_LINES = 64 / sizeof(MNP_KEY),           /* that are sorted together */
    MNP_NETWORK_MOST = sizeof(MNP_KEY) == 1 ? 64 : 1024 /* elements of a line */
};

/* The float's bits that have a number, the inverse of mnp_sort_key_float() for all but NaN and -0. */
template <typename Bits> MNP_INLINE Bits mnp_sort_key_float_back(Bits number)
{
    const Bits sign = (Bits)((Bits)1 << (8 * sizeof(Bits) - 1));
    return (Bits)(number & sign ? number ^ sign : ~number);
}

/* The bits of the key that has a number; `T` says of which type. */
template <typename T> struct mnp_sort_key_back {
    template <typename Bits> static MNP_INLINE Bits from(Bits number)
    {
        return mnp_sort_key_number((T)number);
    }
};
template <> struct mnp_sort_key_back<mnp_bool> {
    static MNP_INLINE uint8_t from(uint8_t number)
    {
        return number;
    }
};
#define MNP_FLOAT_BACK(type, Bits)                                                                                     \
    template <> struct mnp_sort_key_back<type> {                                                                       \
        static MNP_INLINE Bits from(Bits number)                                                                       \
        {                                                                                                              \
            return mnp_sort_key_float_back(number);                                                                    \
        }                                                                                                              \
    };
MNP_FLOAT_BACK(mnp_float16, uint16_t)
MNP_FLOAT_BACK(mnp_bfloat16, uint16_t)
MNP_FLOAT_BACK(float, uint32_t)
MNP_FLOAT_BACK(double, uint64_t)

template <typename T> constexpr bool mnp_has_network = MNP_PAYLOAD == 0;
template <typename R> constexpr bool mnp_has_network<mnp_complex<R>> = false;

/* Element i of all lines is in row i: a vector, which compilers divide where the processor's are shorter. */
typedef mnp_bits_of_size<sizeof(MNP_KEY) <= 8 ? sizeof(MNP_KEY) : 8>::type mnp_network_row
    __attribute__((vector_size(64)));

static MNP_INLINE void mnp_exchange(mnp_network_row &a, mnp_network_row &b)
{
    const mnp_network_row x = a, y = b, less = x < y ? x : y;
    b = x < y ? y : x;
    a = less;
}

static void mnp_sort_rows(mnp_network_row *rows, int count)
{
    int top = 1;
    while (2 * top < count)
        top *= 2;
    for (int each = top; each > 0; each /= 2) {
        int step = top, begin = 0, apart = each;
        for (;;) {
            for (int run = begin; run + apart < count; run += 2 * each)
                for (int i = run; i < run + each && i + apart < count; i++)
                    mnp_exchange(rows[i], rows[i + apart]);
            if (step == each)
                break;
            apart = step - each;
            step /= 2;
            begin = each;
        }
    }
}

/* Sort lines from number `first` on, at most as many as a row has; false if they are not of plain numbers. */
template <typename Key> static bool mnp_sort_plain(const mnp_radix_sort_params &p, int64_t first, int64_t lines)
{
    typedef mnp_sort_key_back<Key> back;
    typedef typename mnp_bits_of_size<sizeof(Key)>::type Bits;
    alignas(64) mnp_network_row rows[MNP_NETWORK_MOST];
    Bits line[MNP_NETWORK_MOST];
    const int length = (int)p.length;
    const bool descending = p.descending;
    const Key *keys = (const Key *)p.keys[MNP_RADIX_SORT_GIVEN] + first * length;
    for (int w = 0; w < lines; w++, keys += length) {
        bool plain = true;
        for (int i = 0; i < length; i++) {
            const Bits number = mnp_sort_key_number(keys[i]), own = mnp_bits_as<Bits>(keys[i]);
            line[i] = mnp_sort_key_turned(number, descending);
            plain &= back::from(number) == own;
        }
        if (!plain)
            return false;
        for (int i = 0; i < length; i++)
            rows[i][w] = line[i];
    }
    for (int i = 0; i < length; i++)
        for (int w = (int)lines; w < MNP_NETWORK_LINES; w++)
            rows[i][w] = 0;
    mnp_sort_rows(rows, length);
    Key *to = (Key *)p.keys[MNP_RADIX_SORT_WANTED] + first * length;
    for (int w = 0; w < lines; w++, to += length) {
        for (int i = 0; i < length; i++)
            line[i] = rows[i][w];
        for (int i = 0; i < length; i++)
            line[i] = back::from(mnp_sort_key_turned(line[i], descending));
        memcpy(to, line, length * sizeof(Key));
    }
    return true;
}

/* The same; false too for keys that have no network. */
template <typename Key> static bool mnp_sort_together(const mnp_radix_sort_params &p, int64_t first, int64_t lines)
{
    if constexpr (mnp_has_network<Key>)
        return mnp_sort_plain<Key>(p, first, lines);
    else
        return false;
}
