/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A union-find over elements: every element points to one of its part with a lower number, and the lowest one to
 * itself.  Many threads join parts at the same time, by atomic minima (D. P. Playne and K. Hawick, A new algorithm for
 * parallel connected-component labelling on GPUs, 2018).
 */
template <typename T> MNP_INLINE T read_label(const T *label)
{
#if MNP_CUDA
    return *(const volatile T *)label;
#else
    return __atomic_load_n(label, __ATOMIC_RELAXED);
#endif
}

/* Store the smaller of a label and `value`; what was there before. */
template <typename T> MNP_INLINE T lower_label(T *label, T value)
{
#if MNP_CUDA
    return atomicMin(label, value);
#else
    T old = __atomic_load_n(label, __ATOMIC_RELAXED);
    while (value < old && !__atomic_compare_exchange_n(label, &old, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
    return old;
#endif
}

template <typename T> MNP_INLINE T find_root(const T *labels, T i)
{
    for (T next = read_label(labels + i); next != i; next = read_label(labels + i))
        i = next;
    return i;
}

template <typename T> MNP_INLINE void unite(T *labels, T a, T b)
{
    for (;;) {
        a = find_root(labels, a);
        b = find_root(labels, b);
        if (a == b)
            return;
        const T high = a > b ? a : b, low = a > b ? b : a, old = lower_label(labels + high, low);
        if (old == high)
            return;
        a = old;
        b = low;
    }
}
