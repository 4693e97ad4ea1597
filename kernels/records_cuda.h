/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Records by which the blocks of a launch tell one another numbers, for GPUs.
 *
 * A record is a word and a mark, which are written and read in one access of 16 bytes: readers see both or neither,
 * without fences.  The mark says what the word is; a reader looks again until it finds a mark that it waits for.
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
#define MNP_WRITE_RECORD(record, word_, mark_) (*(record) = mnp_record{word_, mark_})
#define MNP_READ_RECORD(record, word_, mark_) ((word_) = (record)->word, (mark_) = (record)->mark)
#endif
