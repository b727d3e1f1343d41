// Reads NBT, the tags of which Minecraft's files consist: https://minecraft.wiki/w/NBT_format. Numbers are
// big-endian. A compound holds named tags, a list holds unnamed tags of one type.
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
