// The results of vox-convert, for --json and the screen, and what it says of the names of materials.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>

#include "formats/results/files.h"
#include "formats/results/views.h"
#include "formats/voxels/export.h"
#include "libvox/base/log.h"
#include "libvox/base/process.h"
#include "libvox/base/units.h"
#include "libvox/dag/walk.h"
#include "tools/common/reports.h"
#include "tools/common/tool.h"
#include "tools/vox-convert/scenes.h"

namespace vox {

std::vector<NamedSeconds> seconds_of(const ConversionSeconds& seconds) {
  return {{"load", seconds.load, "Time for reading the inputs."},
          {"paint", seconds.paint, "Time for painting."},
          {"palette", seconds.palette, "Time for choosing colors."},
          {"voxelize", seconds.voxelize, "Time from triangles to leaves."},
          {"build", seconds.build, "Time from leaves to the DAG."},
          {"bricks", seconds.bricks, "Time for making bricks."},
          {"hash", seconds.hash, "Time for making the spatial hash."},
          {"symmetric", seconds.symmetric, "Time for making the symmetric form."},
          {"write", seconds.write, "Time for writing."},
          {"verify", seconds.verify, "Time for reading back and comparing."},
          {"total", seconds.total, "Time of all of it."}};
}

std::vector<NamedSeconds> seconds_of(const VolumeConversion& volume) {
  return {{"read", volume.read, "Time for reading the values of a volume."},
          {"build", volume.build, "Time for making bricks of them."},
          {"write", volume.write, "Time for writing."},
          {"verify", volume.verify, "Time for reading back and comparing."},
          {"total", volume.total, "Time of all of it."}};
}

namespace {

void set_machine(ResultGroup& results, const std::string& device, uint64_t peak_device_bytes) {
  set_peak_memory(results);
  results.set("peak_device_bytes", peak_device_bytes, "bytes", "Size of the device's memory at the peak.");
  set_device(results, device);
}

void set_combined(ResultGroup& results, const std::array<voxelize::SideCounts, 2>& meshes) {
  ResultGroup& group = results.group("combine");
  for (size_t i = 0; i < meshes.size(); ++i) {
    const std::string mesh = i == 0 ? "first" : "second", other = i == 0 ? "second" : "first";
    const voxelize::SideCounts& counts = meshes[i];
    group
        .set(mesh + "_outside", counts.outside, "voxels",
             fmt::format("With `--combine`: number of voxels of the {} mesh outside of the {} one.", mesh,
                         other))
        .set(mesh + "_inside", counts.inside, "voxels", "Number of its voxels inside.")
        .set(mesh + "_common", counts.common, "voxels", "Number of its voxels that the other mesh fills too.")
        .set(mesh + "_parts", counts.parts, "parts",
             "Number of connected parts without these voxels, each of which lies on one side.")
        .set(mesh + "_divided", counts.divided_parts, "parts",
             "Number of parts with voxels on both sides, because they lead through a hole of the other mesh.")
        .set(mesh + "_parts_by_rays", counts.parts_by_rays, "parts",
             "Number of parts that rays have decided, because no normals do.")
        .set(mesh + "_votes", counts.votes, "votes", "Number of votes of normals on the sides of parts.")
        .set(mesh + "_overruled", counts.overruled, "votes", "Number of votes that the majority overrules.");
  }
}

void set_conversion(ResultGroup& results, const Conversion& conversion) {
  if (const auto& error = conversion.palette_error)
    results.group("palette_error")
        .set("mean", error->mean, "ΔE",
             "Distance from the colors of the surface to the palette, over the area; of `--materials "
             "texture`.")
        .set("over_10", error->over_10, "1", "Share of the area that is off by more than 10.");
  if (conversion.painting) set_painting(results, *conversion.painting);
  set_seconds(results, seconds_of(conversion.seconds));
  set_machine(results, conversion.device, conversion.peak_device_bytes);
  results.set("triangles", conversion.triangles, "triangles", "Number of triangles that were converted.")
      .set("dropped_not_finite", conversion.dropped.not_finite, "triangles",
           "Number of triangles that were left out because a coordinate is not finite.")
      .set("dropped_degenerate", conversion.dropped.degenerate, "triangles",
           "Number of triangles that were left out because they have no area.")
      .set("points", conversion.points.points, "points", "Number of points that were converted.")
      .set("points_not_finite", conversion.points.not_finite, "points",
           "Number of points that were dropped because a coordinate is not finite.")
      .set("points_left_out", conversion.points.left_out, "points",
           "Number of points that the file calls withheld, and of splats that are too transparent.")
      .set("open_rays", conversion.solid.open_rays, "rays",
           "With `--solid`: number of rays that leave the grid inside, because the mesh has holes.")
      .set("turned_triangles", conversion.holes.turned, "triangles",
           "With `--solid` and `--inside winding`: number of triangles that face the other way than their "
           "neighbors, and are turned.")
      .set("open_edges", conversion.holes.open_edges, "edges",
           "Number of edges at which triangles are missing.")
      .set("holes", conversion.holes.holes, "holes",
           "Number of cycles that they form in bodies, which count as closed to tell what is inside.")
      .set("joined_vertices", conversion.holes.joined, "vertices",
           "Number of vertices at gaps that `--close` has joined to others.")
      .set("sheets", conversion.holes.sheets, "parts",
           "Number of parts that are open by more than 0.7 of their surface, and fill nothing.")
      .set("disputed_voxels", conversion.solid.disputed_voxels, "voxels",
           "With `--solid`: number of voxels that lie in several surfaces at once: inside by winding number, "
           "outside by parity.")
      .set(
          "duplicate_triangles", conversion.solid.duplicates, "triangles",
          "With `--solid`: number of triangles that lie exactly on others, and do not decide what is inside.")
      .set("chunks", conversion.chunks, "chunks", "Number of chunks in which the grid was converted.");
  if (conversion.combined) set_combined(results, *conversion.combined);
  set_ranks(results, conversion.ranks);
  if (conversion.spill) set_spill(results, *conversion.spill);
  set_profile(results, conversion.kernels);
}

std::optional<SymmetricSize> symmetric_of(const ConvertResults& shown) {
  if (shown.forms.symmetric != nullptr) return size_of(*shown.forms.symmetric);
  return shown.scene ? shown.scene->symmetric : std::nullopt;
}

std::string description(const ConvertResults& shown) {
  std::vector<std::string> parts;
  if (shown.scene) parts.push_back(describe_scene(*shown.scene));
  if (shown.forms.bricks != nullptr) parts.push_back(describe_bricks(*shown.forms.bricks));
  if (shown.forms.hash != nullptr) parts.push_back(facts_text({{"hash", hash_line(*shown.forms.hash)}}));
  return fmt::format("{}", fmt::join(parts, "\n"));
}

std::string shown_names(const std::vector<std::string>& names) {
  constexpr size_t kShown = 5;
  const auto end = names.begin() + static_cast<ptrdiff_t>(std::min(names.size(), kShown));
  return fmt::format(
      "{}{}", fmt::join(names.begin(), end, ", "),
      names.size() > kShown ? fmt::format(" and {} more", format_count(names.size() - kShown)) : "");
}

// Sets the size of colors or normals, and their digest if it is known.
void set_values(ResultGroup& results, const std::string& name, const std::optional<AttributeInfo>& values,
                const std::string& what) {
  if (!values) return;
  results.set(name + "_bytes", values->bytes, "bytes", "Size of " + what);
  if (values->digest)
    results.set(name + "_digest", dag::to_string(*values->digest), "With `--info`: digest of " + what);
}

}  // namespace

ResultGroup results_of(const ConvertResults& shown) {
  ResultGroup results;
  results.set("file", shown.file.string(), "The file that was written, or read if none is written.");
  if (shown.verified) results.set("verified", true, "True with `--verify`: a wrong file is an error.");
  if (shown.scene) set_scene(results, *shown.scene);
  if (shown.scene) {
    set_values(results, "color", shown.scene->colors,
               "the voxels' 24-bit colors, which are stored apart from the nodes (`--materials colors`).");
    set_values(results, "normal", shown.scene->normals, "the voxels' normals (`--normals`).");
  }
  if (const std::optional<SymmetricSize> size = symmetric_of(shown))
    results.group("symmetric")
        .set("nodes", size->nodes, "nodes",
             "Number of nodes and leaves in symmetric form (`--structure symmetric`).")
        .set("bytes", size->bytes, "bytes", "Size of their words.");
  if (shown.forms.bricks != nullptr) set_bricks(results, *shown.forms.bricks);
  if (shown.forms.hash != nullptr) set_hash(results, *shown.forms.hash);
  if (shown.conversion != nullptr) set_conversion(results, *shown.conversion);
  if (const auto& lossy = shown.lossy)
    results.group("lossy")
        .set("changed_voxels", lossy->changed_voxels, "voxels",
             "With `--lossy`: number of voxels that are filled in one of both scenes alone.")
        .set("replaced_leaves", lossy->replaced_leaves, "leaves",
             "Number of leaves of the DAG that have become another one.")
        .set("replaced_nodes", lossy->replaced_nodes, "nodes",
             "Number of nodes of 8³ voxels that have become another one.")
        .set("bytes_before", lossy->bytes_before, "bytes", "Size of nodes and leaves before.");
  if (const VolumeConversion* const volume = shown.volume) {
    set_seconds(results, seconds_of(*volume));
    set_machine(results, volume->device, volume->peak_device_bytes);
    set_profile(results, volume->kernels);
  }
  return results;
}

void print_results(const ConvertOptions& options, const ConvertResults& shown) {
  if (options.json) {
    ResultGroup results = results_of(shown);
    // A file that is only described needs no machine.
    if (!options.info) set_conditions(results, conditions_of(options.inputs), in_json);
    print_result(json_text(results) + "\n");
  } else if (options.info) {
    print_result(description(shown));
  } else if (options.verify) {
    print_result(fmt::format("{}: correct: {}\n", shown.file.string(),
                             shown.scene ? summary_line(*shown.scene) : bricks_line(*shown.forms.bricks)));
  }
}

void log_forms(const OtherForms& forms) {
  if (forms.bricks != nullptr) log_info("{}", bricks_line(*forms.bricks));
  if (forms.hash != nullptr) log_info("{}", hash_line(*forms.hash));
  if (forms.symmetric != nullptr) log_info("{}", symmetric_line(size_of(*forms.symmetric)));
}

void log_end(const std::vector<NamedSeconds>& seconds, const std::filesystem::path& file, uint64_t bytes) {
  log_info("{}; peak {}", seconds_text(seconds), format_bytes(peak_resident_bytes()));
  log_info("{}: {}", file.string(), format_bytes(bytes));
}

void warn_of_names(const scene::IndexedScene& mesh, std::span<const scene::AssignRule> rules,
                   const ConvertOptions& options) {
  const char* const what = options.materials == scene::MaterialMode::Object ? "objects" : "materials";
  const size_t numbers = mesh.palette.members.empty() ? mesh.named_colors.size() : mesh.palette.count;
  const size_t shared = rules.empty() ? numbers - 1 : 0;
  std::vector<std::string> all, sharing;
  for (const scene::NamedEntry& member : mesh.palette.members) {
    all.push_back(member.name);
    if (member.entry == shared) sharing.push_back(member.name);
  }
  for (const scene::NamedColor& named : mesh.named_colors) {
    all.insert(all.end(), named.members.begin(), named.members.end());
    if (&named == &mesh.named_colors[shared]) sharing = named.members;
  }
  if (all.empty()) return;
  if (rules.empty() && sharing.size() > 1)
    log_warning(
        "the mesh has {} {}: the {} with the largest areas have a number each, and {} share the number {} "
        "(--palette-size keeps more of them, --assign gives numbers by name): {}",
        format_count(all.size()), what, shared, format_count(sharing.size()), shared, shown_names(sharing));
  if (rules.empty()) return;
  if (!sharing.empty())
    log_warning("{} of the {} {} match no line of {} and share the number 0: {}",
                format_count(sharing.size()), format_count(all.size()), what, options.assign->string(),
                shown_names(sharing));
  std::vector<std::string> idle;
  for (const scene::AssignRule& rule : rules)
    if (std::ranges::none_of(all,
                             [&](const std::string& name) { return scene::matches(name, rule.pattern); }))
      idle.push_back(rule.pattern);
  if (!idle.empty())
    log_warning("{}: these match none of the {}: {}", options.assign->string(), what, shown_names(idle));
}

void log_empty_layers(const dag::VoxelScene& scene, const ConvertOptions& options,
                      const std::optional<VoxelBox>& clip) {
  if (kind_of_output(options.output) != OutputKind::Slices) return;
  const VoxelBox all = export_region(scene, clip, options.output);
  if (!dag::has_filled(scene.dag, all)) return;
  const uint32_t axis = options.exports.slices.axis.value_or(static_cast<uint32_t>(scene.up));
  const int32_t layers = all.size()[axis];
  // The layers from the first one to the last one with voxels. The steps are powers of two, as in a search for the bits
  // of a number.
  VoxelBox filled = all;
  for (auto step = static_cast<int32_t>(std::bit_floor(static_cast<uint32_t>(layers))); step > 0; step /= 2) {
    VoxelBox below = all, above = all;
    below.max[axis] = filled.min[axis] + step;
    above.min[axis] = filled.max[axis] - step;
    if (below.max[axis] < all.max[axis] && !dag::has_filled(scene.dag, below)) filled.min[axis] += step;
    if (above.min[axis] > all.min[axis] && !dag::has_filled(scene.dag, above)) filled.max[axis] -= step;
  }
  const int32_t empty = layers - filled.size()[axis];
  if (empty <= layers / 2) return;
  const Vec3d low = world_corner(scene, filled.min), high = world_corner(scene, filled.max);
  log_info(
      "{} of {} layers are empty, before the first voxel or after the last one: --clip "
      "{:.9g},{:.9g},{:.9g},{:.9g},{:.9g},{:.9g} leaves them out",
      format_count(static_cast<uint64_t>(empty)), format_count(static_cast<uint64_t>(layers)), low.x, low.y,
      low.z, high.x, high.y, high.z);
}

}  // namespace vox
