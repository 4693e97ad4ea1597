/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The type that a thread of a GPU reads or writes by one access, for every size in bytes; and stores of such an access.
 */
template <int bytes> struct mnp_word;
template <> struct mnp_word<1> {
    typedef unsigned char type;
};
template <> struct mnp_word<2> {
    typedef unsigned short type;
};
template <> struct mnp_word<4> {
    typedef unsigned int type;
};
template <> struct mnp_word<8> {
    typedef uint2 type;
};
template <> struct mnp_word<16> {
    typedef uint4 type;
};

/* Store words to the memory of arrays by one access, which the compiler would take apart. */
MNP_INLINE void mnp_store_words(void *to, const uint32_t (&words)[2])
{
#if MNP_PTX
    asm volatile("st.global.v2.u32 [%0], {%1, %2};" ::"l"(to), "r"(words[0]), "r"(words[1]) : "memory");
#else
    memcpy(to, words, sizeof words);
#endif
}
MNP_INLINE void mnp_store_words(void *to, const uint32_t (&words)[4])
{
#if MNP_PTX
    asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(to), "r"(words[0]), "r"(words[1]), "r"(words[2]),
                 "r"(words[3])
                 : "memory");
#else
    memcpy(to, words, sizeof words);
#endif
}
