// Tests rays through volumes in code that is compiled at run time; tests/render compares pictures.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <limits>

#include "libvox/bricks/jit/source.h"
#include "libvox/bricks/volume_cast.h"
#include "tests/bricks/brick_volumes.h"
#include "tests/common/random.h"
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
      bricks::build_bricks(test_engine()->handle(), mixed_volume({40, 25, 30}, type, 1),
                           {.log2_side = 3, .threshold = {}})
          .bricks;
  const std::string body = "vox::bricks::CastVolume<vox::bricks::JitBricks, " + word + ">{{bricks}, view}(i)";
  return bricks::jit_source(bricks, bricks::build_kd_tree(bricks, 50)) + loop + " { " + body + "; }\n";
}

TEST_F(VolumeCast, CompilesAtRunTimeForGpus) {
  if (!bricks::has_nvrtc()) GTEST_SKIP() << "NVRTC is not installed";
  const std::string loop =
      "extern \"C\" __global__ void cast_volume("
      "vox::bricks::BricksRef bricks, vox::bricks::CastView view, uint64_t i)";
  EXPECT_GT(bricks::compile_for_gpu(source(volume::ValueType::I16, "uint16_t", loop), 75).size(), 1000u);
  EXPECT_GT(bricks::compile_for_gpu(source(volume::ValueType::F32, "uint32_t", loop), 90).size(), 1000u);
}

TEST_F(VolumeCast, CompilesAtRunTimeForProcessors) {
  const std::string loop =
      "extern \"C\" void cast_volume("
      "const vox::bricks::BricksRef& bricks, const vox::bricks::CastView& view, uint64_t i)";
  EXPECT_GT(bricks::compile_for_cpu(source(volume::ValueType::F32, "uint32_t", loop), "").size(), 1000u);
}

// Compares interpolated values with the dense volume in long doubles, and all kinds of access with one
// another.

constexpr Int3 kUnevenSize = {71, 45, 66};  // not divisible by any brick size
constexpr std::array<volume::ValueType, 4> kTypes = {volume::ValueType::U8, volume::ValueType::U16,
                                                     volume::ValueType::I16, volume::ValueType::F32};

// Returns places on and next to borders of voxels and bricks, at the ends of the volume, and beyond them.
std::vector<float> places(int32_t size) {
  std::vector<float> list = {-1e30f, -7.25f, float(size) + 0.75f, float(size) + 100, 3e38f};
  for (int32_t border = 0; border <= size; border += border % 4 == 0 ? 3 : 1)
    for (const float at : {float(border), float(border) + 0.5f, float(border) + 0.3125f}) {
      list.push_back(at);
      list.push_back(std::nextafterf(at, -1e9f));
      list.push_back(std::nextafterf(at, 1e9f));
    }
  return list;
}

// Combines each place of an axis with some places of the other axes.
std::vector<Vec3<float>> positions(Int3 size) {
  const std::vector<float> x = places(size.x), y = places(size.y), z = places(size.z);
  Random random(5);
  const auto any = [&](const std::vector<float>& list) { return list[random.below(uint32_t(list.size()))]; };
  std::vector<Vec3<float>> result;
  for (int i = 0; i < 8; ++i) {
    for (const float at : x) result.push_back({at, any(y), any(z)});
    for (const float at : y) result.push_back({any(x), at, any(z)});
    for (const float at : z) result.push_back({any(x), any(y), at});
  }
  return result;
}

struct Expected {
  long double value, bound;
};

Expected expected(const volume::Volume& volume, const DenseAccess& dense, uint32_t background,
                  Vec3<float> at) {
  struct Axis {
    int32_t low;
    long double share;
    Axis(float position, int32_t size) {
      const long double inside = std::clamp(static_cast<long double>(position) - 0.5L, 0.0L, size - 1.0L);
      low = int32_t(std::floor(inside));
      share = inside - low;
    }
  };
  const Int3 size = volume.info.size;
  const Axis x(at.x, size.x), y(at.y, size.y), z(at.z, size.z);
  long double sum = 0, least = HUGE_VALL, most = -HUGE_VALL;
  for (int corner = 0; corner < 8; ++corner) {
    const int dx = corner & 1, dy = corner >> 1 & 1, dz = corner >> 2;
    const long double weight =
        (dx ? x.share : 1 - x.share) * (dy ? y.share : 1 - y.share) * (dz ? z.share : 1 - z.share);
    const Int3 v = {std::min(x.low + dx, size.x - 1), std::min(y.low + dy, size.y - 1),
                    std::min(z.low + dz, size.z - 1)};
    const long double value = volume::value_number(volume.info.type, dense.get<uint32_t>(v) ^ background);
    sum += weight * value;
    least = std::min(least, value);
    most = std::max(most, value);
  }
  const long double largest = std::max(std::fabs(least), std::fabs(most));
  return {sum, 3.001L * 0x1p-24L * (2 * (most - least) + largest)};
}

void expect_interpolated(const volume::Volume& volume, uint32_t log2_side) {
  const volume::ValueType type = volume.info.type;
  const bricks::FrozenBricks bricks =
      bricks::build_bricks(test_engine()->handle(), volume, {.log2_side = log2_side, .threshold = {}}).bricks;
  const bricks::KdTree tree = bricks::build_kd_tree(bricks, 100);
  const DenseAccess dense(volume, bricks.background);
  const bricks::DenseRootRef access = {bricks::ref(bricks)};
  const bricks::KdRef through_tree = {.bricks = access, .nodes = tree.nodes.data()};
  const bricks::ValueMeaning meaning = {volume.info.size, type, bricks.background};
  volume::with_word_type(type, [&]<class T>() {
    const bricks::Interpolator<bricks::DenseRootRef, T> of_bricks = {access, meaning};
    const bricks::Interpolator<bricks::KdRef, T> of_tree = {through_tree, meaning};
    const bricks::Interpolator<DenseAccess, T> of_dense = {dense, meaning};
    for (const Vec3<float> at : positions(volume.info.size)) {
      const float value = of_bricks(at);
      const auto [exact, bound] = expected(volume, dense, bricks.background, at);
      ASSERT_LE(std::fabs(value - exact), bound) << at.x << ' ' << at.y << ' ' << at.z;
      ASSERT_EQ(value, of_dense(at)) << at.x << ' ' << at.y << ' ' << at.z;
      ASSERT_EQ(value, of_tree(at)) << at.x << ' ' << at.y << ' ' << at.z;
    }
  });
}

TEST(Interpolate, IsNearTheExactValueAndTheSameOfAllAccess) {
  for (const volume::ValueType type : kTypes)
    for (uint32_t log2_side = bricks::kMinBrickLog2; log2_side <= bricks::kMostTriedLog2; ++log2_side) {
      SCOPED_TRACE(testing::Message() << volume::value_type_name(type) << ' ' << log2_side);
      expect_interpolated(signed_volume(kUnevenSize, type, 3), log2_side);
    }
}

TEST(Interpolate, TakesVolumesOfOneVoxelAndOfOneLayer) {
  for (const volume::ValueType type : kTypes)
    for (const Int3 size : {Int3{1, 1, 1}, Int3{1, 9, 5}, Int3{30, 1, 17}, Int3{6, 70, 1}})
      expect_interpolated(signed_volume(size, type, 4), 2);
}

TEST(Interpolate, GivesVoxelsExactlyInTheirMiddlesAndBeyondTheVolume) {
  for (const volume::ValueType type : kTypes) {
    const volume::Volume volume = signed_volume({13, 9, 6}, type, 1);
    const DenseAccess dense(volume, 0);
    const bricks::Interpolator<DenseAccess, uint32_t> bytes_as_floats = {dense, {{13, 9, 6}, type, 0}};
    const auto value = [&](Vec3<float> at) {
      if (type == volume::ValueType::F32) return bytes_as_floats(at);
      if (type == volume::ValueType::U8)
        return bricks::Interpolator<DenseAccess, uint8_t>{dense, {{13, 9, 6}, type, 0}}(at);
      return bricks::Interpolator<DenseAccess, uint16_t>{dense, {{13, 9, 6}, type, 0}}(at);
    };
    for (Int3 v = {0, 0, 0}; v.z < 6; ++v.z)
      for (v.y = 0; v.y < 9; ++v.y)
        for (v.x = 0; v.x < 13; ++v.x) {
          const auto exact = float(volume::value_number(type, dense.get<uint32_t>(v)));
          EXPECT_EQ(value({float(v.x) + 0.5f, float(v.y) + 0.5f, float(v.z) + 0.5f}), exact);
          const auto outside = [](int32_t at, int32_t size) {
            return at == 0 ? -3.7f : at == size - 1 ? float(size) + 0.3f : float(at) + 0.5f;
          };
          EXPECT_EQ(value({outside(v.x, 13), outside(v.y, 9), outside(v.z, 6)}), exact);
        }
  }
}

TEST(Interpolate, OfWhatIsConstantIsExactlyThat) {
  const volume::Volume volume = constant_volume({9, 9, 9}, volume::ValueType::F32, 0.1);
  const DenseAccess dense(volume, 0);
  const bricks::Interpolator<DenseAccess, uint32_t> values = {dense, {{9, 9, 9}, volume::ValueType::F32, 0}};
  for (const Vec3<float> at : positions({9, 9, 9})) {
    EXPECT_EQ(values(at), 0.1f);
    EXPECT_EQ(values.cell(at).gradient(), (Vec3<float>{0, 0, 0}));
  }
  const float nowhere = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(values({nowhere, 1, 1}), 0.1f);
}

TEST(Interpolate, GradientsAreTheSlopesBetweenVoxels) {
  const volume::Volume volume = signed_volume({13, 9, 6}, volume::ValueType::I16, 1);
  const DenseAccess dense(volume, 0);
  const bricks::Interpolator<DenseAccess, uint16_t> values = {dense, {{13, 9, 6}, volume::ValueType::I16, 0}};
  Random random(9);
  for (int i = 0; i < 1000; ++i) {
    // The positions are in the cell's lower half along each axis, so that 1/4 voxel further is in the same
    // cell.
    const auto any = [&](uint32_t cells) {
      return float(random.below(cells)) + 0.5f + float(1 + random.below(63)) / 128;
    };
    const Vec3<float> at = {any(12), any(8), any(5)}, slope = values.cell(at).gradient();
    EXPECT_NEAR(slope.x, (values({at.x + 0.25f, at.y, at.z}) - values(at)) * 4, 0.01);
    EXPECT_NEAR(slope.y, (values({at.x, at.y + 0.25f, at.z}) - values(at)) * 4, 0.01);
    EXPECT_NEAR(slope.z, (values({at.x, at.y, at.z + 0.25f}) - values(at)) * 4, 0.01);
  }
}

}  // namespace
}  // namespace vox
