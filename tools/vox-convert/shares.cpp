#include "tools/vox-convert/scenes.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "formats/io/compression.h"
#include "libvox/base/error.h"
#include "libvox/base/progress.h"
#include "libvox/base/units.h"
#include "tools/common/tool.h"

namespace vox {
namespace {

// The work of this process's ranks on their shares: all ranks, or the one that a launcher has started.
class ShareWriter {
 public:
  ShareWriter(const ConvertOptions& options, Conversion& conversion)
      : options_(options), conversion_(conversion) {}

  // Collective.
  void use(ranks::Ranks& ranks, build::SceneShare share) {
    RankFigures figures = {.share = share.figures, .peak_device_bytes = share.whole.peak_device_bytes};
    voxelize::BuildResult result;
    if (options_.parts) {
      write_part(ranks, take_part(share, ranks));
      result = std::move(share.whole);
    } else {
      result = joined(ranks, std::move(share));
    }
    figures.traffic = ranks.traffic();
    std::vector<RankFigures> all = gathered(figures, ranks);
    if (ranks.rank() > 0) return;
    for (const RankFigures& rank : all)
      result.peak_device_bytes = std::max(result.peak_device_bytes, rank.peak_device_bytes);
    if (options_.spill)
      conversion_.spill = conversion_.spill.value_or(build::BuildFigures()) += figures.share;
    // Among other inputs there may be several runs of meshes, each with ranks of its own.
    const bool is_only = options_.conversion == ConversionKind::Meshes;
    if (is_only && (all.size() > 1 || options_.resume)) conversion_.ranks = std::move(all);
    result_ = std::move(result);
  }

  voxelize::BuildResult take_result() { return std::move(result_); }

 private:
  ScenePartPlace place(uint32_t rank) const {
    return {.scene = options_.output, .number = rank, .materials = options_.build.materials};
  }

  // Once all are written, rank 0 answers for all of them: no other knows whether there is a head.
  void write_part(ranks::Ranks& ranks, const dag::DagPart& part) {
    const Stopwatch watch;
    NewParts own;
    WrittenPart written;
    {
      const std::lock_guard lock(hdf5_);  // HDF5 is for one thread at a time; all cores compress
      throw_if_cancelled();
      written = write_scene_part(part, place(ranks.rank()), options_.compression);
    }
    if (written.is_new) own.add(scene_part_path(options_.output, ranks.rank(), written.check));
    const std::vector<uint64_t> checks = ranks.gather(written.check),
                                new_ones = ranks.gather(written.is_new ? 1 : 0);
    own.keep();
    if (ranks.rank() > 0) return;
    for (uint32_t rank = 0; rank < checks.size(); ++rank)
      if (new_ones[rank] != 0)
        conversion_.new_parts.add(scene_part_path(options_.output, rank, checks[rank]));
    conversion_.parts = checks;
    conversion_.seconds.write += watch.seconds();
  }

  const ConvertOptions& options_;
  Conversion& conversion_;
  std::mutex hdf5_;
  voxelize::BuildResult result_;
};

// Returns the path beside whose parts the rounds lie. If there are several runs of meshes, those of the second run are
// in NAME.parts/mesh-2.parts/, and so on.
std::filesystem::path place_of_rounds(const std::filesystem::path& output, size_t run) {
  return run == 0 ? output : parts_folder(output) / fmt::format("mesh-{}.h5", run + 1);
}

}  // namespace

voxelize::BuildResult built_together(Engine& engine, const build::SceneInput& input,
                                     const ConvertOptions& options, Conversion& conversion) {
  ShareWriter writer(options, conversion);
  build::BuildManner manner;
  manner.spill = options.spill;
  if (options.resume)
    manner.keeper = &conversion.rounds.emplace_back(place_of_rounds(options.output, conversion.rounds.size()),
                                                    build_facts(input, options), *options.resume);
  engine.build_shares(input, manner, options.ranks, [&](ranks::Ranks& ranks, build::SceneShare share) {
    writer.use(ranks, std::move(share));
  });
  return writer.take_result();
}

void write_head(const dag::VoxelScene& scene, const ConvertOptions& options, Conversion& conversion) {
  throw_if_cancelled();
  write_scene_head(scene, conversion.parts, options.output, options.compression,
                   std::move(conversion.new_parts));
}

namespace {

std::string sum_text(const CheckSum& sum) {
  return fmt::format("{:016x}", sum.value());
}

std::string text_of(const Vec3d& v) {
  return fmt::format("{},{},{}", v.x, v.y, v.z);
}

std::string mesh_sum(const scene::Scene& scene) {
  CheckSum sum;
  sum.add_values(std::span(scene.positions))
      .add_values(std::span(scene.colors))
      .add_values(std::span(scene.texcoords));
  return sum_text(sum.add_values(std::span(scene.triangles)));
}

std::string texture_sum(const scene::IndexedScene& indexed) {
  CheckSum sum;
  for (const scene::IndexedMaterial& material : indexed.materials) {
    const std::vector<uint32_t> words = {material.texture,
                                         material.index,
                                         material.invisible ? 1u : 0u,
                                         material.vertex_colors ? 1u : 0u,
                                         static_cast<uint32_t>(material.wrap_u),
                                         static_cast<uint32_t>(material.wrap_v)};
    sum.add_values(std::span(words));
  }
  for (const scene::IndexedTexture& texture : indexed.textures) {
    sum.add_values(std::span(texture.levels));
    sum.add_values(std::span(texture.nibbles)).add_values(std::span(texture.opaque));
  }
  return sum_text(sum.add_values(std::span(indexed.color_lut)));
}

std::string paint_sum(const painting::FrozenAtlas* atlas) {
  if (atlas == nullptr) return "none";
  CheckSum sum;
  sum.add_values(std::span<const uint64_t>(atlas->cells)).add_values(std::span(atlas->layers));
  const std::vector<uint64_t> numbers = {atlas->keys.size, atlas->texels};
  return sum_text(sum.add_values(std::span(numbers)));
}

std::string palette_text(const scene::Palette& palette) {
  std::string text;
  for (uint32_t i = 0; i < palette.count; ++i) text += (i > 0 ? "," : "") + hex_name(palette.colors[i]);
  return text.empty() ? "none" : text;
}

}  // namespace

BuildFacts build_facts(const build::SceneInput& input, const ConvertOptions& options) {
  const voxelize::Grid& grid = input.grid;
  const bool snapped = grid.first_voxel.has_value();
  return {{"program", generator_text()},
          {"resolution", std::to_string(grid.resolution)},
          {"origin", text_of(grid.origin)},
          {"voxel-size", exact_sides(grid.voxel_size)},
          {"first-voxel", snapped ? text_of(*grid.first_voxel) : "none"},
          {"coverage", input.options.coverage == scene::Coverage::Thin ? "thin" : "conservative"},
          {"solid", !input.options.solid                                    ? "no"
                    : input.options.inside == voxelize::InsideRule::Winding ? "winding"
                                                                            : "parity"},
          {"materials", kMaterialModes[static_cast<size_t>(options.materials)]},
          {"interior", input.options.interior ? std::to_string(*input.options.interior) : "surface"},
          {"palette", palette_text(input.indexed.palette)},
          {"mesh", mesh_sum(input.scene)},
          {"textures", texture_sum(input.indexed)},
          {"paint", paint_sum(input.options.atlas)}};
}

}  // namespace vox
