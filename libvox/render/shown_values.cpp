#include "libvox/render/shown_values.h"

#include <fmt/format.h>

#include <utility>

#include "libvox/base/error.h"
#include "libvox/render/volume_render.h"

namespace vox::render {

ShownValues shown_values(const bricks::FrozenBricks& bricks, const std::optional<scene::Palette>& palette,
                         ValuesAs as) {
  ShownValues shown = {.colors = {color_range(bricks)}};
  if (as == ValuesAs::Amounts) return shown;
  LabelSurvey survey = survey_labels(bricks::bricks_volume(bricks), bricks.background);
  if (palette) {
    shown.kind = ShownValues::Kind::Materials;
    shown.colors.labels = material_colors(*palette);
  } else if (survey.likely || as == ValuesAs::Labels) {
    if (survey.labels.empty() && bricks.filled > 0)
      throw UsageError(fmt::format("values of type {} cannot be labels, expected u8 or u16",
                                   volume::value_type_name(bricks.info.type)));
    shown.kind = ShownValues::Kind::Labels;
    shown.colors.labels = distinct_colors();
  } else {
    return shown;
  }
  shown.labels = std::move(survey.labels);
  return shown;
}

}  // namespace vox::render
