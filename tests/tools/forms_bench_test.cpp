// Tests vox-bench bricks, forms and rays with good and with bad input.
#include "tests/common/test_engine.h"
#include "tests/tools/program.h"

namespace vox {
namespace {

class BricksBench : public BricksProgram {
 protected:
  Finished bench(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(),
                     {"bricks", "ball_20x14x9_uint8.raw", "--device", test_device(), "-q"});
    return run_program("vox-bench", arguments, {.folder = folder_, .file_size_limit = {}});
  }
  // Runs the benchmark with little work and these further options.
  Finished quick(const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {
        "--brick-sizes", "4,8", "--sets",    "all,dense", "--filters", "3",         "--repetitions", "1",
        "--picture",     "32",  "--gathers", "1000",      "--access",  "direct,kd", "--trade-off",   "3"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return bench(arguments);
  }
};

size_t count_of(const std::string& text, const std::string& what) {
  size_t count = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

TEST_F(BricksBench, MeasuresEveryLoopOfEverySetByEveryWay) {
  const Finished run = quick({"--json", "--csv", "rows.csv"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(json_value(run.out, "dense_bytes"), "2520");
  // The rows are those of the array, and then of two sizes of two sets in two ways, each with a filter, two
  // gathers and a picture.
  const std::string csv = read_bytes(folder_ / "rows.csv");
  EXPECT_EQ(count_of(csv, "\n"), 1u + 4 + 2 * 2 * 2 * 4);
  EXPECT_EQ(count_of(csv, ",kd,"), 2u * 2 * 4);
  EXPECT_EQ(count_of(csv, ",mean,3,"), 1u + 2 * 2 * 2);
  EXPECT_EQ(count_of(run.out, "\"strategy\""), 2u * 5 * 3);
  EXPECT_EQ(count_of(run.out, "\"strategy\": \"slope\""), 2u * 3);
}

TEST_F(BricksBench, CompilesCodeAndSaysHowLongThatTook) {
  const Finished run =
      bench({"--brick-sizes", "8", "--sets", "four", "--filters", "3", "--repetitions", "1", "--picture",
             "16", "--gathers", "100", "--access", "jit", "--jit-budget", "50", "--json"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_NE(run.out.find("\"compiled\": 1,"), std::string::npos) << run.out;
  EXPECT_EQ(run.out.find("\"leaves\": 0,"), std::string::npos) << run.out;
}

TEST_F(BricksBench, WritesAReportAndAPageOfTheSame) {
  const Finished run = quick({"-o", "r.h5", "--html", "p.html"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_NE(run.out.find("G lookups/s"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find(" 8³ random"), std::string::npos) << run.out;
  const std::string page = read_bytes(folder_ / "p.html");
  for (const char* title : {"Mean filter of 3 × 3 × 3 voxels", "Voxels at random", "Rays through the volume",
                            "Memory against speed", "Sizes, and what it takes"})
    EXPECT_NE(page.find(title), std::string::npos) << title;
  EXPECT_EQ(page.find("<script"), std::string::npos);
  if (std::system("/usr/bin/python3 -c 'import h5py' > /dev/null 2>&1") != 0) GTEST_SKIP() << "no h5py";
  EXPECT_EQ(python("import h5py\n"
                   "f = h5py.File('r.h5')['bricks']\n"
                   "print(len(f['sets/bytes']), len(f['rows/ms']), len(f['trade_off/ms']), "
                   "f['rows/ms'].attrs['unit'].decode(), f['trade_off/bytes'].attrs['unit'].decode())"),
            "4 36 30 ms bytes\n");
}

TEST_F(BricksBench, PageShowsNoFaultsInABrowser) {
  if (!have_browser()) GTEST_SKIP() << "no chromium";
  const Finished run =
      bench({"--repetitions", "1", "--picture", "16", "--gathers", "100", "--access", "direct,kd",
             "--brick-sizes", "4,8,64", "--trade-off", "17", "--html", "p.html"});
  ASSERT_EQ(run.code, 0) << run.err;
  const PageLook look = look_at(folder_ / "p.html");
  EXPECT_EQ(look.faults, std::vector<std::string>{});
  EXPECT_EQ(look.charts, 3 + 2 + 1 + 3);  // filters, gathers, a picture; curves of three sizes
}

TEST_F(BricksBench, MeasuresTheMiddleOfAVolumeThatIsLarge) {
  const Finished run = quick({"--voxels", "300", "--json"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(json_value(run.out, "voxels"), "216");  // 9 x 6 x 4 of 20 x 14 x 9
  EXPECT_EQ(json_value(run.out, "volume_voxels"), "2520");
  EXPECT_EQ(json_value(run.out, "interrupted"), "false");
  EXPECT_NE(quick({"--voxels", "300"}).out.find("9 x 6 x 4 voxels of u8 in the middle of 20 x 14 x 9"),
            std::string::npos);
  EXPECT_EQ(json_value(quick({"--voxels", "0", "--json"}).out, "voxels"), "2520");
}

// This number of repetitions takes hours; the interrupt comes after some rows.
TEST_F(BricksBench, WritesWhatItHasWhenItIsInterrupted) {
  const Finished run =
      run_program("vox-bench",
                  {"bricks",
                   "ball_20x14x9_uint8.raw",
                   "--device",
                   test_device(),
                   "--access",
                   "direct",
                   "--filters",
                   "3",
                   "--gathers",
                   "1000",
                   "--picture",
                   "0",
                   "--repetitions",
                   "200",
                   "--trade-off",
                   "1000",
                   "-o",
                   "r.h5",
                   "--csv",
                   "r.csv",
                   "--html",
                   "p.html",
                   "--json"},
                  {.folder = folder_, .file_size_limit = {}, .interrupt_after = test_on_gpu() ? 15 : 2});
  EXPECT_EQ(run.code, kInterrupted) << run.err;
  EXPECT_TRUE(one_error(run, "interrupted", "vox-bench")) << run.err;
  EXPECT_EQ(json_value(run.out, "interrupted"), "true") << run.out;
  EXPECT_GE(count_of(read_bytes(folder_ / "r.csv"), "\n"), 2u);
  EXPECT_NE(read_bytes(folder_ / "p.html").find("Interrupted: what was measured"), std::string::npos);
  EXPECT_TRUE(exists("r.h5"));
}

TEST_F(BricksBench, RefusesWhatMakesNoSense) {
  for (const auto& [option, value, text] :
       {std::array<const char*, 3>{"--brick-sizes", "5", "powers of two from 4 to 512"},
        {"--sets", "some", "expected some of: dense, octree, list, four, all"},
        {"--access", "magic", "expected some of: array, direct, kd, jit"},
        {"--filters", "4", "expected 1, 3, 5"},
        {"--trade-off", "1", "2 to 1000"},
        {"--repetitions", "0", "--repetitions is 0, expected 1 or more"},
        {"--picture", "512,1024", "--picture is '512,1024', expected a whole number"},
        {"--trade-off", "2,3", "--trade-off is '2,3', expected a whole number"},
        {"--repetitions", "2-3", "--repetitions is '2-3', expected a whole number"},
        {"--jit-budget", "7,8", "--jit-budget is '7,8', expected a whole number"},
        {"--jit-budget", "0", "--jit-budget is 0, expected 1 or more"},
        {"-o", "r.txt", "ends in .h5"}}) {
    const Finished run = bench({option, value});
    EXPECT_EQ(run.code, 2) << option;
    EXPECT_TRUE(one_error(run, text, "vox-bench")) << run.err;
  }
}

TEST_F(BricksProgram, OptimizesForMemoryOrSpeedOrBetween) {
  const auto bytes = [&](const std::string& how) {
    const std::string json =
        converted({"ball_20x14x9_uint8.raw", "--brick-size", "4", "--optimize", how, "-o", "a.h5", "--json"});
    converted({"a.h5", "-o", "a.nrrd"});
    EXPECT_TRUE(values("a.nrrd") == ball(6)) << how;
    return std::stoi(json_value(json, "bricks.bytes"));
  };
  const int memory = bytes("memory"), speed = bytes("speed");
  EXPECT_LT(memory, speed);
  EXPECT_EQ(bytes("balanced=0"), memory);
  for (const char* how : {"balanced", "balanced=0.5", "balanced=1e9"}) {
    const int between = bytes(how);
    EXPECT_TRUE(memory <= between && between <= speed) << how;
  }
  for (const char* how : {"balanced=", "balanced=-1", "size"})
    EXPECT_EQ(run_program("vox-convert", {"ball_20x14x9_uint8.raw", "--optimize", how, "-o", "b.h5"},
                          {.folder = folder_, .file_size_limit = {}})
                  .code,
              2)
        << how;
}

// Tests vox-bench forms and vox-bench rays with good and with bad input.

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
