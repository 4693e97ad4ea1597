/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The arithmetic of incomplete factors, once for real and once for complex numbers: included by ilu0_ic0.c with
 *
 *   NUMBER         double or double _Complex
 *   NAMED(name)    name with a suffix for the type
 *   REAL(x), CONJUGATE(x), MAGNITUDE(x), SQUARE(x)   SQUARE is that of the magnitude
 *
 * Real numbers take half of the memory, and a fraction of the time, that they would take as complex ones.
 */

/*
 * In place: below the diagonal L, whose diagonal is 1, and U.  Row i loses multiples of the rows before it, where it
 * has entries; `place` finds them by column: -1 where there is none, as everywhere at the beginning.
 */
static mnp_status NAMED(factor_ilu)(const struct block *a, NUMBER *values, int64_t *place)
{
    const int64_t *offsets = a->pattern->offsets, *diagonal = a->diagonal;
    const int32_t *columns = a->pattern->columns;
    for (int64_t i = 0; i < a->pattern->rows; i++) {
        if (diagonal[i] < 0)
            return missing_pivot(a, i, "no diagonal entry");
        for (int64_t e = offsets[i]; e < offsets[i + 1]; e++)
            place[columns[e]] = e;
        for (int64_t e = offsets[i]; e < diagonal[i]; e++) {
            const int32_t k = columns[e];
            const NUMBER factor = values[e] /= values[diagonal[k]];
            for (int64_t f = diagonal[k] + 1; f < offsets[k + 1]; f++)
                if (place[columns[f]] >= 0)
                    values[place[columns[f]]] -= factor * values[f];
        }
        if (!(MAGNITUDE(values[diagonal[i]]) > 0))
            return missing_pivot(a, i, "a pivot of 0");
        for (int64_t e = offsets[i]; e < offsets[i + 1]; e++)
            place[columns[e]] = -1;
    }
    return MNP_OK;
}

/*
 * In place in the lower triangle: L with L L^H = A + shift * diag(A) on A's pattern.  False at a pivot that is not
 * positive.
 */
static bool NAMED(factor_ic)(const struct block *a, NUMBER *values, double shift, int64_t *place)
{
    const int64_t *offsets = a->pattern->offsets, *diagonal = a->diagonal;
    const int32_t *columns = a->pattern->columns;
    for (int64_t i = 0; i < a->pattern->rows; i++)
        place[i] = -1;
    for (int64_t i = 0; i < a->pattern->rows; i++) {
        double pivot = REAL(values[diagonal[i]]) * (1 + shift);
        for (int64_t e = offsets[i]; e < diagonal[i]; e++) {
            const int32_t k = columns[e];
            NUMBER sum = values[e];
            for (int64_t f = offsets[k]; f < diagonal[k]; f++)
                if (place[columns[f]] >= 0)
                    sum -= values[place[columns[f]]] * CONJUGATE(values[f]);
            values[e] = sum / values[diagonal[k]];
            pivot -= SQUARE(values[e]);
            place[k] = e;
        }
        if (!(pivot > 0))
            return false;
        values[diagonal[i]] = sqrt(pivot);
        for (int64_t e = offsets[i]; e < diagonal[i]; e++)
            place[columns[e]] = -1;
    }
    return true;
}

/* Values of the upper triangle L^H: next[i + 1] is where row i begins, and, at the end, the one after it. */
static void NAMED(transpose_values)(const struct block *a, const NUMBER *values, int64_t *next, int32_t *columns,
                                    NUMBER *transposed)
{
    for (int64_t i = 0; i < a->pattern->rows; i++) {
        for (int64_t e = a->pattern->offsets[i]; e <= a->diagonal[i]; e++) {
            const int64_t at = next[a->pattern->columns[e]]++;
            columns[at] = (int32_t)i;
            transposed[at] = CONJUGATE(values[e]);
        }
    }
}

#undef NUMBER
#undef NAMED
#undef REAL
#undef CONJUGATE
#undef MAGNITUDE
#undef SQUARE
