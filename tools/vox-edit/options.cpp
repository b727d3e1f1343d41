#include "tools/vox-edit/edit.h"

#include <fmt/format.h>

#include <algorithm>

#include "formats/file_types.h"
#include "libvox/base/error.h"
#include "libvox/scene/palette.h"
#include "tools/common/command_line.h"
#include "tools/common/tool.h"

namespace vox {
namespace {

ReplayOptions replay_options(const CommandLine& arguments) {
  ReplayOptions replay;
  if (const auto axes = arguments.given("swizzle")) replay.swizzle = parse_replay_swizzle(*axes);
  if (const auto scale = arguments.given("scale")) replay.scale = parse_replay_scale(*scale);
  if (const auto shift = arguments.given("shift")) replay.shift = parse_replay_shift(*shift);
  replay.material = static_cast<uint8_t>(arguments.whole("material"));
  return replay;
}

}  // namespace

EditOptions read_edit_options(const CommandLine& arguments) {
  EditOptions options;
  options.json = arguments.json();
  options.overwrite = arguments.overwrite();
  options.given = arguments.given_options();
  options.command = arguments.command();
  if (!arguments.has("scene")) throw UsageError("no scene file named");
  if (!arguments.has("script")) throw UsageError("no script named: --script FILE");
  options.scene = arguments.text("scene");
  options.script = arguments.text("script");
  options.output = arguments.given("output");
  if (options.output && !has_role(*options.output, FileRole::Scene))
    throw UsageError(
        fmt::format("-o is '{}', expected a scene file, ending in .h5", options.output->string()));
  options.log = arguments.given("log");
  if (options.log && !has_role(*options.log, FileRole::Report) && !has_role(*options.log, FileRole::Rows))
    throw UsageError(
        fmt::format("--log is '{}', expected a file that ends in .h5 or .csv", options.log->string()));
  options.html = arguments.given("html");
  options.check = arguments.has("check");
  options.drop_bricks = arguments.has("drop-bricks");
  if (options.drop_bricks && !options.output)
    throw UsageError("--drop-bricks is for the scene that -o writes, which is not given");
  options.batch = arguments.whole("batch");
  if (arguments.has("checkpoint")) options.checkpoint = arguments.whole("checkpoint");
  if (options.checkpoint > 0 && !options.output)
    throw UsageError("--checkpoint is for the scene that -o writes, which is not given");
  options.replay = replay_options(arguments);
  options.engine = read_device_options(arguments);
  options.engine.table = arguments.text_of_word("table");
  check_exists(options.scene);
  check_exists(options.script);
  return options;
}

namespace {

constexpr OptionRule kEditRule = {kEdits, "nothing is edited"}, kSceneRule = {kScene, "it is for scenes"},
                     kRecordingRule = {kRecording, "it is for recordings, which end in .csv"};

constexpr const char* kRecordings =
    R"(RECORDINGS, with the extension .csv, are the files that HashDAG (Careil et al. 2020) writes: EditSphere,
EditCube, EditCopy, EditFill, EditPaint, Undo, Redo and EndFrame. Rows of the camera are skipped. Their places are
voxels in the resolution of the recording; --swizzle, --scale and --shift move them to this scene. They do not name a
material; --material chooses one.
)";

OptionTopic edits_topic() {
  return {.name = "edits",
          .title = "edits",
          .options = {option("script", "FILE", {},
                             "The edits: an edit script (--help script), or a recording of HashDAG with the "
                             "extension .csv.",
                             {.letter = "s"}),
                      option("output", "FILE", {kEditRule},
                             "Write the edited scene. The file may be SCENE.h5 itself, which is replaced "
                             "when the run has succeeded.",
                             {.letter = "o"}),
                      option("log", "FILE", {kEditRule},
                             "Write a log of what each pass did and how long it took: .h5, or .csv with one "
                             "row for each pass. The times do not include counting the changes.",
                             {.letter = "l"}),
                      option("html", "FILE", {kEditRule, kSceneRule},
                             "Write a page with charts of the passes: one file, for a browser or for paper."),
                      flag("check", {},
                           "Read the script and the scenes that it names, show all errors and what lies "
                           "outside of the grid, and edit nothing."),
                      flag("drop-bricks", {kEditRule, kSceneRule},
                           "Leave out the bricks that SCENE.h5 has beside its SVDAG. Without this option, "
                           "the edited scene has such bricks too, but its checkpoints do not."),
                      option("batch", "N", {kEditRule, kSceneRule},
                             "Do up to this number of edits in one pass if none of them changes voxels that "
                             "another one reads or writes.",
                             {.preset = "1", .range = OptionRange{1, 1024}}),
                      option("checkpoint", "N", {kEditRule},
                             "Also write -o after every N edits, so that an interrupted run loses no more.",
                             {.usual = "none", .range = OptionRange{1, UINT32_MAX}}),
                      table_option("Hash table that holds the scene.", {kEditRule, kSceneRule})}};
}

OptionTopic recordings_topic() {
  return {
      .name = "recordings",
      .title = "recordings",
      .text = kRecordings,
      .options = {option("swizzle", "AXES", {kRecordingRule},
                         "Order of the recorded axes that become x, y and z, such as xzy.", {.usual = "xyz"}),
                  option("scale", "S", {kRecordingRule},
                         "Then multiply places and radii by this number, such as 4 or 1/2.", {.usual = "1"}),
                  option("shift", "X,Y,Z", {kRecordingRule}, "Then add this vector to places.",
                         {.usual = "0,0,0", .unit = "voxels"}),
                  option("material", "M", {kRecordingRule, {kMaterials, "it has no materials"}},
                         "Fill and paint with this material.",
                         {.preset = "0", .range = OptionRange{0, scene::kPaletteSize - 1}})}};
}

}  // namespace

ToolDescription edit_description() {
  return {.program = "vox-edit",
          .usage = "SCENE.h5 --script FILE [-o EDITED.h5] [options]",
          .about =
              "Applies the edits of a script to a scene file, or to the values of a volume. The result is "
              "the same on a GPU and on the processor. Without -o, the edited scene is not written. --help "
              "script and --help volumes explain the language of edit scripts; vox-convert SCENE.h5 --info "
              "shows the size of a scene's grid, which way is up, and its materials.\n",
          .examples =
              {"vox-edit house.h5 --script changes.txt -o changed.h5",
               "vox-edit house.h5 --script changes.txt --check         shows errors; edits nothing",
               "vox-edit house.h5 --script changes.txt --html edits.html",
               "vox-edit house.h5 --script changes.txt --log edits.h5  what each edit did, and its time",
               "vox-edit house.h5 --script changes.txt --batch 100     edits that lie apart in one pass",
               "vox-edit house.h5 --script changes.txt -o changed.h5 --checkpoint 500",
               "vox-edit city.h5 --script recording.csv --scale 1/2    a recording of the HashDAG project",
               "vox-edit scan.h5 --script values.txt -o changed.h5     a volume (--help volumes)"},
          .basics = {"script", "output", "check", "log", "html", "batch", "checkpoint", "drop-bricks",
                     "device", "memory-limit"},
          .topics = {edits_topic(),
                     {.name = "script", .title = "edit scripts", .text = edit_script_help()},
                     {.name = "volumes", .title = "edits of volumes", .text = volume_script_help()},
                     recordings_topic(),
                     device_topic({kEditRule}),
                     general_topic()},
          .operands = {option("scene", "SCENE.h5", {}, "A scene file that vox-convert wrote.")}};
}

void check_given_for_volume(const EditOptions& options) {
  check_effects(options.given,
                {.bits = options.check ? 0u : kEdits, .what = options.check ? "--check" : "a volume"});
}

void check_given(const EditOptions& options, const dag::VoxelScene& scene) {
  RunTraits run;
  run.bits = kScene;
  if (!options.check) run.bits |= kEdits;
  if (is_replay_path(options.script)) run.bits |= kRecording;
  if (scene.dag.materials) run.bits |= kMaterials;
  run.what = options.check ? "--check" : (run.bits & kRecording) ? "this scene" : "an edit script";
  check_effects(options.given, run);
}

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> inputs(const EditOptions& options, const edit::Script& script) {
  std::vector<fs::path> files = {options.scene, options.script};
  files.insert(files.end(), script.files.begin(), script.files.end());
  return files;
}

bool is_one_of(const fs::path& file, const std::vector<fs::path>& files) {
  return std::any_of(files.begin(), files.end(),
                     [&](const fs::path& other) { return same_file(file, other); });
}

// Checks the file of --log or --html.
void check_report(const char* option, const fs::path& file, OutputKind kind, const EditOptions& options,
                  const edit::Script& script) {
  if (is_one_of(file, inputs(options, script)))
    throw UsageError(fmt::format("{} is '{}', which is read", option, file.string()));
  if (options.output && same_file(file, *options.output))
    throw UsageError(fmt::format("{} and -o are the same file", option));
  check_writable(file, kind, options.overwrite);
}

void check_output(const EditOptions& options, const edit::Script& script) {
  if (same_file(*options.output, options.script))
    throw UsageError(fmt::format("-o is '{}', the script", options.output->string()));
  if (options.checkpoint > 0 && is_one_of(*options.output, inputs(options, script)))
    throw UsageError(
        fmt::format("-o is '{}', which is read, and which --checkpoint would replace before all "
                    "has gone well; name another file",
                    options.output->string()));
  check_writable(*options.output, OutputKind::Scene, options.overwrite);
}

void check_save(const fs::path& path, const EditOptions& options, const std::vector<fs::path>& inputs) {
  if (!has_role(path, FileRole::Scene))
    throw Error(fmt::format("'{}' is no scene file, expected a name that ends in .h5", path.string()));
  if (is_one_of(path, inputs))
    throw Error(fmt::format("'{}' is read by this run, so that it cannot be saved to", path.string()))
        .hint("-o may replace the scene when all has gone well");
  if (options.log && same_file(path, *options.log))
    throw Error(fmt::format("'{}' is written as --log", path.string()));
  if (options.html && same_file(path, *options.html))
    throw Error(fmt::format("'{}' is written as --html", path.string()));
  if (options.output) check_writable(path, OutputKind::Scene, options.overwrite);
}

}  // namespace

void check_targets(const EditOptions& options, const edit::Script& script,
                   const edit::OnScriptError& on_error) {
  if (options.log)
    check_report("--log", *options.log,
                 has_role(*options.log, FileRole::Rows) ? OutputKind::Rows : OutputKind::Report, options,
                 script);
  if (options.html) check_report("--html", *options.html, OutputKind::Page, options, script);
  if (options.log && options.html && same_file(*options.log, *options.html))
    throw UsageError("--log and --html are the same file");
  if (options.output) check_output(options, script);
  const std::vector<fs::path> read = inputs(options, script);
  for (const edit::Command& command : script.commands)
    if (const auto* save = std::get_if<edit::Save>(&command.action))
      edit::at_command(script, command, on_error, [&] { check_save(save->path, options, read); });
}

}  // namespace vox
