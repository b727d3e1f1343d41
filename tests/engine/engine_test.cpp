// Tests engines of one device and of several. That several build and render what one does is tested in tests/ranks.
#include "libvox/engine/engine.h"

#include <gtest/gtest.h>

#include "libvox/base/error.h"
#include "libvox/base/process.h"
#include "libvox/dag/verify.h"
#include "libvox/edit/edit_session.h"
#include "libvox/render/render.h"
#include "libvox/spatial/frozen_hash.h"
#include "tests/common/test_engine.h"
#include "tests/voxelize/soup.h"

namespace vox {
namespace {

TEST(Engine, IsMadeOfAListOfDevices) {
  const auto one = make_engine({.device = "cpu", .table = "accel8"});
  const auto two = make_engine({.device = "cpu,cpu"});
  EXPECT_EQ(one->device(), "cpu");
  EXPECT_EQ(one->table(), "accel8");
  EXPECT_EQ(one->handles(), std::vector{one->handle()});
  EXPECT_EQ(two->device(), "cpu,cpu");
  EXPECT_EQ(two->device_text(), one->device_text() + "; " + one->device_text());
  ASSERT_EQ(two->handles().size(), 2u);
  EXPECT_EQ(two->handles()[0], two->handle());
  EXPECT_NE(two->handles()[1], two->handle());
}

TEST(Engine, DevicesThatAreOneProcessorShareItsMemory) {
  const uint64_t held = resident_bytes(), free = uint64_t{4} << 30, slack = uint64_t{128} << 20;
  for (const char* device : {"cpu", "cpu,cpu", "cpu,cpu,cpu,cpu"}) {
    const auto engine = make_engine({.device = device, .memory_limit = held + free});
    const uint64_t together = engine->memory_limit() * engine->handles().size();
    EXPECT_LE(together, free + 4 * slack) << device;
    EXPECT_GE(together, free - 4 * slack) << device;
  }
}

TEST(Engine, SeveralDevicesAreRefusedWhereAProgramAsks) {
  EXPECT_NO_THROW(check_one_device({}));
  EXPECT_NO_THROW(check_one_device({.device = "cuda:7"}));
  try {
    check_one_device({.device = "cpu,cpu"});
    FAIL() << "several devices were accepted";
  } catch (const UsageError& error) {
    EXPECT_EQ(error.setting(), "device");
  }
}

TEST(Engine, WorkOfASingleDeviceRunsOnTheFirstOfSeveral) {
  const auto engine = make_engine({.device = "cpu,cpu", .profile = true});
  const dag::FrozenDag dag = build_soup(*engine, cube(1, 7), 8).dag;
  engine->restart_measuring();
  EXPECT_TRUE(engine->profile().empty());
  EXPECT_NO_THROW(dag::verify_on(engine->handle(), dag));
  EXPECT_FALSE(engine->profile().empty());
  EXPECT_EQ(edit::make_edit_session(engine->handle(), engine->table(), dag)->freeze().digest, dag.digest);
  const spatial::FrozenHash hash = spatial::build_hash(engine->handle(), dag, {}).hash;
  EXPECT_EQ(spatial::dag_of_hash(engine->handle(), hash).digest, dag.digest);
}

}  // namespace

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
