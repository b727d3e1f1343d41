// Chooses the palette of a mesh: from a file, from its colours or from its materials.
#pragma once

#include <filesystem>
#include <optional>

#include "libvox/scene/auto_palette.h"

namespace vox {

struct PaletteChoice {
  scene::MaterialMode materials = scene::MaterialMode::Texture;
  std::optional<std::filesystem::path> file;   // if absent, the palette is chosen from the scene
  scene::PaletteOptions weights = {};          // weights of the colours from which a palette is chosen
  const scene::SurfacePaint* paint = nullptr;  // paint on the surface, for MaterialMode::Texture
  // Measures how well a file's colours fit. Chosen palettes are always measured.
  bool measure = false;
};

struct ChosenPalette {
  scene::IndexedScene indexed;
  std::optional<scene::PaletteError> error;  // for MaterialMode::Texture, if measured
};

// Bakes the scene's base colours. Throws an Error that names the file.
ChosenPalette choose_palette(scene::Scene& scene, const PaletteChoice& choice);

}  // namespace vox
