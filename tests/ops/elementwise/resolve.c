/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Prints how the types of every element-wise function are resolved, for tests/ops/elementwise/resolve.t: the function,
 * its inputs, the types they are converted to and the results, as "add bh hh h" in NumPy's letters; "-" where it is not
 * defined.  The inputs are all types, and numbers: w int, v float, u complex.
 */
#include <stdio.h>

#include "base/status.h"
#include "ops/elementwise/ufunc.h"

static const char letters[] = "?bhilBHILeEfdFDwvu"; /* of mnp_dtype from MNP_BOOL on, then of numbers */

static mnp__type type_of(int letter)
{
    static const mnp__type numbers[] = {{MNP_INT64, 'i'}, {MNP_FLOAT64, 'f'}, {MNP_COMPLEX128, 'c'}};
    const int count = MNP_NUM_DTYPES - MNP_BOOL;
    return letter < count ? (mnp__type){(mnp_dtype)(MNP_BOOL + letter), 0} : numbers[letter - count];
}

static void print_types(int count, const mnp_dtype *types)
{
    putchar(' ');
    for (int i = 0; i < count; i++)
        putchar(letters[types[i] - MNP_BOOL]);
}

static void print_case(const mnp__ufunc *ufunc, const int *inputs)
{
    mnp__type types[MNP__MAX_UFUNC_INPUTS] = {{MNP_BOOL, 0}};
    mnp_dtype loop[MNP__MAX_UFUNC_INPUTS], results[MNP__MAX_UFUNC_OUTPUTS];
    printf("%s ", ufunc->name);
    for (int i = 0; i < ufunc->ninputs; i++) {
        types[i] = type_of(inputs[i]);
        putchar(letters[inputs[i]]);
    }
    if (mnp__ufunc_resolve(ufunc, types, loop, results) == MNP_OK) {
        print_types(ufunc->ninputs, loop);
        print_types(ufunc->noutputs, results);
    } else {
        printf(" -");
    }
    putchar('\n');
}

int main(void)
{
    const int count = (int)sizeof letters - 1;
    for (const mnp__ufunc *ufunc = mnp__ufuncs; ufunc->name; ufunc++) {
        int inputs[MNP__MAX_UFUNC_INPUTS] = {0}, i;
        do { /* the next combination: count up, as with digits */
            print_case(ufunc, inputs);
            for (i = 0; i < ufunc->ninputs && ++inputs[i] == count; i++)
                inputs[i] = 0;
        } while (i < ufunc->ninputs);
    }
    return 0;
}
