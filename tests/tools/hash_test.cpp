// Tests the tools with spatial hashes of scenes.
#include "tests/tools/program.h"

namespace vox {
namespace {

class HashProgram : public CubesTest {};

TEST_F(HashProgram, PutsASpatialHashBesideTheSceneOrAlone) {
  const std::string voxels = json_value(converted({"cube.h5", "--info", "--json"}), "voxels"),
                    before = digest("cube.h5");
  for (const std::string structure : {"svdag,hash", "hash", "both,hash", "bricks,hash"})
    for (const std::string layout : {"morton", "linear"}) {
      const std::string json = converted({"cube.h5", "--structure", structure, "--key-layout", layout,
                                          "--load-factor", "0.8", "-o", "a.h5", "--verify", "--json"});
      EXPECT_EQ(json_value(json, "verified"), "true");
      EXPECT_EQ(json_value(json, "hash.layout"), '"' + layout + '"');
      EXPECT_NEAR(std::stod(json_value(json, "hash.load_factor")), 0.8, 0.01);
      EXPECT_NEAR(std::stod(json_value(json, "hash.bytes")), std::stod(voxels) * 8 / 0.8, 2000);
      EXPECT_EQ(digest("a.h5"), before);
      EXPECT_NE(converted({"--verify", "a.h5"}).find("a.h5: correct: "), std::string::npos);
      EXPECT_NE(converted({"a.h5", "--info"}).find("as a spatial hash of "), std::string::npos);
    }
}

TEST_F(HashProgram, OfAMeshIsThatOfItsScene) {
  write("cube.obj", cube_obj());
  for (const std::string materials : {"texture", "none"}) {
    const std::string json = converted({"cube.obj", "--res", "40", "--structure", "svdag,hash", "--materials",
                                        materials, "-o", "mesh.h5", "--verify", "--json"});
    EXPECT_EQ(json_value(json, "verified"), "true");
    converted({"cube.obj", "--res", "40", "--materials", materials, "-o", "dag.h5"});
    converted({"dag.h5", "--structure", "hash", "-o", "hash.h5"});
    EXPECT_EQ(python(R"(
import h5py
a, b = (h5py.File(name)['hash'] for name in ('mesh.h5', 'hash.h5'))
print(all((a[name][()] == b[name][()]).all() for name in a), dict(a.attrs) == dict(b.attrs))
)"),
              "True True\n");
  }
}

TEST_F(HashProgram, AFileWithoutAnSvdagIsUsedAsOneWithIt) {
  converted({"cube.h5", "--structure", "hash", "-o", "hash.h5"});
  EXPECT_EQ(digest("hash.h5"), digest("cube.h5"));
  for (const std::string extension : {"nrrd", "vox", "binvox"}) {
    converted({"cube.h5", "-o", "a." + extension});
    converted({"hash.h5", "-o", "b." + extension});
    EXPECT_TRUE(read_bytes(folder_ / ("a." + extension)) == read_bytes(folder_ / ("b." + extension)));
  }
  converted({"hash.h5", "--structure", "svdag", "-o", "dag.h5"});
  EXPECT_NE(converted({"--verify", "dag.h5"}).find("correct"), std::string::npos);
  converted({"hash.h5", "--res", "32", "-o", "coarse.h5"});
  converted({"cube.h5", "--res", "32", "-o", "expected.h5"});
  EXPECT_EQ(digest("coarse.h5"), digest("expected.h5"));
}

TEST_F(HashProgram, VerifyNamesTheFirstVoxelThatDiffers) {
  converted({"cube.h5", "--structure", "svdag,hash", "-o", "both.h5"});
  const std::string text = python(R"(
import h5py, numpy
file = h5py.File('both.h5', 'r+')
cells = file['hash/cells'][()]
keys = numpy.sort(cells[cells != 2 ** 64 - 1])
chosen = [keys[i] for i in (900, 400, 700)]
for cell in chosen: cells[cells == cell] ^= numpy.uint64(1)
file['hash/cells'][...] = cells
first = int(min(chosen))
x, y, z = (sum((first >> 4 + 3 * i + axis & 1) << i for i in range(20)) for axis in range(3))
print('voxel ({}, {}, {}) is of material {} in the spatial hash, but of material {} in the SVDAG'.format(
    x, y, z, (first ^ 1) & 15, first & 15), end='')
)");
  expect_failure(kFailed, "both.h5: " + text, {"both.h5", "--verify"});
}

TEST_F(HashProgram, SaysWhatIsWrong) {
  converted({"cube.h5", "--structure", "hash", "-o", "hash.h5"});
  for (const auto& [text, arguments] : std::vector<std::pair<std::string, std::vector<std::string>>>{
           {"--structure is 'hush'", {"cube.h5", "--structure", "hush"}},
           {"--load-factor is 0, expected above 0 and at most 1",
            {"cube.h5", "--structure", "hash", "--load-factor", "0"}},
           {"--load-factor is 1.5", {"cube.h5", "--structure", "hash", "--load-factor", "1.5"}},
           {"--key-layout is 'x'", {"cube.h5", "--structure", "hash", "--key-layout", "x"}},
           {"--load-factor has no effect", {"cube.h5", "--structure", "both", "--load-factor", "0.8"}},
           {"--key-layout has no effect", {"cube.h5", "-o", "a.vox", "--key-layout", "morton"}},
           {"the spatial hash would replace 'cube.h5'", {"cube.h5", "--structure", "hash", "-o", "cube.h5"}},
           {"a scene file needs -o", {"cube.h5", "--structure", "svdag", "-o", "a.h5"}}})
    expect_failure(kBadUsage, text, arguments);
}

class HashStats : public CubesTest {
 protected:
  HashStats() : CubesTest("vox-stats") {}
};

TEST_F(HashStats, ListsTheHashBesideTheOtherForms) {
  converted({"cube.h5", "--structure", "both,hash", "-o", "all.h5"});
  converted({"cube.h5", "--structure", "hash", "-o", "hash.h5"});
  const std::string json = printed({"all.h5", "--json", "--only", "sizes,bricks", "-o", "report.h5"});
  write("stats.json", json);
  EXPECT_EQ(python(R"(
import h5py, json
file, report = h5py.File('all.h5'), h5py.File('report.h5')
size = 8 * file['hash/cells'].size
forms = dict(zip(report['bricks/forms/name'][()], report['bricks/forms/bytes'][()]))
sizes = dict(zip(report['sizes/name'][()], report['sizes/bytes'][()]))
stats = json.load(open('stats.json'))
print(stats['sizes']['hash']['bytes'] == size, forms[b'hash'] == size, sizes[b'hash'] == size)
print([form['name'] for form in stats['bricks']['forms']],
      [form['bytes'] for form in stats['bricks']['forms']] == list(report['bricks/forms/bytes'][()]),
      all(form['bits_per_voxel'] == 8 * form['bytes'] / stats['scene']['voxels'] for form in stats['bricks']['forms']))
)"),
            "True True True\n['bricks', 'svdag', 'hash'] True True\n");
  EXPECT_NE(printed({"all.h5", "--only", "sizes"}).find("spatial hash"), std::string::npos);
  EXPECT_NE(printed({"all.h5", "--only", "bricks"}).find("spatial hash"), std::string::npos);
  printed({"all.h5", "--only", "sizes,bricks", "--html", "page.html"});
  EXPECT_NE(read_bytes(folder_ / "page.html").find("spatial hash"), std::string::npos);
  EXPECT_EQ(json_value(printed({"hash.h5", "--json", "--only", "sizes"}), "sizes.hash.bytes"),
            json_value(json, "sizes.hash.bytes"));
}

class HashEdit : public CubesTest {
 protected:
  HashEdit() : CubesTest("vox-edit") {}
};

TEST_F(HashEdit, LeavesTheHashOutWithALine) {
  write("script.txt", "box add min 20,20,20 max 24,24,24 material 3\n");
  printed({"cube.h5", "-s", "script.txt", "-o", "expected.h5"});
  for (const char* structure : {"svdag,hash", "hash"}) {
    converted({"cube.h5", "--structure", structure, "-o", "with.h5"});
    const Finished run = ran({"with.h5", "-s", "script.txt", "-o", "edited.h5"});
    EXPECT_EQ(run.code, 0);
    EXPECT_NE(run.err.find("the spatial hash of with.h5 is left out"), std::string::npos) << run.err;
    EXPECT_EQ(digest("edited.h5"), digest("expected.h5"));
    EXPECT_NE(converted({"--verify", "edited.h5"}).find("correct"), std::string::npos);
  }
}

}  // namespace
}  // namespace vox
