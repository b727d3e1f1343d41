// Reads Sponge schematics (.schem) of Minecraft's blocks, versions 1 to 3.
// https://github.com/SpongePowered/Schematic-Specification
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

#include "formats/io/scan.h"
#include "formats/voxels/voxel_file.h"
#include "libvox/scene/palette.h"

namespace vox {

// Each block that is not air becomes a voxel of side 1 with a colour from
// formats/voxels/minecraft/schem.h. A message names blocks without a colour there. Throws Error that
// names the file.
VoxelFile open_schem(const std::filesystem::path& path);

}  // namespace vox

namespace vox::nbt {

// Reads NBT, the tags of which Minecraft's files consist: https://minecraft.wiki/w/NBT_format. Numbers are
// big-endian. A compound holds named tags, a list holds unnamed tags of one type.

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

// Colours for the blocks of Minecraft by name: the colour that dominates a block from afar.

// Returns "oak_stairs" for "minecraft:oak_stairs[facing=east]".
std::string_view block_name(std::string_view state);

// True for the kinds of air, which are invisible.
bool is_air(std::string_view name);

// Returns the colour of a common block, or of one made from a common block, and nothing for others.
std::optional<scene::Rgb8> known_block_color(std::string_view name);

// Returns a greyish colour that is always the same for a name.
scene::Rgb8 color_of_name(std::string_view name);

}  // namespace vox
