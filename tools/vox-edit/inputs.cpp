#include "tools/vox-edit/inputs.h"

#include <fmt/format.h>

#include <algorithm>

#include "formats/edit_script.h"
#include "formats/replay_csv.h"
#include "formats/scene_file.h"
#include "libvox/base/atomic_file.h"
#include "libvox/base/error.h"

namespace vox {
namespace {

namespace fs = std::filesystem;

// Also of files that are not there yet.
bool same_file(const fs::path& a, const fs::path& b) {
  std::error_code ignored;
  return fs::equivalent(a, b, ignored) ||
         fs::weakly_canonical(a, ignored) == fs::weakly_canonical(b, ignored);
}

void check_log(const EditOptions& options, const Script& script) {
  std::vector<fs::path> others = {options.scene, options.script};
  others.insert(others.end(), script.files.begin(), script.files.end());
  for (const fs::path& other : others)
    if (same_file(*options.log, other))
      throw UsageError(fmt::format("--log is '{}', which is read", options.log->string()));
  if (options.output && same_file(*options.log, *options.output))
    throw UsageError("--log and -o are the same file");
  const AtomicFile log(*options.log);
}

// The material that an edit fills or paints with.
uint32_t material_of(const Edit& edit) {
  if (const auto* paint = std::get_if<PaintEdit>(&edit))
    return paint->mode == PaintMode::Remove ? 0 : paint->material;
  if (const auto* fill = std::get_if<FillEdit>(&edit)) return fill->material;
  return 0;
}

}  // namespace

Script read_script(const EditOptions& options, const VoxelScene& scene) {
  if (!is_replay_path(options.script)) return read_edit_script(options.script, frame_of(scene));
  ReplayOptions replay = options.replay;
  replay.materials = scene.dag.materials;
  return read_replay_csv(options.script, replay);
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

void check_targets(const EditOptions& options, const Script& script) {
  if (options.log) check_log(options, script);
  if (!options.output) return;
  if (same_file(*options.output, options.script))
    throw UsageError(fmt::format("-o is '{}', the script", options.output->string()));
  if (options.checkpoint > 0 && same_file(*options.output, options.scene))
    throw UsageError(
        "-o is the scene that is read, which --checkpoint would replace before all has gone well; name "
        "another file");
  const AtomicFile output(*options.output);
  for (const Command& command : script.commands)
    if (const auto* save = std::get_if<Save>(&command.action)) {
      try {
        const AtomicFile target(save->path);
      } catch (const Error& error) {
        throw Error(error.what()).at(location(script, command));
      }
    }
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
