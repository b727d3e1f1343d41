// Tests vox-convert with volumes and bricks.

#include <cmath>
#include <cstring>
#include <fstream>

#include "formats/images/image.h"
#include "tests/common/random.h"
#include "tests/common/test_engine.h"
#include "tests/tools/program.h"

namespace vox {
namespace {

TEST_F(BricksProgram, TurnsARawVolumeIntoBricksAndBack) {
  const std::string json = converted({"ball_20x14x9_uint8.raw", "-o", "ball.h5", "--json"});
  EXPECT_EQ(json_value(json, "bricks.dense_bytes"), "2520");
  const int bytes = std::stoi(json_value(json, "bricks.bytes"));
  EXPECT_LT(bytes, 2520);
  int bricks = 0;
  for (const char* type :
       {"empty", "dense", "octree", "list", "homogeneous", "palette", "masked", "hash", "indexed"})
    bricks += std::stoi(json_value(json, std::string("bricks.types.") + type));
  EXPECT_EQ(std::to_string(bricks), json_value(json, "bricks.count"));
  converted({"ball.h5", "-o", "ball.nrrd"});
  EXPECT_EQ(values("ball.nrrd"), ball(6));
  EXPECT_NE(read_bytes(folder_ / "ball.nrrd").find("sizes: 20 14 9\n"), std::string::npos);
  EXPECT_NE(converted({"ball.h5", "--info"}).find("20 x 14 x 9 voxels of u8"), std::string::npos);
  EXPECT_NE(converted({"--verify", "ball.h5"}).find("ball.h5: correct: "), std::string::npos);
}

TEST_F(BricksProgram, EverySizeAndSetOfTypesGivesTheSameValuesBack) {
  for (const std::string& size : sampled<std::string>({"4", "8", "16", "32", "64", "128", "auto"}))
    for (const std::string types : {"all", "empty,dense,octree,list", "list", "hash,palette"}) {
      const std::string json = converted(
          {"ball_20x14x9_uint8.raw", "--brick-size", size, "--types", types, "-o", "a.h5", "--json"});
      EXPECT_TRUE(size == "auto" || json_value(json, "bricks.size") == size) << json;
      converted({"a.h5", "-o", "a.nrrd"});
      EXPECT_TRUE(values("a.nrrd") == ball(6)) << size << ' ' << types;
    }
}

TEST_F(BricksProgram, TakesWhatARawFileIsFromOptions) {
  write("a.bin", "header" + ball(6));
  converted({"a.bin", "--dims", "20,14,9", "--type", "u8", "--offset", "6", "-o", "a.nrrd"});
  EXPECT_TRUE(values("a.nrrd") == ball(6));
  std::string big, little;
  for (const char byte : ball(5)) {
    big += std::string({1, byte});
    little += std::string({byte, 1});
  }
  write("b.raw", big);
  converted({"b.raw", "--dims", "20,14,9", "--type", "u16", "--endian", "big", "-o", "b.nrrd"});
  EXPECT_TRUE(values("b.nrrd") == little);
}

TEST_F(BricksProgram, ThresholdsEmptyWhatIsBelow) {
  std::string expected = ball(6);  // 0 to 240
  for (char& byte : expected)
    if (static_cast<uint8_t>(byte) < 60) byte = 0;
  converted({"ball_20x14x9_uint8.raw", "--threshold", "0.25", "-o", "a.nrrd"});
  EXPECT_TRUE(values("a.nrrd") == expected);
  converted({"ball_20x14x9_uint8.raw", "--threshold-raw", "60", "-o", "b.nrrd"});
  EXPECT_TRUE(values("b.nrrd") == expected);
}

TEST_F(BricksProgram, MakesBricksOfScenesThatHoldTheirMaterials) {
  make_cubes();
  converted({"cube.h5", "-o", "scene.nrrd"});
  converted({"cube.h5", "--structure", "bricks", "-o", "bricks.h5"});
  converted({"bricks.h5", "-o", "bricks.nrrd"});
  EXPECT_TRUE(values("bricks.nrrd") == values("scene.nrrd"));
  const std::string json =
      converted({"cube.h5", "--structure", "both", "--brick-size", "16", "--json", "-o", "both.h5"});
  EXPECT_EQ(json_value(json, "bricks.size"), "16");
  EXPECT_EQ(json_value(json, "bricks.filled"), json_value(json, "voxels"));
  EXPECT_EQ(digest("both.h5"), digest("cube.h5"));
  EXPECT_NE(converted({"both.h5", "--info"}).find("of 16³ voxels"), std::string::npos);
}

// Runs another program on the CPU in the fixture's folder, expects success, and returns what it printed.
static std::string run_ok(const std::filesystem::path& folder, const std::string& program,
                          std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), {"--device", "cpu"});
  const Finished run = run_program(program, arguments, {.folder = folder, .file_size_limit = {}});
  EXPECT_EQ(run.code, 0) << run.err;
  return run.out;
}

TEST_F(BricksProgram, MakesBricksWithASparseRootThatEveryToolReads) {
  write("cube.obj", cube_obj());
  converted({"cube.obj", "--res", "256", "--structure", "bricks", "--brick-size", "8", "-o", "dense.h5"});
  const std::string json = converted({"cube.obj", "--res", "256", "--structure", "both", "--brick-size", "8",
                                      "--brick-root", "sparse", "--verify", "--json", "-o", "both.h5"});
  EXPECT_EQ(json_value(json, "bricks.filled"), json_value(json, "voxels"));
  EXPECT_NE(converted({"both.h5", "--verify"}).find("correct"), std::string::npos);
  converted(
      {"both.h5", "--structure", "bricks", "--brick-size", "8", "--brick-root", "sparse", "-o", "sparse.h5"});
  EXPECT_LT(std::stoi(json_value(converted({"sparse.h5", "--info", "--json"}), "bricks.bytes")),
            std::stoi(json_value(converted({"dense.h5", "--info", "--json"}), "bricks.bytes")));
  converted({"sparse.h5", "-o", "sparse.nrrd"});
  converted({"dense.h5", "-o", "dense.nrrd"});
  EXPECT_TRUE(values("sparse.nrrd") == values("dense.nrrd"));
  EXPECT_NE(converted({"sparse.h5", "--verify"}).find("correct"), std::string::npos);
  for (const std::string name : {"sparse", "dense"}) {
    run_ok(folder_, "vox-render", {name + ".h5", "--size", "64x48", "-o", name + ".png"});
    run_ok(folder_, "vox-render",
           {name + ".h5", "--size", "64x48", "--shade", "type", "-o", name + "-type.png"});
  }
  EXPECT_EQ(read_image(folder_ / "sparse.png").pixels, read_image(folder_ / "dense.png").pixels);
  EXPECT_NE(run_ok(folder_, "vox-stats", {"sparse.h5", "--only", "bricks"}).find("sparse root"),
            std::string::npos);
  // Edits of a scene make its bricks anew, and those of a volume keep the root.
  write("add.txt", "units voxels\nsphere add center 100,100,100 radius 20 material 0\n");
  run_ok(folder_, "vox-edit", {"both.h5", "--script", "add.txt", "-o", "edited.h5"});
  EXPECT_NE(converted({"edited.h5", "--verify"}).find("correct"), std::string::npos);
  write("set.txt", "set 9 in box min 3,3,3 max 70,40,40\n");
  for (const std::string root : {"sparse", "dense"}) {
    converted({"dense.nrrd", "--brick-size", "8", "--brick-root", root, "-o", root + "-volume.h5"});
    run_ok(folder_, "vox-edit", {root + "-volume.h5", "--script", "set.txt", "-o", root + "-edited.h5"});
    converted({root + "-edited.h5", "-o", root + "-edited.nrrd"});
  }
  EXPECT_NE(converted({"sparse-edited.h5", "--info"}).find("a sparse root"), std::string::npos);
  EXPECT_TRUE(values("sparse-edited.nrrd") == values("dense-edited.nrrd"));
}

TEST_F(BricksProgram, CoarserLevelsAreShownWhereTheVolumeDoesNotFit) {
  std::string noise;
  Random random(9);
  for (int i = 0; i < 128 * 128 * 128; ++i) noise += static_cast<char>(random.below(256));
  write("noise_128x128x128_uint8.raw", noise);
  converted({"noise_128x128x128_uint8.raw", "--levels", "auto", "--verify", "-o", "levels.h5"});
  EXPECT_NE(converted({"levels.h5", "--verify"}).find("correct"), std::string::npos);
  const auto shown = [&](const std::string& name, std::vector<std::string> more) {
    more.insert(more.begin(), {name, "--slice", "z=60", "--device", "cpu", "-o", "slice.png"});
    const Finished run = run_program("vox-render", more, {.folder = folder_, .file_size_limit = {}});
    EXPECT_EQ(run.code, 0) << run.err;
    return run.err;
  };
  EXPECT_EQ(shown("levels.h5", {}).find("level 1"), std::string::npos);
  EXPECT_NE(shown("levels.h5", {"--memory-limit", "1M"}).find("level 1 is shown, 64 x 64 x 64 voxels"),
            std::string::npos);
  // An edit makes them anew.
  write("set.txt", "set 9 in box min 3,3,3 max 70,40,40\n");
  run_ok(folder_, "vox-edit", {"levels.h5", "--script", "set.txt", "-o", "edited.h5"});
  EXPECT_NE(converted({"edited.h5", "--verify"}).find("correct"), std::string::npos);
  EXPECT_NE(shown("edited.h5", {"--memory-limit", "1M"}).find("level 1 is shown"), std::string::npos);
  make_cubes();
  expect_failure(kBadUsage, "--levels has no effect",
                 {"cube.h5", "--structure", "bricks", "--levels", "2", "-o", "a.h5"});
}

// A scene of which a dense root would have 2^33 entries.
TEST_F(BricksProgram, MakesBricksOfScenesTooLargeForADenseRoot) {
  write("tips.obj",
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 900 900 900\nv 901 900 900\nv 900 901 901\nf 1 2 3\nf 4 5 6\n");
  const std::string json = converted({"tips.obj", "--res", "8K", "--structure", "both", "--brick-size", "4",
                                      "--verify", "--json", "-o", "tips.h5"});
  EXPECT_EQ(json_value(json, "bricks.count"), "8589934592");
  EXPECT_LT(std::stoi(json_value(json, "bricks.bytes")), 1 << 20);
  EXPECT_NE(run_ok(folder_, "vox-stats", {"tips.h5", "--only", "bricks"}).find("sparse root"),
            std::string::npos);
  run_ok(folder_, "vox-render", {"tips.h5", "--size", "64x48", "-o", "tips.png"});
}

TEST_F(BricksProgram, MakesBricksOfMeshes) {
  write("cube.obj", cube_obj());
  const std::string json = converted({"cube.obj", "--res", "64", "--structure", "both", "--json"});
  EXPECT_EQ(json_value(json, "bricks.filled"), json_value(json, "voxels"));
  converted({"cube.obj", "--res", "64", "-o", "mesh.nrrd"});
  converted({"cube.obj", "--res", "64", "--structure", "bricks", "-o", "alone.h5"});
  converted({"alone.h5", "-o", "alone.nrrd"});
  EXPECT_TRUE(values("alone.nrrd") == values("mesh.nrrd"));
}

// Python reads dense and list bricks by the description of the format.
TEST_F(BricksProgram, WritesFilesThatPythonReads) {
  converted({"ball_20x14x9_uint8.raw", "--brick-size", "8", "--types", "empty,dense", "-o", "a.h5"});
  const std::string text = python(R"(
import h5py, numpy
g = h5py.File('a.h5')['bricks']
sx, sy, sz = (int(n) for n in g.attrs['size'])
m = int(g.attrs['brick_side'])
grid = [(n + m - 1) // m for n in (sx, sy, sz)]
dense = g['dense'][()].tobytes()
out = numpy.zeros((grid[2] * m, grid[1] * m, grid[0] * m), 'u1')
for i, entry in enumerate(g['root'][()]):
    kind, place = [n.decode() for n in g['types'][()]][entry & 15], int(entry) >> 4
    if kind == 'empty': continue
    assert kind == 'dense'
    x, y, z = i % grid[0] * m, i // grid[0] % grid[1] * m, i // grid[0] // grid[1] * m
    brick = numpy.frombuffer(dense, 'u1', m ** 3, 4 * place).reshape(m, m, m)
    out[z:z + m, y:y + m, x:x + m] = brick
expected = numpy.fromfile('ball_20x14x9_uint8.raw', 'u1').reshape(sz, sy, sx)
print((out[:sz, :sy, :sx] == expected).all())
)");
  EXPECT_EQ(text, "True\n");
}

TEST_F(BricksProgram, TakesArraysOfNumpyAndGivesThemBack) {
  python(R"(
import numpy
a = numpy.fromfile('ball_20x14x9_uint8.raw', 'u1').reshape(9, 14, 20).transpose()
numpy.save('f.npy', a)
numpy.save('c.npy', numpy.ascontiguousarray(a).astype('>i4'))
numpy.save('mask.npy', a > 100)
)");
  for (const std::string name : {"f", "c"}) {
    converted({name + ".npy", "-o", name + ".h5"});
    converted({name + ".h5", "-o", name + "-back.npy"});
  }
  converted({"mask.npy", "--structure", "svdag", "-o", "mask.h5"});
  converted({"mask.h5", "-o", "mask-back.npy"});
  EXPECT_EQ(python(R"(
import numpy
a = numpy.fromfile('ball_20x14x9_uint8.raw', 'u1').reshape(9, 14, 20).transpose()
for name in 'f', 'c':
    b = numpy.load(name + '-back.npy')
    print(b.dtype, b.shape, (a == b).all())
mask = numpy.load('mask-back.npy')
print(((mask[:20, :14, :9] > 0) == (a > 100)).all(), int((mask > 0).sum()) == int((a > 100).sum()))
)"),
            "uint8 (20, 14, 9) True\nuint8 (20, 14, 9) True\nTrue True\n");
}

TEST_F(BricksProgram, SaysWhatIsWrong) {
  const std::string volume = "ball_20x14x9_uint8.raw";
  for (const auto& [text, arguments] : std::vector<std::pair<std::string, std::vector<std::string>>>{
           {"--brick-size is '12', expected a power of two from 4 to 512, or auto",
            {volume, "--brick-size", "12"}},
           {"--types names 'dens', expected some of: empty, dense", {volume, "--types", "empty,dens"}},
           {"cannot hold every volume", {volume, "--types", "empty,palette"}},
           {"--dims is '20,14', expected three numbers", {volume, "--dims", "20,14"}},
           {"expected whole numbers from 1", {volume, "--dims", "20,-14,9"}},
           {"expected whole numbers from 1", {volume, "--dims", "20,1e12,9"}},
           {"--type is 'u7', expected one of: u8, i8, u16, i16", {volume, "--type", "u7"}},
           {"--endian is 'middle'", {volume, "--endian", "middle"}},
           {"--threshold is 20, expected 0 to 1", {volume, "--threshold", "20"}},
           {"exclude each other", {volume, "--threshold", "0.1", "--threshold-raw", "2"}},
           {"a volume has its own grid", {volume, "--res", "64"}}})
    expect_failure(kBadUsage, text, arguments);
  write("short_256x256x256_uint8.raw", "too short");
  expect_failure(kFailed, "expected 16777216 bytes (256 x 256 x 256 values of u8), found 9",
                 {"short_256x256x256_uint8.raw"});
  for (const char* missing : {"missing_4x4x4_uint8.raw", "missing.raw", "missing.nrrd"})
    expect_failure(kFailed, std::string(missing) + ": no such file", {missing});
  const float nan = std::nanf("");
  std::string values(4 * 8, '\0');
  std::memcpy(values.data() + 12, &nan, 4);
  write("nan_2x2x2_float32.raw", values);
  expect_failure(kFailed, "nan_2x2x2_float32.raw: voxel (1, 1, 0) is nan, expected finite values",
                 {"nan_2x2x2_float32.raw"});
}

// Tests vox-convert --verify for bricks, and that bricks do not depend on memory and threads.

using VerifyBricksProgram = BricksProgram;

TEST_F(VerifyBricksProgram, ReadsBackWhatItHasWrittenAndComparesIt) {
  const std::string volume = "ball_20x14x9_uint8.raw";
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{"-o", "a.h5"}, {"-o", "a.nrrd"}, {"-o", "b.h5", "--threshold", "0.4"}}) {
    std::vector<std::string> arguments = {volume, "--verify", "--json"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    EXPECT_EQ(json_value(converted(arguments), "verified"), "true");
  }
  std::string numbers;
  for (int i = -30; i < 30; ++i) {
    const auto value = static_cast<float>(i) / 7;
    numbers.append(reinterpret_cast<const char*>(&value), 4);
  }
  write("f_5x4x3_float32.raw", numbers);
  EXPECT_EQ(json_value(converted({"f_5x4x3_float32.raw", "--threshold-raw", "-2", "--verify", "--json"}),
                       "verified"),
            "true");
  write("cube.obj", cube_obj());
  for (const char* structure : {"svdag", "bricks", "both"}) {
    const std::string json = converted(
        {"cube.obj", "--res", "40", "--structure", structure, "--verify", "--json", "-o", "cube.h5"});
    EXPECT_EQ(json_value(json, "verified"), "true") << structure;
  }
  EXPECT_NE(converted({"cube.h5", "--structure", "both", "-o", "c.h5", "--verify"}).find("c.h5: correct: "),
            std::string::npos);
  expect_failure(kBadUsage, "--verify reads scene files back",
                 {"cube.obj", "--res", "40", "--verify", "-o", "cube.vox"});
}

TEST_F(VerifyBricksProgram, NamesTheFirstVoxelInWhichBricksDifferFromTheirScene) {
  make_cubes();
  converted(
      {"cube.h5", "--structure", "both", "--brick-size", "8", "--types", "empty,dense", "-o", "both.h5"});
  EXPECT_NE(converted({"both.h5", "--verify"}).find("both.h5: correct: "), std::string::npos);
  const std::string text = python(R"(
import h5py, numpy, random
file = h5py.File('both.h5', 'r+')
group = file['bricks']
types = [name.decode() for name in group['types'][()]]
root = group['root'][()].reshape(8, 8, 8)
words = group['dense'][()]
values = words.view('u1')
random.seed(3)
changed = []
while len(changed) < 4:
    x, y, z = (random.randrange(64) for _ in range(3))
    entry = int(root[z // 8, y // 8, x // 8])
    if types[entry & 15] != 'dense': continue
    at = (entry >> 4) * 4 + x % 8 + 8 * (y % 8) + 64 * (z % 8)
    if values[at] == 0: continue  # the number of filled voxels stays as it is
    changed.append((z, y, x, values[at] + 1, values[at]))
    values[at] += 1
group['dense'][...] = words
z, y, x, now, before = min(changed)
print('voxel ({}, {}, {}) is {} in the bricks, but {} in the SVDAG'.format(x, y, z, now, before), end='')
)");
  expect_failure(kFailed, "both.h5: " + text, {"both.h5", "--verify"});
  python(R"(
import h5py
attributes = h5py.File('both.h5', 'r+')['bricks'].attrs
attributes.modify('filled', attributes['filled'] - 1)
)");
  expect_failure(kFailed, "both.h5: the number of filled voxels is ", {"both.h5", "--verify"});
}

TEST_F(VerifyBricksProgram, GivesEqualFilesForEveryThreadCountAndMemoryLimit) {
  std::string first;
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{}, {"--threads", "1"}, {"--memory-limit", "400M"}}) {
    std::vector<std::string> arguments = {"ball_20x14x9_uint8.raw", "-o", "a.h5"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    converted(arguments);
    const std::string dump = bricks_digest("a.h5");
    if (first.empty()) first = dump;
    EXPECT_EQ(dump, first);
  }
}

// The volume has 256 MiB of 16-bit values, nearly all 0, which take no room on the disk.
TEST_F(VerifyBricksProgram, AVolumeLargerThanTheMemoryItMayTakeGivesTheSameBricks) {
  if (kThoroughness < 10) GTEST_SKIP() << "instrumented programs take memory of their own";
  constexpr uint64_t kBytes = 256 << 20, kLimit = 100 << 20;
  const std::string volume = write("large_512x512x512_uint16.raw", "");
  std::filesystem::resize_file(folder_ / volume, kBytes);
  std::fstream file(folder_ / volume, std::ios::binary | std::ios::in | std::ios::out);
  const std::string part = ball(5);
  for (uint64_t at = 12345; at + part.size() < kBytes; at += 3141593) {
    file.seekp(static_cast<std::streamoff>(at));
    file << part;
  }
  file.close();
  const Finished bounded = ran({volume, "--memory-limit", "100M", "-o", "bounded.h5", "-q"});
  ASSERT_EQ(bounded.code, 0) << bounded.err;
  EXPECT_TRUE(bounded.peak_bytes < kLimit || test_device() != "cpu") << bounded.peak_bytes;
  converted({volume, "-o", "free.h5", "-q"});
  EXPECT_EQ(bricks_digest("bounded.h5"), bricks_digest("free.h5"));
  converted({"bounded.h5", "-o", "large.nrrd", "-q"});
  EXPECT_EQ(python(R"(
import numpy, os
given = numpy.fromfile('large_512x512x512_uint16.raw', 'u2')
header = os.path.getsize('large.nrrd') - given.nbytes
print((given == numpy.fromfile('large.nrrd', 'u2', offset=header)).all()))"),
            "True\n");
}

// Tests vox-convert with volumes that become scenes.

TEST_F(BricksProgram, LabelsOfAVolumeBecomeTheMaterialsThatTheyWereWrittenAs) {
  make_cubes();
  converted({"cube.h5", "-o", "cube.nrrd"});
  converted({"cube.nrrd", "--structure", "svdag", "--materials", "labels", "-o", "again.h5", "--verify"});
  EXPECT_EQ(digest("again.h5"), digest("cube.h5"));
}

TEST_F(BricksProgram, AVolumeBecomesEveryFormOfAScene) {
  const std::string json =
      converted({"ball_20x14x9_uint8.raw", "--structure", "both,hash", "--threshold", "0.5", "--materials",
                 "bins:4", "--palette-out", "p.gpl", "-o", "a.h5", "--verify", "--json"});
  EXPECT_EQ(json_value(json, "verified"), "true");
  EXPECT_EQ(json_value(json, "resolution"), "20");
  EXPECT_EQ(json_value(json, "bricks.filled"), json_value(json, "voxels"));
  EXPECT_NE(read_bytes(folder_ / "p.gpl").find("120 to 150"), std::string::npos);
  converted({"ball_20x14x9_uint8.raw", "-o", "a.vox"});
  converted({"ball_20x14x9_uint8.raw", "--materials", "none", "--res", "10", "-o", "b.binvox"});
}

TEST_F(BricksProgram, WhatHasNoEffectOnASceneOfAVolumeIsRefused) {
  const auto refuse = [&](const std::string& text, std::vector<std::string> more) {
    more.insert(more.begin(), "ball_20x14x9_uint8.raw");
    expect_failure(kBadUsage, text, more);
  };
  refuse("--materials has no effect on bricks of a volume", {"--materials", "bins"});
  refuse("--materials of a volume is bins, labels or none", {"--structure", "svdag", "--materials", "mesh"});
  refuse("--threshold is for amounts",
         {"--structure", "svdag", "--materials", "labels", "--threshold", "0.1"});
  refuse("--materials is 'bins:17', expected bins:1 to bins:16",
         {"--structure", "svdag", "--materials", "bins:17"});
  refuse("--materials is 'labels:1', expected", {"--structure", "svdag", "--materials", "labels:1"});
  refuse("--channel has no effect", {"--structure", "svdag", "--channel", "0"});
  refuse("--palette has no effect", {"--structure", "svdag", "--materials", "none", "--palette", "p.gpl"});
  refuse("--coverage has no effect", {"--structure", "svdag", "--coverage", "thin"});
  write("cube.obj", cube_obj());
  expect_failure(kBadUsage, "--materials bins and labels are for volumes",
                 {"cube.obj", "--res", "64", "--materials", "bins"});
}

}  // namespace
}  // namespace vox
