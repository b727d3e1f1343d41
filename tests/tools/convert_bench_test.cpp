// Tests vox-bench convert with good and with bad input.

#include <fmt/format.h>

#include "tests/tools/browser.h"
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

// Tests vox-bench forms with good and with bad input.

class FormsBenchProgram : public CubesTest {
 protected:
  FormsBenchProgram() : CubesTest("vox-bench") {}
  // Returns arguments for a run with little work and these further options.
  static std::vector<std::string> quick(const std::string& file, const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"forms", file,        "--gathers", "500",           "--means",
                                          "100",   "--picture", "9",         "--repetitions", "1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
};

TEST_F(FormsBenchProgram, PrintsOneJsonObjectWithTheRowsOfItsCsv) {
  write("result.json",
        printed(quick("cube.h5", {"--json", "-q", "--csv", "rows.csv", "--brick-sizes", "auto,8"})));
  EXPECT_EQ(python(R"(
import csv, json
result = json.load(open('result.json'))
rows = list(csv.DictReader(open('rows.csv', newline='')))
assert len(rows) == len(result['rows']) == 5 * 6, len(rows)
for row, expected in zip(rows, result['rows']):
    for name, text in row.items():
        value = expected.get(name, '')
        assert (float(text) if isinstance(value, (int, float)) else text) == value, (name, text, value)
sums = {}
for row in result['rows']: sums.setdefault(row['loop'], set()).add((row['checksum'], row['filled'], row['lookups']))
assert list(sums) == ['random', 'uniform', 'rows', 'blocks', 'mean', 'rays'], sums
assert all(len(values) == 1 for values in sums.values()), sums
assert [size['form'] for size in result['sizes']] == ['svdag', 'bricks', 'bricks', 'hash', 'hash']
assert result['sizes'][2]['brick_size'] == 8 and result['sizes'][3]['layout'] == 'morton'
assert 'build_seconds' not in result['sizes'][0] and result['sizes'][3]['build_seconds'] > 0
assert all(size['bits_per_voxel'] == 8 * size['bytes'] / result['voxels'] for size in result['sizes'])
assert result['sizes'][0]['bytes'] == json.loads('''
)" +
                   printed({"forms", "cube.h5", "--gathers", "64", "--means", "0", "--picture", "0",
                            "--forms", "svdag", "--repetitions", "1", "--json", "-q"}) +
                   "''')['sizes'][0]['bytes']\nprint('good')\n"),
            "good\n");
}

TEST_F(FormsBenchProgram, MeasuresAMeshAtTheResolutionThatIsAskedForAndACoarserLevelOfAScene) {
  write("cube.obj", cube_obj());
  const std::string mesh = printed(quick("cube.obj", {"--res", "32", "--json", "-q"}));
  EXPECT_EQ(json_value(mesh, "resolution"), "32");
  EXPECT_EQ(json_value(mesh, "voxels"), std::to_string(32 * 32 * 32 - 30 * 30 * 30));
  EXPECT_NE(mesh.find("\"build_seconds\""), std::string::npos);
  const std::string coarser = printed(quick("cube.h5", {"--res", "16", "--json", "-q"}));
  EXPECT_EQ(json_value(coarser, "resolution"), "16");
  EXPECT_EQ(json_value(coarser, "voxels"), std::to_string(16 * 16 * 16 - 14 * 14 * 14));
}

TEST_F(FormsBenchProgram, PrintsALineForEveryFormAndMeasuresAFileOfAHashAlone) {
  converted({"cube.h5", "--structure", "hash", "-o", "hash.h5"});
  const std::string text = printed(quick("hash.h5", {"-q", "--brick-sizes", "16"}));
  for (const char* part :
       {"hash.h5, ", " in 64³, ", "random reads of  32 bytes", "bits a voxel", "mean 3³ G/s", "rays M/s",
        "\n  SVDAG ", "\n  bricks of 16³ ", "\n  hash, 0.95, morton ", "\n  hash, 0.95, linear "})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

TEST_F(FormsBenchProgram, NumbersOfThePageAndTheReportAreThoseOfTheRows) {
  write("result.json", printed(quick("bare.h5", {"--json", "-q", "--html", "page.html", "-o", "report.h5"})));
  EXPECT_EQ(python(kReadTables + std::string(R"(
import h5py
result, report = json.load(open('result.json')), h5py.File('report.h5')['forms']
name = {'svdag': lambda row: 'SVDAG', 'bricks': lambda row: 'bricks of %d³' % row['brick_size'],
        'hash': lambda row: 'hash, %g, %s' % (row['load_factor'], row['layout'])}
for i, row in enumerate(result['rows']):
    line = table('mean 3³' if row['loop'] == 'mean' else row['loop'])[name[row['form']](row)]
    unit = 1e6 if row['loop'] == 'rays' else 1e9
    assert abs(line['rate'][1] / row['lookups_per_second'] * unit - 1) < 1e-9, (line, row)
    assert line['looked up'][1] == row['lookups'] and line['filled'][1] == row['filled']
    assert report['rows/ms'][i] == row['ms']
for i, size in enumerate(result['sizes']):
    assert table('Bits for each filled voxel')[name[size['form']](size)]['a voxel'][1] == size['bits_per_voxel']
    assert report['sizes/bytes'][i] == size['bytes']
print('good')
)")),
            "good\n");
  if (!have_browser()) GTEST_SKIP() << "no chromium";
  const PageLook look = look_at(folder_ / "page.html");
  EXPECT_EQ(look.faults, std::vector<std::string>{});
  EXPECT_EQ(look.charts, 1 + 6);
}

TEST_F(FormsBenchProgram, RefusesBadInputAndOptionsWithoutEffect) {
  for (const auto& [option, value] :
       std::vector<std::pair<std::string, std::string>>{{"--forms", "octree"},
                                                        {"--brick-sizes", "12"},
                                                        {"--brick-sizes", "1024"},
                                                        {"--load-factors", "0"},
                                                        {"--load-factors", "1.5"},
                                                        {"--key-layouts", "rows"},
                                                        {"--res", "3"},
                                                        {"--gathers", "many"},
                                                        {"--picture", "2^40"}})
    expect_failure(kBadUsage, option, {"forms", "cube.h5", option, value});
  expect_failure(kBadUsage, "filter", {"forms", "cube.h5", "--filter", "4"});
  expect_failure(kBadUsage, "too large", {"forms", "cube.h5", "--picture", "64K"});
  expect_failure(kBadUsage, "nothing to measure",
                 {"forms", "cube.h5", "--gathers", "0", "--means", "0", "--picture", "0"});
  expect_failure(kBadUsage, "no effect", {"forms", "cube.h5", "--forms", "svdag", "--brick-sizes", "8"});
  expect_failure(kBadUsage, "no effect", {"forms", "cube.h5", "--forms", "bricks", "--load-factors", "0.5"});
  expect_failure(kBadUsage, "no effect", {"forms", "cube.h5", "--means", "0", "--filter", "5"});
  expect_failure(kBadUsage, "coarser levels", {"forms", "cube.h5", "--res", "20"});
  expect_failure(kBadUsage, "vox-bench bricks", {"forms", "a.nrrd"});
  expect_failure(kFailed, "missing.h5", {"forms", "missing.h5"});
  expect_failure(kFailed, "missing.obj", {"forms", "missing.obj"});
}

// Tests vox-bench rays with good and with bad input.

class RaysBenchProgram : public CubesTest {
 protected:
  RaysBenchProgram() : CubesTest("vox-bench") {}
};

TEST_F(RaysBenchProgram, MeasuresEachTableAndTheFrozenWords) {
  write("result.json",
        printed({"rays", "cube.h5", "--picture", "16", "--edits", "3", "--radius", "2", "--repetitions", "1",
                 "--bounces", "0,2", "--csv", "rows.csv", "--html", "page.html", "--json", "-q"}));
  EXPECT_EQ(python(R"(
import csv, json
result = json.load(open('result.json'))
rows = result['rows']
assert len(rows) == len(list(csv.DictReader(open('rows.csv', newline='')))) == 6 * 2 * 2 * 2, len(rows)
assert [row['table'] for row in rows[:24:4]] == ['frozen', 'atomic64', 'ticket', 'accel32', 'accel8', 'sector']
for row in rows:
    assert row['error'] == '' and row['rays'] >= 256 and row['sectors'] >= row['rays'], row
    assert abs(row['rays_per_second'] * row['ms'] / 1e3 - row['rays']) < 1e-6 * row['rays'], row
    assert row['table'] != 'frozen' or row['of_frozen'] == 1, row
results = {(row['state'], row['view'], row['bounces'], row['checksum'], row['rays'], row['nodes']) for row in rows}
assert len(results) == 8, results)"),
            "");
}

TEST_F(RaysBenchProgram, RefusesBadInputAndOptionsWithoutEffect) {
  for (const auto& [option, value] : std::vector<std::pair<std::string, std::string>>{{"--tables", "lines"},
                                                                                      {"--states", "new"},
                                                                                      {"--views", "top"},
                                                                                      {"--bounces", "65"},
                                                                                      {"--picture", "0"},
                                                                                      {"--edits", "0"},
                                                                                      {"--radius", "0"}})
    expect_failure(kBadUsage, "", {"rays", "cube.h5", option, value});
  expect_failure(kBadUsage, "no effect", {"rays", "cube.h5", "--states", "read", "--edits", "5"});
  expect_failure(kFailed, "missing.h5", {"rays", "missing.h5"});
}

}  // namespace
}  // namespace vox
