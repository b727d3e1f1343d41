// Tests vox-convert with bad input: it gives one clear error and the right exit code, and leaves nothing behind.

#include <sys/stat.h>

#include "tests/common/random.h"
#include "tests/tools/program.h"

namespace vox {
namespace {

class BadInput : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    if (!folder_.empty()) write("cube.obj", cube_obj());
  }

  void textured_cube(const std::string& texture) {
    write("cube.mtl", "newmtl painted\nKd 1 0 0\nmap_Kd paint.png\n");
    write("textured.obj",
          "mtllib cube.mtl\nvt 0 0\nvt 1 0\nvt 1 1\nv 0 0 0\nv 1 0 0\nv 0 1 1\n"
          "usemtl painted\nf 1/1 2/2 3/3\n");
    write("paint.png", texture);
  }
};

TEST_F(BadInput, MeshesThatAreNone) {
  std::filesystem::create_directory(folder_ / "folder.obj");
  write("empty.obj", "");
  write("empty.glb", "");
  write("text.obj", "dear reader,\nthis is no mesh\n");
  write("text.ply", "dear reader,\nthis is no mesh\n");
  write("text.glb", "dear reader,\nthis is no mesh\n");
  write("text.none", "dear reader,\nthis is no mesh\n");
  write("index.obj", cube_obj() + "f 1 2 99\n");
  for (const auto& [name, text] :
       std::vector<std::pair<std::string, std::string>>{{"missing.obj", "no such file"},
                                                        {"folder.obj", "is a directory"},
                                                        {"empty.obj", "empty"},
                                                        {"empty.glb", "empty"},
                                                        {"text.obj", "not an OBJ mesh"},
                                                        {"text.ply", "not a PLY mesh"},
                                                        {"text.glb", "text.glb"},
                                                        {"text.none", "not a supported mesh file"},
                                                        {"index.obj", "99"}})
    expect_failure(kFailed, text, {name, "--res", "64"});
  expect_failure(kFailed, "missing.obj", {"cube.obj", "missing.obj", "--res", "64"});
}

TEST_F(BadInput, ATimeOfTheEnvironmentThatIsNoneIsAnErrorBeforeAnyWork) {
  expect_failure(kFailed, "SOURCE_DATE_EPOCH is 'now'", {"missing.obj", "--res", "64"},
                 {.folder = folder_, .file_size_limit = {}, .environment = {{"SOURCE_DATE_EPOCH", "now"}}});
}

TEST_F(BadInput, PipesAndDevicesAreRefusedInsteadOfWaitedFor) {
  ASSERT_EQ(mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  for (const char* extension :
       {".obj", ".glb", ".fbx", ".h5", ".xyz", ".las", ".vox", ".vl32", ".nvdb", ".nrrd", ".mhd", ".none"}) {
    const std::string name = std::string("pipe") + extension;
    std::filesystem::create_symlink("pipe", folder_ / name);
    for (const std::vector<std::string>& more :
         std::vector<std::vector<std::string>>{{"--res", "64"}, {"--info"}}) {
      std::vector<std::string> arguments = {name};
      arguments.insert(arguments.end(), more.begin(), more.end());
      const Finished run = convert(arguments);
      EXPECT_TRUE(run.code == kFailed || run.code == kBadUsage)
          << name << " signal " << run.signal << run.err;
    }
  }
  expect_failure(kFailed, "pipe.obj: is not a regular file (pipes and devices are not read",
                 {"pipe.obj", "--res", "64", "-o", "a.h5"});
  std::filesystem::create_symlink("/dev/zero", folder_ / "zero.obj");
  expect_failure(kFailed, "zero.obj: is not a regular file", {"zero.obj", "--res", "64"});
  for (const char* program : {"vox-stats", "vox-render"})
    EXPECT_EQ(run_program(program, {"pipe.h5"}, {.folder = folder_, .file_size_limit = {}}).code, kFailed);
  for (const char* option : {"--paint", "--palette"})
    expect_failure(kFailed, "pipe", {"cube.obj", "--res", "64", option, "pipe"});
  write("mtl.obj", "mtllib pipe\n" + cube_obj());
  EXPECT_EQ(convert({"mtl.obj", "--res", "16", "-o", "mtl.h5"}).code, 0);
}

TEST_F(BadInput, AStrokeThatCannotEndIsRefusedWithItsLine) {
  write("square.obj",
        "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nf 1/1 2/2 3/3 4/4\n");
  const std::vector<std::string> arguments = {
      "square.obj", "--res", "64", "--paint", "a.txt", "--paint-size", "64K", "--memory-limit", "1G"};
  write("a.txt", "stroke color #ff0000 radius 3 at 0.5,0.5,0\n");
  expect_failure(kFailed, "a.txt:1: the stroke paints at least", arguments);
  write("a.txt", "# far\nstroke color #ff0000 radius 2147483648 at 0,2147483648,1\n");
  expect_failure(kFailed, "a.txt:2: the stroke has lengths of", arguments);
}

TEST_F(BadInput, BricksOfAHugeGridTakeTheWorkOfWhatIsFilled) {
  const auto voxel = [](unsigned char high, unsigned char low) {
    return std::string(
        {0, 0, static_cast<char>(high), static_cast<char>(low), 0, 0, 0, 1, 0, 0, 0, 2, 0, 90, 90, 90});
  };
  write("far.vl32", voxel(0, 0) + voxel(0x40, 7));
  const std::string json = converted({"far.vl32", "--structure", "svdag,bricks", "-o", "far.h5", "--json"});
  EXPECT_EQ(json_value(json, "bricks.filled"), "2") << json;
}

TEST_F(BadInput, BuffersAndTexturesOutsideOfTheFolderAreReadOnlyWhereThatIsAllowed) {
  std::filesystem::create_directories(folder_ / "meshes");
  std::string corners;
  for (const float value : {0.f, 0.f, 0.f, 1.f, 0.f, 0.f, 1.f, 1.f, 0.f})
    corners.append(reinterpret_cast<const char*>(&value), sizeof(value));
  write("corners.bin", corners);
  std::filesystem::create_symlink("../corners.bin", folder_ / "meshes/link.bin");
  const auto gltf = [](const std::string& uri) {
    return R"({"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}],"meshes":[{"primitives":[)"
           R"({"attributes":{"POSITION":0}}]}],"accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3",)"
           R"("min":[0,0,0],"max":[1,1,0]}],"bufferViews":[{"buffer":0,"byteLength":36}],"buffers":[{"byteLength":36,"uri":")" +
           uri + "\"}]}";
  };
  for (const std::string& uri :
       {std::string("../corners.bin"), std::string("link.bin"), (folder_ / "corners.bin").string()}) {
    write("meshes/a.gltf", gltf(uri));
    expect_failure(
        kFailed,
        "lies outside of the folder of the file that names it (files outside of it can be allowed); see "
        "--allow-outside",
        {"meshes/a.gltf", "--res", "16"});
    EXPECT_EQ(convert({"meshes/a.gltf", "--res", "16", "--allow-outside", "-o", "a.h5"}).code, 0) << uri;
  }
  write("paint.png", "no picture");
  write("meshes/a.mtl", "newmtl painted\nmap_Kd ../paint.png\n");
  write("meshes/a.obj", "mtllib a.mtl\nusemtl painted\n" + cube_obj());
  const Finished refused = convert({"meshes/a.obj", "--res", "16", "-o", "b.h5"});
  EXPECT_TRUE(has(refused.err, "1 texture outside of its folder not read: ../paint.png")) << refused.err;
  const Finished read = convert({"meshes/a.obj", "--res", "16", "--allow-outside", "-o", "b.h5"});
  EXPECT_TRUE(has(read.err, "paint.png: not a supported image")) << read.err;
}

TEST_F(BadInput, ErrorsNameTheInputThatTheyAreAbout) {
  write("a.xyz", "0 0 0\n1 1 1\n");
  expect_failure(kBadUsage, "a.xyz: one of --res and --voxel-size is needed", {"a.xyz"});
  expect_failure(kFailed, "cube.obj: out of memory", {"cube.obj", "--res", "64K", "--memory-limit", "1M"});
  write("a.mhd",
        "NDims = 3\nDimSize = 2 2 2\nElementType = MET_UCHAR\nElementSpacing = 1 0 1\nElementDataFile = "
        "a.raw\n");
  write("a.raw", "eight by");
  expect_failure(kFailed, "a.mhd: ElementSpacing has a zero", {"a.mhd"});
  converted({"cube.obj", "--res", "64", "-o", "cube.h5"});
  write("way.csv", "eye_x,eye_y,eye_z,target_x,target_y,target_z\n0,0,0,1,1,1\n1e14,0,0,0,0,0\n");
  const Finished far = run_program("vox-render", {"cube.h5", "--path", "way.csv", "-o", "a.png"},
                                   {.folder = folder_, .file_size_limit = {}});
  EXPECT_TRUE(one_error(far, "way.csv: picture 2: ", "vox-render")) << far.err;
}

TEST_F(BadInput, FilesOfOtherProgramsAreNamedWithWhatToDo) {
  const std::vector<std::pair<std::string, std::string>> formats = {
      {"a.img", "name the .hdr"}, {"a.mgz", "FreeSurfer"}, {"a.SLC", "SLC volume"},
      {"a.npz", "NumPy arrays"},  {"a.qbt", "Qubicle"},    {"a.laz", "compressed"},
      {"a.e57", "point cloud"},   {"a.dcm", "DICOM"},      {"a.tif", "TIFF"},
      {"a.vti", "VTK"},           {"a.zip", "archive"},    {"a.mtl", "name the .obj"},
      {"a.usdz", "Blender"},      {"a.png", "an image"},   {"a.voxel.json", "an octree for walking in"}};
  for (const auto& [name, text] : sampled(formats)) {
    write(name, "of another program");
    for (const std::vector<std::string>& more :
         std::vector<std::vector<std::string>>{{}, {"--res", "64"}, {"--info"}, {"--threshold", "0.1"}}) {
      std::vector<std::string> arguments = {name};
      arguments.insert(arguments.end(), more.begin(), more.end());
      expect_failure(kFailed, text, arguments);
    }
    expect_failure(kFailed, "which vox does not read", {"cube.obj", name, "--res", "64"});
    for (const auto& [program, arguments] :
         std::vector<std::pair<std::string, std::vector<std::string>>>{{"vox-render", {name}},
                                                                       {"vox-stats", {name}},
                                                                       {"vox-edit", {name, "-s", "cube.obj"}},
                                                                       {"vox-bench", {"bricks", name}}}) {
      const Finished run = run_program(program, arguments, {.folder = folder_, .file_size_limit = {}});
      EXPECT_EQ(run.code, kFailed) << program << ' ' << name;
      EXPECT_TRUE(one_error(run, text, program)) << program << ' ' << name;
    }
  }
  expect_failure(kFailed, "no such file", {"missing.dcm", "--res", "64"});
}

TEST_F(BadInput, ValuesOfAnotherProgramsFileAreReadWhereOptionsSayWhatTheyAre) {
  write("a.mrc", std::string(128, 'h') + std::string(8, 'v'));
  converted({"a.mrc", "--dims", "2,2,2", "--type", "u8", "--offset", "128", "-o", "a.nrrd"});
  EXPECT_TRUE(read_bytes(folder_ / "a.nrrd").ends_with("vvvvvvvv"));
}

TEST_F(BadInput, GridsTooLargeForAnExportAreNamedWithWhatFits) {
  write("thin.obj", "v 0 0 0\nv 1 1 1\nv 1 1 0.999\nf 1 2 3\n");
  expect_failure(kFailed, "a resolution of 1500 makes a coarser one",
                 {"thin.obj", "--res", "3000", "-o", "a.nrrd"});
  converted({"thin.obj", "--res", "4K", "-q"});
  expect_failure(kFailed,
                 "a resolution of 2K makes a coarser one; of a scene file, a clip box writes a part; pieces "
                 "hold all of it); see --res",
                 {"thin.h5", "-o", "a.nrrd"});
  const Finished run = convert({"thin.h5", "-o", "a.vox"});
  EXPECT_EQ(run.code, 0);
  EXPECT_NE(run.err.find("a resolution of 1K makes a coarser scene"), std::string::npos) << run.err;
  converted({"thin.obj", "--res", "1000", "-q"});
  EXPECT_EQ(convert({"thin.h5", "-o", "a.vox"}).err.find("coarser"), std::string::npos);
}

TEST_F(BadInput, AGlbThatWasCutOff) {
  ASSERT_EQ(scene({"village", "--texture-size", "16", "-o", "whole.glb"}).code, 0);
  const std::string whole = read_bytes(folder_ / "whole.glb");
  for (const size_t size : {size_t{5}, size_t{13}, size_t{30}, size_t{10000}, whole.size() - 1}) {
    write("cut.glb", whole.substr(0, size));
    expect_failure(kFailed, "cut.glb", {"cut.glb", "--res", "64"});
  }
}

TEST_F(BadInput, TexturesThatCannotBeReadAreReplacedWithAWarning) {
  const std::string huge_header(
      "\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\xea\x60\0\0\xea\x60\x08\x02\0\0\0\0\0\0\0", 33);
  for (const std::string& texture : {std::string(), huge_header, std::string("no picture")}) {
    textured_cube(texture);
    const Finished run = convert({"textured.obj", "--res", "64"});
    EXPECT_EQ(run.code, 0) << run.err;
    EXPECT_NE(run.err.find("vox-convert: warning: "), std::string::npos) << run.err;
    EXPECT_NE(run.err.find("paint.png"), std::string::npos) << run.err;
  }
}

TEST_F(BadInput, OptionsThatMakeNoSense) {
  for (const char* resolution : {"0", "-5", "3M", "abc", "", "4.5", "3", "2^40", "99999999999999999999"})
    expect_failure(kBadUsage, "--res", {"cube.obj", "--res", resolution});
  for (const char* size : {"0", "-1", "abc", "nan", "1e-30", "1e30"})
    expect_failure(kBadUsage, "voxel", {"cube.obj", "--voxel-size", size});
  for (const char* clip : {"1,2,3", "a,b,c,d,e,f", "1,1,1,0,0,0", "0,0,0,1,1,1,1", "nan,0,0,1,1,1"})
    expect_failure(kBadUsage, "--clip", {"cube.obj", "--res", "64", "--clip", clip});
  expect_failure(kBadUsage, "frobnicate", {"cube.obj", "--res", "64", "--frobnicate"});
  expect_failure(kBadUsage, "--res", {"cube.obj"});
  expect_failure(kBadUsage, "res", {"cube.obj", "--res"});
  expect_failure(kBadUsage, "input", {"--res", "64"});
  expect_failure(kBadUsage, "--voxel-size", {"cube.obj", "--res", "64", "--voxel-size", "1"});
}

TEST_F(BadInput, ValuesThatAnOptionDoesNotHave) {
  for (const char* device : {"toaster", "cuda:x", "cuda:-1", ""}) {
    const Finished run = run_program("vox-convert", {"cube.obj", "--res", "64", "--device", device},
                                     {.folder = folder_, .file_size_limit = {}});
    EXPECT_EQ(run.code, kBadUsage) << device;
    EXPECT_TRUE(one_error(run, "--device")) << device;
  }
  for (const auto& [option, value] :
       std::vector<std::pair<std::string, std::string>>{{"--threads", "0"},
                                                        {"--threads", "many"},
                                                        {"--memory-limit", "0"},
                                                        {"--memory-limit", "much"},
                                                        {"--table", "round"},
                                                        {"--coverage", "thick"},
                                                        {"--materials", "wood"},
                                                        {"--up", "down"},
                                                        {"--log-level", "loud"},
                                                        {"--palette-out", "p.wat"}})
    expect_failure(kBadUsage, option, {"cube.obj", "--res", "64", option, value});
  expect_failure(kBadUsage, "--palette-out",
                 {"cube.obj", "--res", "64", "--materials", "none", "--palette-out", "p.gpl"});
  for (const char* weight : {"most", "", "1.01", "-0.5", "nan"})
    expect_failure(kBadUsage, "--palette-weight", {"cube.obj", "--res", "64", "--palette-weight", weight});
  for (const char* materials : {"mesh", "none"})
    expect_failure(kBadUsage, "--materials texture",
                   {"cube.obj", "--res", "64", "--materials", materials, "--palette-weight", "even"});
  expect_failure(kBadUsage, "--palette auto",
                 {"cube.obj", "--res", "64", "--palette", "p.gpl", "--palette-weight", "even"});
  expect_failure(kFailed, "none.gpl", {"cube.obj", "--res", "64", "--palette", "none.gpl"});
  expect_failure(kFailed, "memory", {"cube.obj", "--res", "64", "--memory-limit", "1K"});
}

TEST_F(BadInput, TargetsThatCannotBeWrittenAreFoundBeforeTheWork) {
  std::filesystem::create_directory(folder_ / "folder.h5");
  for (const char* target : {"missing/x.h5", "cube.obj/x.h5", "/proc/x.h5", "folder.h5", "missing/x.vox"}) {
    expect_failure(kFailed, target, {"cube.obj", "--res", "64", "-o", target});
    EXPECT_EQ(convert({"cube.obj", "--res", "64", "-o", target}).err.find("triangles"), std::string::npos);
  }
  expect_failure(kFailed, "missing/p.gpl", {"cube.obj", "--res", "64", "--palette-out", "missing/p.gpl"});
  for (const char* target : {"x.wat", "x", "cube.obj"})
    expect_failure(kBadUsage, "-o", {"cube.obj", "--res", "64", "-o", target});
}

TEST_F(BadInput, ADiskThatIsFull) {
  converted({"cube.obj", "--res", "64", "-o", "scene.h5"});
  const RunOptions full = {.folder = {}, .file_size_limit = 4000};
  for (const char* target : {"x.h5", "x.nrrd", "x.vox", "x.binvox", "x.vtkhdf", "scene.h5"})
    expect_failure(kFailed, target, {"cube.obj", "--res", "64", "-o", target, "--palette-out", "p.gpl"},
                   full);
  for (const char* target : {"y.nrrd", "y.vox", "y.binvox", "y.vtkhdf"})
    expect_failure(kFailed, target, {"scene.h5", "-o", target}, full);
}

TEST_F(BadInput, AnExistingTargetStaysAsItWas) {
  write("old.h5", "kept");
  write("broken.obj", cube_obj() + "f 1 2 99\n");
  expect_failure(kFailed, "99", {"broken.obj", "--res", "64", "-o", "old.h5", "--force"});
  expect_failure(kFailed, "memory",
                 {"cube.obj", "--res", "64", "-o", "old.h5", "--force", "--memory-limit", "1K"});
  EXPECT_EQ(read_bytes(folder_ / "old.h5"), "kept");
}

TEST_F(BadInput, AnInterruptLeavesNothing) {
  ASSERT_EQ(scene({"bumpy-sphere", "--triangles", "20000", "--texture-size", "16", "-o", "ball.glb"}).code,
            0);
  expect_failure(kInterrupted, "interrupted", {"ball.glb", "--res", "16K"},
                 {.folder = {}, .file_size_limit = {}, .interrupt_after = 0.3});
}

TEST_F(BadInput, SceneFilesUsedWrongly) {
  converted({"cube.obj", "--res", "64", "-o", "a.h5"});
  converted({"cube.obj", "--res", "64", "-o", "b.h5"});
  write("text.h5", "no scene file");
  expect_failure(kBadUsage, "-o", {"a.h5"});
  expect_failure(kBadUsage, "several", {"a.h5", "b.h5", "-o", "c.vox"});
  expect_failure(kFailed, "text.h5", {"cube.obj", "text.h5", "--res", "64", "-o", "c.h5"});
  expect_failure(kFailed, "--clip", {"a.h5", "--clip", "5,5,5,6,6,6", "-o", "c.vox"});
  for (const char* option : {"--verify", "--info"}) {
    expect_failure(kFailed, "cube.obj", {"cube.obj", option});
    expect_failure(kFailed, "missing.h5", {"missing.h5", option});
  }
  for (const char* name : {"text.h5", "missing.h5"}) {
    expect_failure(kFailed, name, {name, "-o", "c.vox"});
    expect_failure(kFailed, name, {name, "--info"});
  }
}

TEST_F(BadInput, ASceneFileThatWasCutOff) {
  converted({"cube.obj", "--res", "64", "-o", "whole.h5"});
  const std::string whole = read_bytes(folder_ / "whole.h5");
  for (const size_t size : {size_t{0}, size_t{8}, size_t{100}, whole.size() / 2, whole.size() - 1}) {
    write("cut.h5", whole.substr(0, size));
    expect_failure(kFailed, "cut.h5", {"cut.h5", "--verify"});
    expect_failure(kFailed, "cut.h5", {"cut.h5", "--info"});
  }
}

TEST_F(BadInput, FlippedBytesOfASceneFileNeverCrashTheProgram) {
  converted({"cube.obj", "--res", "64", "-o", "whole.h5"});
  const std::string whole = read_bytes(folder_ / "whole.h5");
  uint64_t random = 1;
  int failures = 0;
  for (uint32_t i = 0; i < 10 + 3 * kThoroughness; ++i) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    std::string flipped = whole;
    flipped[(random >> 33) % whole.size()] ^= static_cast<char>(1 + (random >> 20) % 255);
    write("flipped.h5", flipped);
    const Finished run = convert({"flipped.h5", "--verify"});
    EXPECT_TRUE(run.code == 0 || run.code == kFailed) << "code " << run.code << ", signal " << run.signal;
    if (run.code == 0) continue;
    EXPECT_TRUE(one_error(run, "flipped.h5"));
    ++failures;
  }
  EXPECT_GT(failures, 0);
}

// Scene files whose content is not the one that their digest names: they are shown, but not handed on.

using Arguments = std::vector<std::string>;

class DamagedScene : public CubesTest {
 protected:
  void SetUp() override {
    CubesTest::SetUp();
    if (IsSkipped()) return;
    static const bool has_h5py = std::system("/usr/bin/python3 -c 'import h5py' > /dev/null 2>&1") == 0;
    if (!has_h5py) GTEST_SKIP() << "no h5py";
    std::filesystem::copy(folder_ / "cube.h5", folder_ / "damaged.h5");
    python(  // changes the lowest bits of the first leaf's materials, and adds a color for them
        "import h5py, numpy\nfile = h5py.File('damaged.h5', 'r+')\n"
        "file['palette'].attrs['count'] = numpy.uint32(2)\n"
        "words = file['svdag/level_04/words']\nwords[2] = int(words[2]) ^ 1\n");
    write("script.txt", "box add min 20,20,20 max 24,24,24 material 3\n");
  }

  Finished run(const std::string& program, const Arguments& arguments) const {
    return run_program(program, arguments, {.folder = folder_, .file_size_limit = {}});
  }
  void expect_refused(const std::string& program, const Arguments& arguments,
                      const std::string& text = "holds a scene with") const {
    const auto before = listing(folder_);
    const Finished refused = run(program, arguments);
    EXPECT_EQ(refused.code, kFailed) << testing::PrintToString(arguments);
    EXPECT_TRUE(one_error(refused, text, program)) << refused.err;
    EXPECT_TRUE(
        has(refused.err, "the file is damaged; the caller can allow reading what it holds); see --force"))
        << refused.err;
    EXPECT_TRUE(listing(folder_) == before) << "files changed, " << testing::PrintToString(arguments);
  }
  void expect_done(const std::string& program, const Arguments& arguments) const {
    const Finished done = run(program, arguments);
    EXPECT_EQ(done.code, 0) << testing::PrintToString(arguments) << done.err;
  }
};

TEST_F(DamagedScene, IsRefusedByWhateverWritesItAgain) {
  for (const Arguments& more : std::vector<Arguments>{{"-o", "a.h5"},
                                                      {"-o", "damaged.h5"},
                                                      {"-o", "a.vox"},
                                                      {"-o", "a.nrrd", "--clip", "0,0,0,1,1,1"},
                                                      {"-o", "a.h5", "--clip", "0,0,0,1,1,1"},
                                                      {"-o", "a.h5", "--res", "32"},
                                                      {"-o", "a.h5", "--structure", "hash"},
                                                      {"-o", "a.h5", "--structure", "both"},
                                                      {"-o", "a.h5", "cube.obj", "--res", "64"}}) {
    Arguments arguments = {"damaged.h5"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    expect_refused("vox-convert", arguments);
  }
  expect_refused("vox-edit", {"damaged.h5", "-s", "script.txt", "-o", "a.h5"});
  expect_refused("vox-edit", {"damaged.h5", "-s", "script.txt"});
  write("stamp.txt", "stamp damaged.h5 at 0,0,0\n");
  expect_refused("vox-edit", {"cube.h5", "-s", "stamp.txt", "-o", "a.h5"});
  expect_refused("vox-render", {"damaged.h5", "--html", "a.html"});
  expect_refused("vox-stats", {"damaged.h5", "--against", "cube.h5", "-o", "a.h5"});
  expect_refused("vox-stats", {"cube.h5", "--against", "damaged.h5", "-o", "a.h5"});
}

TEST_F(DamagedScene, IsShownAllTheSame) {
  expect_done("vox-render", {"damaged.h5", "--size", "40x30", "-o", "a.png"});
  expect_done("vox-stats", {"damaged.h5", "--only", "scene"});
  expect_done("vox-convert", {"damaged.h5", "--info"});
}

TEST_F(DamagedScene, WithForceHasTheDigestOfItsContentAndSaysSo) {
  const std::string before = digest("cube.h5").substr(1, 32);
  for (const auto& [program, more] : std::vector<std::pair<std::string, Arguments>>{
           {"vox-convert", {}}, {"vox-convert", {"--res", "32"}}, {"vox-edit", {"-s", "script.txt"}}}) {
    Arguments arguments = {"damaged.h5", "-o", "a.h5", "--force"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Finished forced = run(program, arguments);
    EXPECT_EQ(forced.code, 0) << forced.err;
    EXPECT_TRUE(has(forced.err, "warning: damaged.h5: the digest is " + before)) << forced.err;
    EXPECT_NE(digest("a.h5").substr(1, 32), before);
    EXPECT_TRUE(has(converted({"a.h5", "--info"}), "damaged: its digest was " + before));
    EXPECT_TRUE(has(converted({"--verify", "a.h5"}), "correct"));
  }
}

TEST_F(DamagedScene, MayBeASpatialHash) {
  converted({"cube.h5", "--structure", "hash", "-o", "hash.h5"});
  python(
      "import h5py, numpy\nfile = h5py.File('hash.h5', 'r+')\n"
      "file['palette'].attrs['count'] = numpy.uint32(2)\ncells = file['hash/cells']\n"
      "at = next(i for i, cell in enumerate(cells[:].tolist()) if cell != 2 ** 64 - 1)\n"
      "cells[at] = int(cells[at]) ^ 1\n");
  expect_refused("vox-convert", {"hash.h5", "-o", "a.h5", "--structure", "svdag"});
  expect_refused("vox-edit", {"hash.h5", "-s", "script.txt", "-o", "a.h5"});
  expect_done("vox-convert", {"hash.h5", "-o", "a.h5", "--structure", "svdag", "--force"});
  EXPECT_TRUE(has(converted({"--verify", "a.h5"}), "correct"));
}

}  // namespace
}  // namespace vox
