// Tests engines that start in the background, and the small scene that warms them up.
#include "libvox/engine/engine_soon.h"

#include <gtest/gtest.h>

#include "libvox/base/error.h"
#include "tests/common/test_engine.h"
#include "tests/voxelize/soup.h"

namespace vox {
namespace {

EngineOptions on_test_device() {
  EngineOptions options;
  options.device = test_device();
  return options;
}

TEST(EngineSoon, BuildsWhatAnEngineBuildsThatIsMadeAtOnce) {
  const Soup soup = bumpy_sphere({20, 20, 20}, 15, 8, 0.1, 1);
  EngineSoon soon(on_test_device(), [](Engine& engine) { warm_up_build(engine, {.solid = true}); });
  EXPECT_EQ(build_soup(*soon.get(), soup, 40).dag.digest, build_soup(*test_engine(), soup, 40).dag.digest);
}

TEST(EngineSoon, HasNothingOfItsWarmUpInProfileAndPeak) {
  EngineOptions options = on_test_device();
  options.profile = true;
  EngineSoon soon(options, [](Engine& engine) { warm_up_build(engine, {}); });
  const std::unique_ptr<Engine> engine = soon.get();
  EXPECT_TRUE(engine->profile().empty());
  EXPECT_LE(build_soup(*engine, cube(1, 7), 8).peak_device_bytes,
            build_soup(*test_engine(options), cube(1, 7), 8).peak_device_bytes);
}

TEST(EngineSoon, IsAnEngineThoughItsWarmUpFails) {
  EngineSoon soon(on_test_device(), [](Engine&) { throw Error("no"); });
  EXPECT_EQ(soon.get()->device(), test_engine()->device());
}

TEST(EngineSoon, SaysWhatIsWrongWithItsOptionsWhereTheEngineIsWanted) {
  EngineSoon no_device({.device = "abacus"}, [](Engine&) {});
  EXPECT_THROW(no_device.get(), UsageError);
  EngineOptions options = on_test_device();
  options.table = "periodic";
  EngineSoon no_table(options, [](Engine&) {});
  EXPECT_THROW(no_table.get(), UsageError);
}

TEST(WarmUp, DoesWorkOfEachKind) {
  const auto engine = test_engine();
  EXPECT_NO_THROW(
      warm_up_build(*engine, {.coverage = scene::Coverage::Thin, .materials = false, .solid = true}));
  EXPECT_NO_THROW(warm_up_edit(*engine));
  EXPECT_NO_THROW(warm_up_render(*engine, {}));
}

}  // namespace
}  // namespace vox
