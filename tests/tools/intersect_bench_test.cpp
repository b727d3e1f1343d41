// Tests vox-bench intersect with good and with bad input.
#include "tests/common/test_engine.h"
#include "tests/tools/browser.h"
#include "tests/tools/page_tables.h"
#include "tests/tools/program.h"

namespace vox {
namespace {

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
        value = expected[name]
        assert (text if isinstance(value, str) else float(text)) == value, (name, text, value)
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
