#include "libvox/measure/forms_bench.h"

#include <fmt/format.h>

#include <algorithm>

#include "libvox/base/error.h"
#include "libvox/base/units.h"
#include "libvox/bricks/brick.h"
#include "libvox/measure/timing.h"
#include "libvox/spatial/frozen_hash.h"

namespace vox::measure {
namespace {

std::string name_of(Form form) {
  return kFormNames[static_cast<size_t>(form)];
}

}  // namespace

void check(const FormsBenchOptions& options) {
  if (options.forms.empty() || options.log2_sides.empty() || options.layouts.empty())
    throw UsageError("nothing to measure: forms, brick sides and layouts need at least one value");
  for (const uint32_t log2_side : options.log2_sides)
    if (log2_side != 0 && (log2_side < bricks::kMinBrickLog2 || log2_side > bricks::kMaxBrickLog2))
      throw UsageError(fmt::format("bricks of 2^{} voxels a side, expected 2^{} to 2^{}", log2_side,
                                   bricks::kMinBrickLog2, bricks::kMaxBrickLog2));
  check_load_factors(options.load_factors);
  check_filters({options.filter});
  if (options.gathers.value_or(0) > FormsBenchOptions::kMostGathers ||
      options.means.value_or(0) > FormsBenchOptions::kMostGathers)
    throw UsageError("the gathers may read at most 2^32 voxels");
  check_picture_side(options.picture.value_or(0));
  if (options.gathers == 0u && options.means == 0u && options.picture == 0u)
    throw UsageError("nothing to measure: no gathers, no filter and no rays");
  if (options.repetitions)
    check_axis({*options.repetitions}, "the number of repetitions", 1, FormsBenchOptions::kMostRepetitions);
}

bool is_asked_for(const FormsBenchOptions& options, Form form) {
  return std::ranges::find(options.forms, form) != options.forms.end();
}

FormsBenchSizes sizes_of(const FormsBenchOptions& options, const std::string& device) {
  const FormsBenchSizes preset =
      device == "cpu" ? FormsBenchOptions::kCpuSizes : FormsBenchOptions::kGpuSizes;
  return {options.gathers.value_or(preset.gathers), options.means.value_or(preset.means),
          options.picture.value_or(preset.picture), options.repetitions.value_or(preset.repetitions)};
}

BenchedForm named_svdag() {
  return {.size = {name_of(Form::Svdag), "SVDAG"}};
}

BenchedForm named_bricks(uint32_t log2_side) {
  BenchedForm form = {.size = {name_of(Form::Bricks), "bricks"}};
  if (log2_side == 0) return form;
  form.brick_side = 1u << log2_side;
  form.size.text = fmt::format("bricks of {}³", 1u << log2_side);
  return form;
}

BenchedForm named_hash(const spatial::HashOptions& options) {
  const std::string layout(spatial::kKeyLayoutNames[static_cast<size_t>(options.layout)]);
  return {.size = {name_of(Form::Hash), fmt::format("hash, {}, {}", options.load_factor, layout)},
          .load_factor = options.load_factor,
          .layout = layout};
}

void check_listable(uint64_t voxels) {
  if (voxels == 0) throw Error("the scene has no voxels: there is nothing to measure");
  if (voxels > UINT32_MAX)
    throw Error(fmt::format("the scene has {}, but no more than 2^32 - 1 can be listed",
                            format_count(voxels, "voxel")))
        .hint("use a lower resolution");
}

std::vector<FormsBenchRow> compared(std::vector<FormsBenchRow> rows,
                                    const std::vector<FormsBenchRow>& of_svdag) {
  for (size_t i = 0; i < rows.size(); ++i)
    if (rows[i].checksum != of_svdag.at(i).checksum)
      rows[i].error = fmt::format("{}: it finds other voxels than the SVDAG has", rows[i].loop);
  return rows;
}

}  // namespace vox::measure
