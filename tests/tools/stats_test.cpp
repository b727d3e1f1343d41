// Tests vox-stats with good input and bad.

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "libvox/hash/table_options.h"
#include "tests/common/random.h"
#include "tests/common/test_engine.h"
#include "tests/tools/program.h"

namespace vox {
namespace {

class StatsProgram : public CubesTest {
 protected:
  StatsProgram() : CubesTest("vox-stats") {}
};

TEST_F(StatsProgram, ShowsEverySectionOnOnePage) {
  const std::string page = printed({"cube.h5", "--tables", "all"});
  size_t at = 0;
  for (const char* part :
       {"cube.h5: ", "\nScene\n", "\nMaterials\n", "\nDeduplication", "\nItem sizes\n",
        "\nUses of unique nodes\n", "\nSizes\n", "\nHash tables on ", "Nodes/Leaves Only"}) {
    const size_t found = page.find(part, at);
    ASSERT_NE(found, std::string::npos) << part << "\n" << page;
    at = found;
  }
  for (const std::string& table : hash::table_names())
    EXPECT_NE(page.find("\n  " + table + " ", at), std::string::npos);
  EXPECT_LT(std::count(page.begin(), page.end(), '\n'), 90);
}

TEST_F(StatsProgram, ShowsOnlyWhatIsAsked) {
  const std::string memory = printed({"cube.h5", "--only", "memory"});
  EXPECT_NE(memory.find("Nodes/Leaves Only"), std::string::npos);
  EXPECT_EQ(memory.find("Scene"), std::string::npos);
  EXPECT_EQ(memory.find("Deduplication"), std::string::npos);
  for (const std::vector<std::string>& two :
       {std::vector<std::string>{"--only", "scene,sizes"}, {"--only", "scene", "--only", "sizes"}}) {
    std::vector<std::string> arguments = {"cube.h5"};
    arguments.insert(arguments.end(), two.begin(), two.end());
    const std::string page = printed(arguments);
    EXPECT_NE(page.find("\nScene\n"), std::string::npos);
    EXPECT_NE(page.find("\nSizes\n"), std::string::npos);
    EXPECT_EQ(page.find("Materials"), std::string::npos);
    EXPECT_EQ(page.find("Hash tables"), std::string::npos);
  }
}

TEST_F(StatsProgram, JsonHasTheKeysThatScriptsRelyOn) {
  const std::string json = printed({"cube.h5", "--json", "--load-factor", "16,96", "--times"});
  const std::string info = converted({"cube.h5", "--info", "--json"});
  EXPECT_EQ(json_value(json, "scene.digest"), json_value(info, "digest"));
  EXPECT_EQ(json_value(json, "scene.voxels"), json_value(info, "voxels"));
  EXPECT_EQ(json_value(json, "levels.svo_nodes"), "1");
  EXPECT_EQ(json_value(json, "levels.unique_nodes"), "1");
  for (const std::string& table : hash::table_names()) {
    for (const char* key : {"items_bytes", "total_bytes", "allocated_bytes", "buckets", "slabs",
                            "build_seconds", "prediction.total_bytes", "levels.find_seconds"})
      EXPECT_NE(json_value(json, "tables." + table + "." + key), "") << table << " " << key;
    EXPECT_EQ(json_value(json, "tables." + table + ".load_factor"), "16");
    EXPECT_EQ(json_value(json, "tables." + table + ".load_factors.load_factor"), "16");
  }
  if (access("/usr/bin/python3", X_OK) != 0) return;
  write("result.json", json);
  EXPECT_EQ(python(R"(
import json
r = json.load(open('result.json'))
for name, table in r['tables'].items():
    assert [t['load_factor'] for t in table['load_factors']] == [16, 96], name
    assert table['total_bytes'] == table['load_factors'][0]['total_bytes']
    assert table['items_bytes'] <= table['total_bytes'] <= table['allocated_bytes']
    assert table['items_bytes'] == sum(s['items_bytes'] for s in table['sizes'])
    assert [l['items'] for l in table['levels']] == [l['unique_nodes'] for l in r['levels']]
assert sum(m['voxels'] for m in r['scene']['materials']) == r['scene']['voxels']
nodes = [sum(l[name] for l in r['levels']) for name in ('svo_nodes', 'unique_nodes')]
assert abs(r['scene']['dedup'] * nodes[1] / nodes[0] - 1) < 1e-9 and r['scene']['dedup'] > 1
assert r['levels'][-1]['side'] == 4 and 'geometry' in r['levels'][0]
assert r['scene']['dag_bytes'] == sum(l['bytes'] for l in r['levels']) == r['sizes']['svdag']['bytes']
print('good')
)"),
            "good\n");
}

TEST_F(StatsProgram, GeometryOnlyIsTheSceneWithoutMaterials) {
  const std::string with = printed({"cube.h5", "--json", "--only", "levels,sizes"});
  const std::string without = printed({"bare.h5", "--json", "--only", "levels,sizes"});
  EXPECT_EQ(json_value(with, "sizes.svdag_geometry.bytes"), json_value(without, "sizes.svdag.bytes"));
  EXPECT_EQ(json_value(with, "sizes.pointer_octree_geometry.bytes"),
            json_value(without, "sizes.pointer_octree.bytes"));
  EXPECT_EQ(json_value(without, "sizes.svdag_geometry.bytes"), "");
  EXPECT_EQ(json_value(without, "sizes.dense_materials.bytes"), "");
}

TEST_F(StatsProgram, TablesWithoutMaterialsAreThoseOfASceneThatHasNone) {
  const std::string with = printed({"cube.h5", "--json", "--only", "memory", "--geometry"});
  const std::string without = printed({"bare.h5", "--json", "--only", "memory"});
  for (const std::string& table : hash::table_names())
    for (const char* key : {"items", "items_bytes", "total_bytes", "slabs"})
      EXPECT_EQ(json_value(with, "tables_geometry." + table + "." + key),
                json_value(without, "tables." + table + "." + key))
          << table << " " << key;
  const std::string text = printed({"cube.h5", "--only", "memory", "--geometry"});
  EXPECT_LT(text.find("Hash tables on"), text.find("The same without materials")) << text;
  expect_failure(kFailed, "no materials", {"bare.h5", "--only", "memory", "--geometry"});
  expect_failure(kBadUsage, "--geometry", {"cube.h5", "--only", "sizes", "--geometry"});
}

// Files of SymVox are written by other code, which finds mirrored nodes on its own.
TEST_F(StatsProgram, CompressionCountsTheNodesAndBytesOfFilesWithoutPlaces) {
  for (const char* file : {"cube.svdag", "cube.ussvdag"})
    ASSERT_EQ(convert({"cube.h5", "-q", "-o", file}).code, 0) << file;
  write("result.json", printed({"cube.h5", "--only", "compression", "--json"}));
  EXPECT_EQ(python(R"(
import json, struct
c = json.load(open('result.json'))['compression']
forms, levels = c['forms'], c['levels']
def symvox(name):
    bytes = open(name, 'rb').read()
    _, nodes, first_leaf, words = struct.unpack('<4I', bytes[28:44])
    assert len(bytes) == 44 + 4 * words
    return nodes, words - first_leaf, 4 * words
nodes, blocks, bytes = symvox('cube.svdag')
assert (forms['svdag_2']['nodes'], forms['svdag_2']['bytes']) == (nodes, bytes)
assert forms['svdag_4']['nodes'] == nodes - blocks and forms['svdag_4']['to_svdag'] == 1
nodes, blocks, bytes = symvox('cube.ussvdag')
assert forms['ussvdag']['nodes'] == nodes - blocks
for name, form in ('plain', 'esvdag'), ('mirrored', 'ssvdag'), ('symmetric', 'symmetric_encoded'):
    assert sum(l[name]['nodes'] for l in levels) == forms[form]['nodes']
    assert sum(l[name]['encoded_bytes'] for l in levels) == forms[form]['bytes']
assert forms['stream_deflated']['bytes'] > 0
materials = c['materials']
assert materials['nibbles']['bytes'] > materials['entropy']['bytes'] >= materials['entropy_after']['bytes']
assert all(m['with_svdag'] == m['bytes'] + forms['svdag_4']['bytes'] for m in materials.values())
print('good')
)"),
            "good\n");
  EXPECT_EQ(printed({"bare.h5", "--only", "compression"}).find("Materials"), std::string::npos);
  // It is no section of its own accord, and colors make no difference.
  EXPECT_EQ(printed({"cube.h5"}).find("Geometry in every form"), std::string::npos);
  EXPECT_EQ(
      json_value(printed({"cube.h5", "--only", "compression", "--json"}), "compression.forms.ssvdag.bytes"),
      json_value(printed({"bare.h5", "--only", "compression", "--json"}), "compression.forms.ssvdag.bytes"));
}

TEST_F(StatsProgram, CompressionOverResolutionsIsThatOfEachScene) {
  const Finished bench = run_program(
      "vox-bench",
      {"compression", "cube.h5", "--res", "16,64", "--json", "--csv", "rows.csv", "--html", "bench.html"},
      {.folder = folder_, .file_size_limit = {}});
  ASSERT_EQ(bench.code, 0) << bench.err;
  write("bench.json", bench.out);
  ASSERT_EQ(convert({"cube.h5", "--res", "16", "-q", "-o", "coarse.h5"}).code, 0);
  write("16.json", printed({"coarse.h5", "--only", "compression", "--json"}));
  write("64.json", printed({"cube.h5", "--only", "compression", "--json", "--html", "page.html"}));
  EXPECT_EQ(python(R"(
import json
rows = json.load(open('bench.json'))['rows']
for res in 16, 64:
    forms = json.load(open('%d.json' % res))['compression']['forms']
    here = {r['form']: r for r in rows if r['resolution'] == res}
    assert set(here) == set(forms)
    for name, form in forms.items():
        assert all(here[name][key] == form[key] for key in ('nodes', 'bytes', 'bits_per_voxel')), (res, name)
assert len(open('rows.csv').read().splitlines()) == len(rows) + 1
assert 'DAGs: bits for each filled voxel' in open('bench.html').read()
assert 'What symmetries save' in open('page.html').read()
print('good')
)"),
            "good\n");
}

TEST_F(StatsProgram, WritesAReportThatH5pyReads) {
  EXPECT_NE(printed({"cube.h5", "-o", "report.h5", "--load-factor", "96,16"}), "");
  ASSERT_TRUE(exists("report.h5"));
  if (std::system("/usr/bin/python3 -c 'import h5py' > /dev/null 2>&1") != 0) GTEST_SKIP() << "no h5py";
  EXPECT_EQ(python(R"(
import h5py
f = h5py.File('report.h5')
assert f.attrs['format'] == b'vox-report' and f.attrs['tool'] == b'vox-stats'
s = f['scene'].attrs
assert s['resolution'] == 64 and s['resolution_unit'] == b'voxels' and len(s['digest']) == 32
assert sorted(f) == ['inputs', 'levels', 'levels_geometry', 'machine', 'materials', 'scene', 'sizes', 'tables']
assert f['scene/filled/end'][:].tolist() == [64, 64, 64]
assert f['materials/voxels'][:].sum() == s['voxels']
l = f['levels']
assert l['side'][:].tolist() == [64, 32, 16, 8, 4] and l['side'].attrs['unit'] == b'voxels'
assert (l['unique_nodes'][:] <= l['svo_nodes'][:]).all()
assert sum(l['item_sizes'][n][:].sum() for n in l['item_sizes']) == l['unique_nodes'][:].sum()
for uses in 'pointers', 'places':
    bins = [n for n in l[uses] if n.startswith('from_')]
    assert sum(l[uses][n][:].sum() for n in bins) == l['unique_nodes'][:].sum()
for name in f['tables']:
    for factor in 96, 16:
        t = f['tables'][name]['load_factor_%d' % factor]
        assert t.attrs['load_factor'] == factor and t.attrs['build_seconds_unit'] == b's'
        m = t['measured']
        assert m['total_bytes'][:].sum() == t.attrs['total_bytes']
        assert m['allocated_bytes'][:].sum() == t.attrs['allocated_bytes']
        assert t['predicted/item_words'][:].tolist() == m['item_words'][:].tolist()
        assert t['levels/items'][:].tolist() == l['unique_nodes'][:].tolist()
        assert m['items'].attrs['unit'] == b'items'
print('good')
)"),
            "good\n");
}

TEST_F(StatsProgram, ReadsEachTableBackWithVerify) {
  printed({"cube.h5", "--only", "memory", "--verify", "--tables", "all", "--load-factor", "1,4096"});
  printed({"bare.h5", "--verify"});
}

TEST_F(StatsProgram, AnEmptySceneIsMeasuredToo) {
  EXPECT_EQ(convert({"cube.obj", "--res", "64", "--clip", "5,5,5,6,6,6", "-q", "-o", "empty.h5"}).code, 0);
  const std::string json = printed({"empty.h5", "--json", "--times", "-o", "report.h5"});
  EXPECT_EQ(json_value(json, "scene.voxels"), "0");
  EXPECT_EQ(json_value(json, "tables.accel8.total_bytes"), "0");
  EXPECT_NE(printed({"empty.h5"}).find("Nodes/Leaves Only"), std::string::npos);
}

TEST_F(StatsProgram, RefusesACommandLineThatMakesNoSense) {
  for (const char* factor : {"0", "-1", "abc", "", "4097", "16,0", "1.5"})
    expect_failure(kBadUsage, "--load-factor", {"cube.h5", "--load-factor", factor});
  for (const char* tables : {"round", "all,round", "", "Accel8"})
    expect_failure(kBadUsage, "--tables", {"cube.h5", "--tables", tables});
  for (const char* section : {"everything", "", "scene,everything"})
    expect_failure(kBadUsage, "--only", {"cube.h5", "--only", section});
  expect_failure(kBadUsage, "--tables", {"cube.h5", "--only", "levels", "--tables", "all"});
  expect_failure(kBadUsage, "--load-factor", {"cube.h5", "--only", "levels", "--load-factor", "96"});
  expect_failure(kBadUsage, "scene file", {});
  expect_failure(kBadUsage, "several files", {"cube.h5", "bare.h5"});
  expect_failure(kBadUsage, "--against", {"cube.h5", "bare.h5", "--only", "bricks", "--against", "cube.h5"});
  expect_failure(kFailed, "cube.h5: the file has no bricks", {"cube.h5", "bare.h5", "--only", "bricks"});
  expect_failure(kBadUsage, "frobnicate", {"cube.h5", "--frobnicate"});
  expect_failure(kBadUsage, "cube.h5", {"cube.h5", "-o", "cube.h5"});
}

TEST_F(StatsProgram, RefusesMaterialsOfASceneThatHasNone) {
  expect_failure(kFailed, "no materials", {"bare.h5", "--only", "materials", "-o", "report.h5"});
  EXPECT_EQ(printed({"bare.h5"}).find("Materials"), std::string::npos);
}

TEST_F(StatsProgram, RefusesFilesThatAreNoScenes) {
  write("text.h5", "no scene file");
  std::filesystem::create_directory(folder_ / "folder.h5");
  printed({"cube.h5", "--only", "scene", "-o", "report.h5"});
  for (const char* name : {"text.h5", "missing.h5", "folder.h5", "cube.obj", "report.h5"})
    expect_failure(kFailed, name, {name, "-o", "other.h5"});
}

TEST_F(StatsProgram, NeverLeavesAPartialReport) {
  std::filesystem::create_directory(folder_ / "folder.h5");
  write("old.h5", "kept");
  for (const char* target : {"folder.h5", "missing/report.h5", "cube.obj/report.h5", "/proc/report.h5"})
    expect_failure(kFailed, target, {"cube.h5", "-o", target});
  for (const char* target : {".", "report.pdf"})
    expect_failure(kBadUsage, "expected a report, ending in .h5", {"cube.h5", "-o", target});
  for (const char* target : {"report.h5", "old.h5"}) {
    expect_failure(kFailed, target, {"cube.h5", "-q", "-o", target, "--force"},
                   {.folder = {}, .file_size_limit = 4000});
    expect_failure(kFailed, "table accel8, load factor 96: out of memory",
                   {"cube.h5", "-o", target, "--force", "--only", "memory", "--tables", "accel8",
                    "--memory-limit", "1K"});
  }
}

TEST_F(StatsProgram, FlippedBytesOfASceneFileNeverCrashIt) {
  const std::string whole = read_bytes(folder_ / "cube.h5");
  uint64_t random = 2;
  int failures = 0;
  for (uint32_t i = 0; i < 10 + 3 * kThoroughness; ++i) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    std::string flipped = whole;
    flipped[(random >> 33) % whole.size()] ^= static_cast<char>(1 + (random >> 20) % 255);
    write("flipped.h5", flipped);
    const Finished run = ran({"flipped.h5"});
    EXPECT_TRUE(run.code == 0 || run.code == kFailed) << "code " << run.code << ", signal " << run.signal;
    failures += run.code != 0;
  }
  EXPECT_GT(failures, 0);
}

// Tests vox-stats --against, which compares two scenes, with good input and bad.

// a.h5 and b.h5 are boxes with materials of their own on one grid of 24³; c.h5 is b.h5 without materials.
class AgainstProgram : public ProgramTest {
 protected:
  AgainstProgram() : ProgramTest("vox-stats") {}
  void SetUp() override {
    ProgramTest::SetUp();
    if (folder_.empty()) return;
    write("cube.obj", cube_obj());
    converted({"cube.obj", "--res", "24", "-o", "cube.h5", "-q"});
    converted({"cube.obj", "--res", "24", "--materials", "none", "-o", "bare.h5", "-q"});
    make("cube.h5", "box add min 0,0,0 max 10,11,12 material 1\nbox add min 2,2,2 max 5,5,5 material 3\n",
         "a.h5");
    make("cube.h5", "box add min 4,1,3 max 24,24,24 material 2\nbox add min 0,0,0 max 5,2,4 material 5\n",
         "b.h5");
    make("bare.h5", "box add min 4,1,3 max 24,24,24\nbox add min 0,0,0 max 5,2,4\n", "c.h5");
  }
  // Writes a scene that contains only what the script adds.
  void make(const std::string& scene, const std::string& script, const std::string& output) const {
    write("make.txt", "clear\n" + script);
    edit(scene, "make.txt", output);
  }
  void edit(const std::string& scene, const std::string& script, const std::string& output) const {
    const Finished run = run_program("vox-edit", {scene, "--script", script, "-o", output, "-q"},
                                     {.folder = folder_, .file_size_limit = {}});
    EXPECT_EQ(run.code, 0) << run.err;
  }
};

TEST_F(AgainstProgram, SaysWhatBothFillAndWhatIsInOneAlone) {
  const std::string text = printed({"a.h5", "--against", "b.h5"});
  // The common voxels are the box from 4,1,3 to 10,11,12, and the part of 0,0,0 to 5,2,4 outside it.
  const uint64_t both = 6 * 10 * 9 + 5 * 2 * 4 - 1 * 1 * 1, a = 10 * 11 * 12;
  for (const std::string& part :
       {"a.h5 against b.h5: " + std::to_string(both) + " voxels in both, in 24³",
        "only in a.h5    " + std::to_string(a - both) + ", ", std::string("x 0 to 9, y 0 to 10, z 0 to 11"),
        std::string("in scene units  x 0 to 0.416667, y 0 to 0.458333, z 0 to 0.5"),
        std::string("Of both, by the materials of a.h5\n"),
        std::string("Of both, by the materials of b.h5\n")})
    EXPECT_TRUE(has(text, part)) << part << "\n" << text;
}

TEST_F(AgainstProgram, SharesOfEitherAddUp) {
  write("result.json", printed({"a.h5", "--against", "b.h5", "--json"}));
  write("mixed.json", printed({"a.h5", "--against", "c.h5", "--json"}));
  EXPECT_EQ(python(R"(
import json
for name in 'result', 'mixed':
    r = json.load(open(name + '.json'))
    for scene in r['first'], r['second']:
        assert scene['voxels'] == scene['only'] + r['both']['voxels']
        if name == 'mixed' and scene == r['second']:
            assert 'materials' not in scene
            continue
        assert sum(m['voxels'] for m in scene['materials']) == r['both']['voxels']
        assert sum(m['scene_voxels'] for m in scene['materials']) == scene['voxels']
        assert all(m['voxels'] <= m['scene_voxels'] for m in scene['materials'])
    assert r['both']['voxels'] == 579 and r['first']['materials'][3]['scene_voxels'] == 27
    assert r['first']['materials'][3]['voxels'] == 1 * 3 * 2  # x 4, y 2 to 4, z 3 and 4
    assert r['both']['filled'] == {'min': [0, 0, 0], 'end': [10, 11, 12]}
    assert all(abs(end / 24 - most) < 1e-12 for end, most in zip((10, 11, 12), r['both']['box']['max']))
print('good')
)"),
            "good\n");
}

TEST_F(AgainstProgram, WritesTheSceneThatTheBooleanOfEditsMakes) {
  printed({"a.h5", "--against", "b.h5", "-o", "both.h5"});
  EXPECT_TRUE(has(converted({"both.h5", "--verify"}), "both.h5: correct"));
  write("intersect.txt", "intersect b.h5\n");
  edit("a.h5", "intersect.txt", "edited.h5");
  EXPECT_EQ(digest("both.h5"), digest("edited.h5"));
  const std::string json = printed({"a.h5", "--against", "b.h5", "--json"});
  EXPECT_EQ(json_value(json, "both.digest"), digest("both.h5"));
  // The common voxels, compared with either scene, are the common voxels.
  EXPECT_EQ(json_value(printed({"both.h5", "--against", "b.h5", "--json"}), "first.only"), "0");
}

TEST_F(AgainstProgram, TakesFilesThatHoldASpatialHashAlone) {
  for (const std::string name : {"a", "b"})
    converted({name + ".h5", "--structure", "hash", "-o", name + "hash.h5", "-q"});
  const std::string hashes = printed({"ahash.h5", "--against", "bhash.h5", "--json"});
  EXPECT_EQ(json_value(hashes, "both.digest"),
            json_value(printed({"a.h5", "--against", "b.h5", "--json"}), "both.digest"));
}

TEST_F(AgainstProgram, NumbersOfThePageAreThoseOfTheJson) {
  write("result.json", printed({"a.h5", "--against", "b.h5", "--json", "--html", "page.html"}));
  EXPECT_EQ(python(kReadTables + std::string(R"(
result = json.load(open('result.json'))
for side in 'first', 'second':
    for i, material in enumerate(result[side]['materials']):
        row = table('Materials, ' + side)[str(i)]
        assert row['voxels'] == count(material['voxels']), row
        assert row['in the scene'] == count(material['scene_voxels']), row
print('good')
)")),
            "good\n");
  make("a.h5", "", "nothing.h5");
  printed({"nothing.h5", "--against", "b.h5", "--html", "empty.html"});
  EXPECT_TRUE(has(read_bytes(folder_ / "empty.html"), "there is nothing to see"));
  if (!have_browser()) GTEST_SKIP() << "no chromium";
  const PageLook look = look_at(folder_ / "page.html");
  EXPECT_EQ(look.faults, std::vector<std::string>{});
  EXPECT_EQ(look.charts, 2);
  EXPECT_EQ(look.pictures, 1);
}

TEST_F(AgainstProgram, RefusesScenesOfTwoGridsAndOptionsWithoutEffect) {
  converted({"cube.obj", "--res", "12", "-o", "coarse.h5", "-q"});
  converted({"cube.obj", "--res", "24", "--clip", "0,0,0,2,2,2", "-o", "large.h5", "-q"});
  converted({"cube.obj", "--res", "24", "--clip", "1,0,0,2,1,1", "-o", "beside.h5", "-q"});
  converted({"a.h5", "-o", "a.nrrd", "-q"});
  converted({"a.nrrd", "-o", "bricks.h5", "-q"});
  expect_failure(kFailed, "differ in their resolution: 24 in a.h5, 12 in coarse.h5",
                 {"a.h5", "--against", "coarse.h5"});
  expect_failure(kFailed, "differ in their voxel size", {"a.h5", "--against", "large.h5"});
  expect_failure(kFailed, "differ in their origin: 0, 0, 0 in a.h5, 1, 0, 0 in beside.h5",
                 {"a.h5", "--against", "beside.h5"});
  expect_failure(kFailed, "the bricks of a volume alone", {"a.h5", "--against", "bricks.h5"});
  expect_failure(kFailed, "missing.h5", {"a.h5", "--against", "missing.h5"});
  expect_failure(kBadUsage, "would replace", {"a.h5", "--against", "b.h5", "-o", "b.h5"});
  expect_failure(kBadUsage, "would replace", {"a.h5", "--against", "b.h5", "--html", "a.h5"});
  expect_failure(kBadUsage, "ending in .h5", {"a.h5", "--against", "b.h5", "-o", "both.csv"});
  for (const std::string option : {"--only=scene", "--tables=all", "--load-factor=16", "--times", "--verify"})
    expect_failure(kBadUsage, "no effect", {"a.h5", "--against", "b.h5", option});
}

}  // namespace
}  // namespace vox
