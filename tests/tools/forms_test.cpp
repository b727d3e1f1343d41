// Tests the tools with other forms of scenes: spatial hashes, symmetric and lossy scenes, and all forms of stored
// words.
#include <set>

#include "formats/images/image.h"
#include "tests/formats/scene/scene_file_fixture.h"
#include "tests/tools/program.h"

namespace vox {
namespace {

// Tests files that hold bricks and no other form.

class BricksAlone : public CubesTest {
 protected:
  // Runs another program on the CPU, expects success, and returns what it printed.
  std::string run(const std::string& program, std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--device", "cpu"});
    const Finished finished = run_program(program, arguments, {.folder = folder_, .file_size_limit = {}});
    EXPECT_EQ(finished.code, 0) << finished.err;
    return finished.out;
  }
};

// A file of another program and a scene file that are made of bricks are those that are made of the scene.
TEST_F(BricksAlone, OfASceneAreAScene) {
  converted({"cube.h5", "--structure", "bricks", "-o", "bricks.h5"});
  converted({"bricks.h5", "--structure", "bricks", "--brick-root", "sparse", "--brick-size", "8", "-o",
             "sparse.h5"});
  for (const std::string from : {"bricks.h5", "sparse.h5"}) {
    converted({from, "-o", "scene.h5"});
    EXPECT_EQ(digest("scene.h5"), digest("cube.h5"));
    const dag::VoxelScene made = read_scene(folder_ / "scene.h5"), scene = read_scene(folder_ / "cube.h5");
    EXPECT_EQ(made.origin, scene.origin);
    EXPECT_EQ(made.voxel_size.sides(), scene.voxel_size.sides());
    EXPECT_EQ(made.palette.names, scene.palette.names);
    EXPECT_EQ(made.source, scene.source);
    for (const std::string name : {"a.vox", "a.schem", "a.npz"}) {
      converted({"cube.h5", "-o", "expected-" + name});
      converted({from, "-o", name});
      EXPECT_TRUE(read_bytes(folder_ / name) == read_bytes(folder_ / ("expected-" + name))) << name;
    }
    for (const std::vector<std::string>& options :
         std::vector<std::vector<std::string>>{{"--res", "32"},
                                               {"--clip", "0,0,0,0.5,0.5,0.5"},
                                               {"--fill", "outside", "--seed", "0.5,0.5,0.5"},
                                               {"--structure", "both"},
                                               {"--structure", "hash", "--verify"}}) {
      std::vector<std::string> expected = {"cube.h5", "-o", "expected.h5"}, found = {from, "-o", "found.h5"};
      expected.insert(expected.end(), options.begin(), options.end());
      found.insert(found.end(), options.begin(), options.end());
      converted(expected);
      converted(found);
      EXPECT_EQ(digest("found.h5"), digest("expected.h5")) << options[0];
    }
  }
  EXPECT_NE(run("vox-stats", {"bricks.h5", "--only", "scene"}).find("64³"), std::string::npos);
  write("add.txt", "units voxels\nsphere add center 20,20,20 radius 9 material 0\n");
  for (const std::string name : {"cube", "bricks"})
    run("vox-edit", {name + ".h5", "--script", "add.txt", "-o", name + "-edited.h5"});
  EXPECT_EQ(digest("bricks-edited.h5"), digest("cube-edited.h5"));
  EXPECT_NE(converted({"bricks-edited.h5", "--verify"}).find("correct"), std::string::npos);
  for (const std::string name : {"cube", "bricks"}) {
    write("join.txt", "union " + name + ".h5 at 3,3,3\n");
    run("vox-edit", {"cube.h5", "--script", "join.txt", "-o", name + "-joined.h5"});
  }
  EXPECT_EQ(digest("bricks-joined.h5"), digest("cube-joined.h5"));
}

TEST_F(BricksAlone, OfAVolumeAreNoScene) {
  write("ball_20x14x9_uint8.raw", ball(6));
  converted({"ball_20x14x9_uint8.raw", "-o", "ball.h5"});
  expect_failure(kBadUsage, "a scene is made of the .nrrd file", {"ball.h5", "-o", "a.vox"});
}

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

// Tests the tools with the symmetric form of scenes.

class SymmetricProgram : public CubesTest {};

TEST_F(SymmetricProgram, IsWrittenAloneOrBesideOtherStructures) {
  write("cube.obj", cube_obj());
  converted({"cube.obj", "--res", "90", "--materials", "none", "-o", "plain.h5"});
  const std::string before = digest("plain.h5");
  for (const std::string structure : {"symmetric", "svdag,symmetric", "both,symmetric", "symmetric,hash"}) {
    const std::string json =
        converted({"plain.h5", "--structure", structure, "-o", "a.h5", "--force", "--verify", "--json"});
    EXPECT_EQ(json_value(json, "verified"), "true");
    EXPECT_EQ(digest("a.h5"), before);
    EXPECT_LT(std::stod(json_value(json, "symmetric.nodes")), std::stod(json_value(json, "unique_nodes")));
    EXPECT_NE(converted({"--verify", "a.h5"}).find("a.h5: correct: "), std::string::npos);
    EXPECT_NE(converted({"a.h5", "--info"}).find("in symmetric form"), std::string::npos);
    const std::string info = converted({"a.h5", "--info", "--json"});
    EXPECT_EQ(json_value(info, "symmetric.bytes"), json_value(json, "symmetric.bytes"));
    EXPECT_EQ(json_value(info, "dag_bytes"), json_value(json, "dag_bytes"));
  }
}

TEST_F(SymmetricProgram, OfAMeshWithColorsIsUsedAsItsScene) {
  write("cube.obj", cube_obj());
  converted({"cube.obj", "--res", "60", "--materials", "colors", "-o", "plain.h5"});
  const std::string json = converted({"cube.obj", "--res", "60", "--materials", "colors", "--structure",
                                      "symmetric", "-o", "a.h5", "--verify", "--json"});
  EXPECT_EQ(json_value(json, "verified"), "true");
  EXPECT_EQ(digest("a.h5"), digest("plain.h5"));
  for (const std::string extension : {"vl32", "ply", "npz"}) {
    converted({"plain.h5", "-o", "b." + extension});
    converted({"a.h5", "-o", "a." + extension});
    EXPECT_TRUE(read_bytes(folder_ / ("a." + extension)) == read_bytes(folder_ / ("b." + extension)));
  }
  converted({"a.h5", "-o", "again.h5"});
  EXPECT_EQ(json_value(converted({"again.h5", "--info", "--json"}), "symmetric.nodes"), "");
  EXPECT_NE(converted({"--verify", "again.h5"}).find("correct"), std::string::npos);
}

class SymmetricPictures : public CubesTest {
 protected:
  SymmetricPictures() : CubesTest("vox-render") {}

  scene::Image picture(const std::string& scene, const std::string& structure,
                       const std::vector<std::string>& more) const {
    std::vector<std::string> arguments = {scene, "--structure", structure, "--size", "80x60", "-o", "a.png"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    printed(arguments);
    return read_image(folder_ / "a.png");
  }
};

TEST_F(SymmetricPictures, AreThoseOfTheSvdag) {
  write("cube.obj", cube_obj());
  converted({"cube.obj", "--res", "60", "--materials", "colors", "--structure", "svdag,symmetric", "-o",
             "both.h5"});
  converted({"both.h5", "--structure", "symmetric", "-o", "alone.h5"});
  for (const std::vector<std::string>& more : {std::vector<std::string>{},
                                               {"--shade", "normal"},
                                               {"--slice", "y=20"},
                                               {"--ao", "4"},
                                               {"--shade", "sharing"},
                                               {"--cut", "z=30"}}) {
    const scene::Image expected = picture("both.h5", "svdag", more);
    EXPECT_TRUE(picture("alone.h5", "auto", more).pixels == expected.pixels);
    const bool is_whole = more.empty() || (more[1] != "sharing" && more[0] != "--cut");
    EXPECT_TRUE(!is_whole || picture("both.h5", "symmetric", more).pixels == expected.pixels);
  }
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{"--shade", "sharing"}, {"--cut", "z=30"}})
    expect_failure(kBadUsage, "--structure symmetric is for whole scenes",
                   {"both.h5", "--structure", "symmetric", more[0], more[1], "-o", "b.png"});
}

TEST_F(SymmetricProgram, IsForGeometryAlone) {
  write("cube.obj", cube_obj());
  expect_failure(kBadUsage, "--structure symmetric holds geometry alone",
                 {"cube.obj", "--res", "20", "--structure", "symmetric", "-o", "a.h5"});
  expect_failure(kFailed, "the symmetric form holds geometry alone",
                 {"cube.h5", "--structure", "symmetric", "-o", "a.h5"});
  expect_failure(kBadUsage, "--parts is for",
                 {"cube.obj", "--res", "20", "--materials", "none", "--structure", "svdag,symmetric",
                  "--parts", "-o", "a.h5"});
}

// Runs the programs on one scene in each form in which a file may hold its words, in so little memory that the words
// stay in the file.

namespace fs = std::filesystem;

class StoredFormsProgram : public ProgramTest {
 protected:
  // Makes the scene in one file, in parts, and with child numbers of 8 bytes, in folders of these names.
  void SetUp() override {
    ProgramTest::SetUp();
    if (IsSkipped()) return;
    for (const char* form : kForms) fs::create_directories(folder_ / form);
    ASSERT_EQ(scene({"bumpy-sphere", "--triangles", "20K", "--texture-size", "256", "-o", "ball.obj"}).code,
              0);
    const std::vector<std::string> convert = {"ball.obj", "--res", "2K", "-q", "--device"};
    const auto made = [&](std::vector<std::string> more) {
      more.insert(more.begin(), convert.begin(), convert.end());
      const Finished run = run_program("vox-convert", more, {.folder = folder_, .file_size_limit = {}});
      ASSERT_EQ(run.code, 0) << run.err;
    };
    made({"cpu", "-o", "one/ball.h5"});
    made({"cpu,cpu,cpu", "--parts", "-o", "parts/ball.h5"});
    write_as(StoredForm::LongNumbers, read_scene(folder_ / "one/ball.h5"), folder_ / "long/ball.h5");
    for (const char* form : kForms) {
      write(std::string(form) + "/few.txt",
            "sphere add center 1000,1900,1000 radius 30 material 3\n"
            "box remove min 900,1800,900 max 1100,1950,950\n"
            "copy min 1000,1850,1000 max 1050,2000,1050 to 1060,1900,1000\n");
    }
  }

  // Returns everything that is in a form's folder, by its path there. Scene files count as their digests.
  std::map<std::string, std::string> results(const std::string& form) const {
    std::map<std::string, std::string> found;
    for (const auto& [path, content] : listing(folder_ / form))
      found[fs::path(path).lexically_relative(folder_ / form)] =
          path.ends_with(".h5") ? digest(path) : content;
    return found;
  }

  static constexpr const char* kForms[] = {"one", "parts", "long"};
};

TEST_F(StoredFormsProgram, GiveTheSameResultsForEachFormOfAScene) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> runs = {
      {"vox-convert", {"ball.h5", "--verify"}},
      {"vox-convert", {"ball.h5", "--res", "512", "-o", "coarse.h5"}},
      {"vox-convert", {"ball.h5", "--clip", "-0.1,0.9,-0.1,0.1,1.1,0.1", "-o", "box.vox"}},
      {"vox-convert", {"ball.h5", "--clip", "-0.1,0.9,-0.1,0.1,1.1,0.1", "-o", "box.nvdb"}},
      {"vox-stats", {"ball.h5", "--only", "scene,materials,levels"}},
      {"vox-render", {"ball.h5", "--size", "120x80", "-o", "view.png"}},
      {"vox-edit", {"ball.h5", "-s", "few.txt", "-o", "ball.h5", "--force"}}};  // whose parts are removed
  for (auto [program, arguments] : runs) {
    // vox-stats reads a scene at once if it takes three quarters of the memory, other programs if it takes half.
    const char* limit = program == "vox-stats" ? "40M" : "64M";
    arguments.insert(arguments.end(), {"--device", "cpu", "--memory-limit", limit, "--log-level", "debug"});
    std::set<std::string> printed;
    for (const char* form : kForms) {
      const Finished run = run_program(program, arguments, {.folder = folder_ / form, .file_size_limit = {}});
      EXPECT_EQ(run.code, 0) << run.err;
      EXPECT_TRUE(has(run.err, "are read as they are used")) << run.err;
      if (program != "vox-edit") printed.insert(run.out);  // which tells how long it has taken
    }
    EXPECT_LE(printed.size(), 1u) << testing::PrintToString(printed);
  }
  const auto expected = results("one");
  for (const char* form : {"parts", "long"}) EXPECT_TRUE(results(form) == expected) << form;
}

// Tests vox-convert --lossy.

class LossyProgram : public CubesTest {};

TEST_F(LossyProgram, MakesASmallerSceneThatChangesNoMoreVoxelsThanItMay) {
  ASSERT_EQ(scene({"bumpy-sphere", "--triangles", "2000", "-o", "bumpy.glb"}).code, 0);
  converted({"bumpy.glb", "--res", "128", "--materials", "none", "-o", "bumpy.h5"});
  const std::string before = printed({"bumpy.h5", "--info", "--json"});
  const Finished run = convert({"bumpy.h5", "--lossy", "2%", "-o", "small.h5", "--verify", "--json"});
  ASSERT_EQ(run.code, 0) << run.err;
  const auto count = [](const std::string& json, const char* key) { return json_number(json, key); };
  EXPECT_LT(count(run.out, "dag_bytes"), count(before, "dag_bytes"));
  EXPECT_EQ(count(run.out, "bytes_before"), count(before, "dag_bytes"));
  EXPECT_GT(count(run.out, "changed_voxels"), 0u);
  EXPECT_LE(50 * count(run.out, "changed_voxels"), count(before, "voxels"));
  EXPECT_NE(json_value(run.out, "digest"), json_value(before, "digest"));
  EXPECT_NE(run.err.find(" become near ones"), std::string::npos) << run.err;
  // The two scenes differ in as many voxels as stated.
  const Finished compared = run_program("vox-stats", {"bumpy.h5", "--against", "small.h5", "--json"},
                                        {.folder = folder_, .file_size_limit = {}});
  ASSERT_EQ(compared.code, 0) << compared.err;
  EXPECT_EQ(count(compared.out, "first.only") + count(compared.out, "second.only"),
            count(run.out, "changed_voxels"));
  // The result is the same with one thread.
  converted({"bumpy.h5", "--lossy", "2%", "--threads", "1", "-o", "again.h5"});
  EXPECT_EQ(json_value(printed({"again.h5", "--info", "--json"}), "digest"), json_value(run.out, "digest"));
}

TEST_F(LossyProgram, RefusesWhatItCannotDo) {
  expect_failure(kFailed, "holds materials", {"cube.h5", "--lossy", "1%", "-o", "x.h5"});
  expect_failure(kBadUsage, "-o says where to", {"bare.h5", "--lossy", "1%"});
  expect_failure(kBadUsage, "--lossy goes with neither",
                 {"bare.h5", "--lossy", "1%", "--res", "32", "-o", "x.h5"});
  expect_failure(kBadUsage, "would replace", {"bare.h5", "--lossy", "1%", "-o", "bare.h5"});
  for (const char* share : {"1", "0%", "101%", "-1%", "x%", "nan%", "%", ""})
    expect_failure(kBadUsage, "--lossy", {"bare.h5", "--lossy", share, "-o", "x.h5"});
}

}  // namespace
}  // namespace vox
