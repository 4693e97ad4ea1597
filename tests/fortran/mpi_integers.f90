! SPDX-License-Identifier: BSD-3-Clause
! A program that has started MPI itself, with `use mpi`: contexts of the world and of a part of it.
program mpi_integers
    use mpi
    use maniple
    implicit none
    type(mnp_ctx) :: ctx, part
    integer :: rank, ranks, half, code, members, seen
    call MPI_Init(code)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, code)
    call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), rank, half, code)
    call MPI_Comm_size(half, members, code)
    call mnp_or_exit(mnp_init(MPI_COMM_WORLD, "log=warn" // c_null_char, ctx))
    if (mnp_ctx_rank(ctx) /= rank .or. mnp_ctx_size(ctx) /= ranks) error stop "the world"
    call mnp_or_exit(mnp_init(half, ctx_p=part))
    if (mnp_ctx_size(part) /= members) error stop "a part of it"
    call MPI_Comm_size(mnp_ctx_comm(part), seen, code)
    if (seen /= members) error stop "the communicator of a context"
    call mnp_clear(part)
    call mnp_clear(ctx)
    call MPI_Finalize(code)
end program
