// Tests vox-bench all, which runs the other commands.

#include "tests/common/test_engine.h"
#include "tests/tools/program.h"

namespace vox {
namespace {

class AllBench : public ProgramTest {
 protected:
  Finished all(const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"all", "--device", test_device(), "--scale", "small"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program("vox-bench", arguments, {.folder = folder_, .file_size_limit = {}});
  }
  std::string text_of(const std::string& file) const { return read_bytes(folder_ / file); }
};

TEST_F(AllBench, RunsPartsAndShowsTheirResultsOnOnePage) {
  const Finished run =
      all({"--parts", "ages", "--html", "page.html", "-o", "report.h5", "--csv", "rows.csv", "--json"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(json_value(run.out, "scale"), "\"small\"");
  EXPECT_EQ(json_value(run.out, "failed"), "0");
  EXPECT_NE(run.out.find("\"ages\": {"), std::string::npos);
  EXPECT_NE(run.out.find("\"command\": \"vox-bench keys --figure 3\""), std::string::npos) << run.out;
  EXPECT_NE(text_of("rows.csv").find("ages,vox-bench keys --figure 3,"), std::string::npos);
  const std::string page = text_of("page.html");
  for (const char* text :
       {"<h1 id=\"ages\">", "href=\"#ages\"", "vox-bench keys --figure 3", "Not on this page"})
    EXPECT_NE(page.find(text), std::string::npos) << text;
}

TEST_F(AllBench, AReportIsReplayedPartByPart) {
  ASSERT_EQ(all({"--parts", "ages", "-o", "report.h5", "-q"}).code, 0);
  const Finished run =
      run_program("vox-bench", {"replay", "report.h5", "--json"}, {.folder = folder_, .file_size_limit = {}});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_NE(run.err.find("vox-bench all --json --against=report.h5"), std::string::npos) << run.err;
  for (const char* change : {"added", "gone", "other_work"}) {
    EXPECT_EQ(json_value(run.out, std::string("against.") + change), "0") << change << run.out;
    EXPECT_EQ(json_value(run.out, std::string("ages.against.") + change), "0") << change << run.out;
  }
}

TEST_F(AllBench, APartThatFailsSaysSoAndTheOthersGoOn) {
  const Finished run = all({"--parts", "ages,boolean", "--memory-limit", "100K", "--html", "page.html", "-o",
                            "report.h5", "--json", "-q"});
  EXPECT_EQ(run.code, kFailed);
  EXPECT_TRUE(one_error(run, "2 of 2 parts failed: ages, boolean", "vox-bench")) << run.err;
  EXPECT_EQ(json_value(run.out, "failed"), "2");
  const std::string page = text_of("page.html");
  EXPECT_NE(page.find("<h2>Failed</h2>\n<p>out of memory"), std::string::npos);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "report.h5"));
}

TEST_F(AllBench, AnInterruptKeepsThePartsThatWereMeasured) {
  write_bytes(folder_ / "nvidia-smi", "#!/bin/sh\nsleep 0.2; echo a driver, 1.2\n");
  std::filesystem::permissions(folder_ / "nvidia-smi", std::filesystem::perms::owner_all);
  const Finished run =
      run_program("vox-bench",
                  {"all", "--device", test_device(), "--scale", "full", "--parts",
                   "ages,volumes,trade_off,matching", "-o", "report.h5", "--html", "page.html", "--json"},
                  {.folder = folder_,
                   .file_size_limit = {},
                   .interrupt_after = test_on_gpu() ? 5 : 1,
                   .environment = {{"PATH", folder_.string() + ":" + std::getenv("PATH")}}});
  EXPECT_EQ(run.code, kInterrupted) << run.err;
  EXPECT_TRUE(one_error(run, "interrupted", "vox-bench")) << run.err;
  EXPECT_EQ(json_value(run.out, "interrupted"), "true") << run.out;
  EXPECT_EQ(json_value(run.out, "failed"), "0") << run.out;
  EXPECT_NE(text_of("page.html").find("interrupted: what was measured"), std::string::npos);
  EXPECT_NE(text_of("report.h5").find("a driver, 1.2"), std::string::npos);
}

TEST_F(AllBench, RefusesPartsThatItDoesNotHave) {
  const Finished run = all({"--parts", "pages"});
  EXPECT_EQ(run.code, kBadUsage);
  EXPECT_TRUE(one_error(run, "--parts", "vox-bench")) << run.err;
}

}  // namespace
}  // namespace vox
