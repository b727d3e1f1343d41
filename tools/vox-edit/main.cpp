// vox-edit: applies the edits of a script to a scene file.
#include <fmt/format.h>

#include <numeric>

#include "formats/io/output_file.h"
#include "formats/results/files.h"
#include "formats/scene/any_scene.h"
#include "formats/script/scripts.h"
#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/base/process.h"
#include "libvox/base/progress.h"
#include "libvox/base/units.h"
#include "libvox/bricks/make_bricks.h"
#include "libvox/dag/derived.h"
#include "libvox/dag/graft.h"
#include "libvox/dag/walk.h"
#include "libvox/edit/edit_session.h"
#include "tools/common/reports.h"
#include "tools/common/tool.h"
#include "tools/vox-edit/edit.h"

namespace vox {
namespace {

std::string size_text(const std::filesystem::path& file) {
  return format_bytes(size_of_written(file));
}

// The bricks of the scene file, if the output is to have bricks.
std::optional<bricks::FrozenBricks> bricks_for(const EditOptions& options, const dag::VoxelScene& scene) {
  if (!options.output) return std::nullopt;
  const SceneFileParts parts = scene_parts(options.scene);
  if (parts.symmetric)
    log_info(
        "the symmetric form of {} is left out: vox-convert --structure symmetric makes one of the result",
        options.scene.string());
  if (parts.normals)
    log_info("the normals of {} are left out: those of edited voxels are not known", options.scene.string());
  if (parts.hash)
    log_info("the spatial hash of {} is left out: vox-convert --structure svdag,hash makes one of the result",
             options.scene.string());
  if (!parts.bricks) {
    if (options.drop_bricks)
      throw UsageError(fmt::format("--drop-bricks, but {} has no bricks", options.scene.string()));
    return std::nullopt;
  }
  if (options.drop_bricks) {
    log_info("the bricks of {} are left out", options.scene.string());
    return std::nullopt;
  }
  return bricks_beside(scene, options.scene);
}

// A scene takes about so many times the bytes of its words while it is loaded for edits: the words and the tables.
constexpr double kLoadedOverWords = 2.5;

// One run of vox-edit on a scene.
class EditRun {
 public:
  EditRun(const EditOptions& options, EngineSoon& engine, dag::VoxelScene scene, edit::Script script,
          std::vector<dag::VoxelScene> others, bool checks_digest)
      : options_(options),
        engine_soon_(engine),
        bricks_before_(bricks_for(options, scene)),
        scene_(std::move(scene)),
        script_(std::move(script)),
        others_(std::move(others)),
        checks_digest_(checks_digest),
        log_(options.log || options.html ? KeepRows::Yes : KeepRows::No) {}

  void run(double read_seconds);
  std::string text() const;
  EditResults results() const;
  void write_log() const;
  HtmlPage page() const;
  std::vector<device::KernelTime> profile() const { return engine_->profile(); }

 private:
  void mark_colors();
  void load();
  bool take_part();
  void start_session();
  void edit();
  edit::Editor::Events events(Progress& progress);
  void done(const edit::Command& command, Progress& progress);
  void save(const std::filesystem::path& path, const edit::Command& last);
  void checkpoint(const edit::Command& last);
  void finish();
  dag::VoxelScene edited(dag::FrozenDag dag, std::string_view script);
  dag::VoxelScene edited_until(const edit::Command& last);
  std::optional<bricks::FrozenBricks> bricks_of(const dag::VoxelScene& scene);
  std::vector<NamedSeconds> seconds() const;
  std::string store_text() const;

  const EditOptions& options_;
  EngineSoon& engine_soon_;
  const std::optional<bricks::FrozenBricks> bricks_before_;  // those beside the scene
  VoxelRegion written_;                                      // where the bricks may change
  dag::VoxelScene scene_;                                    // as it was read, later as it is in the end
  std::optional<dag::VoxelScene>
      before_;  // a scene with colors as it was read; scene_ then has materials in their place
  edit::Script script_;
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<edit::EditSession> session_;
  std::vector<edit::EditorScene> brushes_;
  std::vector<dag::VoxelScene> others_;  // the scenes of the script's files, until the session has them
  const bool checks_digest_;             // the scene has not been compared with its digest yet
  std::optional<dag::Graft> graft_;      // if only a part of the scene is loaded
  std::optional<edit::Editor> editor_;
  EditLog log_;
  uint64_t commands_ = 0, edits_ = 0, edits_saved_ = 0;
  edit::StoreSize store_;
  std::optional<bricks::FrozenBricks> bricks_;  // bricks of the scene in the end
  struct {
    double load = 0, edit = 0, write = 0;
  } seconds_;
};

void EditRun::run(double read_seconds) {
  Stopwatch watch;
  load();
  seconds_.load = read_seconds + watch.lap();
  try {
    edit();
  } catch (const Error&) {
    if (edits_saved_ > 0)
      log_info("{} holds the scene after {}, the last checkpoint", options_.output->string(),
               format_count(edits_saved_, "edit"));
    throw;
  }
  seconds_.edit = watch.lap() - seconds_.write;
  store_ = session_->size();
  finish();
}

// Takes the part of the scene that the script may touch; the rest stays where it is until the result is written. Returns
// false if that is most of the scene, of which a part would save nothing.
bool EditRun::take_part() {
  const uint32_t resolution = scene_.dag.resolution;
  const bool materials = scene_.dag.materials;
  VoxelRegion touched = edit::touched_region(script_, others_, resolution);
  if (voxels_of(touched) > cube_at({0, 0, 0}, resolution).voxels() / 2) {
    if (scene_.dag.paged)
      scene_.dag = read_any_scene(options_.scene, options_.engine, SceneForm::Any, Damage::Ignored).dag;
    return false;
  }
  if (touched.empty()) touched = {cube_at({0, 0, 0}, dag::kLeafSide)};
  try {
    graft_.emplace(std::make_shared<dag::FrozenDag>(std::move(scene_.dag)), touched,
                   memory_for_values(options_.engine));
  } catch (OutOfMemory& error) {
    error.hint("allow more with --memory-limit, or edit in several runs");
    throw;
  }
  scene_.dag = dag::empty_dag(resolution, materials);
  const VoxelRegion& region = graft_->region();
  const VoxelBox part = std::accumulate(region.begin(), region.end(), region.front(), hull);
  log_info("the scene is too large for the memory: only {} from {},{},{} to {},{},{} {} loaded, {}",
           region.size() == 1 ? "the part" : format_count(region.size(), "part"), part.min.x, part.min.y,
           part.min.z, part.max.x, part.max.y, part.max.z, region.size() == 1 ? "is" : "are",
           format_bytes(graft_->part().bytes()));
  return true;
}

void EditRun::start_session() {
  const auto start = [&] {
    session_ =
        edit::make_edit_session(engine_->handle(), engine_->table(), graft_ ? graft_->part() : scene_.dag);
  };
  const double expected = kLoadedOverWords * static_cast<double>(scene_.dag.bytes());
  if (scene_.dag.paged || expected > static_cast<double>(engine_->memory_limit())) take_part();
  try {
    start();
  } catch (const OutOfMemory&) {  // the tables may take more than expected
    if (graft_ || !take_part()) throw;
    start();
  }
}

void EditRun::mark_colors() {
  if (!scene_.colors) return;
  before_ = scene_;
  scene_.colors.reset();
  scene_.dag = dag::with_one_material(before_->dag);
}

// Loads the scenes onto the device.
void EditRun::load() {
  engine_ = engine_soon_.get();
  mark_colors();
  if (checks_digest_)
    check_content_on(engine_->handle(), scene_, options_.scene, damage_with(options_.overwrite),
                     memory_for_values(options_.engine));
  log_info("{}, {}³ voxels, on {}", format_count(script_.total, "command"), scene_.dag.resolution,
           engine_->device_text());
  start_session();
  for (dag::DagLevel& level : scene_.dag.levels) level.words = {};  // the session has them
  if (bricks_before_) written_ = edit::written_boxes(script_, others_, scene_.dag.resolution);
  for (const dag::VoxelScene& other : std::exchange(others_, {})) {
    brushes_.push_back({session_->add_scene(other.dag), other.dag.resolution});
    edit::extend_palette(scene_, other.palette);
  }
  if (!before_) edit::extend_palette(scene_, script_);
}

void EditRun::edit() {
  Progress progress("editing", script_.total);
  // With more edits in a pass than between checkpoints, a crash would lose more.
  const uint32_t batch =
      options_.checkpoint > 0 ? std::min(options_.batch, options_.checkpoint) : options_.batch;
  editor_.emplace(
      *session_, script_, brushes_,
      edit::EditorOptions{.batch = batch, .measure = options_.log || options_.html || options_.json},
      events(progress));
  editor_->run();
}

edit::Editor::Events EditRun::events(Progress& progress) {
  return {.pass =
              [this](const edit::PassRecord& pass) {
                edits_ += pass.edits;
                commands_ += pass.edits;
                log_.add(pass);
              },
          .collected = [this](const edit::CollectRecord& record) { log_.add(record); },
          .save = [this](const edit::Save& file, const edit::Command& command) { save(file.path, command); },
          .done = [this, &progress](const edit::Command& command) { done(command, progress); }};
}

void EditRun::done(const edit::Command& command, Progress& progress) {
  if (!std::holds_alternative<edit::Edit>(command.action)) ++commands_;
  progress.update(commands_, fmt::format("{}, {} nodes in the store", format_count(edits_, "edit"),
                                         format_count(session_->items())));
  const uint64_t unsaved = edits_ - edits_saved_;
  if (options_.checkpoint == 0 || unsaved == 0 || unsaved + options_.batch <= options_.checkpoint) return;
  checkpoint(command);
}

void EditRun::save(const std::filesystem::path& path, const edit::Command& last) {
  if (!options_.output) {
    log_warning("{}: '{}' is not written, because -o is missing", edit::location(script_, last),
                path.string());
    return;
  }
  const Stopwatch watch;
  const dag::VoxelScene scene = edited_until(last);
  const std::optional<bricks::FrozenBricks> bricks = bricks_of(scene);
  write_scene(scene, path, {.bricks = bricks ? &*bricks : nullptr});
  seconds_.write += watch.seconds();
  log_info("{}: {}, after {}", path.string(), size_text(path), format_count(edits_, "edit"));
}

void EditRun::checkpoint(const edit::Command& last) {
  const Stopwatch watch;
  write_scene(edited_until(last), *options_.output);
  seconds_.write += watch.seconds();
  log_debug("{}: {}, after {}", options_.output->string(), size_text(*options_.output),
            format_count(edits_, "edit"));
  edits_saved_ = edits_;
}

void EditRun::finish() {
  if (!options_.output && !options_.json) return;
  const Stopwatch watch;
  dag::FrozenDag dag = editor_->freeze();
  editor_.reset();
  session_.reset();
  engine_->memory().trim();  // the rest of the work may need it
  scene_ = edited(std::move(dag), script_.text);
  bricks_ = bricks_of(scene_);
  if (options_.output) write_scene(scene_, *options_.output, {.bricks = bricks_ ? &*bricks_ : nullptr});
  seconds_.write += watch.seconds();
  if (options_.output) log_info("{}: {}", options_.output->string(), size_text(*options_.output));
}

// The scene as it is after the command. Its history holds the repetitions around the command as a whole, as
// if they were done.
dag::VoxelScene EditRun::edited_until(const edit::Command& last) {
  return edited(editor_->freeze(), script_.text.substr(0, last.text + last.text_size) + "\n");
}

// Only bricks in which the script may change a voxel are made anew, unless these are most of them, or unless the others
// play a part in which type is the best for a brick.
std::optional<bricks::FrozenBricks> EditRun::bricks_of(const dag::VoxelScene& scene) {
  if (!bricks_before_) return std::nullopt;
  const volume::Volume voxels = dag::scene_volume(scene);
  const uint64_t written = voxels_of(written_);
  try {
    const bricks::BricksRecipe recipe = bricks::recipe_of(*bricks_before_);
    if (recipe.slope || bricks_before_->is_sparse() || written > voxels.info.box().voxels() / 2)
      return bricks::make_bricks(engine_->handle(), scene, recipe).bricks;
    const auto session = edit::make_volume_session(engine_->handle(), *bricks_before_, edit::KeepStates::No);
    session->take(voxels, written_);
    return session->freeze();
  } catch (OutOfMemory& error) {
    error.hint("--drop-bricks leaves the bricks out");
    throw;
  }
}

// `dag` is what the session has. The history of the scene gets the script.
dag::VoxelScene EditRun::edited(dag::FrozenDag dag, std::string_view script) {
  dag::VoxelScene scene = scene_;
  scene.dag = graft_ ? graft_->with(dag) : std::move(dag);
  if (before_) {
    scene.colors = edit::edited_colors(*before_, scene.dag, script_.colors);
    if (!scene.named_colors.empty())
      for (const scene::Rgb8 color : script_.colors)
        add_named_color(scene.named_colors, scene::hex_name(color), color);
    scene.dag = dag::without_materials(scene.dag, options_.engine.memory_limit);
  }
  stamp(scene, options_.command);
  // Only the command line says how a recording is placed.
  const std::string head = is_replay_path(options_.script) ? "# " + options_.command + "\n" : "";
  scene.history.push_back({head + std::string(script), scene.created, scene.dag.digest});
  return scene;
}

std::string EditRun::text() const {
  std::string text = log_.text();
  text += fmt::format("store: {}\n", store_text());
  if (options_.output) text += fmt::format("{}: {}\n", options_.output->string(), summary_line(scene_));
  if (bricks_) text += fmt::format("bricks: {}\n", bricks_line(*bricks_));
  return text + fmt::format("{}; peak {}\n", seconds_text(seconds()), format_bytes(peak_resident_bytes()));
}

std::vector<NamedSeconds> EditRun::seconds() const {
  return edit_seconds(seconds_.load, seconds_.edit, seconds_.write);
}

std::string EditRun::store_text() const {
  return fmt::format("{} nodes, {}, in {} of tables", format_count(store_.items),
                     format_bytes(store_.item_bytes), format_bytes(store_.allocated_bytes));
}

EditResults EditRun::results() const {
  return {options_,          scene_,   bricks_ ? &*bricks_ : nullptr, log_, store_, seconds(),
          engine_->device(), profile()};
}

void EditRun::write_log() const {
  write_edit_log(options_, log_.passes_table(), [&] { return results_of(results()); });
}

HtmlPage EditRun::page() const {
  HtmlPage page(options_.scene.string(),
                fmt::format("{} of {}", format_count(edits_, "edit"), options_.script.string()));
  page.facts({{"resolution", fmt::format("{} voxels", scene_.dag.resolution)},
              {"device", engine_->device_text()},
              {"batch", format_count(options_.batch, "edit")},
              {"table", options_.engine.table},
              {"time", seconds_text(seconds())},
              {"store", store_text()}});
  log_.show(page);
  set_origin(page, origin_of(options_.command));
  return page;
}

// True if the file holds bricks alone, and not those of a scene's materials.
bool holds_volume(const std::filesystem::path& path) {
  const InputKind kind = kind_of_input(path);
  if (is_volume(kind))
    throw Error("holds the values of a volume, but no bricks")
        .at(path.string())
        .hint(fmt::format("vox-convert {} -o volume.h5 makes a file that can be edited", path.string()));
  if (kind != InputKind::Scene) return false;
  const SceneFileParts parts = scene_parts(path);
  return parts.bricks && !parts.dag && !parts.hash && !scene_palette(path);
}

void edit_volume_of(const EditOptions& options) {
  check_given_for_volume(options);
  const bricks::FrozenBricks bricks = read_bricks(options.scene);
  options.check ? check_script(options, bricks) : edit_volume(options, bricks);
}

void edit_scene(const EditOptions& options) {
  check_one_device(options.engine);
  const ThreadLimit threads(options.engine.threads);
  if (holds_volume(options.scene)) return edit_volume_of(options);
  const Stopwatch watch;
  std::optional<EngineSoon> engine;
  if (!options.check) engine.emplace(options.engine, warm_up_edit);
  const Damage damage = damage_with(options.overwrite);
  const Loading loading = loading_onto(options.engine);
  const bool on_gpu = !options.check && loading == Loading::IfItFits &&
                      kind_of_input(options.scene) == InputKind::Scene && scene_parts(options.scene).dag &&
                      !scene_parts(options.scene).colors;
  dag::VoxelScene scene = read_any_scene(options.scene, options.engine, SceneForm::Any,
                                         on_gpu ? Damage::Ignored : damage, loading);
  check_given(options, scene);
  if (options.check) return check_script(options, scene);
  edit::Script script = read_script(options.script, scene, options.replay);
  check_targets(options, script);
  std::vector<dag::VoxelScene> others = read_script_scenes(script, scene, damage);
  EditRun edit(options, *engine, std::move(scene), std::move(script), std::move(others), on_gpu);
  edit.run(watch.seconds());
  edit.write_log();
  if (options.html) {
    write_html(edit.page(), *options.html);
    log_info("{}: {}", options.html->string(), size_text(*options.html));
  }
  if (options.engine.profile) print_profile(edit.profile());
  print_result(options.json ? json_text(results_of(edit.results())) + "\n" : edit.text());
}

void run(const CommandLine& arguments, const ranks::Ranks* ranks) {
  const EditOptions options = read_edit_options(arguments);
  if (ranks) refuse_ranks(options.engine, *ranks);
  with_input(options.scene, [&] { edit_scene(options); });
}

}  // namespace
}  // namespace vox

int main(int argc, char** argv) {
  return vox::run_tool_on_ranks(vox::edit_description, argc, argv, vox::run);
}
