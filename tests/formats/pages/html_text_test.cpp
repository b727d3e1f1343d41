#include "formats/pages/html_text.h"

#include <gtest/gtest.h>

namespace vox {
namespace {

TEST(HtmlText, MarkupBecomesText) {
  EXPECT_EQ(escape_html("<script>alert(\"1\" & '2')</script>"),
            "&lt;script&gt;alert(&quot;1&quot; &amp; &#39;2&#39;)&lt;/script&gt;");
  EXPECT_EQ(escape_html("&lt;"), "&amp;lt;");
  EXPECT_EQ(escape_html(""), "");
}

TEST(HtmlText, TextOfAllLanguagesStays) {
  for (const char* text : {"Größe ×³ …", "屋根", "дом", "🏠", "two\nlines\tand a tab"})
    EXPECT_EQ(escape_html(text), text);
}

TEST(HtmlText, BytesThatAreNoTextAreShownAsSuch) {
  const std::string no = "\xef\xbf\xbd";
  EXPECT_EQ(escape_html(std::string("a\0b", 3)), "a" + no + "b");
  EXPECT_EQ(escape_html("\x1b[31m"), no + "[31m");
  EXPECT_EQ(escape_html("\xff<"), no + "&lt;");
  EXPECT_EQ(escape_html("\xc3"), no);                             // cut off
  EXPECT_EQ(escape_html("\xc0\xbc"), no + no);                    // '<' as two bytes
  EXPECT_EQ(escape_html("\xe0\x80\xbc"), no + no + no);           // '<' as three bytes
  EXPECT_EQ(escape_html("\xed\xa0\x80"), no + no + no);           // half of a surrogate pair
  EXPECT_EQ(escape_html("\xf4\x90\x80\x80"), no + no + no + no);  // beyond the last code point
  EXPECT_EQ(escape_html("\xe2\x80\xae"
                        "txt"),
            no + no + no + "txt");  // the override to right-to-left text
}

TEST(HtmlText, LongTextsAreCutBetweenCharacters) {
  EXPECT_EQ(shortened("größer", 6), "größer");
  EXPECT_EQ(shortened("größer", 4), "grö…");
  EXPECT_EQ(character_count("grö…"), 4u);
}

}  // namespace
}  // namespace vox
