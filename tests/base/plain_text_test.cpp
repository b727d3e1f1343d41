#include "libvox/base/plain_text.h"

#include <gtest/gtest.h>

#include "libvox/base/json.h"

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

}  // namespace
}  // namespace vox
