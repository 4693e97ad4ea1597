! SPDX-License-Identifier: BSD-3-Clause
!
! Heat in a ring of plates, in Fortran: a wave of temperature decays as the theory of the scheme says.
!
!   gfortran heat.f90 $(pkg-config --cflags --libs maniple-fortran) -o heat
!   mpirun -n 4 ./heat
!
! prints
!
!   the mean temperature is 20.00
!   the wave has decayed to  61.04 % of its height
!   the error is below 1e-12: T
program heat
    use maniple
    implicit none
    integer, parameter :: rows = 60, columns = 40, steps = 200
    real(c_double), parameter :: pi = acos(-1.0_c_double), k = 0.225_c_double
    character(len=*), parameter :: step = &
        "u + 0.225 * (roll(u, 1, 0) + roll(u, -1, 0) + roll(u, 1, 1) + roll(u, -1, 1) - 4 * u)"
    type(mnp_ctx) :: ctx
    type(mnp_array) :: u, mean
    real(c_double) :: start(columns, rows), found(columns, rows), right(columns, rows), height, average
    integer :: i

    ! Dimensions are in Fortran's order from the last to the first, so the array of Maniple is rows x columns
    start = spread([(cos(2 * pi * i / rows), i=0, rows - 1)], 1, columns)

    call mnp_or_exit(mnp_init(ctx_p=ctx))
    call mnp_or_exit(mnp_array_from_host(ctx, MNP_FLOAT64, 2, int([rows, columns], c_int64_t), 20 + start, u))
    do i = 1, steps
        call mnp_or_exit(mnp_evaluate(ctx, step, ["u"], [u], u))
    end do
    call mnp_or_exit(mnp_mean(u, out_p=mean))
    call mnp_or_exit(mnp_item(mean, average))
    call mnp_or_exit(mnp_array_to_host(u, MNP_ALL_RANKS, found))

    height = (1 - 4 * k * sin(pi / rows)**2)**steps
    right = 20 + height * start
    if (mnp_ctx_rank(ctx) == 0) then
        print "(a, f0.2)", "the mean temperature is ", average
        print "(a, f6.2, a)", "the wave has decayed to ", 100 * height, " % of its height"
        print "(a, l1)", "the error is below 1e-12: ", maxval(abs(found - right)) < 1e-12
    end if
    call mnp_clear(u)
    call mnp_clear(mean)
    call mnp_clear(ctx)
end program heat
