// Tests vox-bench with good and with bad input, and vox-bench all, which runs the other commands.
#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "tests/common/test_engine.h"
#include "tests/tools/program.h"

namespace vox {
namespace {

using Arguments = std::vector<std::string>;

class BenchProgram : public ProgramTest {
 protected:
  Finished bench(const Arguments& arguments) {
    return run_program("vox-bench", arguments, {.folder = folder_, .file_size_limit = {}});
  }
  // Runs vox-bench hash with very little work and these further options.
  Finished hash(const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"hash",   "--device",     test_device(), "--scale",
                                          "1/4096", "--item-words", "2,5"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return bench(arguments);
  }
  void expect_refused(int code, const std::string& text, const std::vector<std::string>& more) {
    const auto before = listing(folder_);
    const Finished run = hash(more);
    EXPECT_EQ(run.code, code) << testing::PrintToString(more);
    EXPECT_TRUE(one_error(run, text, "vox-bench")) << testing::PrintToString(more);
    EXPECT_EQ(run.out, "");
    EXPECT_TRUE(listing(folder_) == before) << "files changed, " << testing::PrintToString(more);
  }
};

// Returns the rows of a benchmark's JSON as comma-separated values.
std::string rows_as_csv(const std::string& json) {
  std::istringstream lines(json.substr(json.find("\"rows\": [")));
  std::string names, name_line, row, csv;
  for (std::string line; std::getline(lines, line) && line != "  ]";) {
    const size_t colon = line.find("\": ");
    if (line.find('}') != std::string::npos) {
      if (csv.empty()) csv = names + "\r\n";
      csv += row + "\r\n";
      names = row = "";
    } else if (colon != std::string::npos && line.back() != '[') {
      std::string value = line.substr(colon + 3);
      std::erase_if(value, [](char c) { return c == '"' || c == ','; });
      const size_t quote = line.find('"');
      const std::string name = line.substr(quote + 1, colon - quote - 1);
      names += names.empty() ? '"' + name + '"' : "," + name;  // quotes mark tables that vox wrote
      row += (row.empty() ? "" : ",") + value;
    }
  }
  return csv;
}

TEST_F(BenchProgram, ReplaysTheCommandOfAReport) {
  ASSERT_EQ(hash({"-q", "-o", "a report.h5", "--csv", "rows.csv", "--tables", "sector,accel8"}).code, 0);
  std::filesystem::remove(folder_ / "rows.csv");
  const Finished run = bench({"replay", "a report.h5", "--json", "-o", "again.h5"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_NE(run.err.find("vox-bench hash --output=again.h5 --json '--against=a report.h5'"),
            std::string::npos)
      << run.err;
  EXPECT_NE(run.err.find("--tables=sector,accel8"), std::string::npos) << run.err;
  EXPECT_FALSE(std::filesystem::exists(folder_ / "rows.csv"));
  EXPECT_EQ(json_value(run.out, "against.same_device"), "true");
  for (const char* change : {"added", "gone", "other_work"})
    EXPECT_EQ(json_value(run.out, std::string("against.") + change), "0") << change << run.out;
  // The new report is of the command itself, so that it can be replayed, too.
  EXPECT_EQ(bench({"replay", "again.h5", "-q"}).code, 0);
}

TEST_F(BenchProgram, ReplaySaysWhichInputsAreOthersNow) {
  write("cube.obj", cube_obj());
  ASSERT_EQ(bench({"compression", "cube.obj", "--res", "16", "-o", "report.h5", "-q"}).code, 0);
  const Finished same = bench({"replay", "report.h5"});
  EXPECT_EQ(same.code, 0) << same.err;
  EXPECT_EQ(same.err.find("warning"), std::string::npos) << same.err;
  write("cube.obj", cube_obj() + "# more\n");
  const Finished other = bench({"replay", "report.h5"});
  EXPECT_EQ(other.code, 0) << other.err;
  EXPECT_NE(other.err.find("warning: cube.obj: other content than in the report"), std::string::npos)
      << other.err;
}

TEST_F(BenchProgram, MeasuresTheLimitsOfTheMachine) {
  const Arguments small = {"machine", "--device", test_device(),   "--memory", "1,2",    "--disk-size",
                           "9",       "-q",       "--repetitions", "1",        "--disk", folder_.string()};
  const auto run = [&](const Arguments& more) {
    Arguments arguments = small;
    arguments.insert(arguments.end(), more.begin(), more.end());
    return bench(arguments);
  };
  const Finished all = run({"--json", "--csv", "rows.csv", "-o", "report.h5", "--html", "page.html"});
  ASSERT_EQ(all.code, 0) << all.err;
  // Six tests of memory of two sizes, and three of the host.
  const std::string rows = read_bytes(folder_ / "rows.csv");
  EXPECT_EQ(std::ranges::count(rows, '\n'), 1 + 6 * 2 + 3) << rows;
  EXPECT_EQ(rows_as_csv(all.out), rows);
  EXPECT_NE(rows.find("\r\nwrite,9437184,9437184,"), std::string::npos) << rows;
  EXPECT_NE(rows.find("\r\nswap,2097152,"), std::string::npos) << rows;
  EXPECT_EQ(listing(folder_).size(), 3u);  // the file on the disk has no name
  EXPECT_EQ(run({"--tests", "sort"}).code, kBadUsage) << "--memory and --disk have no effect";
  const Finished missing = bench({"machine", "--tests", "read", "--disk", "missing"});
  EXPECT_EQ(missing.code, kFailed);
  EXPECT_TRUE(one_error(missing, "missing: no file can be made here", "vox-bench")) << missing.err;
}

TEST_F(BenchProgram, ReplaysNothingButItsOwnReports) {
  const auto expect_refusal = [&](int code, const std::string& text,
                                  const std::vector<std::string>& arguments) {
    const Finished run = bench(arguments);
    EXPECT_EQ(run.code, code) << text;
    EXPECT_TRUE(one_error(run, text, "vox-bench")) << run.err;
  };
  write("rows.csv", "a,b\n");
  write("cube.obj", cube_obj());
  expect_refusal(kBadUsage, "no report named", {"replay"});
  expect_refusal(kFailed, "missing.h5: no such file", {"replay", "missing.h5"});
  expect_refusal(kFailed, "rows.csv: is no report of vox", {"replay", "rows.csv"});
  ASSERT_EQ(convert({"cube.obj", "--res", "16", "-q", "-o", "cube.h5"}).code, 0);
  expect_refusal(kFailed, "cube.h5: is no report of vox", {"replay", "cube.h5"});
  ASSERT_EQ(run_program("vox-stats", {"cube.h5", "-q", "-o", "stats.h5"},
                        {.folder = folder_, .file_size_limit = {}})
                .code,
            0);
  expect_refusal(kFailed, "stats.h5: has no rows", {"replay", "stats.h5"});
}

TEST_F(BenchProgram, PrintsOneJsonObjectWithItsRows) {
  const Finished run = hash({"--json", "-q"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.err, "");
  EXPECT_EQ(json_value(run.out, "fill"), "8192");
  EXPECT_EQ(json_value(run.out, "batch"), "2048");
  for (const char* key : {"device",
                          "ceilings.bytes_each",
                          "ceilings.reads_per_second",
                          "rows.table",
                          "rows.item_words",
                          "rows.load_factor",
                          "rows.op",
                          "rows.hit_rate",
                          "rows.ms",
                          "rows.ms_min",
                          "rows.ms_max",
                          "rows.repetitions",
                          "rows.items",
                          "rows.bytes",
                          "rows.allocated_bytes",
                          "rows.bytes_per_op",
                          "rows.ceiling_share",
                          "rows.ceiling_share_128",
                          "rows.slabs_per_search",
                          "rows.false_candidates"})
    EXPECT_NE(json_value(run.out, key), "") << key;
  EXPECT_EQ(json_value(run.out, "rows.load_factor"), "96");
  EXPECT_EQ(json_value(run.out, "rows.repetitions"), "7");
}

TEST_F(BenchProgram, WritesTheSameRowsAsCsv) {
  const Finished run = hash({"--json", "--csv", "rows.csv"});
  ASSERT_EQ(run.code, 0) << run.err;
  const std::string csv = read_bytes(folder_ / "rows.csv");
  EXPECT_GT(std::ranges::count(csv, '\n'), 10);
  EXPECT_EQ(csv, rows_as_csv(run.out));
}

TEST_F(BenchProgram, WritesAReportThatH5pyReads) {
  if (std::system("/usr/bin/python3 -c 'import h5py' > /dev/null 2>&1") != 0) GTEST_SKIP() << "no h5py";
  const Finished run = hash({"-o", "report.h5", "--csv", "rows.csv"});
  ASSERT_EQ(run.code, 0) << run.err;
  write("check.py", R"(
import csv, h5py
f = h5py.File('report.h5')
assert f.attrs['format'].decode() == 'vox-report', f.attrs['format']
assert f.attrs['command'].decode().startswith('vox-bench hash --device')
assert f['hash'].attrs['fill'] == 8192 and f['hash'].attrs['fill_unit'].decode() == 'items'
assert set(f['hash/ceilings/bytes_each']) == {32, 128}
rows = f['hash/rows']
assert rows['ms'].attrs['unit'].decode() == 'ms' and rows['bytes'].attrs['unit'].decode() == 'bytes'
expected = list(csv.DictReader(open('rows.csv', newline='')))
assert len(expected) > 0
for name in expected[0]:
    text = lambda v: v.decode() if isinstance(v, bytes) else float(v)
    found = [text(v) for v in rows[name][:]]
    assert found == [type(v)(row[name]) for v, row in zip(found, expected)], name
    assert len(found) == len(expected)
)");
  const std::string check = "cd '" + folder_.string() + "' && /usr/bin/python3 check.py";
  EXPECT_EQ(std::system(check.c_str()), 0);
}

TEST_F(BenchProgram, PrintsATableWithALineForEveryItemSize) {
  const Finished run = hash({"--tables", "accel8", "--hit-rates", "10,90"});
  ASSERT_EQ(run.code, 0) << run.err;
  for (const char* part : {"random reads of  32 bytes", "search 10 %", "search 90 %", "insert",
                           "\n   2  accel8 ", "\n   5  accel8 ", "90 % copies"})
    EXPECT_NE(run.out.find(part), std::string::npos) << part << "\n" << run.out;
}

TEST_F(BenchProgram, MeasuresTablesOfKeysBesideTheOthers) {
  const std::vector<std::string> small = {"hash",    "--device", test_device(), "--fill", "2K",
                                          "--batch", "1K",       "--hit-rates", "50"};
  auto arguments = small;
  arguments.insert(arguments.end(), {"--item-words", "1,2"});
  const std::string both = bench(arguments).out;
  for (const char* part : {"\n   1  slabset ", "\n   1  cuckoo_buckets ", "\n   2  slabset ",
                           "\n   2  cuckoo_buckets ", "\n   2  atomic64 "})
    EXPECT_NE(both.find(part), std::string::npos) << part << both;
  EXPECT_EQ(both.find("\n   1  atomic64"), std::string::npos) << both;
  // The default sizes are those that the tables can hold.
  arguments = small;
  arguments.insert(arguments.end(), {"--tables", "slabset,cuckoo_buckets"});
  const std::string keys = bench(arguments).out;
  for (const char* part : {"\n   1  slabset ", "\n   2  cuckoo_buckets "})
    EXPECT_NE(keys.find(part), std::string::npos) << part << keys;
  EXPECT_EQ(keys.find("\n   3  "), std::string::npos) << keys;
}

TEST_F(BenchProgram, TakesTheAxesOfFigure8AndWhatIsSaidBesides) {
  const Finished run = bench({"hash", "--device", test_device(), "--figure8", "--fill", "1K", "--batch", "1K",
                              "--load-factors", "16-18,512", "--csv", "rows.csv"});
  ASSERT_EQ(run.code, 0) << run.err;
  const std::string csv = read_bytes(folder_ / "rows.csv");
  for (const char* part : {",6,16,", ",6,17,", ",6,18,", ",6,512,"})
    EXPECT_NE(csv.find(part), std::string::npos) << part << "\n" << csv;
  EXPECT_EQ(csv.find(",6,96,"), std::string::npos) << csv;
}

TEST_F(BenchProgram, ExplainsItsCommandsAndTheirDefaults) {
  const std::string help = bench({"--help"}).out;
  EXPECT_NE(help.find("  hash "), std::string::npos) << help;
  const std::string hash_help = bench({"hash", "--help", "all"}).out;
  for (const char* part :
       {"vox-bench hash [options]", "2,3,4,5,6,7,8,9,10", "25,50,75", "33,554,432",
        "16,32,64,96,128,192,256,384,512", "accel8", "1/128", "--csv", "--html", "--device"})
    EXPECT_NE(hash_help.find(part), std::string::npos) << part << "\n" << hash_help;
}

TEST_F(BenchProgram, RefusesCommandsThatAreNone) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{}, {"bake"}, {"-q"}, {""}, {"--frobnicate"}}) {
    const Finished run = bench(arguments);
    EXPECT_EQ(run.code, kBadUsage) << testing::PrintToString(arguments);
    EXPECT_TRUE(one_error(run, "", "vox-bench"));
  }
}

TEST_F(BenchProgram, RefusesValuesThatMakeNoSense) {
  for (const auto& [option, value] : std::vector<std::pair<std::string, std::string>>{
           {"--tables", "round"},   {"--tables", "accel8,,"},   {"--tables", ""},
           {"--item-words", "0"},   {"--item-words", "2-11"},   {"--item-words", "10-2"},
           {"--item-words", "x"},   {"--item-words", ""},       {"--item-words", "2-4000000000"},
           {"--load-factors", "0"}, {"--load-factors", "-96"},  {"--load-factors", "1M"},
           {"--hit-rates", "101"},  {"--hit-rates", "25;50"},   {"--scale", "0"},
           {"--scale", "1/0"},      {"--scale", "small"},       {"--scale", "-1"},
           {"--scale", "inf"},      {"--scale", "1e9"},         {"--fill", "0"},
           {"--fill", "2^32"},      {"--fill", "1.5"},          {"--batch", "0"},
           {"--repetitions", "6"},  {"--repetitions", "7,8"},   {"--repetitions", "many"},
           {"--device", "toaster"}, {"--memory-limit", "much"}, {"--threads", "0"}})
    expect_refused(kBadUsage, option, {option, value});
  expect_refused(kBadUsage, "-o", {"-o", "report.txt"});
  expect_refused(kBadUsage, "accel8", {"accel8"});
  // The run has items of 2 and 5 words.
  expect_refused(kBadUsage, "none of these tables holds items of so many words: slabset",
                 {"--tables", "slabset"});
}

TEST_F(BenchProgram, FindsTargetsThatCannotBeWrittenBeforeTheWork) {
  std::filesystem::create_directory(folder_ / "folder.h5");
  expect_refused(kFailed, "folder.h5", {"-o", "folder.h5"});
  expect_refused(kFailed, "folder.h5", {"--csv", "folder.h5"});
  expect_refused(kFailed, "missing/x.h5", {"-o", "missing/x.h5"});
  expect_refused(kFailed, "memory", {"-o", "x.h5", "--memory-limit", "1K"});
}

// Tests the page that vox-bench hash writes with --html.

class BenchPage : public ProgramTest {
 protected:
  BenchPage() : ProgramTest("vox-bench") {}
  Finished bench(const std::vector<std::string>& more) const {
    std::vector<std::string> arguments = {"hash", "--device", test_device(), "--scale", "1/4096"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program("vox-bench", arguments, {.folder = folder_, .file_size_limit = {}});
  }
  // The run has two sizes of items and two load factors.
  std::string measured() const {
    const Finished run = bench({"--item-words", "2,5", "--load-factors", "32,96", "--hit-rates", "50",
                                "--json", "-q", "--html", "page.html"});
    EXPECT_EQ(run.code, 0) << run.err;
    return run.out;
  }
};

TEST_F(BenchPage, NumbersAreThoseOfTheRows) {
  write("result.json", measured());
  EXPECT_EQ(python(kReadTables + std::string(R"(
rows = json.load(open('result.json'))['rows']
titles = {'insert': 'New items', 'search': '50 % of the items are stored', 'duplicates': '50 % of a batch are copies'}
seen = 0
for row in rows:
    if row['op'] == 'fill': continue
    panel = ', %d items per bucket' % row['load_factor'] if row['load_factor'] else ''
    cell = table(titles[row['op']] + panel)[str(row['item_words'])][row['table']]
    assert cell == ('%.3f' % row['ms'], row['ms']), (cell, row)
    if row['op'] == 'insert':
        mib(table('After the insertion' + panel)[str(row['item_words'])][row['table']], row['bytes'])
    seen += 1
assert seen > 20
print('good')
)")),
            "good\n");
}

TEST_F(BenchPage, ShowsNoFaultsInABrowser) {
  if (!have_browser()) GTEST_SKIP() << "no chromium";
  measured();
  const PageLook look = look_at(folder_ / "page.html");
  EXPECT_EQ(look.faults, std::vector<std::string>{});
  EXPECT_EQ(look.charts, 2 + 2 + 2 + 1);  // insertion, search and memory with two load factors, duplicates
}

TEST_F(BenchPage, GoesAlongTheLoadFactorsOfFigure8) {
  EXPECT_EQ(
      bench({"--figure8", "--hit-rates", "50", "--tables", "accel8,sector", "-q", "--html", "page.html"})
          .code,
      0);
  const std::string page = read_bytes(folder_ / "page.html");
  EXPECT_NE(page.find("New items, 6 words"), std::string::npos);
  EXPECT_NE(page.find(">512</text>"), std::string::npos);
  if (!have_browser()) return;
  EXPECT_EQ(look_at(folder_ / "page.html").faults, std::vector<std::string>{});
}

TEST_F(BenchPage, FindsATargetThatCannotBeWrittenBeforeTheWork) {
  const Finished run = bench({"--html", "missing/page.html"});
  EXPECT_EQ(run.code, kFailed);
  EXPECT_TRUE(one_error(run, "missing/page.html", "vox-bench"));
}

// Tests vox-bench all, which runs the other commands.

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
