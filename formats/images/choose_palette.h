// The palette of a mesh: from a file, from its colours or from its materials.
#pragma once

#include <filesystem>
#include <optional>

#include "libvox/scene/auto_palette.h"

namespace vox {

struct PaletteChoice {
  scene::MaterialMode materials = scene::MaterialMode::Texture;
  std::optional<std::filesystem::path> file;  // none: chosen from the scene
  scene::PaletteOptions weights = {};         // of colours that are chosen from
  bool measure = false;  // how well colours of a file fit; those that are chosen always are
};

struct ChosenPalette {
  scene::IndexedScene indexed;
  std::optional<scene::PaletteError> error;  // of MaterialMode::Texture, where it is measured
};

// Bakes the scene's base colours. Throws Error that names the file.
ChosenPalette choose_palette(scene::Scene& scene, const PaletteChoice& choice);

}  // namespace vox
