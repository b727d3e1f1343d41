// Tests series of pictures of one scene, along a camera path and as films.
#include <cstdlib>

#include "formats/images/image.h"
#include "formats/images/pictures.h"
#include "libvox/base/process.h"
#include "tests/tools/program.h"

namespace vox {
namespace {

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
