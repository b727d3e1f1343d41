// Tests vox-bench convert with good and with bad input.

#include <fmt/format.h>

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

TEST_F(ConvertBenchProgram, MeasuresTheWorkThatTheMaterialsName) {
  write("result.json",
        printed(quick_conversions({"--materials", "none,texture,mesh,object,colors", "--json"})));
  for (const char* materials : {"none", "texture", "mesh", "object", "colors"}) {
    write("scene.json", converted({"cube.obj", "--res", "32", "--materials", materials, "--json", "-q"}));
    const std::string bytes = python(fmt::format(R"(
import json
result, scene = json.load(open('result.json')), json.load(open('scene.json'))
row = next(row for row in result['rows'] if row['materials'] == '{}' and row['resolution'] == 32)
print(row['bytes'], scene['dag_bytes'] + scene.get('color_bytes', 0))
)",
                                                 materials));
    const std::string measured = bytes.substr(0, bytes.find(' '));
    EXPECT_EQ(bytes, measured + ' ' + measured + '\n') << materials;
  }
}

TEST_F(ConvertBenchProgram, MeasuresASphereWhereNoMeshIsNamedAndSeveralMeshesOneByOne) {
  const std::string sphere = printed(
      {"convert", "--triangles", "100", "--res", "16", "--materials", "none", "--repetitions", "1", "-q"});
  EXPECT_TRUE(has(sphere, "\n  sphere  conservative")) << sphere;
  EXPECT_FALSE(has(sphere, "load")) << sphere;
  const std::string colors = printed(
      {"convert", "--triangles", "100", "--res", "16", "--materials", "colors", "--repetitions", "2", "-q"});
  EXPECT_TRUE(has(colors, "colors")) << colors;
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

// Tests vox-bench edit with good and with bad input.

class EditBenchProgram : public CubesTest {
 protected:
  EditBenchProgram() : CubesTest("vox-bench") {}
  // Returns arguments for a run with little work and these further options.
  static std::vector<std::string> quick_edits(const std::string& file, const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"edit", file, "--repetitions", "1", "-q"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
  // Returns arguments for all series with few edits of each.
  static std::vector<std::string> all_series(const std::vector<std::string>& more) {
    std::vector<std::string> arguments = quick_edits("cube.h5", {"--radii", "4,9", "--sides", "7", "--copies",
                                                                 "2", "--small", "5", "--small-radius", "2"});
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
};

TEST_F(EditBenchProgram, PrintsOneJsonObjectWithTheRowsOfItsCsvAndItsReport) {
  write("result.json", printed(all_series({"--json", "--csv", "rows.csv", "-o", "report.h5", "--profile"})));
  EXPECT_EQ(python(R"(
import csv, h5py, json
result, report = json.load(open('result.json')), h5py.File('report.h5')['edit']
rows = list(csv.DictReader(open('rows.csv', newline='')))
assert len(rows) == len(result['rows']) == 2 * 2 + 2 * 1 + 2 + 2, len(rows)
for i, (row, expected) in enumerate(zip(rows, result['rows'])):
    for name, text in row.items():
        value = expected.get(name, '')
        assert (float(text) if isinstance(value, (int, float)) else text) == value, (name, text, value)
    assert report['rows/ms'][i] == expected['ms'] > 0
    assert expected['ms_min'] <= expected['ms'] <= expected['ms_max']
axes = lambda row: (row['series'], row['order'], row.get('size'), row.get('batch'), row['edits'])
assert list(map(axes, result['rows'])) == [
    ('spheres', 'fresh', 4, 1, 1), ('spheres', 'fresh', 9, 1, 1),
    ('spheres', 'sequence', 4, 1, 1), ('spheres', 'sequence', 9, 1, 1),
    ('copies', 'fresh', 7, 1, 1), ('copies', 'sequence', 7, 1, 2),
    ('small', 'fresh', 2, 1, 5), ('small', 'fresh', 2, 100, 5),
    ('gc', 'fresh', None, None, 1), ('gc', 'sequence', None, None, 1)]
for row in result['rows']:
    assert row['series'] == 'gc' or row['nodes_made'] > 0 and row['nodes_new'] > 0 and row['changed_voxels'] > 0, row
assert result['rows'][-1]['items_before'] > result['rows'][-1]['items_after'] == result['nodes']
profiled = {axes(kernel) for kernel in result['kernels']}
assert profiled == set(map(axes, result['rows'])), profiled
assert all(kernel['launches'] > 0 for kernel in result['kernels'])
print('good')
)"),
            "good\n");
}

TEST_F(EditBenchProgram, ComparesAllTablesInOneRun) {
  write("result.json",
        printed(all_series({"--json", "--tables", "all", "--duplicates", "slabs", "--html", "page.html"})));
  EXPECT_EQ(python(kReadTables + std::string(R"(
result = json.load(open('result.json'))
tables = ['atomic64', 'ticket', 'accel32', 'accel8', 'sector']
rows = result['rows']
each = len(rows) // len(tables)
assert [row['table'] for row in rows] == [name for name in tables for _ in range(each)], rows
for i, row in enumerate(rows):
    first = rows[i % each]
    for name in ('series', 'order', 'size', 'batch', 'changed_voxels', 'nodes_new', 'leaves_new', 'items_after'):
        assert row.get(name) == first.get(name), (name, row, first)
    counted = row['table'] != 'sector' and row['series'] != 'gc'
    assert ('slabs_per_search' in row) == ('false_candidates' in row) == counted, row
    if counted: assert row['slabs_per_search'] > 0.5 and row['false_candidates'] >= 0, row
    if row['series'] == 'spheres' and row['order'] == 'fresh':
        line = table('Spheres, each on the scene as it was read, ' + row['table'])[str(row['size'])]
        assert line['down'][1] == row['down_ms'] and line['up'][1] == row['up_ms'], (line, row)
print('good')
)")),
            "good\n");
}

TEST_F(EditBenchProgram, PrintsALineForEveryRowAndTheWorkThatWasDone) {
  const std::string text =
      printed(quick_edits("bare.h5", {"--res", "32", "--series", "spheres,gc", "--radii", "4,9"}));
  for (const char* part : {"bare.h5, ", " in 32³, ", "ms each", "made", "new", "\n  spheres     fresh",
                           "\n  spheres  sequence", "\n  gc"})
    EXPECT_TRUE(has(text, part)) << part << "\n" << text;
  EXPECT_FALSE(has(text, "copies"));
}

TEST_F(EditBenchProgram, ComparesWithAnEarlierRunAndNamesWhatDidOtherWork) {
  const auto bench = [&](const std::string& file, const std::string& against) {
    return printed(quick_edits(file, {"--json", "--series", "spheres,copies", "--radii", "4,9", "--sides",
                                      "7", "--copies", "2", "--against", against}));
  };
  write("empty.json", "{\"device\": \"cpu\", \"device_text\": \"another\", \"rows\": []}");
  write("first.json", bench("cube.h5", "empty.json"));
  write("second.json", bench("cube.h5", "first.json"));
  write("third.json", bench("bare.h5", "first.json"));
  EXPECT_EQ(python(R"(
import json
first, second, third = (json.load(open(name + '.json')) for name in ('first', 'second', 'third'))
against = first['against']
assert not against['same_device'] and against['device_text'] == 'another' and against['added'] == 6
against = second['against']
assert against['same_device'] and against['file'] == 'first.json'
assert against['same'] + against['slower'] + against['faster'] == 6 == len(against['rows']), against
for row, now, before in zip(against['rows'], second['rows'], first['rows']):
    assert row['ms'] == now['ms'] and row['ms_before'] == before['ms'] and row['ratio'] == now['ms'] / before['ms']
    assert row['row'].startswith(now['series'] + ', ' + now['order']), row
    slower = now['ms_min'] > before['ms_max'] and now['ms'] > 1.03 * before['ms']
    faster = now['ms_max'] < before['ms_min'] and now['ms'] < 0.97 * before['ms']
    assert row['change'] == ('slower' if slower else 'faster' if faster else 'same'), row
assert third['against']['other_work'] > 0
assert all(('was' in row['other_work']) == (row['change'] == 'other work') for row in third['against']['rows'])
print('good')
)"),
            "good\n");
  const std::string text =
      printed(quick_edits("cube.h5", {"--series", "spheres", "--radii", "4,9", "--against", "first.json"}));
  EXPECT_TRUE(has(text, "against first.json: of 4 rows, ")) << text;
  EXPECT_TRUE(has(text, "2 that it has alone")) << text;
}

TEST_F(EditBenchProgram, NumbersOfThePageAreThoseOfTheRows) {
  write("result.json", printed(all_series({"--json", "--profile", "--html", "page.html"})));
  EXPECT_EQ(python(kReadTables + std::string(R"(
result = json.load(open('result.json'))
titles = {('spheres', 'fresh'): 'Spheres, each on the scene as it was read', ('copies', 'sequence'): 'Copies, one after the other'}
seen = 0
for row in result['rows']:
    title = titles.get((row['series'], row['order']))
    if title is None: continue
    line = table(title)[str(row['size'])]
    assert line['down'][1] == row['down_ms'] and line['up'][1] == row['up_ms'], (line, row)
    kernels = {k['kernel']: k['kernel_ms'] for k in result['kernels']
               if all(k.get(name) == row.get(name) for name in ('series', 'order', 'size', 'batch'))}
    line = table(title + ', by kernel')[str(row['size'])]
    named = [name for name in line if name in kernels]
    assert len(named) >= 3, line  # all levels of so small a scene are done in one launch
    for name in named: assert abs(line[name][1] - kernels[name] / row['edits']) < 1e-9, (name, line, kernels)
    others = sum(ms for name, ms in kernels.items() if name not in named) / row['edits']
    assert abs(line['other kernels'][1] - others) < 1e-9, (line, others)
    seen += 1
assert seen == 3
print('good')
)")),
            "good\n");
  if (!have_browser()) GTEST_SKIP() << "no chromium";
  const PageLook look = look_at(folder_ / "page.html");
  EXPECT_EQ(look.faults, std::vector<std::string>{});
  EXPECT_EQ(look.charts, 2 * 7);
}

TEST_F(EditBenchProgram, RefusesBadInputAndOptionsWithoutEffect) {
  for (const auto& [option, value] :
       std::vector<std::pair<std::string, std::string>>{{"--series", "boxes"},
                                                        {"--orders", "backwards"},
                                                        {"--radii", "many"},
                                                        {"--batches", "1,,2"},
                                                        {"--tables", "other"},
                                                        {"--duplicates", "sorted"},
                                                        {"--res", "3"}})
    expect_failure(kBadUsage, option, {"edit", "cube.h5", option, value});
  expect_failure(kBadUsage, "a box with a side of 65", {"edit", "cube.h5", "--sides", "65"});
  expect_failure(kBadUsage, "a sphere with a radius of 0", {"edit", "cube.h5", "--radii", "0"});
  expect_failure(kBadUsage, "no effect", {"edit", "cube.h5", "--series", "small", "--radii", "3"});
  expect_failure(kBadUsage, "no effect", {"edit", "cube.h5", "--orders", "fresh", "--copies", "3"});
  expect_failure(kBadUsage, "no effect", {"edit", "cube.h5", "--series", "spheres", "--batches", "3"});
  expect_failure(kBadUsage, "no effect",
                 {"edit", "cube.h5", "--series", "gc", "--orders", "fresh", "--seed", "3"});
  expect_failure(kBadUsage, "no effect", {"edit", "cube.h5", "--duplicates", "slabs"});
  expect_failure(kFailed, "missing.json", {"edit", "cube.h5", "--against", "missing.json"});
  write("other.json", "{\"scene\": 3}");
  expect_failure(kFailed, "other.json: has no rows", {"edit", "cube.h5", "--against", "other.json"});
  expect_failure(kFailed, "missing.h5", {"edit", "missing.h5"});
}

}  // namespace
}  // namespace vox
