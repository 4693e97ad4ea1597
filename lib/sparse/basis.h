/*
 * Sets of vectors, and their products with one: what orthogonalisation needs (kernels/basis.cu).
 */
#ifndef MNP__SPARSE_BASIS_H
#define MNP__SPARSE_BASIS_H

#include "sparse/step.h"

typedef struct mnp__basis {
    mnp__steps *steps;
    int size;
    mnp_array **vectors;
    char *addresses; /* of their memory, in device memory */
    mnp__kernel *dots, *combine;
} mnp__basis;

/* `size` vectors, all 0, at most as many as the steps were made for.  Collective, and agreed upon.  MNP_ERR_MEMORY. */
mnp_status mnp__basis_new(mnp__steps *steps, const mnp_layout *layout, int size, mnp__basis **basis_p);
void mnp__basis_free(mnp__basis *basis); /* NULL is accepted.  Collective. */

/*
 * How many vectors of a set the device takes, beyond what a call says: all; as many as the state's `again`; or as its
 * `columns`, and then also when the method is over.
 */
typedef enum mnp__limit { MNP__NO_LIMIT, MNP__LIMIT_AGAIN, MNP__LIMIT_COLUMNS } mnp__limit;

/*
 * c[k] = <v[k], x> for k < count; what is beyond the limit stays.  `at` is where the coefficients go: bytes into the
 * method's memory, or negative: they are the state's sums.  Collective.
 */
mnp_status mnp__basis_dots(mnp__basis *basis, int count, mnp__limit limit, const mnp_array *x, ptrdiff_t at);

/* How coefficients are applied. */
typedef struct mnp__combination {
    int count;     /* vectors */
    size_t at;     /* of the coefficients, bytes into the method's memory */
    double sign;
    bool add;      /* to what x is; else x is overwritten */
    mnp__limit limit;
} mnp__combination;

/* x = (x or 0) + sign * sum of c[k] v[k]; x is none of them.  Not collective. */
mnp_status mnp__basis_combine(mnp__basis *basis, const mnp__combination *how, mnp_array *x);

#endif
