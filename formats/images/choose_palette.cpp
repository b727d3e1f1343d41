#include "formats/images/choose_palette.h"

#include "formats/images/palette_file.h"

namespace vox {
namespace {

Palette color_palette(const Scene& scene, const PaletteChoice& choice, ChosenPalette& chosen) {
  if (choice.file && !choice.measure) return read_palette(*choice.file);
  const ColorHistogram histogram = count_colors(scene);
  const Palette palette = choice.file ? read_palette(*choice.file) : auto_palette(histogram, choice.weights);
  chosen.error = palette_error(histogram, palette);
  return palette;
}

}  // namespace

ChosenPalette choose_palette(Scene& scene, const PaletteChoice& choice) {
  bake_base_colors(scene);
  ChosenPalette chosen;
  Palette palette;
  if (choice.materials == MaterialMode::Texture) {
    palette = color_palette(scene, choice, chosen);
  } else if (choice.file) {
    palette = read_palette(*choice.file);
  } else if (choice.materials == MaterialMode::Mesh) {
    palette = mesh_palette(scene);
  }
  chosen.indexed = index_scene(scene, palette, choice.materials);
  return chosen;
}

}  // namespace vox
