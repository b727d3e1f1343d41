#include "tools/vox-edit/edit.h"

#include <fmt/format.h>

#include <algorithm>

#include "formats/io/output_file.h"
#include "formats/results/files.h"
#include "formats/results/views.h"
#include "formats/scene/any_scene.h"
#include "formats/script/scripts.h"
#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/base/process.h"
#include "libvox/base/progress.h"
#include "libvox/base/units.h"
#include "libvox/bricks/make_bricks.h"
#include "tools/common/reports.h"
#include "tools/common/tool.h"

namespace vox {
namespace {

// Adds up the work of all edits.
edit::VolumeWork total_work(const std::vector<edit::VolumeEditRecord>& records) {
  edit::VolumeWork all;
  for (const edit::VolumeEditRecord& record : records) {
    all.visited += record.work.visited;
    all.bricks += record.work.bricks;
    all.voxels += record.work.voxels;
  }
  return all;
}

// Returns a table with a row for each edit.
ResultTable changes_table(const std::vector<edit::VolumeEditRecord>& records) {
  using Row = edit::VolumeEditRecord;
  ResultTable table;
  table.column("line", "", records, &Row::line, "Line of the script.")
      .column("tool", "", records, &Row::tool, "Name of the edit.")
      .column(
          "voxels", "voxels", records, [](const Row& row) { return row.work.voxels; },
          "Number of voxels whose value has changed.")
      .column(
          "bricks", "bricks", records, [](const Row& row) { return row.work.bricks; },
          "Number of bricks that were made anew.")
      .column(
          "visited", "bricks", records, [](const Row& row) { return row.work.visited; },
          "Number of bricks that were read.")
      .column("seconds", "s", records, &Row::seconds, "Wall time of the edit.");
  return table;
}

// One run of vox-edit on a volume.
class VolumeEditRun {
 public:
  VolumeEditRun(const EditOptions& options, const bricks::FrozenBricks& bricks, const edit::Script& script,
                const ScriptMasks& masks)
      : options_(options), script_(script), masks_(masks), engine_(make_engine(options.engine)) {
    log_info("{}, {} x {} x {} voxels of {}, on {}", format_count(script.total, "command"),
             bricks.info.size.x, bricks.info.size.y, bricks.info.size.z,
             volume::value_type_name(bricks.info.type), engine_->device_text());
    const Stopwatch watch;
    session_ = edit::make_volume_session(engine_->handle(), bricks, edit::states_of(script));
    load_seconds_ = watch.seconds();
  }

  void run() {
    Progress progress("editing", script_.total);
    const Stopwatch watch;
    edit::run_volume_script(
        *session_, script_, masks_.volumes(),
        {.edited = [&](const edit::VolumeEditRecord& record) { records_.push_back(record); },
         .save = [&](const edit::Save& file, const edit::Command& command) { save(file.path, command); },
         .done =
             [&](const edit::Command&) {
               progress.update(++commands_, format_count(records_.size(), "edit"));
               checkpoint();
             }});
    edit_seconds_ = watch.seconds() - write_seconds_;
    const Stopwatch writing;
    bricks_ = session_->freeze();
    if (options_.output) {
      write(*bricks_, *options_.output);
      log_info("{}: {}", options_.output->string(), format_bytes(size_of_written(*options_.output)));
    }
    write_seconds_ += writing.seconds();
  }

  VolumeEditResults results() const {
    return {options_, *bricks_, records_, seconds(), engine_->device(), engine_->profile()};
  }

  void write_log() const {
    write_edit_log(options_, changes_table(records_), [&] { return results_of(results()); });
  }

  std::string text() const {
    const edit::VolumeWork all = total_work(records_);
    std::string text = fmt::format("{}: {} changed, {} made anew\n", format_count(records_.size(), "edit"),
                                   format_count(all.voxels, "voxel"), format_count(all.bricks, "brick"));
    if (options_.output) text += options_.output->string() + ": ";
    text += bricks_line(*bricks_) + "\n";
    return text + fmt::format("{}; peak {}\n", seconds_text(seconds()), format_bytes(peak_resident_bytes()));
  }

  std::vector<device::KernelTime> profile() const { return engine_->profile(); }

 private:
  std::vector<NamedSeconds> seconds() const {
    return edit_seconds(load_seconds_, edit_seconds_, write_seconds_);
  }

  // Coarser levels are made anew.
  void write(const bricks::FrozenBricks& bricks, const std::filesystem::path& path) const {
    const auto levels = static_cast<uint32_t>(brick_level_bytes(options_.scene).size() - 1);
    write_bricks(bricks, origin_of(options_.command), path, nullptr, {},
                 bricks::coarser_levels(engine_->handle(), bricks, levels));
  }

  void save(const std::filesystem::path& path, const edit::Command& command) {
    if (!options_.output) {
      log_warning("{}: '{}' is not written, because -o is missing", edit::location(script_, command),
                  path.string());
      return;
    }
    const Stopwatch watch;
    write(session_->freeze(), path);
    write_seconds_ += watch.seconds();
    log_info("{}: {}, after {}", path.string(), format_bytes(size_of_written(path)),
             format_count(records_.size(), "edit"));
  }

  void checkpoint() {
    if (options_.checkpoint == 0 || records_.size() - saved_ < options_.checkpoint) return;
    const Stopwatch watch;
    write(session_->freeze(), *options_.output);
    write_seconds_ += watch.seconds();
    saved_ = records_.size();
  }

  const EditOptions& options_;
  const edit::Script& script_;
  const ScriptMasks& masks_;
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<edit::VolumeSession> session_;
  std::vector<edit::VolumeEditRecord> records_;
  uint64_t commands_ = 0;
  size_t saved_ = 0;                            // edits before the last checkpoint
  std::optional<bricks::FrozenBricks> bricks_;  // in the end
  double load_seconds_ = 0, edit_seconds_ = 0, write_seconds_ = 0;
};

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

ScriptMasks::ScriptMasks(const edit::Script& script, const edit::OnScriptError& on_error) {
  for (uint32_t i = 0; i < script.files.size(); ++i) {
    const std::filesystem::path& file = script.files[i];
    const auto uses = [&](const edit::Command& command) {
      const auto* edit = std::get_if<edit::VolumeEdit>(&command.action);
      return edit && edit->mask == i + 1;
    };
    const auto first = std::ranges::find_if(script.commands, uses);
    volumes_.emplace_back();
    if (first == script.commands.end()) continue;  // every line that uses the file has an error
    edit::at_command(script, *first, on_error, [&] {
      check_exists(file);
      opened_.emplace_back(file, kind_of_input(file), RawOptions{}, 0);
      volumes_.back() = opened_.back().volume;
    });
  }
}

edit::Script read_volume_script(const EditOptions& options, const bricks::FrozenBricks& bricks,
                                const edit::OnScriptError& on_error) {
  if (is_replay_path(options.script))
    throw UsageError(fmt::format("'{}' is a recording of edits of scenes, but '{}' holds a volume",
                                 options.script.string(), options.scene.string()));
  return read_edit_script(options.script, frame_of(bricks.info), on_error);
}

ResultGroup results_of(const VolumeEditResults& run) {
  const EditOptions& options = run.options;
  ResultGroup results = results_on(options, run.device);
  results.set("file", options.scene.string(), "The file that was read.")
      .set("script", options.script.string(), "The script that was read.");
  set_bricks(results, run.bricks);
  const edit::VolumeWork all = total_work(run.edits);
  results
      .set("changed_voxels", all.voxels, "voxels",
           "Number of voxels whose value an edit has changed, added over all edits.")
      .set("changed_bricks", all.bricks, "bricks",
           "Number of bricks that were made anew, added over all edits.");
  results.put("changes", changes_table(run.edits));
  set_seconds(results, run.seconds);
  set_peak_memory(results);
  set_device(results, run.device);
  set_profile(results, run.kernels);
  return results;
}

void edit_volume(const EditOptions& options, const bricks::FrozenBricks& bricks) {
  const Stopwatch watch;
  const edit::Script script = read_volume_script(options, bricks);
  check_targets(options, script);
  const ScriptMasks masks(script);
  VolumeEditRun edit(options, bricks, script, masks);
  edit.run();
  edit.write_log();
  if (options.engine.profile) print_profile(edit.profile());
  print_result(options.json ? json_text(results_of(edit.results())) + "\n" : edit.text());
}

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
