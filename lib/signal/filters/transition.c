/* SPDX-License-Identifier: BSD-3-Clause */
/* Transition matrices of recurrences, and their powers. */
#include <stdlib.h>
#include <string.h>

#include "signal/filters/recurrence.h"

int64_t mnp__recurrence_size(const mnp__recurrence *filter)
{
    return filter->sections ? 5 * filter->sections : 2 * filter->order + 1;
}

/* The next state after an element that is 0, by the operations of kernels/signal/filters/recurrence.cu. */
static void advance(const mnp__recurrence *filter, long double *s)
{
    const double *c = filter->coefficients, *a = c + filter->order;
    long double x = 0;
    for (int64_t k = 0; k < filter->sections; k++, c += 5) {
        const long double y = c[0] * x + s[2 * k];
        s[2 * k] = c[1] * x - c[3] * y + s[2 * k + 1];
        s[2 * k + 1] = c[2] * x - c[4] * y;
        x = y;
    }
    if (filter->sections)
        return;
    const long double y = s[0];
    for (int64_t n = 1; n < filter->order; n++)
        s[n - 1] = s[n] - a[n] * y;
    s[filter->order - 1] = -a[filter->order] * y;
}

void mnp__recurrence_matrix(const mnp__recurrence *filter, long double *matrix)
{
    const int64_t order = filter->order;
    for (int64_t k = 0; k < order; k++) {
        long double *column = matrix + k * order; /* as a row, until all is transposed */
        for (int64_t n = 0; n < order; n++)
            column[n] = n == k;
        advance(filter, column);
    }
    for (int64_t k = 0; k < order; k++) {
        for (int64_t n = 0; n < k; n++) {
            const long double other = matrix[k * order + n];
            matrix[k * order + n] = matrix[n * order + k];
            matrix[n * order + k] = other;
        }
    }
}

/* c = a b, where c is neither */
static void multiply(int64_t order, const long double *a, const long double *b, long double *c)
{
    for (int64_t i = 0; i < order; i++) {
        for (int64_t j = 0; j < order; j++) {
            long double sum = 0;
            for (int64_t k = 0; k < order; k++) {
                if (a[i * order + k] != 0) /* otherwise it counts nothing, even if the other factor has overflowed */
                    sum += a[i * order + k] * b[k * order + j];
            }
            c[i * order + j] = sum;
        }
    }
}

/* result = matrix^n by repeated squaring; `room` is for two more matrices. */
static void raise(int64_t order, const long double *matrix, int64_t n, long double *result, long double *room)
{
    const size_t size = (size_t)(order * order);
    long double *square = room, *next = room + size;
    memcpy(square, matrix, size * sizeof *room);
    for (size_t i = 0; i < size; i++)
        result[i] = i % (size_t)(order + 1) == 0;
    for (; n > 0; n /= 2) {
        if (n % 2) {
            multiply(order, square, result, next);
            memcpy(result, next, size * sizeof *room);
        }
        if (n > 1) {
            multiply(order, square, square, next);
            memcpy(square, next, size * sizeof *room);
        }
    }
}

mnp_status mnp__recurrence_power(int64_t order, const long double *matrix, int64_t n, double *power)
{
    const size_t size = (size_t)(order * order);
    long double *room;
    MNP_TRY(mnp__malloc(3 * size * sizeof *room, &room));
    raise(order, matrix, n, room, room + size);
    for (size_t i = 0; i < size; i++)
        power[i] = (double)room[i];
    free(room);
    return MNP_OK;
}

mnp_status mnp__recurrence_powers(int64_t order, const long double *matrix, int64_t n, int64_t count, double *powers)
{
    const size_t size = (size_t)(order * order);
    long double *room;
    MNP_TRY(mnp__malloc(4 * size * sizeof *room, &room));
    long double *base = room, *power = room + size, *next = room + 2 * size;
    raise(order, matrix, n, base, next);
    for (size_t i = 0; i < size; i++)
        power[i] = i % (size_t)(order + 1) == 0;
    for (; count > 0; count--, powers += size) {
        for (size_t i = 0; i < size; i++)
            powers[i] = (double)power[i];
        multiply(order, base, power, next);
        memcpy(power, next, size * sizeof *room);
    }
    free(room);
    return MNP_OK;
}
