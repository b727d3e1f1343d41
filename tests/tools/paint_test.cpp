// Tests vox-convert --paint.
#include "tests/tools/program.h"

namespace vox {
namespace {

// A square of side 1 in the plane z = 0 with texture coordinates from 0 to 1.
constexpr const char* kSquare = R"(v 0 0 0
v 1 0 0
v 1 1 0
v 0 1 0
vt 0 0
vt 1 0
vt 1 1
vt 0 1
f 1/1 2/2 3/3 4/4
)";
constexpr const char* kStrokes =
    "stroke color #ff0000 radius 0.2 edge 0 from 0.5,0.2,0 to 0.5,0.8,0\n"
    "stroke color #0000ff radius 0.1 edge 0 uv 0.25,0.25\n";

class PaintProgram : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    write("square.obj", kSquare);
    write("strokes.txt", kStrokes);
  }
};

TEST_F(PaintProgram, PaintsStrokesThatTakePartInThePalette) {
  const std::string json = converted({"square.obj", "--res", "100", "--paint", "strokes.txt", "--paint-size",
                                      "1K", "-o", "a.h5", "--verify", "--json"});
  EXPECT_EQ(json_value(json, "painting.strokes"), "2");
  EXPECT_EQ(json_value(json, "painting.size"), "1024");
  EXPECT_EQ(json_value(json, "painting.rebuilds"), "1");
  EXPECT_EQ(json_value(json, "painting.queries"), "10000");
  EXPECT_GT(std::stod(json_value(json, "painting.bytes")), 0);
  EXPECT_GE(std::stod(json_value(json, "seconds.paint")), std::stod(json_value(json, "painting.seconds")));
  const double area = 3.14159 * 0.04 + 0.4 * 0.6 + 3.14159 * 0.01;
  EXPECT_NEAR(std::stod(json_value(json, "painting.texels")), area * 1024 * 1024, 0.02 * 1024 * 1024);
  EXPECT_EQ(python(R"(
import h5py
f = h5py.File('a.h5')
colors = [tuple(map(int, c)) for c in f['palette/colors'][:]]
print((255, 0, 0) in colors, (0, 0, 255) in colors)
)"),
            "True True\n");
}

TEST_F(PaintProgram, WithoutPaintNothingIsSaidOfPainting) {
  const std::string json = converted({"square.obj", "--res", "64", "--json"});
  EXPECT_EQ(json_value(json, "painting.strokes"), "");
}

TEST_F(PaintProgram, WarnsOfStrokesThatTouchNothing) {
  write("far.txt", "# far away\nstroke color #ff0000 radius 0.2 at 5,5,5\n");
  const Finished run = convert({"square.obj", "--res", "64", "--paint", "far.txt", "-o", "far.h5"});
  EXPECT_EQ(run.code, 0);
  EXPECT_TRUE(has(run.err, "far.txt:2: the stroke touches no texel")) << run.err;
  converted({"square.obj", "--res", "64", "-o", "plain.h5"});
  EXPECT_EQ(digest("far.h5"), digest("plain.h5"));
}

TEST_F(PaintProgram, RefusesWhatHasNoEffectOrMakesNoSense) {
  write("bad.txt", "stroke color #ff0000 radius 0 at 0,0,0\n");
  write("empty.txt", "# nothing\n");
  write("bare.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  const auto paint = [](const std::string& script) {
    return std::vector<std::string>{"square.obj", "--res", "64", "--paint", script};
  };
  auto with = [&](std::vector<std::string> more) {
    std::vector<std::string> all = paint("strokes.txt");
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  expect_failure(kFailed, "bad.txt:1:29: the radius is '0'", paint("bad.txt"));
  expect_failure(kFailed, "empty.txt: has no strokes", paint("empty.txt"));
  expect_failure(kFailed, "missing.txt", paint("missing.txt"));
  expect_failure(kFailed, "the mesh has no texture coordinates",
                 {"bare.obj", "--res", "64", "--paint", "strokes.txt"});
  expect_failure(kBadUsage, "--paint-size needs --paint",
                 {"square.obj", "--res", "64", "--paint-size", "1K"});
  for (const std::string size : {"0", "128K", "65537"})
    expect_failure(kBadUsage, "--paint-size is " + size + ", expected 1 to 65536",
                   with({"--paint-size", size}));
  expect_failure(kBadUsage, "--paint-size", with({"--paint-size", "many"}));
  for (const std::string materials : {"none", "mesh"})
    expect_failure(kBadUsage, "--paint needs --materials texture", with({"--materials", materials}));
}

TEST_F(PaintProgram, PaintsMeshesAlone) {
  make_cubes();
  for (const std::string input : {"cube.h5"})
    expect_failure(kBadUsage, "--paint has no effect on",
                   {input, "--res", "32", "--paint", "strokes.txt", "-o", "a.h5"});
  write("a_4x4x4_uint8.raw", std::string(64, '\1'));
  expect_failure(kBadUsage, "--paint has no effect on",
                 {"a_4x4x4_uint8.raw", "--paint", "strokes.txt", "-o", "a.h5"});
}

}  // namespace
}  // namespace vox
