#include "tools/vox-convert/conversion.h"

#include <fmt/format.h>

#include "formats/scene/scene_parts.h"
#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/base/units.h"
#include "tools/common/tool.h"
#include "tools/vox-convert/scenes.h"

namespace vox {
namespace {

std::string joined(const std::vector<std::filesystem::path>& paths) {
  std::string text;
  for (const auto& path : paths) text += (text.empty() ? "" : ", ") + path.filename().string();
  return text;
}

// Rounds of a build that was ended: a run that does not go on from them leaves them.
void say_what_is_kept(const ConvertOptions& options) {
  const size_t rounds = options.resume ? 0 : rounds_beside(options.output);
  if (rounds == 0) return;
  const std::string folder = parts_folder(options.output).string();
  log_warning(
      "{} holds {} of a build that was ended: --resume goes on from there; if nobody is to, remove round-* "
      "and "
      "rounds.* in it",
      folder, format_count(rounds, "round"));
}

}  // namespace

void sign(dag::VoxelScene& scene, const ConvertOptions& options) {
  scene.source = joined(options.inputs);
  scene.generator = generator_text();
  scene.command = options.command;
  scene.created = timestamp();
}

void warn_of_solid(const voxelize::SolidCounts& counts) {
  if (counts.duplicates > 0)
    log_warning("{} lie exactly on others: what is inside is decided without them",
                format_count(counts.duplicates, "triangle"));
  if (counts.open_rays > 0)
    log_warning("{} rays along x leave the grid inside: the mesh has holes, and what they hit is not solid",
                format_count(counts.open_rays));
  if (counts.disputed_voxels > 0)
    log_warning(
        "{} are left empty, though the directions of crossings say inside: surfaces overlap, or triangles "
        "face both ways",
        format_count(counts.disputed_voxels, "voxel"));
}

void check_targets(const ConvertOptions& options) {
  check_verifiable(options);
  if (options.exports.binvox == BinvoxValues::Materials && options.materials == scene::MaterialMode::None)
    throw UsageError("--binvox-materials needs --materials texture or mesh");
  if (options.exports.nvdb == NvdbGrid::Rgba && options.materials == scene::MaterialMode::None)
    throw UsageError("--nvdb-grid rgba needs --materials texture or mesh");
  for (const std::filesystem::path& input : options.inputs) {
    std::error_code absent;
    if (std::filesystem::equivalent(options.output, input, absent))
      throw UsageError(fmt::format("-o '{}' would replace what is read", options.output.string()));
  }
  if (options.parts || options.resume) check_parts_folder(options.output);
  say_what_is_kept(options);
  check_writable(options.output, kind_of_output(options.output), options.overwrite);
  if (options.palette_out) check_writable(*options.palette_out, OutputKind::Palette, options.overwrite);
}

}  // namespace vox
