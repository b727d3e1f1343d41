// Tests vox-bench keys with good and with bad input.
#include <algorithm>
#include <set>

#include "formats/images/image.h"
#include "libvox/measure/keys_bench.h"
#include "tests/common/test_engine.h"
#include "tests/tools/program.h"

namespace vox {
namespace {

class KeysBenchProgram : public ProgramTest {
 protected:
  KeysBenchProgram() : ProgramTest("vox-bench") {}
  // Runs the benchmark with very little work and these further options.
  Finished keys(const std::vector<std::string>& more, const std::string& size = "--scale=1/16384") {
    std::vector<std::string> arguments = {"keys", "--device", test_device(), "--tables", "lines", size};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program("vox-bench", arguments, {.folder = folder_, .file_size_limit = {}});
  }
  void expect_refused(int code, const std::string& text, const std::vector<std::string>& more) {
    const auto before = listing(folder_);
    const Finished run = keys(more);
    EXPECT_EQ(run.code, code) << testing::PrintToString(more);
    EXPECT_TRUE(one_error(run, text, "vox-bench")) << testing::PrintToString(more) << run.err;
    EXPECT_EQ(run.out, "");
    EXPECT_TRUE(listing(folder_) == before) << "files changed, " << testing::PrintToString(more);
  }
};

TEST_F(KeysBenchProgram, PrintsOneJsonObjectWithTheRowsOfItsCsvAndReport) {
  const Finished run = keys({"--json", "-q", "--csv", "rows.csv", "--failures", "3", "-o", "report.h5"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.err, "");
  write("result.json", run.out);
  EXPECT_EQ(python(R"(
import csv, json
result = json.load(open('result.json'))
assert result['keys'] == [2048] and result['searches'] == 512
rows = list(csv.DictReader(open('rows.csv', newline='')))
assert len(rows) == len(result['rows']) == 2 * (6 + 4 * 7), len(rows)
for row, expected in zip(rows, result['rows']):
    for name, text in row.items():
        value = expected.get(name, '')
        assert (float(text) if isinstance(value, (int, float)) else text) == value, (name, text, value)
assert {row['op'] for row in rows} == {'build', 'build-ordered', 'find-stored', 'find', 'find-all'}
assert len(result['failures']) == 2 and result['failures'][0]['builds'] == 3
print('good')
)"),
            "good\n");
}

TEST_F(KeysBenchProgram, PrintsATableForEverySetOfKeys) {
  const Finished run =
      keys({"--sets", "random,image", "--hit-rates", "10", "--failures", "2", "--failure-keys", "12K"});
  ASSERT_EQ(run.code, 0) << run.err;
  for (const char* part :
       {"random reads of  32 bytes", "\nrandom, 2,048 keys of 64 bits\n", "\nimage, morton, ", "find 10 %",
        "find-all", "\n  lines   0.8  ", "\n  lines  0.95 ", "\nbuilds of 12,288 random keys\n"})
    EXPECT_NE(run.out.find(part), std::string::npos) << part << "\n" << run.out;
}

TEST_F(KeysBenchProgram, SaysWhyATableCouldNotBeMeasured) {
  const Finished run = keys({"--sets", "surface", "--key-bits", "12", "--layouts", "morton"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_NE(run.out.find("lines at 0.95: the keys of the set have"), std::string::npos) << run.out;
}

TEST_F(KeysBenchProgram, NumbersOfThePageAreThoseOfTheRows) {
  const Finished run =
      keys({"--sets", "image", "--load-factors", "0.5,0.8", "--json", "-q", "--html", "page.html"});
  ASSERT_EQ(run.code, 0) << run.err;
  write("result.json", run.out);
  EXPECT_EQ(python(kReadTables + std::string(R"(
rows = json.load(open('result.json'))['rows']
seen = 0
for row in rows:
    op = row['op'] + (' %d %%' % row['hit_rate'] if 'hit_rate' in row else '')
    # One table is measured, so that layouts are compared.
    keys = ', {:,} keys'.format(row['keys'])
    cell = table(op + keys)['%g' % row['load_factor']][row['layout']]
    assert abs(cell[1] / row['per_second'] * 1e6 - 1) < 1e-9, (cell, row)
    if 'sectors' in row:
        assert table(op + ': sectors' + keys)['%g' % row['load_factor']][row['layout']][1] == row['sectors']
    seen += 1
assert seen == 2 * 2 * 7
print('good')
)")),
            "good\n");
  if (!have_browser()) GTEST_SKIP() << "no chromium";
  EXPECT_EQ(look_at(folder_ / "page.html").faults, std::vector<std::string>{});
}

TEST_F(KeysBenchProgram, AFigureHasItsAxes) {
  const Finished run = keys({"--figure", "5", "--json", "-q", "--html", "page.html"}, "--searches=512");
  ASSERT_EQ(run.code, 0) << run.err;
  write("result.json", run.out);
  EXPECT_EQ(python(R"(
import json
result = json.load(open('result.json'))
assert len(result['keys']) == 10 and len(result['rows']) == 20
assert {row['op'] for row in result['rows']} == {'build', 'find-stored'}
print('good')
)"),
            "good\n");
  EXPECT_NE(read_bytes(folder_ / "page.html").find("find-stored: sectors, load factor 0.8"),
            std::string::npos);
}

TEST_F(KeysBenchProgram, HistogramsOfAgesAreTheRowsWhereNothingElseIsMeasured) {
  const Finished run =
      keys({"--figure", "3", "--csv", "ages.csv", "--html", "page.html", "-q", "--json"}, "--keys=2000");
  ASSERT_EQ(run.code, 0) << run.err;
  write("result.json", run.out);
  EXPECT_EQ(python(kReadTables + std::string(R"(
import csv
result = json.load(open('result.json'))
rows = list(csv.DictReader(open('ages.csv', newline='')))
assert sum(int(row['count']) for row in rows) == 2000
assert [int(row['age']) for row in rows] == list(range(1, len(rows) + 1))
assert result['rows'] == [] and len(result['ages']) == len(rows)
page = table('random, 2,000 keys of 24 bits, load factor 0.8')
for row in result['ages']:
    assert abs(page[str(row['age'])]['lines'][1] / 100 - row['share']) < 1e-12
print('good')
)")),
            "good\n");
}

TEST_F(KeysBenchProgram, MeasuresTheVoxelsOfAMesh) {
  write("cube.obj", cube_obj());
  const Finished run = keys({"--figure", "12", "--mesh", "cube.obj", "--mesh-res", "40", "--tables", "lines",
                             "--layouts", "morton", "--load-factors", "0.8", "--json", "-q"},
                            "--searches=2000");
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_TRUE(has(run.out, "\"set\": \"mesh\"")) << run.out;
  EXPECT_EQ(keys({"--sets", "mesh", "-q"}, "--keys=2000").code, kBadUsage);
  EXPECT_EQ(keys({"--mesh-res", "40", "-q"}, "--keys=2000").code, kBadUsage);
}

TEST_F(KeysBenchProgram, DrawsMaximumAgesSideBySide) {
  const Finished run = keys(
      {"--figure", "4", "--tables", "robin,robin-random", "--ages", "ages.png", "--html", "page.html", "-q"},
      "--keys=2000");
  ASSERT_EQ(run.code, 0) << run.err;
  const scene::Image image = read_image(folder_ / "ages.png");
  EXPECT_EQ(image.width, 2 * image.height + 16);  // two square tables
  EXPECT_GT(image.height, 40u);
  EXPECT_LT(image.height, 60u);
  const std::string page = read_bytes(folder_ / "page.html");
  EXPECT_NE(page.find("robin-random, image, row-major"), std::string::npos);
  EXPECT_NE(page.find("data:image/png"), std::string::npos);
  const Finished none =
      keys({"--ops", "ages", "--sets", "random", "--ages", "none.png", "-q"}, "--keys=2000");
  EXPECT_EQ(none.code, kFailed);
  EXPECT_TRUE(one_error(none, "no table that was measured has maximum ages", "vox-bench")) << none.err;
}

TEST_F(KeysBenchProgram, DrawsTablesSideBySide) {
  const Finished run = keys({"--figure", "1", "--tables", "robin-random,robin", "--drawn", "tables.png",
                             "--rebuilt", "back.png", "--html", "page.html", "-q"},
                            "--keys=2000");
  ASSERT_EQ(run.code, 0) << run.err;
  const scene::Image image = read_image(folder_ / "tables.png"), back = read_image(folder_ / "back.png");
  EXPECT_EQ(image.width, 2 * 100 + 16u);  // for a picture of 100²
  // Both tables hold each pixel of the picture that is not white, once.
  const auto colors = [](const scene::Image& of, uint32_t begin, uint32_t end) {
    std::multiset<uint32_t> found;
    for (size_t i = 0; i < of.pixels.size(); ++i)
      if (const uint32_t color = measure::rgb_of(of.pixels[i]);
          i % of.width >= begin && i % of.width < end && color != 0xffffff)
        found.insert(color);
    return found;
  };
  const auto expected = colors(back, 0, 100);
  EXPECT_GT(expected.size(), 1000u);
  EXPECT_TRUE(colors(image, 0, 100) == expected);
  EXPECT_TRUE(colors(image, 116, 216) == expected);
  EXPECT_NE(read_bytes(folder_ / "page.html").find("an empty slot is white"), std::string::npos);
  EXPECT_EQ(
      keys({"--figure", "a1", "--tables", "cuckoo2009", "--drawn", "cells.png", "-q"}, "--keys=2000").code,
      0);
  expect_refused(kBadUsage, "--drawn has no effect on --sets random",
                 {"--drawn", "a.png", "--sets", "random"});
}

TEST_F(KeysBenchProgram, FiguresGoAlongTheirAxis) {
  const Finished multi =
      keys({"--figure", "a6", "--multiplicities", "1,10", "--html", "multi.html", "-q"}, "--keys=1000");
  ASSERT_EQ(multi.code, 0) << multi.err;
  EXPECT_NE(multi.out.find("random, 100 keys of 30 bits, 10 values of each"), std::string::npos) << multi.out;
  EXPECT_NE(read_bytes(folder_ / "multi.html").find("find-index, load factor 0.7, 1,000 items"),
            std::string::npos);
  const Finished shares =
      keys({"--figure", "hits", "--searches", "100", "--html", "hits.html", "-q"}, "--keys=1000");
  ASSERT_EQ(shares.code, 0) << shares.err;
  EXPECT_NE(read_bytes(folder_ / "hits.html").find("find, load factor 0.7, 1,000 keys"), std::string::npos);
}

TEST_F(KeysBenchProgram, ShowsTheStepsOfBuildsAsRows) {
  const std::vector<std::string> arguments = {"keys",      "--device", test_device(), "--figure", "a5",
                                              "--profile", "-q",       "--keys",      "1000,3000"};
  const auto steps = [&](const std::vector<std::string>& more) {
    std::vector<std::string> all = arguments;
    all.insert(all.end(), more.begin(), more.end());
    return run_program("vox-bench", all, {.folder = folder_, .file_size_limit = {}});
  };
  const Finished run = steps({"--json", "--html", "steps.html"});
  ASSERT_EQ(run.code, 0) << run.err;
  write("result.json", run.out);
  write("page.html", read_bytes(folder_ / "steps.html"));
  EXPECT_EQ(python(kReadTables + std::string(R"(
result = json.load(open('result.json'))
assert [row['keys'] for row in result['rows']] == [1000, 3000]
steps = {(row['keys'], row['kernel']): row['kernel_ms'] for row in result['kernels']}
for keys in 1000, 3000:
    assert {'count items of buckets', 'build buckets'} <= {name for count, name in steps if count == keys}, steps
    line = table('Steps of building')['cuckoo2009, %s at 0.7' % format(keys, ',')]
    assert abs(line['build buckets'][1] - steps[keys, 'build buckets']) < 1e-9, (line, steps)
print('good')
)")),
            "good\n");
  const std::string text = steps({}).out;
  EXPECT_NE(text.find("steps of one build, ms"), std::string::npos) << text;
}

TEST_F(KeysBenchProgram, WritesAPictureAsTheTableGivesItBack) {
  scene::Image picture = {"", 40, 30, std::vector<scene::Rgba8>(40 * 30, {255, 255, 255, 255})};
  for (uint32_t i = 0; i < 40 * 30; i += 1 + i % 5) picture.pixels[i] = {static_cast<uint8_t>(i), 3, 99, 255};
  write_png(picture, {}, folder_ / "picture.png");
  const Finished run = keys({"--image", "picture.png", "--rebuilt", "back.png", "--sets", "image", "-q"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_TRUE(read_image(folder_ / "back.png").pixels == picture.pixels);
  std::ranges::fill(picture.pixels, scene::Rgba8{255, 255, 255, 255});
  write_png(picture, {}, folder_ / "white.png");
  expect_refused(kFailed, "white", {"--image", "white.png"});
  expect_refused(kFailed, "missing.png", {"--image", "missing.png"});
}

TEST_F(KeysBenchProgram, RefusesValuesThatMakeNoSenseAndOptionsWithoutEffect) {
  for (const auto& [option, value] : std::vector<std::pair<std::string, std::string>>{
           {"--tables", "round"},     {"--sets", "squares"},     {"--sets", ""},
           {"--layouts", "hilbert"},  {"--ops", "erase"},        {"--load-factors", "0"},
           {"--load-factors", "1.5"}, {"--load-factors", "x"},   {"--key-bits", "65"},
           {"--value-bits", "32"},    {"--value-bits", "1,2"},   {"--hit-rates", "101"},
           {"--figure", "2"},         {"--figure", "x"},         {"--multiplicities", "0"},
           {"--failure-keys", "0"},   {"--keys", "0"},           {"--keys", "2^40"},
           {"--searches", "0"},       {"--repetitions", "6"},    {"--failures", "many"},
           {"--key-bits", "7"},       {"--failure-keys", "2^32"}})
    expect_refused(kBadUsage, option == "--figure" ? "figure " + value : option, {option, value});
  expect_refused(kBadUsage, "no effect", {"--keys", "100", "--searches", "100"});
  expect_refused(kBadUsage, "no effect", {"--failure-keys", "100"});
  expect_refused(kBadUsage, "no effect", {"--hit-rates", "50", "--ops", "build"});
  expect_refused(kBadUsage, "no effect", {"--searches", "50", "--ops", "build"});
  expect_refused(kBadUsage, "no effect", {"--layouts", "morton", "--sets", "random"});
  expect_refused(kBadUsage, "no effect", {"--image", "a.png", "--sets", "random"});
  expect_refused(kBadUsage, "no effect", {"--rebuilt", "a.png", "--ops", "build"});
  expect_refused(kBadUsage, "--value-bits 24", {"--rebuilt", "a.png", "--value-bits", "4"});
  expect_refused(kBadUsage, "nothing to measure", {"--sets", "random", "--ops", "find-all"});
  expect_refused(kBadUsage, "nothing to measure", {"--sets", "pixels", "--ops", "find-view"});
  expect_refused(kBadUsage, "for --sets random", {"--sets", "image", "--ops", "build-multi"});
  expect_refused(kBadUsage, "for --sets random", {"--sets", "image", "--ops", "change"});
  expect_refused(kBadUsage, "no effect", {"--multiplicities", "3"});
  expect_refused(kBadUsage, "no effect", {"--failure-keys", "3"});
  expect_refused(kBadUsage, "no effect", {"--ages", "a.png"});
  expect_refused(kBadUsage, "no effect", {"--figure", "3"});  // --figure has its own number of keys
}

}  // namespace
}  // namespace vox
