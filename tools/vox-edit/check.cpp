#include "tools/vox-edit/options.h"

#include <fmt/format.h>

#include "formats/results/files.h"
#include "formats/results/views.h"
#include "formats/scene/any_scene.h"
#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/base/units.h"
#include "tools/common/tool.h"
#include "tools/vox-edit/edit_log.h"
#include "tools/vox-edit/volume.h"

namespace vox {
namespace {

// Collects the errors of a script.
class Problems {
 public:
  void add(const Error& error) {
    ++count_;
    if (shown_.size() < kMostShown) shown_.emplace_back(error.what());
  }
  uint64_t count() const { return count_; }

  // Reports all errors, up to kMostShown: logs them and throws their number, or throws the only one.
  [[noreturn]] void fail(const EditOptions& options) const {
    if (options.json) print_result(json_text(check_results(options, count_, shown_)) + "\n");
    if (count_ == 1) throw Error(shown_[0]);
    for (const std::string& message : shown_) log_error("{}", message);
    const std::string more = count_ > kMostShown ? fmt::format(", the first {} above", kMostShown) : "";
    throw Error(format_count(count_, "error") + more).at(options.script.string());
  }

 private:
  static constexpr size_t kMostShown = 50;
  std::vector<std::string> shown_;
  uint64_t count_ = 0;
};

// Prints what a script would do, or throws what is wrong with it.
void report(const EditOptions& options, const Problems& problems, uint64_t commands,
            const edit::ScriptFindings& found, const char* grid) {
  if (problems.count() > 0) problems.fail(options);
  if (options.json) return print_result(json_text(check_results(options, commands, found)) + "\n");
  print_result(fmt::format("{}: correct: {}, {}, {} without effect inside the {}\n", options.script.string(),
                           format_count(commands, "command"), format_count(found.edits, "edit"),
                           format_count(found.outside), grid));
  TextTable table({"", "edits"});
  for (const auto& [tool, count] : found.tools) table.row({tool, format_count(count)});
  if (!found.tools.empty()) print_result(table.text());
}

}  // namespace

void check_script(const EditOptions& options, const dag::VoxelScene& scene) {
  Problems problems;
  const edit::OnScriptError on_error = [&](const Error& error) { problems.add(error); };
  const edit::Script script = read_script(options.script, scene, options.replay, on_error);
  // The places of edits say little when lines around them are left out.
  const bool complete = problems.count() == 0;
  check_targets(options, script, on_error);
  const std::vector<dag::VoxelScene> others = read_script_scenes(script, scene, Damage::Refused, on_error);
  edit::ScriptFindings found;
  if (complete) found = edit::survey_script(script, others, scene.dag.resolution, on_error);
  report(options, problems, script.total, found, "grid");
}

void check_script(const EditOptions& options, const bricks::FrozenBricks& bricks) {
  Problems problems;
  const edit::OnScriptError on_error = [&](const Error& error) { problems.add(error); };
  const edit::Script script = read_volume_script(options, bricks, on_error);
  check_targets(options, script, on_error);
  const ScriptMasks masks(script, on_error);
  edit::ScriptFindings found;
  if (problems.count() == 0) found = edit::survey_volume_script(script, masks.volumes(), bricks.info.size);
  report(options, problems, script.total, found, "volume");
}

void refuse_ranks(const EngineOptions& engine, const ranks::Ranks& ranks) {
  // The memory that the process takes at its peak for each unique node (docs/editing.md): the scene as it is read, the store with
  // room to grow, and what becomes of it in the end.
  constexpr double kBytesPerNode = 150;
  const std::unique_ptr<Engine> one = make_engine(engine);
  const uint64_t memory = one->memory_limit();
  const double millions = static_cast<double>(memory) / kBytesPerNode * 1e-6;
  throw UsageError(
      fmt::format("vox-edit runs on one device, but was started as {} processes; {} may use {}, which is "
                  "enough for a scene of about {:.{}f} M unique nodes",
                  ranks.count(), one->device_text(), format_bytes(memory), millions, millions < 10 ? 1 : 0));
}

}  // namespace vox
