/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lists that are written in a call, as in mnp_concatenate(MNP_LIST(x, y, z), 0, &all): how the macros of other headers
 * make them, in C11 and in C++17.  A list lives until the end of the statement in which it is written.
 */
#ifndef MANIPLE_LISTS_H
#define MANIPLE_LISTS_H

#ifdef __cplusplus

#include <initializer_list>
#include <type_traits>

template <typename... T> std::integral_constant<int, sizeof...(T)> mnp_count_arguments(const T &...);

/* The first element of a list, and the number of its elements, for which the elements are not evaluated. */
#define MNP_LIST_OF(type, ...) (std::initializer_list<std::remove_const_t<type>>{__VA_ARGS__}.begin())
#define MNP_COUNT_OF(type, ...) (decltype(mnp_count_arguments(__VA_ARGS__))::value)

#else

#define MNP_LIST_OF(type, ...) ((type[]){__VA_ARGS__})
#define MNP_COUNT_OF(type, ...) ((int)(sizeof((type[]){__VA_ARGS__}) / sizeof(type)))

#endif

#endif
