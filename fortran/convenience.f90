    ! SPDX-License-Identifier: BSD-3-Clause
    ! What is written by hand: declarations above the line, procedures below it

! ---- procedures ----

    ! End the program with the message of a call that has failed, on all ranks.
    subroutine mnp_or_exit(status)
        integer(c_int), intent(in) :: status
        if (status /= MNP_OK) call mnp_exit(1_c_int)
    end subroutine

    ! A text of C, such as that of mnp_error_message().
    function mnp_string(text) result(string)
        type(c_ptr), intent(in) :: text
        character(len=:), allocatable :: string
        character(kind=c_char), pointer :: characters(:)
        integer :: i
        interface
            function strlen(text) bind(C) result(length)
                import
                type(c_ptr), value :: text
                integer(c_size_t) :: length
            end function
        end interface
        if (.not. c_associated(text)) then
            string = ""
            return
        end if
        call c_f_pointer(text, characters, [strlen(text)])
        allocate (character(len=size(characters)) :: string)
        do i = 1, size(characters)
            string(i:i) = characters(i)
        end do
    end function

    ! Standard output, for functions that print to a file of C.  It has no buffer; flush Fortran's own before.
    function mnp_stdout() result(file)
        type(c_ptr) :: file
        type(c_ptr), save :: opened = c_null_ptr
        interface
            function dup(descriptor) bind(C) result(copy)
                import
                integer(c_int), value :: descriptor
                integer(c_int) :: copy
            end function
            function fdopen(descriptor, mode) bind(C) result(file)
                import
                integer(c_int), value :: descriptor
                character(kind=c_char) :: mode(*)
                type(c_ptr) :: file
            end function
            subroutine setbuf(file, buffer) bind(C)
                import
                type(c_ptr), value :: file, buffer
            end subroutine
        end interface
        if (.not. c_associated(opened)) then
            opened = fdopen(dup(1_c_int), "w" // c_null_char)
            call setbuf(opened, c_null_ptr)
        end if
        file = opened
    end function

    ! One axis, counted from 0, of reductions: mnp_sum(x, mnp_axis(0), s).
    function mnp_axis(axis) result(axes)
        integer, intent(in) :: axis
        type(mnp_axes) :: axes
        axes%count = 1
        axes%axes(1) = int(axis, c_int)
    end function

    ! mnp_eval() of the last statement's value: names(i) in the text stands for arrays(i).
    function mnp_evaluate(ctx, text, names, arrays, array) result(status)
        type(mnp_ctx), intent(in) :: ctx
        character(len=*), intent(in) :: text, names(:)
        type(mnp_array), intent(in) :: arrays(:)
        type(mnp_array), intent(inout), target :: array
        integer(c_int) :: status
        character(kind=c_char, len=len(names) + 1), target :: ended(size(names) + 1)
        type(mnp_input) :: inputs(size(names) + 1)
        type(mnp_output) :: outputs(2)
        integer :: i
        if (size(names) /= size(arrays)) error stop "mnp_evaluate: there are not as many names as arrays"
        do i = 1, size(names)
            ended(i) = trim(names(i)) // c_null_char
            inputs(i)%name = c_loc(ended(i))
            inputs(i)%array = arrays(i)
        end do
        ended(size(ended)) = c_null_char
        outputs(1)%name = c_loc(ended(size(ended)))
        outputs(1)%array_p = c_loc(array)
        status = mnp_eval(ctx, text // c_null_char, inputs, outputs)
    end function
