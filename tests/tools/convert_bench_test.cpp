// Tests vox-bench convert with good and with bad input.
#include "tests/tools/browser.h"
#include "tests/tools/page_tables.h"
#include "tests/tools/program.h"

namespace vox {
namespace {

class ConvertBenchProgram : public ProgramTest {
 protected:
  ConvertBenchProgram() : ProgramTest("vox-bench") {}
  void SetUp() override {
    ProgramTest::SetUp();
    write("cube.obj", cube_obj());
  }
  // Returns arguments for a run with little work and these further options.
  static std::vector<std::string> quick_conversions(const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"convert",       "cube.obj", "--res", "16,32",
                                          "--repetitions", "1",        "-q"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
};

TEST_F(ConvertBenchProgram, HasTheScenesOfVoxConvertInItsJsonCsvAndReport) {
  const auto before = listing(folder_);
  write("result.json", printed(quick_conversions({"--coverage", "conservative,thin", "--write", ".", "--json",
                                                  "--csv", "rows.csv", "-o", "report.h5", "--profile"})));
  EXPECT_EQ(listing(folder_).size(), before.size() + 3);  // the files of --write are gone
  write("scene.json", converted({"cube.obj", "--res", "32", "--coverage", "thin", "--json", "-q"}));
  EXPECT_EQ(python(R"(
import csv, h5py, json
result, scene = json.load(open('result.json')), json.load(open('scene.json'))
report = h5py.File('report.h5')['convert']
rows = list(csv.DictReader(open('rows.csv', newline='')))
assert len(rows) == len(result['rows']) == 2 * 2 * 2, len(rows)
for i, (row, expected) in enumerate(zip(rows, result['rows'])):
    for name, text in row.items():
        value = expected.get(name, '')
        assert (float(text) if isinstance(value, (int, float)) else text) == value, (name, text, value)
    assert report['rows/voxelize_ms'][i] == expected['voxelize_ms']
    assert expected['ms'] > 0 and expected['load_ms'] > 0 and expected['write_ms'] > 0
    assert expected['triangles'] == 12 and expected['file_bytes'] > 0
axes = lambda row: (row['mesh'], row['materials'], row['coverage'], row['resolution'])
assert [axes(row) for row in result['rows']] == [
    ('cube.obj', materials, coverage, resolution) for materials in ('none', 'texture')
    for coverage in ('conservative', 'thin') for resolution in (16, 32)]
last = result['rows'][-1]
assert last['voxels'] == scene['voxels'] and last['bytes'] == scene['dag_bytes']
assert last['nodes'] == scene['unique_nodes'] and last['svo_nodes'] == scene['svo_nodes']
assert {axes(kernel) for kernel in result['kernels']} == {axes(row) for row in result['rows']}
print('good')
)"),
            "good\n");
}

TEST_F(ConvertBenchProgram, MeasuresASphereWhereNoMeshIsNamedAndSeveralMeshesOneByOne) {
  const std::string sphere = printed(
      {"convert", "--triangles", "100", "--res", "16", "--materials", "none", "--repetitions", "1", "-q"});
  EXPECT_TRUE(has(sphere, "\n  sphere  conservative")) << sphere;
  EXPECT_FALSE(has(sphere, "load")) << sphere;
  write("a,b.obj", cube_obj());
  const std::string both =
      printed({"convert", "cube.obj", "a,b.obj", "--res", "16", "--repetitions", "1", "-q"});
  for (const char* part :
       {" cube.obj  conservative", " a,b.obj   conservative", "load", "voxelize", "(freeze)"})
    EXPECT_TRUE(has(both, part)) << part << "\n" << both;
}

TEST_F(ConvertBenchProgram, NumbersOfThePageAreThoseOfTheRows) {
  write("result.json", printed(quick_conversions({"--json", "--html", "page.html", "--profile"})));
  EXPECT_EQ(python(kReadTables + std::string(R"(
result = json.load(open('result.json'))
for row in result['rows']:
    series = 'cube.obj, conservative, ' + row['materials']
    cell = table('Voxelize and build')[str(row['resolution'])][series]
    assert cell[1] == row['ms'], (cell, row)
    line = table('Phases: ' + series)[str(row['resolution']) + '³']
    assert line['voxelize'][1] == row['voxelize_ms'] and line['load'][1] == row['load_ms'], (line, row)
    assert abs(line['build'][1] + line['freeze'][1] - row['build_ms']) < 1e-9, (line, row)
    assert 'write' not in line
    kernels = {k['kernel']: k['kernel_ms'] for k in result['kernels']
               if all(k[name] == row[name] for name in ('materials', 'resolution'))}
    line = table('Kernels: ' + series)[str(row['resolution']) + '³']
    assert sum(abs(line[name][1] - kernels[name]) < 1e-9 for name in kernels if name in line) >= 4, (line, kernels)
print('good')
)")),
            "good\n");
  if (!have_browser()) GTEST_SKIP() << "no chromium";
  const PageLook look = look_at(folder_ / "page.html");
  EXPECT_EQ(look.faults, std::vector<std::string>{});
  EXPECT_EQ(look.charts, 1 + 2 + 2);
}

TEST_F(ConvertBenchProgram, ComparesWithAnEarlierRun) {
  write("first.json", printed(quick_conversions({"--json"})));
  const std::string text = printed(quick_conversions({"--against", "first.json"}));
  EXPECT_TRUE(has(text, "against first.json: of 4 rows, ")) << text;
  EXPECT_FALSE(has(text, "other work")) << text;
}

TEST_F(ConvertBenchProgram, RefusesBadInputAndOptionsWithoutEffect) {
  for (const auto& [option, value] : std::vector<std::pair<std::string, std::string>>{{"--res", "2"},
                                                                                      {"--res", "many"},
                                                                                      {"--coverage", "thick"},
                                                                                      {"--materials", "wood"},
                                                                                      {"--repetitions", "0"},
                                                                                      {"--write", "missing"}})
    expect_failure(kBadUsage, option, {"convert", "cube.obj", option, value});
  expect_failure(kBadUsage, "--triangles", {"convert", "--triangles", "3"});
  expect_failure(kBadUsage, "no effect", {"convert", "cube.obj", "--triangles", "100"});
  expect_failure(kFailed, "missing.obj", {"convert", "missing.obj", "--res", "16"});
  expect_failure(kFailed, "missing/page.html", {"convert", "cube.obj", "--html", "missing/page.html"});
}

}  // namespace
}  // namespace vox
