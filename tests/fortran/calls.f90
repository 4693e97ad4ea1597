! SPDX-License-Identifier: BSD-3-Clause
! Each way in which arguments and results pass between Fortran and C.  Values are compared with Fortran's own arithmetic.
module steps
    use maniple
    implicit none
    type :: counter
        type(mnp_array) :: x
        integer :: calls = 0
    end type
contains
    function add_one(argument) bind(C) result(status)
        type(c_ptr), value :: argument
        integer(c_int) :: status
        type(counter), pointer :: c
        type(mnp_ctx) :: ctx
        call c_f_pointer(argument, c)
        c%calls = c%calls + 1
        ctx = mnp_array_ctx(c%x)
        status = mnp_add(c%x, mnp_scalar(ctx, 1), c%x)
    end function
end module

program calls
    use maniple
    use steps
    implicit none
    type(mnp_ctx) :: ctx
    type(mnp_array) :: x, y, s, parts(2), joined, none
    type(mnp_layout) :: layout, drawn
    type(mnp_graph) :: graph
    type(counter), target :: c
    type(mnp_axes) :: axes
    type(mnp_cov_options) :: options
    integer(c_int64_t), parameter :: shape(2) = [7_c_int64_t, 5_c_int64_t]
    integer(c_int64_t), pointer :: extents(:)
    real(c_double) :: a(5, 7), back(5, 7), sums(7), value
    real(c_float) :: single
    integer(c_int64_t) :: wide, vector(3)
    integer :: narrow, i
    complex(c_double_complex) :: z
    integer(c_int) :: status
    character(len=:), allocatable :: message

    call random_seed(put=[(12345 + i, i=1, 64)])
    call random_number(a)
    call mnp_or_exit(mnp_init(options="device=host" // c_null_char, ctx_p=ctx))

    call mnp_or_exit(mnp_array_from_host(ctx, MNP_FLOAT64, 2, shape, a, x))
    call mnp_or_exit(mnp_multiply(x, mnp_scalar(ctx, 2.5d0), y))
    call mnp_or_exit(mnp_array_to_host(y, MNP_ALL_RANKS, back))
    call check(all(back == 2.5d0 * a), "an array there and back, and a number")
    call c_f_pointer(mnp_array_shape(y), extents, [mnp_array_ndim(y)])
    call check(all(extents == shape), "a pointer to numbers")
    call check(mnp_string(mnp_ctx_device_kind(ctx)) == "host", "a text of C")

    call mnp_or_exit(mnp_sum(x, mnp_axis(-1), s))
    call mnp_or_exit(mnp_array_to_host(s, MNP_ALL_RANKS, sums))
    call check(all(abs(sums - sum(a, 1)) < 1d-14), "a struct, by mnp_axis()")
    call mnp_clear(s)
    axes%keepdims = .true.
    axes%count = 2
    axes%axes(1:2) = [0, 1]
    call mnp_or_exit(mnp_max(x, axes, s))
    call check(mnp_array_ndim(s) == 2, "a struct's fields")
    call mnp_or_exit(mnp_item(s, value))
    call check(value == maxval(a), "an item in float64")
    call mnp_or_exit(mnp_item(s, single))
    call check(single == real(maxval(a), c_float), "an item in float32")
    call mnp_or_exit(mnp_item(s, z))
    call check(z == cmplx(maxval(a), 0, c_double_complex), "an item that is complex")
    call mnp_clear(s)
    call mnp_or_exit(mnp_count_nonzero(x, out_p=s))
    call mnp_or_exit(mnp_item(s, wide))
    call mnp_or_exit(mnp_item(s, narrow))
    call check(wide == 35 .and. narrow == 35, "items that are integers")

    call mnp_or_exit(mnp_index(x, "1::2, 0" // c_null_char, parts(1)))
    call mnp_or_exit(mnp_index(x, "::2, -1" // c_null_char, parts(2)))
    call mnp_or_exit(mnp_concatenate(parts, 2, 0, joined))
    call mnp_or_exit(mnp_array_to_host(joined, MNP_ALL_RANKS, sums))
    call check(all(sums == [a(1, 2::2), a(5, ::2)]), "a list of arrays, texts, views")

    status = mnp_add(x, joined, none)
    message = mnp_string(mnp_error_message())
    call check(status == MNP_ERR_ARG .and. index(message, "broadcast") > 0 .and. &
               .not. c_associated(none%pointer), "a failure and its message")

    call mnp_or_exit(mnp_layout_parse(ctx, 2, shape, "*, 0" // c_null_char, layout))
    call check(mnp_layout_parts(layout, 0) == 1 .and. mnp_layout_parts(layout, 1) == mnp_ctx_size(ctx), "a layout")
    drawn = mnp_layout_retain(layout)
    call mnp_clear(drawn)
    vector = [1, 2, 3]
    call mnp_or_exit(mnp_array_from_host(ctx, MNP_INT64, 1, [3_c_int64_t], vector, c%x))
    call mnp_or_exit(mnp_graph_new(ctx, c_funloc(add_one), c_loc(c), graph))
    do i = 1, 4
        call mnp_or_exit(mnp_graph_launch(graph))
    end do
    call mnp_or_exit(mnp_array_to_host(c%x, MNP_ALL_RANKS, vector))
    call check(all(vector == [6, 7, 8]) .and. c%calls == 5, "a function that C calls")
    if (mnp_ctx_size(ctx) == 1) then
        flush (6)
        call mnp_or_exit(mnp_array_print(c%x, file=mnp_stdout()))
    end if
    options%ddof = 1
    call mnp_clear(s)
    call mnp_or_exit(mnp_evaluate(ctx, "sum(alpha * beta)", ["alpha", "beta "], [x, y], s))
    call mnp_or_exit(mnp_item(s, value))
    call check(abs(value - sum(2.5d0 * a**2)) < 1d-12, "names in a text")

    call mnp_clear(graph)
    call mnp_clear(c%x)
    call mnp_clear(layout)
    call mnp_clear(parts(1))
    call mnp_clear(parts(2))
    call mnp_clear(joined)
    call mnp_clear(s)
    call mnp_clear(y)
    call mnp_clear(x)
    call mnp_clear(x)
    call check(.not. c_associated(x%pointer), "what was cleared")
    call mnp_clear(ctx)
contains
    subroutine check(good, what)
        logical, intent(in) :: good
        character(len=*), intent(in) :: what
        if (.not. good) then
            print "(a, i0, 2a)", "rank ", mnp_ctx_rank(ctx), " has not: ", what
            error stop 1
        end if
    end subroutine
end program
