// Tests vox-convert with volumes and bricks.
#include <cmath>
#include <cstring>

#include "tests/common/thoroughness.h"
#include "tests/tools/bricks_program.h"

namespace vox {
namespace {

TEST_F(BricksProgram, TurnsARawVolumeIntoBricksAndBack) {
  const std::string json = converted({"ball_20x14x9_uint8.raw", "-o", "ball.h5", "--json"});
  EXPECT_EQ(json_value(json, "bricks.dense_bytes"), "2520");
  const int bytes = std::stoi(json_value(json, "bricks.bytes"));
  EXPECT_LT(bytes, 2520);
  int bricks = 0;
  for (const char* type : {"empty", "dense", "octree", "list", "homogeneous", "palette", "masked", "hash"})
    bricks += std::stoi(json_value(json, std::string("bricks.types.") + type));
  EXPECT_EQ(std::to_string(bricks), json_value(json, "bricks.count"));
  converted({"ball.h5", "-o", "ball.nrrd"});
  EXPECT_EQ(values("ball.nrrd"), ball(6));
  EXPECT_NE(read_bytes(folder_ / "ball.nrrd").find("sizes: 20 14 9\n"), std::string::npos);
  EXPECT_NE(converted({"ball.h5", "--info"}).find("20 x 14 x 9 voxels of u8"), std::string::npos);
  EXPECT_NE(converted({"--verify", "ball.h5"}).find("ball.h5: correct: "), std::string::npos);
}

TEST_F(BricksProgram, EverySizeAndSetOfTypesGivesTheSameValuesBack) {
  for (const std::string& size : sampled<std::string>({"4", "8", "16", "32", "64", "auto"}))
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
  const std::string before = digest("cube.h5");
  const std::string json = converted({"cube.h5", "--structure", "both", "--brick-size", "16", "--json"});
  EXPECT_EQ(json_value(json, "bricks.size"), "16");
  EXPECT_EQ(json_value(json, "bricks.filled"), json_value(json, "voxels"));
  EXPECT_EQ(digest("cube.h5"), before);
  EXPECT_NE(converted({"cube.h5", "--info"}).find("of 16³ voxels"), std::string::npos);
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

TEST_F(BricksProgram, SaysWhatIsWrong) {
  const std::string volume = "ball_20x14x9_uint8.raw";
  for (const auto& [text, arguments] : std::vector<std::pair<std::string, std::vector<std::string>>>{
           {"--brick-size is '12', expected 4, 8, 16, 32, 64 or auto", {volume, "--brick-size", "12"}},
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

}  // namespace
}  // namespace vox
