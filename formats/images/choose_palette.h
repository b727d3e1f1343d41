// Chooses the palette of a mesh: from a file, from its colours or from its materials.
#pragma once

#include <filesystem>
#include <optional>

#include "libvox/scene/auto_palette.h"

namespace vox {

struct PaletteChoice {
  scene::MaterialMode materials = scene::MaterialMode::Texture;
  std::optional<std::filesystem::path> file;   // without one, the palette is chosen from the scene
  scene::PaletteOptions weights = {};          // weights of the colours that a palette is chosen from
  const scene::SurfacePaint* paint = nullptr;  // with MaterialMode::Texture: what is painted on the surface
  bool measure = false;  // whether to measure how well a file's colours fit; chosen ones are always measured
};

struct ChosenPalette {
  scene::IndexedScene indexed;
  std::optional<scene::PaletteError> error;  // for MaterialMode::Texture, where it is measured
};

// Bakes the scene's base colours. Throws Error that names the file.
ChosenPalette choose_palette(scene::Scene& scene, const PaletteChoice& choice);

}  // namespace vox
