// Tests the tables of results that screens and pages show.
#include <gtest/gtest.h>

#include "formats/results/page_table.h"
#include "formats/results/text_table.h"

namespace vox {
namespace {

measure::ResultTable sample(const std::vector<uint64_t>& sides, const std::vector<uint64_t>& bytes) {
  measure::ResultTable table;
  table.column("side", "voxels", sides, {.screen = {"side"}, .page = {"side", {}, "voxels"}})
      .column("hidden", "", sides)
      .column("bytes", "bytes", bytes,
              {.screen = {"MiB", measure::Look::mib()}, .page = {"size", measure::Look::mib(), "MiB"}})
      .column("share", "1", std::vector<double>(sides.size(), 0.125),
              measure::both({"share", measure::Look::fixed(1, 100), "%"}));
  return table;
}

TEST(ShownTables, ScreensAlignTheColumnsThatHaveATitle) {
  const measure::ResultTable rows = sample({4, 128}, {1048576, 2097152000}), all = sample({0}, {2098200576});
  EXPECT_EQ(text_table(rows).text(),
            "  side       MiB   share\n"
            "  4         1.00  12.5 %\n"
            "  128   2,000.00  12.5 %\n");
  EXPECT_EQ(text_table(rows, "all", all).text(),
            "  side       MiB   share\n"
            "  4         1.00  12.5 %\n"
            "  128   2,000.00  12.5 %\n"
            "  all   2,001.00  12.5 %\n");
}

TEST(ShownTables, PagesKeepTheExactValueBesideTheText) {
  const std::string page =
      page_table(sample({4}, {1572864}), "all", sample({0}, {1572864})).markup("caption");
  for (const char* part : {"<th scope=\"col\">side <small>voxels</small></th>", "size <small>MiB</small>",
                           "<data value=\"1572864\">1.50</data>", "<data value=\"12.5\">12.5</data>",
                           "<tr class=\"total\"><th scope=\"row\">all</th>"})
    EXPECT_NE(page.find(part), std::string::npos) << part << "\n" << page;
  EXPECT_EQ(page.find("hidden"), std::string::npos);
}

TEST(ShownTables, ATurnedTableHasARowForEachColumn) {
  measure::ResultTable table;
  table.column("table", "", std::vector<std::string>{"accel8", "sector"})
      .column("build", "s", std::vector<double>{1.5, 2}, {.page = {"built in", measure::Look::fixed(2), "s"}})
      .column("total", "bytes", std::vector<uint64_t>{1048576, 0},
              {.page = {"total", measure::Look::mib(), "MiB", measure::Heading::Weight::Total}});
  const std::string page = turned_page_table(table).markup("caption");
  size_t at = 0;
  for (const char* part : {"accel8", "sector", "built in<small>s</small>", ">1.50<", ">2.00<",
                           "<tr class=\"total\">", "total<small>MiB</small>", ">1.00<", ">0.00<"}) {
    at = page.find(part, at);
    ASSERT_NE(at, std::string::npos) << part << "\n" << page;
  }
}

TEST(ShownTables, CellsWithoutAValueAreEmpty) {
  const std::vector<std::optional<double>> values = {std::nullopt, 0.5};
  measure::ResultTable table;
  table.column("name", "", std::vector<std::string>{"a", "b"}, measure::both({"name"}))
      .column("find", "s", values, std::identity(), measure::both({"find", measure::Look::fixed(1), "s"}));
  EXPECT_EQ(text_table(table).text(), "  name   find\n  a\n  b     0.5 s\n");
  EXPECT_NE(page_table(table).markup("").find("<td class=\"number\"></td>"), std::string::npos);
}

TEST(ShownTables, NumbersLookAsTheirColumnsSay) {
  measure::ResultTable table;
  table.column("n", "", std::vector<uint64_t>{1234567}).column("x", "", std::vector<double>{0.125});
  const measure::ResultColumn &count = table["n"], &number = table["x"];
  EXPECT_EQ(shown_text(count, 0, measure::Look()), "1234567");
  EXPECT_EQ(shown_text(count, 0, measure::Look::count()), "1,234,567");
  EXPECT_EQ(shown_text(count, 0, measure::Look::mib()), "1.18");
  EXPECT_EQ(shown_text(count, 0, measure::Look::bytes()), "1.18 MiB");
  EXPECT_EQ(shown_text(count, 0, measure::Look::fixed(1, 1e-6)), "1.2");
  EXPECT_EQ(shown_text(number, 0, measure::Look()), "0.125");
  EXPECT_EQ(shown_texts(number, measure::Look::fixed(2, 10)), std::vector<std::string>{"1.25"});
}

TEST(ShownTables, PagesShowColors) {
  measure::ResultTable table;
  table.column("color", "", std::vector<std::string>{"#ff8000"},
               {.page = {"colour", measure::Look::color()}});
  EXPECT_NE(page_table(table).markup("").find("style=\"background:#ff8000\"></i>#ff8000"), std::string::npos);
}

}  // namespace
}  // namespace vox
