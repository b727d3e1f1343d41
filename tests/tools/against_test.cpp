// Tests vox-stats --against, which compares two scenes, with good input and bad.
#include "tests/tools/browser.h"
#include "tests/tools/page_tables.h"
#include "tests/tools/program.h"

namespace vox {
namespace {

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
  converted({"a.h5", "--structure", "bricks", "-o", "bricks.h5", "-q"});
  expect_failure(kFailed, "differ in their resolution: 24 in a.h5, 12 in coarse.h5",
                 {"a.h5", "--against", "coarse.h5"});
  expect_failure(kFailed, "differ in their voxel size", {"a.h5", "--against", "large.h5"});
  expect_failure(kFailed, "differ in their origin: 0, 0, 0 in a.h5, 1, 0, 0 in beside.h5",
                 {"a.h5", "--against", "beside.h5"});
  expect_failure(kFailed, "bricks alone", {"a.h5", "--against", "bricks.h5"});
  expect_failure(kFailed, "missing.h5", {"a.h5", "--against", "missing.h5"});
  expect_failure(kBadUsage, "would replace", {"a.h5", "--against", "b.h5", "-o", "b.h5"});
  expect_failure(kBadUsage, "would replace", {"a.h5", "--against", "b.h5", "--html", "a.h5"});
  expect_failure(kBadUsage, "ending in .h5", {"a.h5", "--against", "b.h5", "-o", "both.csv"});
  for (const std::string option : {"--only=scene", "--tables=all", "--load-factor=16", "--times", "--verify"})
    expect_failure(kBadUsage, "no effect", {"a.h5", "--against", "b.h5", option});
}

}  // namespace
}  // namespace vox
