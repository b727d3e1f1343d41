#include "libvox/measure/forms_bench.h"

#include <fmt/format.h>

#include "libvox/base/error.h"
#include "libvox/base/phrase.h"
#include "libvox/measure/axes.h"

namespace vox::measure {

void check(const FormsBenchOptions& options) {
  if (options.forms.empty() || options.log2_sides.empty() || options.layouts.empty())
    throw UsageError("nothing to measure: forms, sides of bricks and layouts have one value at least");
  for (const uint32_t log2_side : options.log2_sides)
    if (log2_side != 0 && (log2_side < bricks::kMinBrickLog2 || log2_side > bricks::kMaxBrickLog2))
      throw UsageError(fmt::format("bricks of 2^{} voxels a side, expected 2^{} to 2^{}", log2_side,
                                   bricks::kMinBrickLog2, bricks::kMaxBrickLog2));
  check_load_factors(options.load_factors);
  check_filters({options.filter});
  if (options.gathers.value_or(0) > FormsBenchOptions::kMostGathers ||
      options.means.value_or(0) > FormsBenchOptions::kMostGathers)
    throw UsageError("at most 2^32 voxels are looked at");
  check_picture_side(options.picture.value_or(0));
  if (options.gathers == 0u && options.means == 0u && options.picture == 0u)
    throw UsageError("nothing to measure: no gathers, no filter and no rays");
  if (options.repetitions)
    check_axis({*options.repetitions}, Phrase::Repetitions, 1, FormsBenchOptions::kMostRepetitions);
}

FormsBenchSizes sizes_of(const FormsBenchOptions& options, const std::string& device) {
  const FormsBenchSizes preset =
      device == "cpu" ? FormsBenchOptions::kCpuSizes : FormsBenchOptions::kGpuSizes;
  return {options.gathers.value_or(preset.gathers), options.means.value_or(preset.means),
          options.picture.value_or(preset.picture), options.repetitions.value_or(preset.repetitions)};
}

std::vector<FormsBenchRow> compared(std::vector<FormsBenchRow> rows,
                                    const std::vector<FormsBenchRow>& of_svdag) {
  for (size_t i = 0; i < rows.size(); ++i)
    if (rows[i].checksum != of_svdag.at(i).checksum)
      rows[i].error = fmt::format("{}: it finds other voxels than the SVDAG has", rows[i].loop);
  return rows;
}

}  // namespace vox::measure
