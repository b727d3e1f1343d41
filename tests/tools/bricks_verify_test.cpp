// Tests vox-convert --verify for bricks, and that bricks do not depend on memory and threads.
#include <fstream>

#include "tests/common/test_engine.h"
#include "tests/common/thoroughness.h"
#include "tests/tools/bricks_program.h"

namespace vox {
namespace {

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

}  // namespace
}  // namespace vox
