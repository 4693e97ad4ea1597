/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Logistic regression in C++, by gradient descent on points that all ranks share:  mpirun -n 4 ./regression
 *
 * prints
 *
 *   after 200 steps the loss is 0.021
 *   the line is at x = 0.50
 */
#include <maniple.hpp>

#include <cstdio>

using maniple::array;

int main()
{
    try {
        maniple::context ctx;
        const array x = maniple::linspace(ctx, 0, 1, 10000);
        const array y = x > 0.5; /* the classes of the points */
        double weight = 0, offset = 0, loss = 0;

        for (int step = 0; step < 200; step++) {
            const array probability = 1 / (1 + exp(-(weight * x + offset)));
            const array difference = probability - y;
            weight -= 100 * (difference * x).mean().item<double>();
            offset -= 100 * difference.mean().item<double>();
            loss =
                maniple::eval(ctx, "-mean(where(y, log(p), log1p(-p)))", {{"y", y}, {"p", probability}}).item<double>();
        }
        if (ctx.rank() == 0) {
            std::printf("after 200 steps the loss is %.3f\n", loss);
            std::printf("the line is at x = %.2f\n", -offset / weight);
        }
    } catch (const maniple::error &failure) {
        mnp_exit(1); /* prints the message, on one rank if all have it */
    }
    return 0;
}
