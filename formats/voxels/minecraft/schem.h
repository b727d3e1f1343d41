// Reads Sponge schematics (.schem) of Minecraft's blocks, versions 1 to 3, and writes version 2.
// https://github.com/SpongePowered/Schematic-Specification
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>

#include "formats/io/scan.h"
#include "formats/voxels/voxel_file.h"
#include "libvox/base/geometry.h"
#include "libvox/dag/voxel_scene.h"
#include "libvox/scene/palette.h"

namespace vox {

// Each block that is not air becomes a voxel of side 1 with the color that
// known_block_color() has for it. A message names blocks without a known color.
VoxelFile open_schem(const std::filesystem::path& path);

// Writes a block for each voxel of the box around the scene's voxels, or of its part inside the clip box. A material
// whose name is that of a block becomes this block. Other materials, and colors of voxels, become the building block
// that is nearest in Oklab. Voxels without either become stone. y points up. Throws Error if a side has more than
// 65,535 blocks, or if a file's array cannot hold all blocks.
void write_schem(const dag::VoxelScene& scene, const std::filesystem::path& path,
                 const std::optional<VoxelBox>& clip);

// True if the file was written by write_schem().
bool is_schem_of_vox(const std::filesystem::path& path);

}  // namespace vox

namespace vox::nbt {

// Minecraft's files consist of NBT tags: https://minecraft.wiki/w/NBT_format. Numbers are big-endian. A
// compound holds named tags; a list holds unnamed tags of one type.

enum class Type : uint8_t {
  End,
  Byte,
  Short,
  Int,
  Long,
  Float,
  Double,
  ByteArray,
  String,
  List,
  Compound,
  IntArray,
  LongArray
};

Type read_type(ByteCursor& from);
std::string_view read_string(ByteCursor& from);

// Reads a value of one of the integer types.
int64_t read_integer(ByteCursor& from, Type type);

// Reads the length of an array or a list, and checks it against the bytes that follow: each element takes at
// least one.
uint64_t read_length(ByteCursor& from);

// Skips a value of any type. Throws Error if compounds and lists are nested more than 512 deep.
void skip(ByteCursor& from, Type type);

// Calls on_entry(name, type) for each tag of a compound; on_entry must read or skip the value.
template <class OnEntry>
void for_each_entry(ByteCursor& from, OnEntry on_entry) {
  for (Type type = read_type(from); type != Type::End; type = read_type(from)) {
    const std::string_view name = read_string(from);
    on_entry(name, type);
  }
}

}  // namespace vox::nbt

namespace vox {

// Returns the name in a block's state: "oak_stairs" for "minecraft:oak_stairs[facing=east]".
std::string_view block_name(std::string_view state);

// True for air of any kind, which is invisible.
bool is_air(std::string_view name);

// Returns the color that a common block, or a block made from one, mostly has from afar. Returns nothing for other
// blocks.
std::optional<scene::Rgb8> known_block_color(std::string_view name);

// Returns the full, opaque blocks of Minecraft 1.17 and later that give no light and stay as they are placed. All
// have a known color.
std::span<const std::string_view> building_blocks();

// True for the name of a building block, or of another block, such as water, that a material may represent.
bool is_block_of_material(std::string_view name);

// Returns a grayish color, which is always the same for a name.
scene::Rgb8 color_of_name(std::string_view name);

}  // namespace vox
