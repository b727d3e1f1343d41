#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "libvox/base/error.h"
#include "libvox/base/json.h"
#include "libvox/base/log.h"
#include "libvox/base/progress.h"
#include "libvox/base/units.h"
#include "libvox/bricks/frozen_bricks.h"
#include "libvox/bricks/reader.h"
#include "libvox/measure/hash_bench.h"
#include "tests/common/random.h"
#include "tests/common/test_engine.h"
#include "tests/dag/dense_dag.h"

namespace vox {
namespace {

TEST(PlainText, LeavesTextOfAllLanguagesAsItIs) {
  for (const char* text : {"", "wood\tand stone", "Eiche geölt", "木", "🪵", "\xc2\xa0"}) {
    EXPECT_EQ(escape_line(text), text);
    EXPECT_EQ(escape_lines(text), text);
  }
}

TEST(PlainText, EscapesControlsAndWhatTurnsTextAround) {
  EXPECT_EQ(escape_line(std::string_view("a\0\x1b[2J\x7f\r", 8)), "a\\x00\\x1b[2J\\x7f\\x0d");
  EXPECT_EQ(escape_line("\xc2\x9b"
                        "0m\xe2\x80\xae\xe2\x81\xa6"),
            "\\u009b0m\\u202e\\u2066");
}

TEST(PlainText, EscapesBytesThatAreNotUtf8) {
  EXPECT_EQ(escape_line("\x9b"
                        "a\xff"),
            "\\x9ba\\xff");
  EXPECT_EQ(escape_line("\xc3"), "\\xc3");                                      // cut off
  EXPECT_EQ(escape_line("\xc1\x9b\xe0\x82\x9b"), "\\xc1\\x9b\\xe0\\x82\\x9b");  // longer than needed
  EXPECT_EQ(escape_line("\xed\xa0\x80"), "\\xed\\xa0\\x80");                    // half of a pair
}

TEST(PlainText, KeepsNewlinesOfALongerTextAlone) {
  EXPECT_EQ(escape_line("one\ntwo"), "one\\ntwo");
  EXPECT_EQ(escape_lines("one\ntwo\x1b"), "one\ntwo\\x1b");
}

TEST(PlainText, JsonHoldsTheSameCharactersEscaped) {
  EXPECT_EQ(Json().set("a\x7f", "\x1b\xc2\x9b\xe2\x80\xae\xff \"ö\"").text(),
            "{\n  \"a\\u007f\": \"\\u001b\\u009b\\u202e\\ufffd \\\"ö\\\"\"\n}");
}

// The library's messages go to sinks, and nowhere if there are none.

// Returns the output on stdout and stderr while `work` runs.
template <class Work>
std::string printed(const Work& work) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  work();
  const std::string out = testing::internal::GetCapturedStdout();
  return out + testing::internal::GetCapturedStderr();
}

// This work makes progress, and gives a warning: a CPU has no such compiler.
void work() {
  const auto engine = test_engine();
  measure::measure_tables(*engine, dense_dag(64, true, shell),
                          {.tables = {"sector"}, .load_factors = {16, 32}});
  const volume::Volume volume =
      memory_volume({8, 8, 8}, volume::ValueType::U8, [](Int3 v) { return uint32_t(v.x); });
  const auto cpu = make_engine({.device = "cpu"});
  const bricks::FrozenBricks bricks = bricks::build_bricks(cpu->handle(), volume, {}).bricks;
  bricks::make_bricks_reader(cpu->handle(), bricks, {.compiler = "no-such-compiler"})->compile();
}

TEST(Log, GoesToTheSinkWithItsLevel) {
  std::vector<std::string> heard;
  LogSink before = set_log_sink([&](LogLevel level, std::string_view text) {
    heard.push_back(std::to_string(static_cast<int>(level)) + " " + std::string(text));
  });
  log_error("{} and {}", 1, 2);
  log_warning("a");
  log_info("b");
  log_debug("c");
  set_log_sink(std::move(before));
  EXPECT_EQ(heard, (std::vector<std::string>{"0 1 and 2", "1 a", "2 b", "3 c"}));
}

TEST(Progress, TellsTheSinkHowFarItIsAndThatItHasEnded) {
  std::vector<std::string> heard;
  set_progress_sink([&](const ProgressState& state) {
    heard.push_back(std::string(state.what) + " " + std::to_string(state.before) + " " +
                    std::to_string(state.done) + "/" + std::to_string(state.total) + " " +
                    std::string(state.detail) + (state.ended ? " ended" : ""));
  });
  {
    Progress progress("digging", 10);
    progress.update(3, "clay");
    progress.update(7, "stone");
  }
  {
    const NoProgress quiet;
    Progress("digging in silence", 10).update(1, "sand");
  }
  set_progress_sink(nullptr);
  EXPECT_EQ(heard, (std::vector<std::string>{"digging 0 3/10 clay", "digging 3 7/10 stone",
                                             "digging 7 7/10  ended"}));
}

TEST(Progress, OnlyANewTenthOfLongWorkIsWorthALine) {
  ProgressState state;
  state.total = 50;
  const auto tenth = [&](uint64_t before, uint64_t done, double seconds) {
    state.before = before;
    state.done = done;
    state.seconds = seconds;
    return state.new_tenth();
  };
  EXPECT_EQ(tenth(0, 5, 0.5), std::nullopt);
  EXPECT_EQ(tenth(5, 9, 2), std::nullopt);
  EXPECT_EQ(tenth(9, 10, 2), 2);
  EXPECT_EQ(tenth(10, 49, 2), 9);
  EXPECT_EQ(tenth(49, 60, 2), 10);
}

TEST(Log, TheLibraryPrintsNothingByItself) {
  std::vector<LogLevel> levels;
  uint64_t steps = 0;
  LogSink before = set_log_sink([&](LogLevel level, std::string_view) { levels.push_back(level); });
  set_progress_sink([&](const ProgressState&) { ++steps; });
  EXPECT_EQ(printed(work), "");
  EXPECT_NE(std::ranges::find(levels, LogLevel::Warning), levels.end());
  EXPECT_GE(steps, 3u);
  set_log_sink(std::move(before));
  set_progress_sink(nullptr);
  const QuietLog quiet;
  EXPECT_EQ(printed(work), "");
}

constexpr std::array<std::string_view, 5> kWords = {"sphere", "box", "capsule", "cylinder", "copy"};

TEST(WorkWatch, TakesWhatItsThreadSaysAndCancelsItAlone) {
  std::vector<std::string> heard, elsewhere;
  const auto to = [](std::vector<std::string>& list) {
    return [&list](LogLevel, std::string_view text) { list.emplace_back(text); };
  };
  const LogSink before = set_log_sink(to(elsewhere));
  const auto watch = std::make_shared<WorkWatch>();
  watch->log = to(heard);
  watch->progress = [&](const ProgressState& state) { heard.emplace_back(state.what); };
  EXPECT_EQ(set_work_watch(watch), nullptr);
  log_info("a wall");
  { const Progress progress("digging", 2); }
  std::thread([] { log_info("a tree"); }).join();
  watch->cancelled = true;
  EXPECT_THROW(throw_if_cancelled(), Cancelled);
  std::thread([] { EXPECT_NO_THROW(throw_if_cancelled()); }).join();
  EXPECT_EQ(set_work_watch(nullptr), watch);
  EXPECT_NO_THROW(throw_if_cancelled());
  set_log_sink(before);
  EXPECT_EQ(heard, (std::vector<std::string>{"a wall", "digging"}));
  EXPECT_EQ(elsewhere, (std::vector<std::string>{"a tree"}));
}

TEST(WorkWatch, ThatIsDeletedIsSetNoLonger) {
  auto watch = std::make_shared<WorkWatch>();
  watch->cancelled = true;
  set_work_watch(watch);
  EXPECT_THROW(throw_if_cancelled(), Cancelled);
  watch.reset();
  EXPECT_NO_THROW(throw_if_cancelled());
  EXPECT_EQ(work_watch(), nullptr);
  set_work_watch(nullptr);
}

TEST(NearestWord, MisspeltWordsAreFound) {
  for (std::string_view word : {"spheer", "spere", "sphre", "Sphere", "spheres", "psheer"})
    EXPECT_EQ(nearest_word(word, kWords), "sphere") << word;
  EXPECT_EQ(nearest_word("bx", kWords), "box");
  EXPECT_EQ(nearest_word("cpoy", kWords), "copy");
  EXPECT_EQ(nearest_word("cilinder", kWords), "cylinder");
}

TEST(NearestWord, WordsThatAreLikeNoneFindNone) {
  for (std::string_view word : {"", "x", "translate", "zzz", "spheroidal", "a very long line of text"})
    EXPECT_EQ(nearest_word(word, kWords), "") << word;
  EXPECT_EQ(did_you_mean("translate", kWords), "");
  EXPECT_EQ(did_you_mean("boxx", kWords), "did you mean 'box'?");
}

TEST(Units, CountsAreReadAsPeopleWriteThem) {
  EXPECT_EQ(parse_count("4096", "x"), 4096u);
  EXPECT_EQ(parse_count("4K", "x"), 4096u);
  EXPECT_EQ(parse_count("1.5k", "x"), 1536u);
  EXPECT_EQ(parse_count("64K", "x"), 65536u);
  EXPECT_EQ(parse_count("1M", "x"), 1048576u);
  EXPECT_EQ(parse_count("2^16", "x"), 65536u);
  EXPECT_EQ(parse_count("9007199254740993", "x"), (1ull << 53) + 1);
}

TEST(Units, WhatIsNoCountIsRefused) {
  for (const char* text : {"", "abc", "-5", "4KB", "2^", "3^2", "2^99", "1e400", "nan", "0.3", "4 K", "4KK"})
    EXPECT_THROW(parse_count(text, "--res"), UsageError) << text;
}

TEST(Units, NumbersAreFiniteAndNothingElse) {
  EXPECT_EQ(parse_number("-1.5e3", "x"), -1500);
  for (const char* text : {"", "one", "1 ", "1e999", "nan", "inf", "0x10", "1,5"})
    EXPECT_THROW(parse_number(text, "--threshold"), UsageError) << text;
}

TEST(Units, SizesAreReadAsPeopleWriteThem) {
  EXPECT_EQ(parse_bytes("800M", "x"), 800u << 20);
  EXPECT_EQ(parse_bytes("1.5GiB", "x"), 3ull << 29);
  EXPECT_EQ(parse_bytes("2GB", "x"), 2ull << 30);
  EXPECT_EQ(parse_bytes("123", "x"), 123u);
  EXPECT_THROW(parse_bytes("many", "x"), UsageError);
}

TEST(Units, NumbersAreWrittenForPeople) {
  EXPECT_EQ(format_count(1234567), "1,234,567");
  EXPECT_EQ(format_count(999), "999");
  EXPECT_EQ(format_bytes(1536), "1.50 KiB");
  EXPECT_EQ(format_seconds(200), "3 min 20 s");
}

TEST(Units, TheTimeOfTheEnvironmentIsTakenOrRefused) {
  constexpr const char* kName = "SOURCE_DATE_EPOCH";
  for (const auto& [epoch, expected] : {std::pair("0", "1970-01-01T00:00:00Z"),
                                        {"1700000000", "2023-11-14T22:13:20Z"},
                                        {"253402300799", "9999-12-31T23:59:59Z"}}) {
    setenv(kName, epoch, 1);
    EXPECT_EQ(timestamp(), expected);
  }
  for (const char* epoch : {"-1", "253402300800", "99999999999999999999", "12x", "x", " 1", "1.5", "0x10"}) {
    setenv(kName, epoch, 1);
    EXPECT_THROW(timestamp(), Error) << epoch;
  }
  setenv(kName, "", 1);
  EXPECT_GT(timestamp(), "2026");
  unsetenv(kName);
  EXPECT_GT(timestamp(), "2026");
}

TEST(Units, CountsTakeTheirNounInSingularAndPlural) {
  EXPECT_EQ(format_count(0, "edit"), "0 edits");
  EXPECT_EQ(format_count(1, "edit"), "1 edit");
  EXPECT_EQ(format_count(1234, "edit"), "1,234 edits");
}

// Returns the text of a value as it stands after its key.
std::string shown(const auto& value) {
  const std::string text = Json().set("", value).text(), begin = "{\n  \"\": ", end = "\n}";
  EXPECT_TRUE(text.starts_with(begin) && text.ends_with(end)) << text;
  return text.substr(begin.size(), text.size() - begin.size() - end.size());
}

TEST(Json, ValuesStandInTheOrderInWhichTheyAreSet) {
  Json json;
  json.set("z", 12).set("a", "cpu");
  Json& inner = json.object("seconds");
  json.set("last", true);
  inner.set("load", 0.25).object("none");
  EXPECT_EQ(json.text(), R"({
  "z": 12,
  "a": "cpu",
  "seconds": {
    "load": 0.25,
    "none": {}
  },
  "last": true
})");
}

TEST(Json, ArraysHoldNumbersAndObjects) {
  Json json;
  json.array("numbers").append(1).append(0.5);
  Json& objects = json.array("objects");
  objects.append().set("a", 1);
  objects.append().array("b");
  EXPECT_EQ(json.text(), R"({
  "numbers": [
    1,
    0.5
  ],
  "objects": [
    {
      "a": 1
    },
    {
      "b": []
    }
  ]
})");
}

TEST(Json, NothingIsAnEmptyObject) {
  EXPECT_EQ(Json().text(), "{}");
}

TEST(Json, TextsAreEscapedInKeysAndValues) {
  EXPECT_EQ(shown(""), R"("")");
  EXPECT_EQ(shown(R"(a "b" \c/)"), R"("a \"b\" \\c/")");
  EXPECT_EQ(shown("a\nb\t\x01\x1f\x7f"), R"("a\u000ab\u0009\u0001\u001f\u007f")");
  EXPECT_EQ(shown(std::string_view("\0", 1)), R"("\u0000")");
  EXPECT_EQ(shown("8³"), R"("8³")");
  EXPECT_EQ(Json().set("a\"\n", 1).text(), "{\n  \"a\\\"\\u000a\": 1\n}");
}

TEST(Json, IntegersKeepAllOfTheirDigits) {
  EXPECT_EQ(shown(UINT64_MAX), "18446744073709551615");
  EXPECT_EQ(shown(INT64_MIN), "-9223372036854775808");
  EXPECT_EQ(shown(uint8_t{200}), "200");
  EXPECT_EQ(shown(false), "false");
}

TEST(Json, FloatingPointNumbersAreReadBackAsTheyWere) {
  Random random(1);
  for (int i = 0; i < 1000; ++i) {
    const auto value =
        std::bit_cast<double>(uint64_t{random.below(UINT32_MAX)} << 32 | random.below(UINT32_MAX));
    if (!std::isfinite(value)) continue;
    EXPECT_EQ(std::strtod(shown(value).c_str(), nullptr), value);
  }
  EXPECT_EQ(shown(0.1), "0.1");
}

TEST(Json, NumbersThatJsonDoesNotHaveAreNull) {
  for (const double value :
       {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(),
        std::numeric_limits<double>::quiet_NaN()})
    EXPECT_EQ(shown(value), "null");
}

}  // namespace

namespace {

TEST(Error, SaysWhereWhatAndWhatToDoInThisOrder) {
  EXPECT_STREQ(Error("is broken").what(), "is broken");
  EXPECT_STREQ(Error("is broken").at("a.h5").what(), "a.h5: is broken");
  EXPECT_STREQ(Error("is broken").hint("mend it").at("a.h5").what(), "a.h5: is broken (mend it)");
  EXPECT_STREQ(Error("is broken").hint("").what(), "is broken");
}

TEST(Error, NamesItsSettingBesideTheText) {
  const Error error = Error("is too large").about("resolution");
  EXPECT_EQ(error.setting(), "resolution");
  EXPECT_STREQ(error.what(), "is too large");
  EXPECT_EQ(Error("is broken").setting(), "");
}

TEST(Error, ThatIsOfUsageStaysOneWithAHintAndASetting) {
  try {
    throw UsageError("the device is 'x'").at("line 2").hint("expected cpu").about("device");
  } catch (const UsageError& error) {
    EXPECT_EQ(error.setting(), "device");
    EXPECT_STREQ(error.what(), "line 2: the device is 'x' (expected cpu)");
    EXPECT_EQ(error.problem() + "|" + error.place() + "|" + error.advice(),
              "the device is 'x'|line 2|expected cpu");
  } catch (const Error&) {
    FAIL() << "the error has lost its type";
  }
}

TEST(Error, OfMemorySaysHowMuchIsMissingAndNamesTheLimitAlsoWithAnotherHint) {
  OutOfMemory error(3, 2);
  EXPECT_NE(std::string(error.what()).find("allow more memory by at least 1 B"), std::string::npos);
  error.hint("take a smaller scene");
  EXPECT_EQ(error.setting(), "memory_limit");
  EXPECT_EQ(std::string(error.what()).find("--"), std::string::npos);
}

}  // namespace

}  // namespace vox
