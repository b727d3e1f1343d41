// Tests vox-convert --lossy.

#include "tests/tools/program.h"

namespace vox {
namespace {

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
