// Tests vox-bench match with good and with bad input.

#include <algorithm>

#include "formats/images/image.h"
#include "libvox/match/similarity.h"
#include "tests/common/test_engine.h"
#include "tests/tools/program.h"

namespace vox {
namespace {

class MatchBenchProgram : public ProgramTest {
 protected:
  MatchBenchProgram() : ProgramTest("vox-bench") {}
  // Runs the benchmark with little work and these further arguments.
  Finished match(const std::vector<std::string>& more, const std::string& tables = "lines") {
    std::vector<std::string> arguments = {"match", "--device",      test_device(), "--tables",
                                          tables,  "--repetitions", "1",           "--bases",
                                          "4000",  "--query-bases", "96"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program("vox-bench", arguments, {.folder = folder_, .file_size_limit = {}});
  }
  void expect_refused(int code, const std::string& text, const std::vector<std::string>& more) {
    const auto before = listing(folder_);
    const Finished run = match(more);
    EXPECT_EQ(run.code, code) << testing::PrintToString(more);
    EXPECT_TRUE(one_error(run, text, "vox-bench")) << testing::PrintToString(more) << run.err;
    EXPECT_EQ(run.out, "");
    EXPECT_TRUE(listing(folder_) == before) << "files changed, " << testing::PrintToString(more);
  }
  // Writes query.png and reference.png, and other.png, which shows something else.
  void write_pair() const {
    const match::PicturePair pair = match::make_picture_pair({.side = 256, .seed = 2});
    write_png(pair.query, {}, folder_ / "query.png");
    write_png(pair.reference, {}, folder_ / "reference.png");
    write_png(match::make_picture_pair({.side = 256, .seed = 9}).query, {}, folder_ / "other.png");
  }
  size_t colored_pixels(const std::string& file) const {
    const scene::Image image = read_image(folder_ / file);
    return static_cast<size_t>(
        std::ranges::count_if(image.pixels, [](const auto& pixel) { return pixel.r != pixel.b; }));
  }
};

TEST_F(MatchBenchProgram, PrintsOneJsonObjectWithTheRowsOfItsCsvAndReport) {
  const Finished run =
      match({"--side", "256", "--json", "-q", "--csv", "rows.csv", "-o", "report.h5"}, "robin,sorted");
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.err, "");
  write("result.json", run.out);
  EXPECT_EQ(python(R"(
import csv, json
result = json.load(open('result.json'))
assert result['matched'] and 0 <= result['off'] < 1 and 0.4 < result['share'] <= 1
assert 0.75 <= result['scale'] <= 1.25 and -180 < result['turn'] <= 180 and len(result['shift']) == 2
assert result['reference']['bases'] <= 4000 and result['query']['width'] == 192
rows = list(csv.DictReader(open('rows.csv', newline='')))
assert [row['table'] for row in rows] == ['robin', 'sorted']
for row, expected in zip(rows, result['rows']):
    for name, text in row.items():
        value = expected.get(name, '')
        assert (float(text) if isinstance(value, (int, float)) else text) == value, (name, text, value)
    assert abs(expected['map_ms'] + expected['index_ms'] + expected['vote_ms'] - expected['ms']) < 1e-6
    assert expected['items'] == result['reference']['bases'] * (result['reference']['points'] - 2)
print('good')
)"),
            "good\n");
}

TEST_F(MatchBenchProgram, FindsAPictureInAFileAndDrawsItsEdgesThere) {
  write_pair();
  const Finished run = match({"query.png", "reference.png", "--overlay", "found.png"});
  ASSERT_EQ(run.code, 0) << run.err;
  for (const char* part :
       {"\nquery:     query.png, 192 x 192 pixels: ", "\nreference: reference.png, 256 x 256",
        "\nmatch:     turned by 123.", "scaled by 1.19", "\n  lines  "})
    EXPECT_TRUE(has(run.out, part)) << part << "\n" << run.out;
  EXPECT_FALSE(has(run.out, "\noff: ")) << run.out;
  EXPECT_GT(colored_pixels("found.png"), 500u);
  EXPECT_TRUE(has(read_bytes(folder_ / "found.png"), "vox-bench match"));
}

TEST_F(MatchBenchProgram, MatchesEachOfSeveralQueries) {
  write_pair();
  const Finished files = match({"query.png", "other.png", "reference.png", "--json", "-q"});
  ASSERT_EQ(files.code, 0) << files.err;
  write("files.json", files.out);
  const Finished frames = match({"--frames", "3", "--side", "192", "--json", "-q", "--html", "page.html"});
  ASSERT_EQ(frames.code, 0) << frames.err;
  write("frames.json", frames.out);
  EXPECT_EQ(python(R"(
import json
files, frames = (json.load(open(name + '.json')) for name in ('files', 'frames'))
assert [(query['file'], query['matched']) for query in files['queries']] == [('query.png', 'yes'), ('other.png', 'no')]
assert files['query']['file'] == 'query.png' and files['matched']
assert len(frames['queries']) == 3 and all(query['off'] < 1 for query in frames['queries'])
assert len({query['off'] for query in frames['queries']}) == 3
print('good')
)"),
            "good\n");
}

TEST_F(MatchBenchProgram, SaysPlainlyThatAPictureIsNotFound) {
  write_pair();
  const Finished run = match({"other.png", "reference.png", "--overlay", "found.png", "--html", "page.html"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_TRUE(has(run.out, "\nmatch:     none (at most ")) << run.out;
  EXPECT_EQ(colored_pixels("found.png"), 0u);
  const Finished json = match({"other.png", "reference.png", "--json", "-q"});
  EXPECT_EQ(json_value(json.out, "matched"), "false");
  EXPECT_EQ(json_value(json.out, "turn"), "");
  EXPECT_TRUE(has(read_bytes(folder_ / "page.html"), "in which the query was not found"));
}

TEST_F(MatchBenchProgram, NumbersOfThePageAreThoseOfTheRows) {
  const Finished run = match({"--side", "192", "--json", "-q", "--html", "page.html"}, "robin,sorted");
  ASSERT_EQ(run.code, 0) << run.err;
  write("result.json", run.out);
  EXPECT_EQ(python(kReadTables + std::string(R"(
rows = json.load(open('result.json'))['rows']
shown = table('Time of a match')
assert len(rows) == 2
for row in rows:
    cells = shown[row['table']]
    for title, key in {'items': 'items', 'keys': 'keys', 'map ms': 'map_ms', 'vote ms': 'vote_ms', 'all ms': 'ms'}.items():
        assert cells[title][1] == row[key], (title, cells[title], row)
print('good')
)")),
            "good\n");
  if (!have_browser()) GTEST_SKIP() << "no chromium";
  EXPECT_EQ(look_at(folder_ / "page.html").faults, std::vector<std::string>{});
}

TEST_F(MatchBenchProgram, RefusesPicturesThatCannotBeMatched) {
  write_pair();
  write_png({"", 1, 1, {{0, 0, 0, 255}}}, {}, folder_ / "dot.png");
  write_png({"", 60, 60, std::vector<scene::Rgba8>(3600, {9, 9, 9, 255})}, {}, folder_ / "plain.png");
  write("text.png", "no picture");
  const std::string whole = read_bytes(folder_ / "query.png");
  write("half.png", whole.substr(0, whole.size() / 2));
  expect_refused(kFailed, "missing.png", {"missing.png", "reference.png"});
  expect_refused(kFailed, "missing.png", {"query.png", "missing.png"});
  expect_refused(kFailed, "text.png", {"text.png", "reference.png"});
  expect_refused(kFailed, "half.png", {"half.png", "reference.png"});
  expect_refused(kFailed, "dot.png: the picture has too few edges", {"query.png", "dot.png"});
  expect_refused(kFailed, "plain.png: the picture has too few edges", {"plain.png", "reference.png"});
  expect_refused(kFailed, "let smaller steps be edges); see --edge-step", {"plain.png", "plain.png"});
  // A file that vox did not write stays.
  expect_refused(kFailed, "text.png", {"query.png", "reference.png", "--overlay", "text.png"});
}

TEST_F(MatchBenchProgram, RefusesMatchesOfOptionsThatMakeNoSense) {
  write_pair();
  for (const auto& [option, value] : std::vector<std::pair<std::string, std::string>>{
           {"--tables", "round"},    {"--tables", ""},       {"--points", "7"},        {"--points", "5000"},
           {"--points", "many"},     {"--bases", "0"},       {"--bases", "2^17"},      {"--query-bases", "0"},
           {"--cells", "1"},         {"--edge-step", "0"},   {"--edge-step", "256"},   {"--least-share", "0"},
           {"--least-share", "101"}, {"--repetitions", "0"}, {"--repetitions", "1,2"}, {"--seed", "-1"},
           {"--side", "63"},         {"--side", "8K"},       {"--clutter", "401"},     {"--noise", "65"},
           {"--frames", "0"}})
    expect_refused(kBadUsage, option, {option, value});
  expect_refused(kBadUsage, "one picture is named", {"query.png"});
  for (const char* option : {"--side", "--clutter", "--noise", "--frames"})
    expect_refused(kBadUsage, std::string(option) + " has no effect",
                   {"query.png", "reference.png", option, "64"});
}

// Tests vox-bench intersect with good and with bad input.

class IntersectProgram : public ProgramTest {
 protected:
  IntersectProgram() : ProgramTest("vox-bench") {}
  // Runs the benchmark with very little work and these further arguments.
  Finished intersect(const std::vector<std::string>& more) const {
    std::vector<std::string> arguments = {"intersect", "--device", test_device()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program("vox-bench", arguments, {.folder = folder_, .file_size_limit = {}});
  }
  void expect_refused(int code, const std::string& text, const std::vector<std::string>& more) const {
    const auto before = listing(folder_);
    const Finished run = intersect(more);
    EXPECT_EQ(run.code, code) << testing::PrintToString(more);
    EXPECT_TRUE(one_error(run, text, "vox-bench")) << testing::PrintToString(more) << run.err;
    EXPECT_EQ(run.out, "");
    EXPECT_TRUE(listing(folder_) == before) << "files changed, " << testing::PrintToString(more);
  }
};

TEST_F(IntersectProgram, PrintsOneJsonObjectWithTheRowsOfItsCsv) {
  const Finished run = intersect({"--triangles", "300", "--res", "32", "--frames", "5", "--tables",
                                  "lines,sorted", "--json", "-q", "--csv", "rows.csv"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.err, "");
  write("result.json", run.out);
  EXPECT_EQ(python(R"(
import csv, json
result = json.load(open('result.json'))
assert result['first_triangles'] == result['second_triangles'] == 300
assert result['resolution'] == 32 and result['frames'] == 5 and len(result['rows']) == 10
rows = list(csv.DictReader(open('rows.csv', newline='')))
for row, expected in zip(rows, result['rows'], strict=True):
    for name, text in row.items():
        value = expected.get(name)
        read = None if text == '' else text if isinstance(value, str) else float(text)
        assert read == value, (name, text, value)
found = ['first_voxels', 'second_voxels', 'common_voxels', 'candidates', 'meeting']
for row, other in zip(result['rows'][:5], result['rows'][5:]):
    assert [row[name] for name in found] == [other[name] for name in found]
    assert 0 < row['meeting'] <= row['candidates'] and 0 < row['common_voxels'] <= row['second_voxels']
    assert abs(row['ms'] - sum(row['ms_' + p] for p in ('voxelize', 'build', 'search', 'pairs'))) < 1e-9
assert [row['turn'] for row in result['rows'][:5]] == [0, 0.2, 0.4, 0.6, 0.8]
for table in result['tables']:
    times = sorted(row['ms'] for row in result['rows'] if row['table'] == table['table'])
    assert [table['ms_min'], table['ms'], table['ms_max']] == [times[0], times[2], times[4]]
    assert abs(table['frames_per_second'] * table['ms'] - 1000) < 1e-6
print('good')
)"),
            "good\n");
  // A file that vox wrote may be replaced.
  EXPECT_EQ(intersect({"--triangles", "12", "--res", "8", "--frames", "1", "-q", "--csv", "rows.csv"}).code,
            0);
}

TEST_F(IntersectProgram, CombinesMeshesInPlaceOfTestingTriangles) {
  const Finished run = intersect({"--triangles", "300", "--res", "32", "--frames", "5", "--boolean", "union",
                                  "--json", "-q", "--html", "page.html"});
  ASSERT_EQ(run.code, 0) << run.err;
  write("result.json", run.out);
  EXPECT_EQ(python(kReadTables + std::string(R"(
import json
result = json.load(open('result.json'))
assert result['boolean'] == 'union' and len(result['rows']) == 5
for row in result['rows']:
    assert not {'meeting', 'ms_search', 'ms_pairs'} & set(row)
    assert row['kept_voxels'] == sum(row[m + '_voxels'] - row[m + '_inside'] for m in ('first', 'second'))
    assert 0 < row['first_inside'] < row['first_voxels'] and 0 < row['votes'] and row['parts'] >= 2
    assert abs(row['ms'] - sum(row['ms_' + p] for p in ('voxelize', 'build', 'sides'))) < 1e-9
found = table('What was found')
assert [found[f]['kept'][0] for f in found] == ['{:,}'.format(row['kept_voxels']) for row in result['rows']], found
print('good')
)")),
            "good\n");
  expect_refused(kBadUsage, "--boolean is 'xor', expected one of: union, intersect, subtract",
                 {"--boolean", "xor"});
}

TEST_F(IntersectProgram, TakesTwoMeshesAndShowsThemOnScreenAndPage) {
  write("a.obj", cube_obj());
  write("b.obj", "v 0 0 0\nv 4 0 0\nv 0 4 1\nf 1 2 3\n");
  const Finished run = intersect(
      {"a.obj", "b.obj", "--res", "40", "--frames", "30", "-q", "--html", "page.html", "-o", "report.h5"});
  ASSERT_EQ(run.code, 0) << run.err;
  for (const char* part : {"a.obj (12 triangles) and b.obj (1 triangle) at 40³, 30 frames",
                           "27 frames a second", "\n10 of the frames, with lines", "\n  27     324 °"})
    EXPECT_TRUE(has(run.out, part)) << part << "\n" << run.out;
  EXPECT_EQ(python(kReadTables + std::string(R"(
frames = table('Frames with the table lines')
found = table('What was found')
assert len(frames) == len(found) == 30 and list(table('A frame with each table')) == ['lines']
assert all(found[f]['that meet'] == frames[f]['that meet'] for f in frames)
print('good')
)")),
            "good\n");
  if (!have_browser()) GTEST_SKIP() << "no chromium";
  const PageLook look = look_at(folder_ / "page.html");
  EXPECT_EQ(look.faults, std::vector<std::string>{});
  EXPECT_EQ(look.charts, 3);
}

TEST_F(IntersectProgram, RefusesValuesThatMakeNoSenseAndOptionsWithoutEffect) {
  write("a.obj", cube_obj());
  write("empty.obj", "v 0 0 0\n");
  for (const auto& [option, value] :
       std::vector<std::pair<std::string, std::string>>{{"--res", "7"},
                                                        {"--res", "2048"},
                                                        {"--res", "x"},
                                                        {"--tables", "round"},
                                                        {"--tables", "lines,"},
                                                        {"--triangles", "11"},
                                                        {"--triangles", "2^40"}})
    expect_refused(kBadUsage, option, {option, value});
  expect_refused(kBadUsage, "frames is 0", {"--frames", "0"});
  expect_refused(kBadUsage, "expected two meshes", {"a.obj"});
  expect_refused(kBadUsage, "expected two meshes", {"a.obj", "a.obj", "a.obj"});
  expect_refused(kBadUsage, "no effect", {"a.obj", "a.obj", "--triangles", "100"});
  expect_refused(kBadUsage, ".h5", {"-o", "report.csv"});
  expect_refused(kFailed, "missing.obj", {"a.obj", "missing.obj"});
  expect_refused(kFailed, "empty.obj", {"a.obj", "empty.obj"});
}

}  // namespace
}  // namespace vox
