/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The type that a thread of a GPU reads or writes by one access, for every size in bytes.
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
