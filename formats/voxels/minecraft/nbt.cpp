#include "formats/voxels/minecraft/nbt.h"

namespace vox::nbt {
namespace {

constexpr uint32_t kMostDepth = 512;

// Returns the size in bytes of a value of a type with a fixed size.
uint64_t fixed_bytes(Type type) {
  switch (type) {
    case Type::Byte:
      return 1;
    case Type::Short:
      return 2;
    case Type::Int:
    case Type::Float:
      return 4;
    case Type::Long:
    case Type::Double:
      return 8;
    default:
      return 0;
  }
}

void skip_below(ByteCursor& from, Type type, uint32_t depth);

void skip_list(ByteCursor& from, uint32_t depth) {
  const Type type = read_type(from);
  const uint64_t length = from.big<uint32_t>();
  if (type == Type::End) return;  // no elements follow, whatever its length says
  if (length > INT32_MAX) from.fail("a list has a negative length");
  if (const uint64_t bytes = fixed_bytes(type); bytes != 0) {
    from.take(length * bytes);
    return;
  }
  for (uint64_t i = 0; i < length; ++i) skip_below(from, type, depth);
}

void skip_below(ByteCursor& from, Type type, uint32_t depth) {
  if (depth > kMostDepth) from.fail("its tags are nested too deeply");
  switch (type) {
    case Type::ByteArray:
      from.take(from.big<uint32_t>());
      return;
    case Type::IntArray:
      from.take(uint64_t{4} * from.big<uint32_t>());
      return;
    case Type::LongArray:
      from.take(uint64_t{8} * from.big<uint32_t>());
      return;
    case Type::String:
      read_string(from);
      return;
    case Type::List:
      return skip_list(from, depth + 1);
    case Type::Compound:
      return for_each_entry(from, [&](std::string_view, Type entry) { skip_below(from, entry, depth + 1); });
    default:
      from.take(fixed_bytes(type));
  }
}

}  // namespace

Type read_type(ByteCursor& from) {
  const auto type = from.big<uint8_t>();
  if (type > static_cast<uint8_t>(Type::LongArray))
    from.fail(fmt::format("there is no tag of type {}", type));
  return static_cast<Type>(type);
}

std::string_view read_string(ByteCursor& from) {
  return from.text(from.big<uint16_t>());
}

int64_t read_integer(ByteCursor& from, Type type) {
  switch (type) {
    case Type::Byte:
      return from.big<int8_t>();
    case Type::Short:
      return from.big<int16_t>();
    case Type::Int:
      return from.big<int32_t>();
    case Type::Long:
      return from.big<int64_t>();
    default:
      from.fail("expected a whole number");
  }
}

uint64_t read_length(ByteCursor& from) {
  const uint64_t length = from.big<uint32_t>();
  if (length > from.left()) from.take(length);
  return length;
}

void skip(ByteCursor& from, Type type) {
  skip_below(from, type, 0);
}

}  // namespace vox::nbt
