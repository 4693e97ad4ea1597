/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The small least-squares problem of GMRES, kept in device memory.  Givens rotations make the Hessenberg matrix
 * triangular column by column, and give the residual's norm (Y. Saad, M. H. Schultz, "GMRES", SIAM J. Sci. Stat.
 * Comput. 7, 1986).  One thread computes it, for a basis of at most M vectors.
 */
template <int M> struct mnp_gmres {
    mnp_w y[M + 1]; /* the solution: coefficients of the basis */
    /* Products of the newest vector with the basis in both passes; the last of `first` is with itself */
    mnp_w first[M + 1], second[M + 1];
    mnp_w triangle[M][M + 1], right[M + 1];
    mnp_w cosine[M], sine[M];
    double norms[M + 1]; /* of the basis vectors: 1, up to the error of the norm by Pythagoras */

    /* Begin a new basis with a first vector of this norm. */
    template <typename State> MNP_INLINE void begin(State &s, double norm)
    {
        s.columns = 0;
        right[0] = number(norm);
        norms[0] = 1;
    }

    /*
     * Turn the products of the first pass into coefficients.  The norm of the orthogonalised vector follows by
     * Pythagoras, so that the vector can be normalised in the pass that subtracts the basis from it.  If that norm is
     * much smaller than before, rounding errors leave the vector not orthogonal enough, and a second pass is made
     * ("twice is enough": B. N. Parlett, "The symmetric eigenvalue problem", 1980, 6.9).
     */
    template <typename State> MNP_INLINE void look(State &s)
    {
        const int j = (int)s.columns;
        const double before = real_part(first[j + 1]);
        double left = before;
        for (int i = 0; i <= j; i++) {
            const double square_norm = norms[i] * norms[i];
            left -= square(first[i]) / square_norm;
            first[i] = first[i] / number(square_norm);
            second[i] = number(0);
        }
        s.again = left < 0.01 * before ? j + 1 : 0;
        s.factor = s.again == 0 && left > 0 ? 1 / MNP_SQRT(left) : 1;
    }

    /*
     * Add a column: the newest vector has the coefficients first + second in the basis, and the rest, multiplied with
     * the factor, has this norm.  After a second pass the vector is still to be divided by the norm.  Otherwise the
     * norm is close to 1 and is kept in `norms`: without it, the errors by Pythagoras would grow from vector to vector.
     */
    template <typename State> MNP_INLINE void rotate(State &s, double norm, double epsilon)
    {
        const int j = (int)s.columns;
        mnp_w *const column = triangle[j];
        const double next = norm / s.factor;
        double size = next * next;
        s.factor = norm > 0 ? 1 / norm : 0;
        norms[j + 1] = s.again == 0 && norm > 0 ? norm : 1;
        for (int i = 0; i <= j; i++) {
            column[i] = (first[i] + second[i]) * number(norms[i]);
            size += square(column[i]);
        }
        for (int i = 0; i < j; i++) {
            const mnp_w upper = column[i], lower = i + 1 <= j ? column[i + 1] : number(next);
            column[i] = cosine[i] * upper + sine[i] * lower;
            column[i + 1] = cosine[i] * lower - conjugate(sine[i]) * upper;
        }
        const double pivot = magnitude(column[j]), length = MNP_SQRT(pivot * pivot + next * next);
        if (!is_finite(length)) {
            s.done = MNP_DONE_DIVERGED;
            return;
        }
        if (length <= epsilon * MNP_SQRT(size)) { /* A maps the basis into its own span, and is singular there */
            s.done = MNP_DONE_BREAKDOWN;
            return;
        }
        const mnp_w direction = pivot > 0 ? column[j] / number(pivot) : number(1);
        cosine[j] = number(pivot / length);
        sine[j] = direction * number(next / length);
        column[j] = direction * number(length);
        right[j + 1] = number(0) - conjugate(sine[j]) * right[j];
        right[j] = cosine[j] * right[j];
        s.columns = j + 1;
        s.test(magnitude(right[j + 1]));
    }

    /* Compute the coefficients that minimise the residual. */
    template <typename State> MNP_INLINE void solve(const State &s)
    {
        const int columns = (int)s.columns;
        for (int i = columns - 1; i >= 0; i--) {
            mnp_w sum = right[i];
            for (int j = i + 1; j < columns; j++)
                sum -= triangle[j][i] * y[j];
            y[i] = sum / triangle[i][i];
        }
    }
};
