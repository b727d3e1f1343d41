// The library's messages go to sinks, and nowhere if there are none.
#include "libvox/base/log.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "libvox/base/progress.h"
#include "libvox/measure/table_report.h"
#include "tests/common/quiet_log.h"
#include "tests/common/test_engine.h"
#include "tests/common/volumes.h"
#include "tests/dag/grids.h"

namespace vox {
namespace {

// Returns the output on stdout and stderr while `work` runs.
template <class Work>
std::string printed(const Work& work) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  work();
  const std::string out = testing::internal::GetCapturedStdout();
  return out + testing::internal::GetCapturedStderr();
}

// This work gives a warning, because there is no such compiler, and makes progress.
void work() {
  const auto engine = test_engine();
  measure::measure_tables(*engine, dense_dag(64, true, shell),
                          {.tables = {"sector"}, .load_factors = {16, 32}});
  const volume::Volume volume =
      memory_volume({8, 8, 8}, volume::ValueType::U8, [](Int3 v) { return uint32_t(v.x); });
  const bricks::FrozenBricks bricks = engine->build_bricks(volume, {}).bricks;
  engine->bricks_reader(bricks, {.compiler = "no-such-compiler"})->compile();
}

TEST(Log, GoesToTheSinkWithItsLevel) {
  std::vector<std::string> heard;
  LogSink before = set_log_sink([&](LogLevel level, std::string_view text) {
    heard.push_back(std::to_string(static_cast<int>(level)) + " " + std::string(text));
  });
  log_error("{} and {}", 1, 2);
  log_warning("a");
  log_info("b");
  log_debug("c");
  set_log_sink(std::move(before));
  EXPECT_EQ(heard, (std::vector<std::string>{"0 1 and 2", "1 a", "2 b", "3 c"}));
}

TEST(Progress, TellsTheSinkHowFarItIsAndThatItHasEnded) {
  std::vector<std::string> heard;
  set_progress_sink([&](const ProgressState& state) {
    heard.push_back(std::string(state.what) + " " + std::to_string(state.before) + " " +
                    std::to_string(state.done) + "/" + std::to_string(state.total) + " " +
                    std::string(state.detail) + (state.ended ? " ended" : ""));
  });
  {
    Progress progress("digging", 10);
    progress.update(3, "clay");
    progress.update(7, "stone");
  }
  {
    const NoProgress quiet;
    Progress("digging in silence", 10).update(1, "sand");
  }
  set_progress_sink(nullptr);
  EXPECT_EQ(heard, (std::vector<std::string>{"digging 0 3/10 clay", "digging 3 7/10 stone",
                                             "digging 7 7/10  ended"}));
}

TEST(Log, TheLibraryPrintsNothingByItself) {
  std::vector<LogLevel> levels;
  uint64_t steps = 0;
  LogSink before = set_log_sink([&](LogLevel level, std::string_view) { levels.push_back(level); });
  set_progress_sink([&](const ProgressState&) { ++steps; });
  EXPECT_EQ(printed(work), "");
  EXPECT_NE(std::ranges::find(levels, LogLevel::Warning), levels.end());
  EXPECT_GE(steps, 3u);
  set_log_sink(std::move(before));
  set_progress_sink(nullptr);
  const QuietLog quiet;
  EXPECT_EQ(printed(work), "");
}

}  // namespace
}  // namespace vox
