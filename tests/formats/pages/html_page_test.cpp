#include "formats/pages/html_page.h"

#include <gtest/gtest.h>

#include "libvox/base/error.h"

namespace vox {
namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(HtmlPage, HoldsEverythingThatItShows) {
  HtmlTable table({{"table", "", HtmlTable::Kind::Name}, {"size", "MiB"}});
  table.row({"sector", {"47.29", uint64_t{49586176}}}).total({"all"});
  HtmlPage page("title", "subtitle");
  page.section("Section")
      .facts({{"digest", "c51a"}})
      .figure("Memory", "Less is better.", {{{"s1", "items"}}, "<svg></svg>"}, table);
  const std::string text = page.made_by({{"command", "vox-stats"}}).text();
  for (const char* part :
       {"<title>title</title>", "<h1>title</h1>", "subtitle", "<h2>Section</h2>",
        "<dt>digest</dt><dd>c51a</dd>", "<h3>Memory</h3>", "Less is better.", "<i class=\"s1\"></i>items",
        "<svg></svg>",
        "<th scope=\"row\">sector</th><td class=\"number\"><data value=\"49586176\">47.29</data></td>",
        "<tr class=\"total\">", "MiB", "<dd>vox-stats</dd>", "prefers-color-scheme: dark", "@media print"})
    EXPECT_TRUE(has(text, part)) << part;
  for (const char* part : {"http://", "https://", "<script", "@import", "url("})
    EXPECT_FALSE(has(text, part)) << part;
}

TEST(HtmlPage, EscapesAllTexts) {
  const std::string evil = "\"><script>alert(1)</script>";
  HtmlTable table({{evil, evil}});
  HtmlCell cell(evil);
  cell.note = evil;
  table.row({cell});
  HtmlPage page(evil, evil);
  page.section(evil)
      .paragraph(evil)
      .facts({{evil, evil}})
      .picture({.name = evil, .width = 1, .height = 1, .pixels = {{1, 2, 3, 255}}}, evil);
  page.figure(evil, evil, {{{"s1", evil}}, ""}, table).table(evil, table).made_by({{evil, evil}});
  EXPECT_FALSE(has(page.text(), "<script"));
  EXPECT_FALSE(has(page.text(), "\">&lt;script"));
  EXPECT_TRUE(has(page.text(), "&quot;&gt;&lt;script&gt;alert(1)"));
}

TEST(HtmlPage, PicturesAreInThePageAsPng) {
  HtmlPage page("t", "s");
  page.picture({.name = "", .width = 2, .height = 1, .pixels = {{255, 0, 0, 255}, {0, 0, 255, 255}}}, "two");
  const std::string text = page.text();
  const size_t at = text.find("base64,");
  ASSERT_NE(at, std::string::npos);
  EXPECT_EQ(text.substr(at + 7, 11), "iVBORw0KGgo");  // the first bytes of every PNG
  EXPECT_EQ((text.find('"', at) - at - 7) % 4, 0u);
  EXPECT_TRUE(has(text, "alt=\"two\""));
}

TEST(HtmlPage, ThatCannotBeWrittenIsAnError) {
  EXPECT_THROW(write_html(HtmlPage("t", "s"), "/nowhere/page.html"), Error);
}

}  // namespace
}  // namespace vox
