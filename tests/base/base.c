/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Dtypes, texts, settings, log levels and the error record.
 */
#include <locale.h>
#include <math.h>
#include <string.h>

#include "tests/tap.h"
#include "base/config.h"
#include "base/status.h"
#include "base/text.h"
#include <maniple/dtype.h>

static void check_dtypes(void)
{
    bool round_trip = true;
    mnp_dtype dtype;
    for (int i = MNP_BOOL; i < MNP_NUM_DTYPES; i++)
        round_trip = round_trip && mnp_dtype_parse(mnp_dtype_name((mnp_dtype)i), &dtype) == MNP_OK && (int)dtype == i;
    ok(round_trip, "every dtype has a name that is understood");
    ok(mnp_dtype_parse("float31", &dtype) == MNP_ERR_ARG && strstr(mnp_error_message(), "complex128"),
       "a wrong name is answered with the right ones");
    ok(mnp_dtype_size(MNP_COMPLEX128) == 16 && mnp_dtype_size((mnp_dtype)99) == 0 && MNP_DTYPE_AUTO == 0 &&
           mnp_dtype_size(MNP_DTYPE_AUTO) == 0 && mnp_dtype_kind(MNP_UINT16) == 'u',
       "sizes and kinds");
}

/*
 * numpy.promote_types, as NumPy 2 prints it, and for bfloat16 as documented: rows and columns in the order of the enum,
 * each by its number there.
 */
static void check_promotion(void)
{
    enum {
        b = MNP_BOOL,
        i1 = MNP_INT8,
        i2 = MNP_INT16,
        i4 = MNP_INT32,
        i8 = MNP_INT64,
        u1 = MNP_UINT8,
        u2 = MNP_UINT16,
        u4 = MNP_UINT32,
        u8 = MNP_UINT64,
        f2 = MNP_FLOAT16,
        bf = MNP_BFLOAT16,
        f4 = MNP_FLOAT32,
        f8 = MNP_FLOAT64,
        c8 = MNP_COMPLEX64,
        c16 = MNP_COMPLEX128
    };
    enum { COUNT = MNP_NUM_DTYPES - MNP_BOOL };
    static const unsigned char table[COUNT][COUNT] = {
        {b, i1, i2, i4, i8, u1, u2, u4, u8, f2, bf, f4, f8, c8, c16},
        {i1, i1, i2, i4, i8, i2, i4, i8, f8, f2, bf, f4, f8, c8, c16},
        {i2, i2, i2, i4, i8, i2, i4, i8, f8, f4, f4, f4, f8, c8, c16},
        {i4, i4, i4, i4, i8, i4, i4, i8, f8, f8, f8, f8, f8, c16, c16},
        {i8, i8, i8, i8, i8, i8, i8, i8, f8, f8, f8, f8, f8, c16, c16},
        {u1, i2, i2, i4, i8, u1, u2, u4, u8, f2, bf, f4, f8, c8, c16},
        {u2, i4, i4, i4, i8, u2, u2, u4, u8, f4, f4, f4, f8, c8, c16},
        {u4, i8, i8, i8, i8, u4, u4, u4, u8, f8, f8, f8, f8, c16, c16},
        {u8, f8, f8, f8, f8, u8, u8, u8, u8, f8, f8, f8, f8, c16, c16},
        {f2, f2, f4, f8, f8, f2, f4, f8, f8, f2, f4, f4, f8, c8, c16},
        {bf, bf, f4, f8, f8, bf, f4, f8, f8, f4, bf, f4, f8, c8, c16},
        {f4, f4, f4, f8, f8, f4, f4, f8, f8, f4, f4, f4, f8, c8, c16},
        {f8, f8, f8, f8, f8, f8, f8, f8, f8, f8, f8, f8, f8, c16, c16},
        {c8, c8, c8, c16, c16, c8, c8, c16, c16, c8, c8, c8, c16, c8, c16},
        {c16, c16, c16, c16, c16, c16, c16, c16, c16, c16, c16, c16, c16, c16, c16},
    };
    for (int i = 0; i < COUNT; i++) {
        const mnp_dtype from = (mnp_dtype)(MNP_BOOL + i);
        bool row = true;
        for (int j = 0; j < COUNT; j++)
            row = row && (int)mnp_dtype_promote(from, (mnp_dtype)(MNP_BOOL + j)) == table[i][j];
        ok(row, "promotion of %s as numpy.promote_types", mnp_dtype_name(from));
    }
}

static void check_casting(void)
{
    const struct {
        mnp_dtype from, to;
        mnp_casting least; /* the strictest rule that allows it */
    } cases[] = {
        {MNP_INT8, MNP_INT8, MNP_CASTING_NO},
        {MNP_INT32, MNP_FLOAT64, MNP_CASTING_SAFE},
        {MNP_INT64, MNP_FLOAT32, MNP_CASTING_SAME_KIND},
        {MNP_UINT8, MNP_INT8, MNP_CASTING_SAME_KIND},
        {MNP_INT8, MNP_UINT64, MNP_CASTING_UNSAFE},
        {MNP_FLOAT16, MNP_BFLOAT16, MNP_CASTING_SAME_KIND},
        {MNP_BFLOAT16, MNP_FLOAT32, MNP_CASTING_SAFE},
        {MNP_FLOAT64, MNP_COMPLEX64, MNP_CASTING_SAME_KIND},
        {MNP_COMPLEX64, MNP_FLOAT64, MNP_CASTING_UNSAFE},
        {MNP_INT8, MNP_BOOL, MNP_CASTING_UNSAFE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool right = true;
        for (mnp_casting rule = MNP_CASTING_NO; rule <= MNP_CASTING_UNSAFE; rule++)
            right = right && mnp_can_cast(cases[i].from, cases[i].to, rule) == (rule >= cases[i].least);
        ok(right, "casting %s to %s", mnp_dtype_name(cases[i].from), mnp_dtype_name(cases[i].to));
    }
    ok(!mnp_can_cast(MNP_INT8, (mnp_dtype)99, MNP_CASTING_UNSAFE), "nothing can be cast to what is no dtype");
}

/*
 * The float of two bytes nearest to a double, found by trying all of them; of two that are equally near, the even one.
 */
static unsigned nearest_half(float (*value_of)(uint16_t), double x)
{
    unsigned best = 0;
    for (unsigned bits = 0; bits < 0x8000; bits++) {
        double value = (double)value_of((uint16_t)bits), least = fabs((double)value_of((uint16_t)best) - x);
        if (fabs(value - x) < least || (fabs(value - x) == least && bits % 2 == 0))
            best = bits;
    }
    return best;
}

static void check_halves(void)
{
    bool round_trip = true;
    for (unsigned bits = 0; bits < 0x10000; bits++) {
        float f = mnp_float16_to_float((uint16_t)bits), b = mnp_bfloat16_to_float((uint16_t)bits);
        round_trip = round_trip && (isnan(f) || mnp_float16_from_double((double)f) == bits) &&
                     (isnan(b) || mnp_bfloat16_from_double((double)b) == bits);
    }
    ok(round_trip, "all floats of two bytes come back");
    ok((double)mnp_float16_to_float(0x3555) == 0x1.554p-2 && (double)mnp_float16_to_float(0x8001) == -0x1p-24 &&
           isinf(mnp_float16_to_float(0xfc00)) && isnan(mnp_float16_to_float(0x7e01)),
       "float16: a number, the smallest, infinity, NaN");
    ok(isnan(mnp_float16_to_float(mnp_float16_from_double(NAN))) &&
           isnan(mnp_bfloat16_to_float(mnp_bfloat16_from_double(NAN))),
       "NaN stays NaN");
    static const double values[] = {1 + 0x1p-11,
                                    1 + 0x1p-11 + 0x1p-40,
                                    1 + 3 * 0x1p-11,
                                    0x1p-25,
                                    0x1p-25 + 0x1p-70,
                                    65503.9,
                                    1 / 3.0,
                                    1e-7,
                                    1 + 0x1p-8 + 0x1p-50,
                                    1 + 3 * 0x1p-8,
                                    0x1p-134,
                                    1e30};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        bool small = values[i] < 65504;
        ok((!small || mnp_float16_from_double(values[i]) == nearest_half(mnp_float16_to_float, values[i])) &&
               mnp_bfloat16_from_double(-values[i]) == (0x8000 | nearest_half(mnp_bfloat16_to_float, values[i])),
           "%a is rounded once, to the nearest", values[i]);
    }
    ok(mnp_float16_from_double(65519.99) == 0x7bff && mnp_float16_from_double(65520) == 0x7c00,
       "float16 overflows at 65520");
}

static void check_texts(void)
{
    mnp__text text = MNP__TEXT_EMPTY;
    for (int i = 0; i < 1000; i++)
        mnp__text_add(&text, "%d,", i);
    ok(mnp__text_status(&text) == MNP_OK && text.length == 3890 && strncmp(text.data, "0,1,2,", 6) == 0,
       "a text grows");
    mnp__text_free(&text);
    mnp__text_add_shape(&text, 2, (int64_t[]){872, 1000});
    mnp__text_add_shape(&text, 1, (int64_t[]){5});
    mnp__text_add_shape(&text, 0, NULL);
    ok(strcmp(text.data, "(872, 1000)(5,)()") == 0, "shapes print as NumPy prints them: %s", text.data);
    mnp__text_free(&text);

    char room[8];
    text = MNP__TEXT_IN(room);
    ok(strcmp(mnp__text_string(&text), "") == 0, "a text in memory of the caller's is empty at first");
    mnp__text_add(&text, "%d", 1234567);
    ok(text.data == room && !mnp__text_has_grown(&text) && strcmp(room, "1234567") == 0,
       "and stays there while it fits");
    mnp__text_add(&text, "%d", 8);
    ok(text.data != room && mnp__text_has_grown(&text) && strcmp(text.data, "12345678") == 0, "and grows out of it");
    mnp__text_free(&text);
}

/*
 * Set a locale whose numbers have commas, which is made for this test by the C library's tool.  False where that fails;
 * the tool warns of every other part of a locale, as this one has none.
 */
static bool set_comma_locale(void)
{
    static const char make[] =
        "mkdir -p base-locale && cd base-locale || exit\n"
        "printf '<code_set_name> PLAIN\\nCHARMAP\\nEND CHARMAP\\n' >characters\n"
        "printf 'LC_NUMERIC\\ndecimal_point \",\"\\nthousands_sep \"\"\\ngrouping -1\\nEND LC_NUMERIC\\n' >numbers\n"
        "localedef -c -f ./characters -i ./numbers ./comma >/dev/null 2>&1\n"
        "test -d comma\n";
    setenv("LOCPATH", "base-locale", 1);
    const bool set = system(make) == 0 && setlocale(LC_NUMERIC, "comma");
    return system("rm -r base-locale") == 0 && set;
}

static void check_numbers(void)
{
    static const char written[] = "0.5 1.25e-07 0x1.8p+1";
    const char *number = "2.5e1x";
    char line[64], *end;
    mnp__text text = MNP__TEXT_EMPTY;
    mnp__config config;
    mnp__numbers numbers = {NULL, NULL};
    if (!set_comma_locale()) {
        skip("numbers have points in a locale with commas", "localedef makes no locale here");
        return;
    }
    snprintf(line, sizeof line, "%g", 0.5);
    ok(strcmp(line, "0,5") == 0, "a locale with commas: %s", line);
    ok(mnp__parse_number(number, &end) == 25 && end == number + 5, "numbers are read with points");
    ok(mnp__parse_number("x", &end) == 0 && *end == 'x', "and what is none is told");
    mnp__text_add(&text, "%g %.3g %a", 0.5, 1.25e-7, 3.0);
    ok(strcmp(mnp__text_string(&text), written) == 0, "numbers of texts have points: %s", text.data);
    mnp__text_free(&text);
    if (ok(mnp__numbers_begin(&numbers) == MNP_OK, "C's locale is there")) {
        snprintf(line, sizeof line, "%g %.3g %a", 0.5, 1.25e-7, 3.0);
        mnp__numbers_end(&numbers);
        ok(strcmp(line, written) == 0, "and others between begin and end: %s", line);
    }
    snprintf(line, sizeof line, "%g", 0.5);
    ok(strcmp(line, "0,5") == 0, "then the program's locale is back: %s", line);
    if (ok(mnp__config_read("deadline=0.25 memory_limit=12.5%", 0, &config) == MNP_OK,
           "settings with points are read")) {
        ok(config.deadline_seconds == 0.25 && config.memory_share == 0.125, "and are what they say");
        mnp__config_free(&config);
    }
    setlocale(LC_NUMERIC, "C");
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
        {"colour=red", "knows no option 'colour'"},
        {"device", "not of the form"},
        {"device=gpu", "cuda, host, simulated or auto"},
        {"deadline=soon", "number of seconds"},
        {"deadline=-1", "above 0"},
        {"busy_deadline=0", "MANIPLE_BUSY_DEADLINE is '0'"},
        {"loop=later", "auto or launch"},
        {"spmv=fast", "measure, stream, rows, sell or dia"},
        {"threads=0", "1 to 4096"},
        {"reproducible=yes", "should be 0 or 1"},
        {"simulated_nvrtc=yes", "MANIPLE_SIMULATED_NVRTC is 'yes'"},
        {"log=loud", "error, warn, info or debug"},
        {"log=info:x", "list of ranks"},
        {"transport=tcp", "nccl, mpi or auto"},
        {"spread_rows=0", "1 to "},
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
    ok(strcmp(mnp_status_name(MNP_ERR_PEER), "MNP_ERR_PEER") == 0 &&
           strcmp(mnp_status_name((mnp_status)77), "unknown status") == 0,
       "statuses have names");
}

int main(void)
{
    check_dtypes();
    check_promotion();
    check_casting();
    check_halves();
    check_texts();
    check_numbers();
    check_settings();
    check_record();
    return done_testing();
}
