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
 * Replace the matrix by its factors: L below the diagonal (its own diagonal is 1 and not stored), U on and above it.
 * Multiples of earlier rows are subtracted from row i, but only where row i has entries: place[column] is the number of
 * its entry in a column, or -1 if it has none.  All of `place` is -1 when this begins, and again when it succeeds.
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
 * Replace the lower triangle of A by a factor L with the same pattern, such that L L^H equals A + shift * diag(A) in
 * the entries of this pattern.  Returns false at the first pivot that is not positive.
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

/*
 * Store the columns and values of the upper triangle L^H, row by row.  next[i] is where row i begins; it is advanced to
 * where the row ends.
 */
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
