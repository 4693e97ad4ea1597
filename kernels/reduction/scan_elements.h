/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Access to a reduction of one input and one output, element by element, for kernels that scan or reduce in order.
 */
typedef mnp_op::acc mnp_acc;
typedef mnp_memory0 mnp_in;
typedef mnp_memory1 mnp_out;

/* Add an element to a set. */
template <typename Lanes> MNP_INLINE void mnp_take(Lanes &lanes, int j, mnp_in x)
{
    const mnp_type0 value = mnp_to<mnp_type0>::from(x);
#if MNP_LOOKS
    lanes.template visit<MNP_TAKE_ANY>(j, value, 0);
#else
    lanes.take(j, value, 0);
#endif
}

/* Add an element to an accumulator. */
MNP_INLINE void mnp_add_element(mnp_acc &acc, mnp_in x)
{
#if MNP_LOOKS
    mnp_op::take(acc, mnp_to<mnp_type0>::from(x));
#else
    mnp_op::lanes<1> lanes;
    lanes.start(0);
    mnp_take(lanes, 0, x);
    mnp_op::join(acc, lanes.end(0));
#endif
}

/* An accumulator to which elements are added one by one. */
struct mnp_so_far {
    mnp_acc before;
#if !MNP_LOOKS
    mnp_op::lanes<1> lanes;
#endif
    MNP_INLINE void start(const mnp_acc &known)
    {
        before = known;
#if !MNP_LOOKS
        lanes.start(0);
#endif
    }
    MNP_INLINE void take(mnp_in x)
    {
#if MNP_LOOKS
        mnp_add_element(before, x);
#else
        mnp_take(lanes, 0, x);
#endif
    }
    MNP_INLINE mnp_acc end() const
    {
        mnp_acc acc = before;
#if !MNP_LOOKS
        mnp_op::join(acc, lanes.end(0));
#endif
        return acc;
    }
};

/* The result of an accumulator. */
MNP_INLINE mnp_out mnp_result(const mnp_acc &acc)
{
    const mnp_reduce_end end = {0, 1, 0};
    mnp_type1 result = {};
    mnp_op::give(acc, end, result);
    return mnp_to<mnp_out>::from(result);
}
