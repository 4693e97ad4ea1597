! SPDX-License-Identifier: BSD-3-Clause
! The same with `use mpi_f08`.
program mpi_types
    use mpi_f08
    use maniple
    implicit none
    type(mnp_ctx) :: part
    type(MPI_Comm) :: half
    integer :: rank, members
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), -rank, half)
    call MPI_Comm_size(half, members)
    call MPI_Comm_rank(half, rank)
    call mnp_or_exit(mnp_init(half%MPI_VAL, ctx_p=part))
    if (mnp_ctx_size(part) /= members .or. mnp_ctx_rank(part) /= rank) error stop "a part of the world"
    call mnp_clear(part)
    call MPI_Finalize()
end program
