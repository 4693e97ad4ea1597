/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Records by which the blocks of a launch tell one another numbers, for GPUs.
 *
 * A record is a word and a mark, which are written and read in one access of 16 bytes: readers see both or neither,
 * without fences.  The mark, not 0, says what the word is, and is another one for another word; a reader looks again
 * until it finds a mark that it waits for.
 */
struct mnp_record {
    uint64_t word, mark;
};

#if MNP_PTX
#define MNP_WRITE_RECORD(record, word, mark)                                                                           \
    asm volatile("st.relaxed.gpu.global.v2.u64 [%0], {%1, %2};" ::"l"(record), "l"(word), "l"(mark) : "memory")

/* Read what is there now; `word` and `mark` are variables. */
#define MNP_READ_RECORD(record, word, mark)                                                                            \
    asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];" : "=l"(word), "=l"(mark) : "l"(record) : "memory")
#else

/* A CPU has no such access.  The mark is 0 while the word changes, and is read before and after the word. */
#define MNP_WRITE_RECORD(record, word, mark) mnp_write_record(record, word, mark)
#define MNP_READ_RECORD(record, word, mark) mnp_read_record(record, word, mark)

MNP_INLINE void mnp_write_record(mnp_record *record, uint64_t word, uint64_t mark)
{
    __atomic_store_n(&record->mark, 0, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_RELEASE);
    __atomic_store_n(&record->word, word, __ATOMIC_RELAXED);
    __atomic_store_n(&record->mark, mark, __ATOMIC_RELEASE);
}

MNP_INLINE void mnp_read_record(const mnp_record *record, uint64_t &word, uint64_t &mark)
{
    mark = __atomic_load_n(&record->mark, __ATOMIC_ACQUIRE);
    word = __atomic_load_n(&record->word, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    mark = __atomic_load_n(&record->mark, __ATOMIC_RELAXED) == mark ? mark : 0;
}

#endif
