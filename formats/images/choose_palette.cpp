#include "formats/images/choose_palette.h"

#include "formats/images/palette_file.h"

namespace vox {
namespace {

scene::Palette color_palette(const scene::Scene& scene, const PaletteChoice& choice, ChosenPalette& chosen) {
  if (choice.file && !choice.measure) return read_palette(*choice.file);
  const scene::ColorHistogram histogram = scene::count_colors(scene, choice.paint);
  scene::Palette palette =
      choice.file ? read_palette(*choice.file) : scene::auto_palette(histogram, choice.weights);
  chosen.error = scene::palette_error(histogram, palette);
  return palette;
}

}  // namespace

ChosenPalette choose_palette(scene::Scene& scene, const PaletteChoice& choice) {
  scene::bake_base_colors(scene);
  ChosenPalette chosen;
  scene::Palette palette;
  if (choice.materials == scene::MaterialMode::Texture) {
    palette = color_palette(scene, choice, chosen);
  } else if (choice.file) {
    palette = read_palette(*choice.file);
  } else if (choice.materials == scene::MaterialMode::Mesh) {
    palette = scene::mesh_palette(scene);
  }
  chosen.indexed = scene::index_scene(scene, palette, choice.materials, choice.paint);
  return chosen;
}

}  // namespace vox
