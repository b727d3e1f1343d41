// Colours for the blocks of Minecraft, by their names: what most of a block looks like from afar.
#pragma once

#include <optional>
#include <string_view>

#include "libvox/scene/palette.h"

namespace vox {

// "minecraft:oak_stairs[facing=east]" is told by "oak_stairs".
std::string_view block_name(std::string_view state);

// Whether there is nothing to see of it: air of several kinds.
bool is_air(std::string_view name);

// Of a common block, or one that is made of a common one; none of others.
std::optional<scene::Rgb8> known_block_color(std::string_view name);

// A greyish colour that a name always has.
scene::Rgb8 color_of_name(std::string_view name);

}  // namespace vox
