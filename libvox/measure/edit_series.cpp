#include "libvox/measure/edit_series.h"

#include <fmt/format.h>

#include <algorithm>

#include "libvox/base/error.h"
#include "libvox/measure/filled_places.h"
#include "libvox/scene/palette.h"

namespace vox::measure {
namespace {

// Returns sizes from `first` to `last`, which are for a resolution of `of`, scaled to another resolution,
// without duplicates.
std::vector<uint32_t> paper_sizes(double first, double last, double of, uint32_t resolution) {
  constexpr uint32_t kCount = 12;
  std::vector<uint32_t> sizes;
  for (uint32_t i = 0; i < kCount; ++i) {
    const double size = (first + (last - first) * i / (kCount - 1)) * resolution / of;
    sizes.push_back(std::max(1u, static_cast<uint32_t>(size + 0.5)));
  }
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

edit::Edit sphere_at(const Int3& voxel, uint32_t radius, uint8_t material) {
  const auto centre = [](int32_t at) { return at * edit::kEditUnits + edit::kEditUnits / 2; };
  return edit::PaintEdit{.shape = {.kind = edit::ShapeKind::Sphere,
                                   .a = {centre(voxel.x), centre(voxel.y), centre(voxel.z)},
                                   .radius = radius * edit::kEditUnits},
                         .material = material};
}

uint8_t material_of(const dag::FrozenDag& dag, size_t i) {
  return dag.materials ? static_cast<uint8_t>(i % scene::kPaletteSize) : uint8_t{0};
}

// Returns the lowest corner of a box of this side around a voxel, moved by `shift` along x. A box that would
// leave the grid starts again at its beginning.
Int3 box_corner(const Int3& voxel, uint32_t side, uint64_t shift, uint32_t resolution) {
  const auto last = static_cast<int32_t>(resolution - side), half = static_cast<int32_t>(side / 2);
  const auto low = [&](int32_t at) { return std::clamp(at - half, 0, last); };
  const auto x = (static_cast<uint64_t>(low(voxel.x)) + shift) % (static_cast<uint64_t>(last) + 1);
  return {static_cast<int32_t>(x), low(voxel.y), low(voxel.z)};
}

// Returns `count` copies of boxes of this side. Each is an eighth of the side further along x than the one
// before, as if a user dragged them.
std::vector<edit::Edit> dragged_copies(const Int3& from, const Int3& to, uint32_t side, uint32_t count,
                                       uint32_t resolution) {
  const auto cells = static_cast<int32_t>(side);
  std::vector<edit::Edit> edits;
  for (uint32_t i = 0; i < count; ++i) {
    const uint64_t shift = i * uint64_t{side / 8 + 1};
    const Int3 corner = box_corner(from, side, shift, resolution);
    edits.emplace_back(edit::CopyEdit{.source = {corner, corner + Int3{cells, cells, cells}},
                                      .to = box_corner(to, side, shift, resolution)});
  }
  return edits;
}

std::vector<EditStep> copy_steps(const dag::FrozenDag& dag, const EditBenchOptions& options,
                                 const EditBenchSizes& sizes, uint32_t copies) {
  const std::vector<Int3> places = filled_places(dag, options.seed + 1, 2 * sizes.sides.size());
  std::vector<EditStep> steps;
  for (size_t i = 0; i < sizes.sides.size(); ++i)
    steps.push_back(
        {sizes.sides[i], 1,
         dragged_copies(places[2 * i], places[2 * i + 1], sizes.sides[i], copies, dag.resolution)});
  return steps;
}

std::vector<EditStep> small_steps(const dag::FrozenDag& dag, const EditBenchOptions& options,
                                  const EditBenchSizes& sizes) {
  const std::vector<Int3> places = filled_places(dag, options.seed + 2, sizes.small);
  std::vector<edit::Edit> edits;
  for (size_t i = 0; i < places.size(); ++i)
    edits.push_back(sphere_at(places[i], options.small_radius, material_of(dag, i)));
  std::vector<EditStep> steps;
  for (const uint32_t batch : options.batches) steps.push_back({options.small_radius, batch, edits});
  return steps;
}

}  // namespace

bool is_asked_for(const EditBenchOptions& options, EditSeriesKind kind) {
  return std::ranges::find(options.series, kind) != options.series.end();
}

bool is_asked_for(const EditBenchOptions& options, EditOrder order) {
  return std::ranges::find(options.orders, order) != options.orders.end();
}

void check(const EditBenchOptions& options) {
  if (options.series.empty() || options.orders.empty() || options.batches.empty())
    throw UsageError("nothing to measure: series, orders and batches need at least one value");
  const auto check_each = [](const std::vector<uint32_t>& values, const char* what, uint64_t most) {
    for (const uint32_t value : values)
      if (value < 1 || value > most)
        throw UsageError(fmt::format("{} of {}, expected 1 to {}", what, value, most));
  };
  check_each(options.radii, "a sphere with a radius", edit::kMaxEditRadius);
  check_each(options.sides, "a box with a side", edit::kMaxEditRadius);
  check_each({options.small_radius}, "a small sphere with a radius", edit::kMaxEditRadius);
  check_each(options.batches, "a batch", EditBenchOptions::kMostEdits);
  check_each({options.copies.value_or(1)}, "a number of copies", EditBenchOptions::kMostEdits);
  check_each({options.small.value_or(1)}, "a number of small spheres", EditBenchOptions::kMostEdits);
  check_each({options.repetitions.value_or(1)}, "a number of repetitions",
             EditBenchOptions::kMostRepetitions);
}

EditBenchSizes sizes_of(const EditBenchOptions& options, uint32_t resolution, const std::string& device) {
  using Options = EditBenchOptions;
  const bool cpu = device == "cpu";
  EditBenchSizes sizes = {
      .radii = options.radii.empty() ? paper_sizes(1140, 1820, 1 << 17, resolution) : options.radii,
      .sides = options.sides.empty() ? paper_sizes(254, 586, 1 << 16, resolution) : options.sides,
      .copies = options.copies.value_or(cpu ? Options::kCpuCopies : Options::kGpuCopies),
      .small = options.small.value_or(cpu ? Options::kCpuSmall : Options::kGpuSmall),
      .repetitions = options.repetitions.value_or(cpu ? Options::kCpuRepetitions : Options::kGpuRepetitions)};
  for (const uint32_t side : sizes.sides)
    if (side > resolution)
      throw UsageError(fmt::format("a box with a side of {}, but the scene has {} voxels along each axis",
                                   side, resolution));
  return sizes;
}

std::vector<EditStep> sphere_steps(const dag::FrozenDag& dag, const EditBenchOptions& options,
                                   const EditBenchSizes& sizes) {
  const std::vector<Int3> places = filled_places(dag, options.seed, sizes.radii.size());
  std::vector<EditStep> steps;
  for (size_t i = 0; i < places.size(); ++i)
    steps.push_back({sizes.radii[i], 1, {sphere_at(places[i], sizes.radii[i], material_of(dag, i))}});
  return steps;
}

std::vector<EditSeries> edit_series(const dag::FrozenDag& dag, const EditBenchOptions& options,
                                    const EditBenchSizes& sizes) {
  std::vector<EditSeries> all;
  for (const EditOrder order : {EditOrder::Fresh, EditOrder::Collected, EditOrder::Sequence}) {
    if (!is_asked_for(options, order)) continue;
    if (is_asked_for(options, EditSeriesKind::Spheres))
      all.push_back({EditSeriesKind::Spheres, order, sphere_steps(dag, options, sizes)});
    if (is_asked_for(options, EditSeriesKind::Copies))
      all.push_back({EditSeriesKind::Copies, order,
                     copy_steps(dag, options, sizes, order == EditOrder::Sequence ? sizes.copies : 1)});
  }
  // Run again, the same spheres would find all their nodes in the store, whatever their batch; so there is
  // only EditOrder::Fresh.
  if (is_asked_for(options, EditSeriesKind::Small))
    all.push_back({EditSeriesKind::Small, EditOrder::Fresh, small_steps(dag, options, sizes)});
  std::ranges::stable_sort(all, {}, &EditSeries::kind);
  return all;
}

}  // namespace vox::measure
