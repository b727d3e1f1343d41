#include "tools/vox-edit/volume.h"

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
#include "tools/vox-edit/edit_log.h"

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
  table.column("line", "", records, &Row::line)
      .about("Line of the script.")
      .column("tool", "", records, &Row::tool)
      .about("Name of the edit.")
      .column("voxels", "voxels", records, [](const Row& row) { return row.work.voxels; })
      .about("Number of voxels whose value has changed.")
      .column("bricks", "bricks", records, [](const Row& row) { return row.work.bricks; })
      .about("Number of bricks that were made anew.")
      .column("visited", "bricks", records, [](const Row& row) { return row.work.visited; })
      .about("Number of bricks that were read.")
      .column("seconds", "s", records, &Row::seconds)
      .about("Wall time of the edit.");
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
  results.set("file", options.scene.string())
      .about("The file that was read.")
      .set("script", options.script.string())
      .about("The script that was read.");
  set_bricks(results, run.bricks);
  const edit::VolumeWork all = total_work(run.edits);
  results.set("changed_voxels", all.voxels, "voxels")
      .about("Number of voxels whose value an edit has changed, added over all edits.")
      .set("changed_bricks", all.bricks, "bricks")
      .about("Number of bricks that were made anew, added over all edits.");
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

}  // namespace vox
