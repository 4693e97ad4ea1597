/*
 * Dtypes, texts, settings, log levels and the error record.
 */
#include <string.h>

#include "../tap.h"
#include "base/config.h"
#include "base/status.h"
#include "base/text.h"
#include <maniple/dtype.h>

static void check_dtypes(void)
{
    bool round_trip = true;
    mnp_dtype dtype;
    for (int i = 0; i < MNP_NUM_DTYPES; i++)
        round_trip = round_trip && mnp_dtype_parse(mnp_dtype_name((mnp_dtype)i), &dtype) == MNP_OK && (int)dtype == i;
    ok(round_trip, "every dtype has a name that is understood");
    ok(mnp_dtype_parse("float31", &dtype) == MNP_ERR_ARG && strstr(mnp_error_message(), "complex128"),
       "a wrong name is answered with the right ones");
    ok(mnp_dtype_size(MNP_COMPLEX128) == 16 && mnp_dtype_size((mnp_dtype)99) == 0 && mnp_dtype_kind(MNP_UINT16) == 'u',
       "sizes and kinds");
}

/* numpy.promote_types, as NumPy 2 prints it: rows and columns in the order of the enum, by index into the enum. */
static void check_promotion(void)
{
    enum { b = MNP_BOOL, i1 = MNP_INT8, i2 = MNP_INT16, i4 = MNP_INT32, i8 = MNP_INT64, u1 = MNP_UINT8, u2 = MNP_UINT16,
           u4 = MNP_UINT32, u8 = MNP_UINT64, f4 = MNP_FLOAT32, f8 = MNP_FLOAT64, c8 = MNP_COMPLEX64, c16 = MNP_COMPLEX128 };
    static const unsigned char table[MNP_NUM_DTYPES][MNP_NUM_DTYPES] = {
        {b, i1, i2, i4, i8, u1, u2, u4, u8, f4, f8, c8, c16},
        {i1, i1, i2, i4, i8, i2, i4, i8, f8, f4, f8, c8, c16},
        {i2, i2, i2, i4, i8, i2, i4, i8, f8, f4, f8, c8, c16},
        {i4, i4, i4, i4, i8, i4, i4, i8, f8, f8, f8, c16, c16},
        {i8, i8, i8, i8, i8, i8, i8, i8, f8, f8, f8, c16, c16},
        {u1, i2, i2, i4, i8, u1, u2, u4, u8, f4, f8, c8, c16},
        {u2, i4, i4, i4, i8, u2, u2, u4, u8, f4, f8, c8, c16},
        {u4, i8, i8, i8, i8, u4, u4, u4, u8, f8, f8, c16, c16},
        {u8, f8, f8, f8, f8, u8, u8, u8, u8, f8, f8, c16, c16},
        {f4, f4, f4, f8, f8, f4, f4, f8, f8, f4, f8, c8, c16},
        {f8, f8, f8, f8, f8, f8, f8, f8, f8, f8, f8, c16, c16},
        {c8, c8, c8, c16, c16, c8, c8, c16, c16, c8, c16, c8, c16},
        {c16, c16, c16, c16, c16, c16, c16, c16, c16, c16, c16, c16, c16},
    };
    for (int i = 0; i < MNP_NUM_DTYPES; i++) {
        bool row = true;
        for (int j = 0; j < MNP_NUM_DTYPES; j++)
            row = row && (int)mnp_dtype_promote((mnp_dtype)i, (mnp_dtype)j) == table[i][j];
        ok(row, "promotion of %s as numpy.promote_types", mnp_dtype_name((mnp_dtype)i));
    }
}

static void check_texts(void)
{
    mnp__text text = MNP__TEXT_EMPTY;
    for (int i = 0; i < 1000; i++)
        mnp__text_add(&text, "%d,", i);
    ok(mnp__text_status(&text) == MNP_OK && text.length == 3890 && strncmp(text.data, "0,1,2,", 6) == 0, "a text grows");
    mnp__text_free(&text);
    mnp__text_add_shape(&text, 2, (int64_t[]){872, 1000});
    mnp__text_add_shape(&text, 1, (int64_t[]){5});
    mnp__text_add_shape(&text, 0, NULL);
    ok(strcmp(text.data, "(872, 1000)(5,)()") == 0, "shapes print as NumPy prints them: %s", text.data);
    mnp__text_free(&text);
}

static void check_settings(void)
{
    mnp__config config;
    unsetenv("MANIPLE_LOG");
    setenv("MANIPLE_DEADLINE", "2.5", 1);
    ok(mnp__config_read("device=host log=debug:1,3", 3, &config) == MNP_OK && config.deadline_seconds == 2.5 &&
           strcmp(config.device, "host") == 0 && config.logger.level == MNP_LOG_DEBUG,
       "options come before the environment, the environment before the defaults");
    int entries = 0;
    bool complete = true;
    for (const mnp_setting_info *row = config.table; row->name; row++, entries++)
        complete = complete && row->value && row->fallback && row->help && strncmp(row->name, "MANIPLE_", 8) == 0;
    ok(complete && entries >= 10, "the table of settings has %d complete rows", entries);
    mnp__config_free(&config);
    ok(mnp__config_read("device=host log=debug:1,3", 2, &config) == MNP_OK && config.logger.level == -1,
       "a rank that is not listed is silent");
    mnp__config_free(&config);

    static const char *const wrong[][2] = {
        {"colour=red", "knows no option \"colour\""}, {"device", "not of the form"},    {"device=gpu", "cuda, host or auto"},
        {"deadline=soon", "number of seconds"},       {"deadline=-1", "above 0"},       {"threads=0", "1 to 4096"},
        {"log=loud", "error, warn, info or debug"},   {"log=info:x", "list of ranks"},  {"transport=tcp", "nccl, mpi or auto"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        ok(mnp__config_read(wrong[i][0], 0, &config) == MNP_ERR_ARG && strstr(mnp_error_message(), wrong[i][1]),
           "refused: %s", mnp_error_message());
}

static void check_record(void)
{
    mnp_status st = MNP_FAIL(MNP_ERR_IO, "the first of %d", 2);
    ok(st == MNP_ERR_IO && strcmp(mnp_error_message(), "the first of 2") == 0 && strstr(mnp_error_origin(), "base.c:"),
       "an error is recorded with its place: %s", mnp_error_origin());
    mnp__fail_context(st, "while reading %s", "x");
    ok(strcmp(mnp_error_message(), "while reading x: the first of 2") == 0, "and with what was being done");
    MNP_FAIL(MNP_ERR_IO, "again: %s", mnp_error_message());
    ok(strcmp(mnp_error_message(), "again: while reading x: the first of 2") == 0, "its own words may be quoted");
    ok(strcmp(mnp_status_name(MNP_ERR_PEER), "MNP_ERR_PEER") == 0 && strcmp(mnp_status_name((mnp_status)77), "unknown status") == 0,
       "statuses have names");
}

int main(void)
{
    check_dtypes();
    check_promotion();
    check_texts();
    check_settings();
    check_record();
    return done_testing();
}
