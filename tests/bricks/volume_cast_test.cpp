// Tests rays through volumes in code that is compiled at run time; tests/render compares pictures.
#include "libvox/bricks/volume_cast.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "libvox/bricks/jit/compile.h"
#include "libvox/bricks/jit/source.h"
#include "tests/bricks/brick_volumes.h"
#include "tests/common/test_engine.h"

namespace vox {
namespace {

using namespace testing_bricks;

// The fixture has a cache of its own.
class VolumeCast : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = (std::filesystem::path(testing::TempDir()) / "vox-cast-test-XXXXXX").string();
    ASSERT_NE(mkdtemp(folder_.data()), nullptr);
    setenv("XDG_CACHE_HOME", folder_.c_str(), 1);
  }
  void TearDown() override {
    unsetenv("XDG_CACHE_HOME");
    std::filesystem::remove_all(folder_);
  }
  std::string folder_;
};

std::string source(volume::ValueType type, const std::string& word, const std::string& loop) {
  const bricks::FrozenBricks bricks =
      test_engine()
          ->build_bricks(mixed_volume({40, 25, 30}, type, 1), {.log2_side = 3, .threshold = {}})
          .bricks;
  const std::string body = "vox::bricks::CastVolume<vox::bricks::JitBricks, " + word + ">{{bricks}, view}(i)";
  return bricks::jit_source(bricks, bricks::build_kd_tree(bricks, 50)) + loop + " { " + body + "; }\n";
}

TEST_F(VolumeCast, CompilesAtRunTimeForGpus) {
  if (!bricks::has_nvrtc()) GTEST_SKIP() << "NVRTC is not installed";
  const std::string loop =
      "extern \"C\" __global__ void cast_volume("
      "vox::bricks::BricksRef bricks, vox::bricks::CastView view, uint64_t i)";
  EXPECT_GT(bricks::compile_for_gpu(source(volume::ValueType::U8, "uint8_t", loop), 90).size(), 1000u);
  EXPECT_GT(bricks::compile_for_gpu(source(volume::ValueType::I16, "uint16_t", loop), 75).size(), 1000u);
  EXPECT_GT(bricks::compile_for_gpu(source(volume::ValueType::F32, "uint32_t", loop), 90).size(), 1000u);
}

TEST_F(VolumeCast, CompilesAtRunTimeForProcessors) {
  const std::string loop =
      "extern \"C\" void cast_volume("
      "const vox::bricks::BricksRef& bricks, const vox::bricks::CastView& view, uint64_t i)";
  EXPECT_GT(bricks::compile_for_cpu(source(volume::ValueType::F32, "uint32_t", loop), "").size(), 1000u);
}

}  // namespace
}  // namespace vox
