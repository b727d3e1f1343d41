// Colours for the blocks of Minecraft by name: the colour that dominates a block from afar.
#pragma once

#include <optional>
#include <string_view>

#include "libvox/scene/palette.h"

namespace vox {

// Returns "oak_stairs" for "minecraft:oak_stairs[facing=east]".
std::string_view block_name(std::string_view state);

// True for the kinds of air, which are invisible.
bool is_air(std::string_view name);

// Returns the colour of a common block, or of one made from a common block, and nothing for others.
std::optional<scene::Rgb8> known_block_color(std::string_view name);

// Returns a greyish colour that is always the same for a name.
scene::Rgb8 color_of_name(std::string_view name);

}  // namespace vox
