// NBT, the tags that Minecraft's files are made of: https://minecraft.wiki/w/NBT_format. Numbers are big-endian; a
// compound holds named tags, a list tags of one type without names.
#pragma once

#include <cstdint>
#include <string_view>

#include "formats/io/byte_cursor.h"

namespace vox::nbt {

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

// Reads a value of one of the types of whole numbers.
int64_t read_integer(ByteCursor& from, Type type);

// The length of an array or a list, none of which has more elements than bytes follow.
uint64_t read_length(ByteCursor& from);

// Goes behind a value, whatever it holds. Throws Error where compounds and lists are in each other more than 512
// times.
void skip(ByteCursor& from, Type type);

// Calls on_entry(name, type) for each tag of a compound, which reads the value or skips it.
template <class OnEntry>
void for_each_entry(ByteCursor& from, OnEntry on_entry) {
  for (Type type = read_type(from); type != Type::End; type = read_type(from)) {
    const std::string_view name = read_string(from);
    on_entry(name, type);
  }
}

}  // namespace vox::nbt
