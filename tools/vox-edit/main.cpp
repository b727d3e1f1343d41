// vox-edit: applies the edits of a script to a scene file.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "formats/edit_script.h"
#include "formats/replay_csv.h"
#include "formats/scene_file.h"
#include "libvox/base/atomic_file.h"
#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/base/memory.h"
#include "libvox/base/progress.h"
#include "libvox/base/stopwatch.h"
#include "libvox/base/thread_limit.h"
#include "libvox/base/units.h"
#include "libvox/edit/bounds.h"
#include "tools/common/profile.h"
#include "tools/common/scene_report.h"
#include "tools/common/text_table.h"
#include "tools/common/tool.h"
#include "tools/vox-edit/edit_log.h"
#include "tools/vox-edit/options.h"

namespace vox {
namespace {

Script read_script(const EditOptions& options, const VoxelScene& scene) {
  if (!is_replay_path(options.script)) return read_edit_script(options.script, frame_of(scene));
  ReplayOptions replay = options.replay;
  replay.materials = scene.dag.materials;
  return read_replay_csv(options.script, replay);
}

// Before the work, not after it: can the results be written where they are to go?
void check_targets(const EditOptions& options) {
  if (options.output) const AtomicFile output(*options.output);
  if (!options.log) return;
  std::error_code ignored;
  for (const auto& input : {options.scene, options.script})
    if (std::filesystem::equivalent(*options.log, input, ignored))
      throw UsageError(fmt::format("--log is '{}', which is read", options.log->string()));
  const AtomicFile log(*options.log);
}

// Materials that edits have brought in get an entry of their own.
void extend_palette(VoxelScene& scene, const Script& script) {
  if (!scene.dag.materials) return;
  for (const Command& command : script.commands) {
    const Edit* edit = std::get_if<Edit>(&command.action);
    if (!edit) continue;
    uint32_t material = 0;
    if (const auto* paint = std::get_if<PaintEdit>(edit)) material = paint->material;
    if (const auto* fill = std::get_if<FillEdit>(edit)) material = fill->material;
    for (uint32_t& count = scene.palette.count; count <= material; ++count) {
      // Around the circle of hues, away from each other, so that a new material is seen.
      constexpr Rgb8 kColors[] = {{214, 39, 40},   {31, 119, 180}, {44, 160, 44},   {255, 127, 14},
                                  {148, 103, 189}, {23, 190, 207}, {227, 119, 194}, {188, 189, 34}};
      scene.palette.colors[count] = kColors[count % std::size(kColors)];
      scene.palette.names[count] = fmt::format("material {}", count);
    }
  }
}

// One run of vox-edit.
class EditRun {
 public:
  explicit EditRun(const EditOptions& options) : options_(options) {}
  void run();

 private:
  void check_script() const;
  void edit();
  std::vector<EditorScene> add_scenes();
  Editor::Events events(Progress& progress);
  void save(const std::filesystem::path& path, const Command* last);
  std::string text_up_to(const Command* last) const;
  void print_summary() const;
  std::string json_text() const;

  const EditOptions& options_;
  VoxelScene scene_;
  Script script_;
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<EditSession> session_;
  EditLog log_;
  uint64_t commands_ = 0, edits_ = 0, saved_edits_ = 0;
  struct {
    double load = 0, edit = 0, write = 0, total = 0;
  } seconds_;
};

// Says what has no effect, and how much of what there is.
void EditRun::check_script() const {
  std::map<std::string, uint64_t> tools;
  uint64_t outside = 0;
  for (ScriptCursor cursor(script_); const auto command = cursor.next();) {
    const Edit* edit = std::get_if<Edit>(&command->action);
    if (!edit) continue;
    ++tools[tool_name(*edit)];
    if (!written_box(*edit, scene_.dag.resolution).empty()) continue;
    constexpr uint64_t kMostNamed = 20;
    if (++outside <= kMostNamed) log_warning("{}: lies outside of the grid", location(script_, *command));
  }
  if (options_.json) {
    Json json;
    json.set("script", options_.script.string()).set("commands", script_.total).set("outside", outside);
    Json& counts = json.object("edits");
    for (const auto& [tool, count] : tools) counts.set(tool, count);
    fmt::print("{}\n", json.text());
    return;
  }
  fmt::print("{}: {} commands, {} edits outside of the grid\n", options_.script.string(),
             format_count(script_.total), format_count(outside));
  for (const auto& [tool, count] : tools) fmt::print("  {:<20} {:>10}\n", tool, format_count(count));
}

std::vector<EditorScene> EditRun::add_scenes() {
  std::vector<EditorScene> scenes;
  for (const auto& file : script_.files) {
    const FrozenDag dag = read_scene(file).dag;
    try {
      scenes.push_back({session_->add_scene(dag), dag.resolution});
    } catch (Error& error) {
      throw error.at(file.string());
    }
  }
  return scenes;
}

Editor::Events EditRun::events(Progress& progress) {
  return {.pass =
              [this](const PassRecord& pass) {
                edits_ += pass.edits;
                log_.passes.push_back(pass);
              },
          .collected = [this](const CollectRecord& record) { log_.collections.push_back(record); },
          .save = [this](const Save& save, const Command& command) { this->save(save.path, &command); },
          .done =
              [this, &progress](const Command& command) {
                const uint64_t edits = log_.passes.empty() ? 0 : log_.passes.back().edits;
                commands_ += std::holds_alternative<Edit>(command.action) ? edits : 1;
                progress.update(commands_, fmt::format("{} edits, {} unique nodes", format_count(edits_),
                                                       format_count(session_->size().items)));
                if (options_.checkpoint == 0 || edits_ - saved_edits_ < options_.checkpoint) return;
                save(*options_.output, &command);
                saved_edits_ = edits_;
              }};
}

// What has run when `last` has; of commands that are repeated, all of them.
std::string EditRun::text_up_to(const Command* last) const {
  return last ? script_.text.substr(0, last->text + last->text_size) + "\n" : script_.text;
}

void EditRun::save(const std::filesystem::path& path, const Command* last) {
  const Stopwatch watch;
  VoxelScene scene = scene_;
  scene.dag = session_->freeze();
  scene.generator = generator_text();
  scene.command = options_.command;
  scene.created = timestamp();
  scene.history.push_back({text_up_to(last), timestamp(), scene.dag.digest});
  write_scene(scene, path);
  log_info("{}: {}", path.string(), format_bytes(std::filesystem::file_size(path)));
  seconds_.write += watch.seconds();
}

void EditRun::edit() {
  engine_ = make_engine(options_.engine);
  log_info("{}: {} commands, {}³ voxels, on {}", options_.script.string(), format_count(script_.total),
           scene_.dag.resolution, engine_->device_text());
  session_ = engine_->edit(scene_.dag);
  for (DagLevel& level : scene_.dag.levels) level.words = {};  // the session has them
  const std::vector<EditorScene> scenes = add_scenes();
  extend_palette(scene_, script_);
  Progress progress("editing", script_.total);
  Editor(*session_, script_, scenes,
         {.batch = options_.batch, .count_changes = options_.log || options_.json}, events(progress))
      .run();
}

void EditRun::run() {
  const Stopwatch total;
  Stopwatch watch;
  scene_ = read_scene(options_.scene);
  script_ = read_script(options_, scene_);
  if (options_.check) return check_script();
  check_targets(options_);
  seconds_.load = watch.lap();
  edit();
  seconds_.edit = watch.lap() - seconds_.write;
  if (options_.output && (edits_ > saved_edits_ || saved_edits_ == 0)) save(*options_.output, nullptr);
  if (options_.log) {
    Report report = report_of(log_);
    report.set("tool", "vox-edit").set("generator", generator_text()).set("command", options_.command);
    report.set("created", timestamp()).set("device", engine_->device()).set("table", options_.engine.table);
    write_log(report, *options_.log);
  }
  seconds_.total = total.seconds();
  if (options_.engine.profile) print_profile(engine_->profile());
  if (options_.json)
    fmt::print("{}\n", json_text());
  else
    print_summary();
}

double median_ms(const std::deque<PassRecord>& passes) {
  std::vector<double> seconds;
  for (const PassRecord& pass : passes) seconds.push_back(pass.seconds);
  if (seconds.empty()) return 0;
  const auto middle = seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2);
  std::nth_element(seconds.begin(), middle, seconds.end());
  return 1e3 * *middle;
}

double mean_ms(const std::deque<PassRecord>& passes) {
  double sum = 0;
  for (const PassRecord& pass : passes) sum += pass.seconds;
  return passes.empty() ? 0 : 1e3 * sum / static_cast<double>(passes.size());
}

void EditRun::print_summary() const {
  TextTable table({"tool", "edits", "passes", "mean ms", "median ms", "nodes and leaves made", "new"});
  std::map<std::string, std::deque<PassRecord>> by_tool;
  for (const PassRecord& pass : log_.passes) by_tool[pass.tool].push_back(pass);
  for (const auto& [tool, passes] : by_tool) {
    uint64_t edits = 0, made = 0, inserted = 0;
    for (const PassRecord& pass : passes) {
      edits += pass.edits;
      made += pass.work.nodes.made + pass.work.leaves.made;
      inserted += pass.work.nodes.inserted + pass.work.leaves.inserted;
    }
    table.row({tool, format_count(edits), format_count(passes.size()), fmt::format("{:.2f}", mean_ms(passes)),
               fmt::format("{:.2f}", median_ms(passes)), format_count(made), format_count(inserted)});
  }
  const StoreSize size = session_->size();
  fmt::print("{}", table.text());
  fmt::print("store: {} items, {} MiB, allocated {} MiB\n", format_count(size.items),
             format_mib(size.item_bytes), format_mib(size.allocated_bytes));
  fmt::print("load {:.2f} s, edit {:.2f} s, write {:.2f} s, total {:.2f} s; peak {}\n", seconds_.load,
             seconds_.edit, seconds_.write, seconds_.total, format_bytes(peak_resident_bytes()));
}

std::string EditRun::json_text() const {
  Json json;
  json.set("file", options_.scene.string()).set("script", options_.script.string());
  VoxelScene scene = scene_;
  scene.dag = session_->freeze();
  set_scene(json, scene);
  uint64_t changed = 0;
  for (const PassRecord& pass : log_.passes) changed += pass.changed_voxels;
  json.set("edits", edits_).set("passes", log_.passes.size()).set("changed_voxels", changed);
  json.set("pass_ms_mean", mean_ms(log_.passes)).set("pass_ms_median", median_ms(log_.passes));
  json.set("collections", log_.collections.size());
  const StoreSize size = session_->size();
  json.object("store")
      .set("items", size.items)
      .set("item_bytes", size.item_bytes)
      .set("allocated_bytes", size.allocated_bytes);
  json.object("seconds")
      .set("load", seconds_.load)
      .set("edit", seconds_.edit)
      .set("write", seconds_.write)
      .set("total", seconds_.total);
  json.set("peak_memory_bytes", peak_resident_bytes()).set("device", engine_->device());
  set_profile(json, engine_->profile());
  return json.text();
}

void run(int argc, char** argv) {
  const EditOptions options = parse_edit_options(argc, argv);
  const ThreadLimit threads(options.engine.threads);
  EditRun(options).run();
}

}  // namespace
}  // namespace vox

int main(int argc, char** argv) {
  return vox::run_tool("vox-edit", [&] { vox::run(argc, argv); });
}
