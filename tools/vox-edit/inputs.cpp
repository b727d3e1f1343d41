#include "tools/vox-edit/inputs.h"

#include <fmt/format.h>

#include <algorithm>

#include "formats/scene/scene_file.h"
#include "formats/script/edit_script.h"
#include "formats/script/replay_csv.h"
#include "libvox/base/error.h"
#include "libvox/edit/editor.h"

namespace vox {
namespace {

namespace fs = std::filesystem;

// Also of files that are not there yet.
bool same_file(const fs::path& a, const fs::path& b) {
  std::error_code ignored;
  const auto place = [&](const fs::path& path) { return fs::weakly_canonical(fs::absolute(path), ignored); };
  return fs::equivalent(a, b, ignored) || place(a) == place(b);
}

std::vector<fs::path> inputs(const EditOptions& options, const Script& script) {
  std::vector<fs::path> files = {options.scene, options.script};
  files.insert(files.end(), script.files.begin(), script.files.end());
  return files;
}

bool is_one_of(const fs::path& file, const std::vector<fs::path>& files) {
  return std::any_of(files.begin(), files.end(),
                     [&](const fs::path& other) { return same_file(file, other); });
}

// Of --log and --html.
void check_report(const char* option, const fs::path& file, OutputKind kind, const EditOptions& options,
                  const Script& script) {
  if (is_one_of(file, inputs(options, script)))
    throw UsageError(fmt::format("{} is '{}', which is read", option, file.string()));
  if (options.output && same_file(file, *options.output))
    throw UsageError(fmt::format("{} and -o are the same file", option));
  check_writable(file, kind, options.overwrite);
}

void check_output(const EditOptions& options) {
  if (same_file(*options.output, options.script))
    throw UsageError(fmt::format("-o is '{}', the script", options.output->string()));
  if (options.checkpoint > 0 && same_file(*options.output, options.scene))
    throw UsageError(
        "-o is the scene that is read, which --checkpoint would replace before all has gone well; name "
        "another file");
  check_writable(*options.output, OutputKind::Scene, options.overwrite);
}

void check_save(const fs::path& path, const EditOptions& options, const std::vector<fs::path>& inputs) {
  if (path.extension() != ".h5")
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

// The first command that uses the script's file with this number, from 1. None where all that would are
// wrong.
const Command* first_use(const Script& script, uint32_t file) {
  const auto found = std::ranges::find_if(script.commands, [&](const Command& command) {
    const Edit* edit = std::get_if<Edit>(&command.action);
    return edit && scene_of(*edit) == file;
  });
  return found == script.commands.end() ? nullptr : &*found;
}

VoxelScene read_other_scene(const fs::path& file, const VoxelScene& scene) {
  VoxelScene other = read_scene(file);
  if (other.dag.materials && !scene.dag.materials)
    throw Error("has materials, the scene that is edited has none")
        .at(file.string())
        .hint("vox-convert --materials none makes scenes without");
  if (!other.dag.materials && scene.dag.materials)
    throw Error("has no materials, the scene that is edited has some").at(file.string());
  return other;
}

// Calls `step` and names the command in what it throws.
template <class Step>
void at_command(const Script& script, const Command& command, const OnScriptError& on_error,
                const Step& step) {
  try {
    step();
  } catch (const Cancelled&) {
    throw;
  } catch (const Error& error) {
    const Error placed = Error(error.what()).at(place_of(script, command));
    if (!on_error) throw placed;
    on_error(placed);
  }
}

// The material that an edit fills or paints with.
uint32_t material_of(const Edit& edit) {
  if (const auto* paint = std::get_if<PaintEdit>(&edit))
    return paint->mode == PaintMode::Remove ? 0 : paint->material;
  if (const auto* fill = std::get_if<FillEdit>(&edit)) return fill->material;
  return 0;
}

}  // namespace

std::string place_of(const Script& script, const Command& command) {
  const std::string_view before = std::string_view(script.text).substr(0, command.text);
  const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; };  // UTF-8
  const size_t line = before.find_last_of("\r\n") + 1;  // npos + 1 is 0
  const auto column = 1 + std::ranges::count_if(before.substr(line), [&](char c) { return !continues(c); });
  return fmt::format("{}:{}", location(script, command), column);
}

Script read_script(const EditOptions& options, const VoxelScene& scene, const OnScriptError& on_error) {
  if (!is_replay_path(options.script)) return read_edit_script(options.script, frame_of(scene), on_error);
  ReplayOptions replay = options.replay;
  replay.materials = scene.dag.materials;
  return read_replay_csv(options.script, replay, on_error);
}

std::vector<VoxelScene> read_other_scenes(const Script& script, const VoxelScene& scene,
                                          const OnScriptError& on_error) {
  std::vector<VoxelScene> others;
  for (const fs::path& file : script.files) {
    VoxelScene& other = others.emplace_back();
    other.dag = empty_dag(scene.dag.resolution, scene.dag.materials);
    const auto number = static_cast<uint32_t>(others.size());
    if (const Command* command = first_use(script, number))
      at_command(script, *command, on_error, [&] { other = read_other_scene(file, scene); });
  }
  return others;
}

void check_targets(const EditOptions& options, const Script& script, const OnScriptError& on_error) {
  if (options.log)
    check_report("--log", *options.log,
                 options.log->extension() == ".csv" ? OutputKind::Rows : OutputKind::Report, options, script);
  if (options.html) check_report("--html", *options.html, OutputKind::Page, options, script);
  if (options.log && options.html && same_file(*options.log, *options.html))
    throw UsageError("--log and --html are the same file");
  if (options.output) check_output(options);
  const std::vector<fs::path> read = inputs(options, script);
  for (const Command& command : script.commands)
    if (const auto* save = std::get_if<Save>(&command.action))
      at_command(script, command, on_error, [&] { check_save(save->path, options, read); });
}

void extend_palette(VoxelScene& scene, const Palette& other) {
  Palette& palette = scene.palette;
  for (; palette.count < other.count; ++palette.count) {
    palette.colors[palette.count] = other.colors[palette.count];
    palette.names[palette.count] = other.names[palette.count];
  }
}

void extend_palette(VoxelScene& scene, const Script& script) {
  if (!scene.dag.materials) return;
  Palette wanted = scene.palette;
  for (const Command& command : script.commands) {
    const Edit* edit = std::get_if<Edit>(&command.action);
    if (!edit) continue;
    for (uint32_t& entry = wanted.count; entry <= material_of(*edit); ++entry) {
      // Around the circle of hues, away from each other, so that a new material is seen.
      constexpr Rgb8 kColors[] = {{214, 39, 40},   {31, 119, 180}, {44, 160, 44},   {255, 127, 14},
                                  {148, 103, 189}, {23, 190, 207}, {227, 119, 194}, {188, 189, 34}};
      wanted.colors[entry] = kColors[entry % std::size(kColors)];
      wanted.names[entry] = fmt::format("material {}", entry);
    }
  }
  extend_palette(scene, wanted);
}

}  // namespace vox
