// Tests the files for other programs: arrays for NumPy and h5py, tiles for CesiumJS, series of pictures and films.
#include <string>

#include "formats/images/image.h"
#include "libvox/base/process.h"
#include "tests/tools/program.h"

namespace vox {
namespace {

class ArraysProgram : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    if (folder_.empty()) return;
    write_boxes();
  }
};

TEST_F(ArraysProgram, AnNpzFileHoldsTheVoxelsOfTheDenseArray) {
  if (!has_numpy()) GTEST_SKIP() << "no numpy";
  converted({"boxes.obj", "--res", "64", "--materials", "mesh", "-q"});
  converted({"boxes.h5", "-o", "a.npy", "-q"});
  converted({"boxes.h5", "-o", "a.npz", "-q"});
  converted({"boxes.h5", "-o", "part.npz", "--clip", "0,0,0,4,0.4,1", "-q"});
  converted({"boxes.obj", "--res", "64", "--materials", "colors", "-o", "colors.h5", "-q"});
  converted({"colors.h5", "-o", "colors.npz", "-q"});
  converted({"boxes.obj", "--res", "64", "--materials", "none", "-o", "none.npz", "-q"});
  EXPECT_EQ(python(R"(import numpy, zipfile
dense = numpy.load('a.npy')
for name in ('a', 'part', 'colors', 'none'):
    assert zipfile.ZipFile(name + '.npz').testzip() is None
    a = numpy.load(name + '.npz')
    c = a['coords']
    assert c.dtype == numpy.int32 and c.shape[1] == 3
    grid = numpy.zeros(dense.shape, numpy.uint8)
    assert len(numpy.unique(c, axis=0)) == len(c)
    assert a['resolution'] == 64 and a['origin'].shape == (3,)
    assert numpy.allclose(a['voxel_size'], (7 / 64,) * 3)
    if name in ('a', 'part'):
        assert a['materials'].dtype == numpy.uint8 and a['materials'].shape == (len(c),)
        grid[tuple(c.T)] = a['materials'] + 1
        assert [n.decode() for n in a['names']] == ['red', 'blue paint'], a['names']
        assert a['palette'].tolist() == [[255, 0, 0], [0, 0, 255]], a['palette']
        assert (grid == dense).all() if name == 'a' else (grid[grid > 0] == dense[grid > 0]).all() and 0 < len(c) < (dense > 0).sum()
    else:
        grid[tuple(c.T)] = 1
        assert ((grid > 0) == (dense > 0)).all()
    if name == 'colors':
        assert (a['colors'] == numpy.where((dense[tuple(c.T)] == 1)[:, None], (255, 0, 0), (0, 0, 255))).all()
print('same'))"),
            "same\n");
}

TEST_F(ArraysProgram, GeometryOfGprMaxHasTheNumberOfEachCellsMaterial) {
  converted({"boxes.obj", "--res", "100", "--materials", "mesh", "-q", "--solid"});
  converted({"boxes.h5", "-o", "a.npy", "-q"});
  converted({"boxes.h5", "-o", "a.gprmax.h5", "-q"});
  converted({"boxes.h5", "-o", "a.npy", "-q", "--clip", "0,0,0,4,0.4,1", "--force"});
  converted({"boxes.h5", "-o", "part.gprmax.h5", "-q", "--clip", "0,0,0,4,0.4,1"});
  converted({"boxes.h5", "-o", "whole.npy", "-q"});
  EXPECT_EQ(read_bytes(folder_ / "a-materials.txt"), read_bytes(folder_ / "part-materials.txt"));
  EXPECT_TRUE(has(read_bytes(folder_ / "a-materials.txt"),
                  "\n#material: 1 0 1 0 red\n#material: 1 0 1 0 blue_paint\n"));
  EXPECT_EQ(python(R"(import numpy, h5py
for name, dense in (('a', 'whole'), ('part', 'a')):
    f, d = h5py.File(name + '.gprmax.h5', 'r'), numpy.load(dense + '.npy')
    data = f['data'][:]
    assert data.dtype == numpy.int16 and data.shape == d.shape, (data.shape, d.shape)
    assert (data == d.astype(numpy.int16) - 1).all()
    assert numpy.allclose(f.attrs['dx_dy_dz'], (0.07, 0.07, 0.07)), f.attrs['dx_dy_dz']
print('same'))"),
            "same\n");
}

TEST_F(ArraysProgram, VoxelsThatAreNoCubesKeepTheirSidesInAllArrays) {
  if (!has_numpy()) GTEST_SKIP() << "no numpy";
  write("box.obj",
        "v 1 2 3\nv 9 2 3\nv 9 6 3\nv 1 6 3\nv 1 2 5\nv 9 2 5\nv 9 6 5\nv 1 6 5\n"
        "f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n");
  converted({"box.obj", "--voxel-size", "0.1,0.2,0.05", "--solid", "-o", "box.h5", "-q"});
  for (const char* file : {"whole.npy", "a.npz", "a.gprmax.h5"}) converted({"box.h5", "-o", file, "-q"});
  for (const char* type : {"npz", "npy"})
    converted({"box.h5", "-o", std::string(type) + "/part." + type, "--pieces", "32", "-q"});
  EXPECT_EQ(python(R"(import h5py, json, numpy
sides = numpy.array([0.1, 0.2, 0.05])
a = numpy.load('a.npz')
assert numpy.allclose(a['voxel_size'], sides) and numpy.allclose(a['origin'], (1, 2, 3))
whole = numpy.load('whole.npy') > 0
size = whole.any((1, 2)).sum(), whole.any((0, 2)).sum(), whole.any((0, 1)).sum()
assert numpy.prod(size) == whole.sum() and abs(numpy.array(size) * sides - (8, 4, 2)).max() < 0.201, size
grid = numpy.zeros_like(whole)
grid[tuple(a['coords'].T)] = True
assert (grid == whole).all(), grid.sum()
f = h5py.File('a.gprmax.h5', 'r')
assert numpy.allclose(f.attrs['dx_dy_dz'], sides) and numpy.allclose(f.attrs['origin'], (1, 2, 3))
assert ((f['data'][:] >= 0) == whole).all()
for kind in ('npz', 'npy'):
    pieces = json.load(open(kind + '/pieces.json'))
    assert numpy.allclose(pieces['voxel_size'], sides), pieces['voxel_size']
    grid[:] = False
    for piece in pieces['pieces']:
        low, part = numpy.array(piece['first_voxel']), numpy.load(kind + '/' + piece['file'])
        assert numpy.allclose(piece['origin'], (1, 2, 3) + low * sides), piece
        if kind == 'npy':
            x, y, z = low
            grid[x:x + part.shape[0], y:y + part.shape[1], z:z + part.shape[2]] |= part > 0
        else:
            assert numpy.allclose(part['voxel_size'], sides)
            places = part['origin'] + part['voxel_size'] * (part['coords'] + 0.5)
            grid[tuple(((places - (1, 2, 3)) / sides).astype(int).T)] = True
    assert (grid == whole).all(), kind
print('same'))"),
            "same\n");
}

TEST_F(ArraysProgram, OptionsOfNamesAndArraysAreRefusedWhereTheyHaveNoEffect) {
  write("rules.csv", "a,1\n");
  expect_failure(kBadUsage, "--assign gives numbers to names",
                 {"boxes.obj", "--res", "16", "--assign", "rules.csv"});
  expect_failure(kBadUsage, "--materials-out",
                 {"boxes.obj", "--res", "16", "--materials", "none", "--materials-out", "a.json"});
  expect_failure(kBadUsage, "ends in .json", {"boxes.obj", "--res", "16", "--materials-out", "a.txt"});
  expect_failure(kBadUsage, "--order", {"boxes.obj", "--res", "16", "-o", "a.nrrd", "--order", "zyx"});
  expect_failure(kBadUsage, "--pieces", {"boxes.obj", "--res", "16", "-o", "a.vox", "--pieces", "64"});
  expect_failure(kBadUsage, "names no folder of its own",
                 {"boxes.obj", "--res", "16", "-o", "a.raw", "--pieces", "64"});
  write("bad.csv", "a,1\nb,77\n");
  expect_failure(kFailed, "bad.csv:2:3: the number is '77'",
                 {"boxes.obj", "--res", "16", "--materials", "mesh", "--assign", "bad.csv"});
  converted({"boxes.obj", "--res", "3000", "-o", "cells/a.raw", "--pieces", "1024", "--bits", "1", "-q",
             "--materials", "none"});
  EXPECT_TRUE(exists("cells/a_2_0_0.raw"));
  EXPECT_FALSE(exists("cells/a_0_2_0.raw"));
}

// VOX_SPLAT_TRANSFORM names the program of the npm package @playcanvas/splat-transform 1.10.1, without which the test is
// skipped. Later versions write octrees for walking in, but read none. This one knows version 1.0 of the format alone.
TEST_F(ArraysProgram, SplatTransformReadsTheBlocksOfAnOctreeForWalkingIn) {
  const char* program = std::getenv("VOX_SPLAT_TRANSFORM");
  if (program == nullptr || !has_numpy()) GTEST_SKIP() << "no splat-transform 1.10.1 or no numpy";
  write_boxes();
  converted({"boxes.obj", "--voxel-size", "0.07", "-o", "boxes.h5", "-q"});
  for (const char* file : {"a.voxel.json", "a.npz"}) converted({"boxes.h5", "-o", file, "-q"});
  EXPECT_EQ(python("program = '" + std::string(program) + R"('
import numpy, subprocess
text = open('a.voxel.json').read()
open('a.voxel.json', 'w').write(text.replace('"version": "1.1"', '"version": "1.0"'))
subprocess.run([program, 'a.voxel.json', 'a.ply'], check=True, capture_output=True)
head, body = open('a.ply', 'rb').read().split(b'end_header\n', 1)
read = numpy.frombuffer(body, '<f4').reshape(-1, head.count(b'property float'))[:, :3]
a = numpy.load('a.npz')
blocks = a['origin'] + (numpy.unique(a['coords'] // 4, axis=0) * 4 + 2) * a['voxel_size']
def ordered(places):
    places = numpy.round(places, 3)
    return places[numpy.lexsort(places.T)]
assert read.shape == blocks.shape, (read.shape, blocks.shape)
assert numpy.allclose(ordered(read), ordered(blocks), atol=0.002)
print('same'))"),
            "same\n");
}

// Shows 3D Tiles of vox-convert with CesiumJS in Chromium with software graphics. VOX_CESIUM names the folder Build/Cesium of
// the npm package cesium, without which the test is skipped.

// Two boxes beside each other, the one to the west red and the other one green.
std::string two_boxes() {
  std::string text = "mtllib two.mtl\n";
  const std::string faces[] = {"1 3 2", "2 3 4", "5 6 7", "6 8 7", "1 2 5", "2 6 5",
                               "3 7 4", "4 7 8", "1 5 3", "3 5 7", "2 4 6", "4 8 6"};
  for (const bool east : {false, true}) {
    for (int i = 0; i < 8; ++i)
      text += "v " + std::to_string((i & 1) * 4 + (east ? 6 : 0)) + ' ' + std::to_string((i >> 1 & 1) * 10) +
              ' ' + std::to_string((i >> 2 & 1) * 10) + '\n';
    text += east ? "usemtl green\n" : "usemtl red\n";
    for (const std::string& face : faces) {  // from behind the last vertex
      text += 'f';
      for (const char corner : face)
        text += corner == ' ' ? std::string() : " -" + std::to_string(9 - (corner - '0'));
      text += '\n';
    }
  }
  return text;
}

constexpr const char* kCesiumPage = R"(<!DOCTYPE html><meta charset="utf-8">
<style>body { margin: 0 } canvas { width: 320px; height: 240px }</style><div id="view"></div><script src="cesium/Cesium.js"></script><script type="module">
const widget = new Cesium.CesiumWidget('view', {baseLayer: false, globe: false, skyBox: false, skyAtmosphere: false,
  contextOptions: {webgl: {preserveDrawingBuffer: true}}});
widget.scene.backgroundColor = Cesium.Color.BLACK;
const provider = await Cesium.Cesium3DTilesVoxelProvider.fromUrl('tiles/tileset.json');
const customShader = new Cesium.CustomShader({fragmentShaderText: `void fragmentMain(FragmentInput fsInput,
  inout czm_modelMaterial material) {
  material.diffuse = fsInput.metadata.color.rgb; material.alpha = fsInput.metadata.color.a; }`});
const voxels = widget.scene.primitives.add(new Cesium.VoxelPrimitive({provider, customShader}));
voxels.nearestSampling = true;
const waiting = setInterval(() => {
  if (!voxels.ready) return;
  clearInterval(waiting);
  const {boundingSphere} = voxels;  // looked at from the south
  widget.camera.viewBoundingSphere(boundingSphere, new Cesium.HeadingPitchRange(0, -0.2, 2.5 * boundingSphere.radius));
  widget.camera.lookAtTransform(Cesium.Matrix4.IDENTITY);
}, 20);
globalThis.colors = places => {
  const gl = widget.canvas.getContext('webgl2'), pixel = new Uint8Array(4);
  return places.map(([x, y]) => {
    gl.readPixels(x, 239 - y, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
    return [...pixel.slice(0, 3)].join();
  }).join(' ');
};
</script>
)";

constexpr const char* kLook = R"(
import http.server
import threading
class Handler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass
server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
server.daemon_threads = True
threading.Thread(target=server.serve_forever, daemon=True).start()
# The west, the gap, the east and the sky.
shown = 'globalThis.colors?.([[112, 120], [160, 120], [208, 120], [6, 5]])'
with Chromium(browser, os.getcwd(), 320, 240) as page:
    page.visit('http://127.0.0.1:%d/page.html' % server.server_port)
    page.wait(shown + ' == "255,0,0 0,0,0 0,255,0 0,0,0"')
    print(page.value(shown), end='')
)";

class TilesPage : public ProgramTest {};

TEST_F(TilesPage, CesiumShowsTheVoxelsInTheirColors) {
  const char* cesium = std::getenv("VOX_CESIUM");
  if (cesium == nullptr || browser_name().empty()) GTEST_SKIP() << "no CesiumJS or no chromium";
  write("two.obj", two_boxes());
  write("two.mtl", "newmtl red\nKd 1 0 0\nnewmtl green\nKd 0 1 0\n");
  converted({"two.obj", "--res", "64", "-q"});
  converted({"two.h5", "-o", "tiles/tileset.json", "--origin", "48.2,16.4,180", "-q"});
  write("page.html", kCesiumPage);
  std::filesystem::create_directory_symlink(cesium, folder_ / "cesium");
  const std::string browser = "browser = '" + browser_name() + "'\n";
  EXPECT_EQ(python(chromium_driver() + browser + kLook), "255,0,0 0,0,0 0,255,0 0,0,0");
}

// Tests series of pictures of one scene, along a camera path and as films.

namespace fs = std::filesystem;

class FilmProgram : public CubesTest {
 protected:
  FilmProgram() : CubesTest("vox-render") {}

  void SetUp() override {
    CubesTest::SetUp();
    path_ = std::getenv("PATH");
  }
  void TearDown() override {
    setenv("PATH", path_.c_str(), 1);
    CubesTest::TearDown();
  }

  // Makes a shell script the only ffmpeg that programs find.
  void set_ffmpeg(const std::string& script) const {
    fs::create_directory(folder_ / "bin");
    write("bin/ffmpeg", "#!/bin/sh\nPATH=/bin:/usr/bin\n" + script);
    fs::permissions(folder_ / "bin/ffmpeg", fs::perms::owner_all);
    setenv("PATH", (folder_ / "bin").c_str(), 1);
  }
  void set_no_ffmpeg() const { setenv("PATH", (folder_ / "nowhere").c_str(), 1); }

  scene::Image image(const std::string& name) const { return read_image(folder_ / name); }

  std::string path_;
};

const std::vector<std::string> kTurn = {"cube.h5", "--turntable", "3", "--size", "40x30", "-o", "turn.mp4"};

TEST_F(FilmProgram, ShowsThePicturesThatAreWrittenOneByOne) {
  if (!can_write_films()) GTEST_SKIP() << "ffmpeg is not installed";
  printed({"cube.h5", "-q", "--turntable", "5", "--size", "160x120", "-o", "turn.mp4"});
  printed({"cube.h5", "-q", "--turntable", "5", "--size", "160x120", "-o", "turn.png"});
  const ProgramResult decoded =
      run_program({"ffmpeg", "-v", "error", "-i", (folder_ / "turn.mp4").string(), "-f", "rawvideo",
                   "-pix_fmt", "rgb24", (folder_ / "turn.rgb").string()});
  ASSERT_EQ(decoded.status, 0) << decoded.output;
  const std::string rgb = read_bytes(folder_ / "turn.rgb");
  ASSERT_EQ(rgb.size(), 5u * 160 * 120 * 3);
  for (size_t frame = 0; frame < 5; ++frame) {
    const scene::Image shown = image("turn-" + std::to_string(frame) + ".png");
    double apart = 0;
    for (size_t i = 0; i < shown.pixels.size(); ++i) {
      const scene::Rgba8 p = shown.pixels[i];
      const auto* const q = reinterpret_cast<const uint8_t*>(rgb.data()) + (frame * 160 * 120 + i) * 3;
      apart += std::abs(p.r - q[0]) + std::abs(p.g - q[1]) + std::abs(p.b - q[2]);
    }
    EXPECT_LT(apart / (3.0 * 160 * 120), 4) << frame;
  }
  // vox recognizes its own film and may replace it, but not another's.
  printed({"cube.h5", "-q", "--turntable", "2", "--size", "40x30", "-o", "turn.mp4"});
  write("other.mp4", "somebody's film");
  expect_failure(kFailed, "no film that vox wrote",
                 {"cube.h5", "--turntable", "2", "--size", "40x30", "-o", "other.mp4"});
}

TEST_F(FilmProgram, OfAProgramThatFailsIsAnErrorAndNoFile) {
  set_ffmpeg("echo 'no such codec' >&2; exit 3\n");
  expect_failure(kFailed, "ffmpeg ended with exit code 3 and said: no such codec", kTurn);
  set_ffmpeg("cat > /dev/null; echo late >&2; exit 1\n");
  expect_failure(kFailed, "exit code 1 and said: late", kTurn);
  set_ffmpeg("kill -9 $$\n");
  expect_failure(kFailed, "exit code 137", kTurn);
}

TEST_F(FilmProgram, PicturesArePipedWithoutAShell) {
  set_ffmpeg("for last; do :; done; cat > \"${last#file:}\"\n");
  printed({"cube.h5", "-q", "--turntable", "3", "--size", "40x30", "-o", "a b;$HOME.mp4"});
  const std::string bytes = read_bytes(folder_ / "a b;$HOME.mp4");
  EXPECT_EQ(bytes.size(), 3u * 40 * 30 * 3);
  printed({"cube.h5", "-q", "--turntable", "3", "--size", "40x30", "-o", "turn.png"});
  for (size_t frame = 0; frame < 3; ++frame) {
    const scene::Image shown = image("turn-" + std::to_string(frame) + ".png");
    for (size_t i = 0; i < shown.pixels.size(); ++i) {
      const scene::Rgba8 p = shown.pixels[i];
      const std::string expected = {char(p.r), char(p.g), char(p.b)};
      ASSERT_EQ(bytes.substr((frame * 1200 + i) * 3, 3), expected) << frame << ' ' << i;
    }
  }
}

TEST_F(FilmProgram, WithoutFfmpegPicturesAreWrittenAndThatIsSaid) {
  set_no_ffmpeg();
  const Finished run = ran(kTurn);
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_TRUE(has(run.err, "ffmpeg is not installed")) << run.err;
  EXPECT_TRUE(exists("turn-0.png") && exists("turn-2.png") && !exists("turn.mp4"));
}

TEST_F(FilmProgram, RefusesWhatIsNoFilm) {
  expect_failure(kBadUsage, "there is one picture", {"cube.h5", "-o", "a.mp4"});
  expect_failure(kBadUsage, "there is one picture", {"cube.h5", "-o", "a.mp4", "--slice", "z=1"});
  expect_failure(kBadUsage, "sides of a film are even",
                 {"cube.h5", "-o", "a.mp4", "--turntable", "2", "--size", "41x30"});
  expect_failure(kBadUsage, "--fps has no effect on a scene", {"cube.h5", "--turntable", "2", "--fps", "25"});
  expect_failure(kBadUsage, "--fps is 0", {"cube.h5", "-o", "a.mp4", "--turntable", "2", "--fps", "0"});
}

const std::string kColumns = "eye_x,eye_y,eye_z,target_x,target_y,target_z";

TEST_F(FilmProgram, ARowOfAWayIsThePictureOfItsCamera) {
  write("way.csv", kColumns + ",fov\n0.5,0.5,3,0.5,0.5,0.5,40\n2,3,1,0.5,0.5,0.5,60\n");
  printed({"cube.h5", "-q", "--path", "way.csv", "--size", "60x40", "-o", "a.png"});
  printed({"cube.h5", "-q", "--eye", "2,3,1", "--target", "0.5,0.5,0.5", "--fov", "60", "--size", "60x40",
           "-o", "b.png"});
  EXPECT_TRUE(exists("a-0.png") && !exists("a-2.png"));
  EXPECT_EQ(image("a-1.png").pixels, image("b.png").pixels);
}

TEST_F(FilmProgram, AWayWithTimesHasPicturesBetweenItsRows) {
  write("way.csv", kColumns + ",time\n0.5,0.5,3,0.5,0.5,0.5,0\n2,3,1,0.5,0.5,0.5,0.5\n");
  printed({"cube.h5", "-q", "--path", "way.csv", "--fps", "8", "--size", "60x40", "-o", "a.png"});
  EXPECT_TRUE(exists("a-4.png") && !exists("a-5.png"));
  // A camera path of two rows is a straight line.
  printed(
      {"cube.h5", "-q", "--eye", "1.25,1.75,2", "--target", "0.5,0.5,0.5", "--size", "60x40", "-o", "b.png"});
  EXPECT_EQ(image("a-2.png").pixels, image("b.png").pixels);
}

TEST_F(FilmProgram, AWayExcludesOtherCameras) {
  write("way.csv", kColumns + "\n0.5,0.5,3,0.5,0.5,0.5\n");
  write("angles.csv", kColumns + ",fov\n0.5,0.5,3,0.5,0.5,0.5,40\n");
  write("far.csv", kColumns + ",time\n0.5,0.5,3,0.5,0.5,0.5,0\n0.5,1,3,0.5,0.5,0.5,1e6\n");
  for (const std::vector<std::string>& options :
       std::vector<std::vector<std::string>>{{"--view", "top"}, {"--eye", "1,2,3"}, {"--turntable", "3"}}) {
    std::vector<std::string> all = {"cube.h5", "--path", "way.csv"};
    all.insert(all.end(), options.begin(), options.end());
    expect_failure(kBadUsage, options[0] + " and --path both", all);
  }
  expect_failure(kBadUsage, "--fov has no effect", {"cube.h5", "--path", "angles.csv", "--fov", "30"});
  expect_failure(kBadUsage, "--path has no effect on a cut",
                 {"cube.h5", "--path", "way.csv", "--slice", "z=1"});
  expect_failure(kBadUsage, "--path has no effect on a page",
                 {"cube.h5", "--path", "way.csv", "--html", "a.html"});
  expect_failure(kFailed, "more than 10000 pictures", {"cube.h5", "--path", "far.csv"});
  expect_failure(kFailed, "nowhere.csv", {"cube.h5", "--path", "nowhere.csv"});
}

}  // namespace
}  // namespace vox
