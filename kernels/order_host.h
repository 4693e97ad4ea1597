/*
 * Sorting on the host: a line at a time, by insertion where it is short.
 */

enum { MNP_SHORT_LINE = 24 };

/* One place where elements of a line lie. */
struct mnp_place {
    MNP_KEY *keys;
    mnp_payload *payload; /* NULL: none, or the elements' numbers */
};

static MNP_INLINE mnp_place mnp_place_of(const mnp_order_params &p, int place, int64_t line)
{
    mnp_payload *payload = (mnp_payload *)p.payload[place];
    return mnp_place{(MNP_KEY *)p.keys[place] + line * p.length,
                     payload ? payload + line * p.length : (mnp_payload *)NULL};
}

static MNP_INLINE mnp_payload mnp_payload_at(const mnp_place &place, int64_t i)
{
    return place.payload ? place.payload[i] : mnp_payload_number(i);
}

static void mnp_copy(const mnp_order_params &p, const mnp_place &from, const mnp_place &to)
{
    if (p.keep_keys && from.keys != to.keys)
        memcpy(to.keys, from.keys, p.length * sizeof(MNP_KEY));
    for (int64_t i = 0; MNP_PAYLOAD > 0 && from.payload != to.payload && i < p.length; i++)
        to.payload[i] = mnp_payload_at(from, i);
}

static void mnp_insert(const mnp_order_params &p, const mnp_place &from, const mnp_place &to)
{
    MNP_KEY keys[MNP_SHORT_LINE];
    mnp_bits numbers[MNP_SHORT_LINE];
    mnp_payload payload[MNP_SHORT_LINE];
    for (int i = 0; i < (int)p.length; i++) {
        const MNP_KEY key = from.keys[i];
        const mnp_bits number = mnp_number(key, p.descending);
        int at = i;
        for (; at > 0 && mnp_is_before(number, numbers[at - 1]); at--) {
            numbers[at] = numbers[at - 1];
            keys[at] = keys[at - 1];
            payload[at] = payload[at - 1];
        }
        numbers[at] = number;
        keys[at] = key;
        if (MNP_PAYLOAD > 0)
            payload[at] = mnp_payload_at(from, i);
    }
    if (p.keep_keys)
        memcpy(to.keys, keys, p.length * sizeof(MNP_KEY));
    if (MNP_PAYLOAD > 0)
        memcpy(to.payload, payload, p.length * sizeof(mnp_payload));
}

typedef int64_t mnp_counts[MNP_PASSES][MNP_ORDER_DIGITS];

/* Where the elements of every digit go, and how many digits matter. */
static int mnp_count(const mnp_order_params &p, const mnp_place &from, mnp_counts &offsets, bool *needed)
{
    int steps = 0;
    memset(offsets, 0, sizeof offsets);
    for (int64_t i = 0; i < p.length; i++) {
        const mnp_bits number = mnp_number(from.keys[i], p.descending);
        for (int pass = 0; pass < MNP_PASSES; pass++)
            offsets[pass][mnp_digit(number, pass)]++;
    }
    for (int pass = 0; pass < MNP_PASSES; pass++) {
        int64_t sum = 0;
        needed[pass] = true;
        for (int digit = 0; digit < MNP_ORDER_DIGITS; digit++) {
            const int64_t count = offsets[pass][digit];
            needed[pass] &= count != p.length;
            offsets[pass][digit] = sum;
            sum += count;
        }
        steps += needed[pass];
    }
    return steps;
}

static void mnp_move(const mnp_order_params &p, const mnp_place &from, const mnp_place &to, int pass, int64_t *offsets)
{
    for (int64_t i = 0; i < p.length; i++) {
        const MNP_KEY key = from.keys[i];
        const int64_t at = offsets[mnp_digit(mnp_number(key, p.descending), pass)]++;
        to.keys[at] = key;
        if (MNP_PAYLOAD > 0)
            to.payload[at] = mnp_payload_at(from, i);
    }
}

static void mnp_sort_line(const mnp_order_params &p, int64_t line)
{
    const mnp_place given = mnp_place_of(p, MNP_ORDER_GIVEN, line), wanted = mnp_place_of(p, MNP_ORDER_WANTED, line);
    const mnp_place scratch = mnp_place_of(p, MNP_ORDER_SCRATCH, line);
    mnp_counts offsets;
    bool needed[MNP_PASSES];
    if (p.length <= MNP_SHORT_LINE) {
        mnp_insert(p, given, wanted);
        return;
    }
    const int steps = mnp_count(p, given, offsets, needed);
    const bool other = p.in_place && steps % 2; /* then they end in the scratch memory */
    mnp_place from = given;
    for (int pass = 0, step = 0; pass < MNP_PASSES; pass++) {
        if (!needed[pass])
            continue;
        step++;
        const mnp_place to = ((steps - step) % 2 == 0) != other ? wanted : scratch;
        mnp_move(p, from, to, pass, offsets[pass]);
        from = to;
    }
    if (steps == 0 || other)
        mnp_copy(p, from, wanted);
}

MNP_KERNEL(order_lines, mnp_order_params)
{
    for MNP_RANGE (line, p.lines)
        mnp_sort_line(p, line);
}
