#include "libvox/volume/value_type.h"

#include <algorithm>
#include <cctype>
#include <string>

namespace vox::volume {
namespace {

struct Spelling {
  std::string_view name;
  ValueType type;
};

constexpr Spelling kSpellings[] = {
    {"u8", ValueType::U8},
    {"uint8", ValueType::U8},
    {"uint8_t", ValueType::U8},
    {"uchar", ValueType::U8},
    {"unsigned char", ValueType::U8},
    {"met_uchar", ValueType::U8},
    {"u16", ValueType::U16},
    {"uint16", ValueType::U16},
    {"uint16_t", ValueType::U16},
    {"ushort", ValueType::U16},
    {"unsigned short", ValueType::U16},
    {"unsigned short int", ValueType::U16},
    {"met_ushort", ValueType::U16},
    {"i16", ValueType::I16},
    {"int16", ValueType::I16},
    {"int16_t", ValueType::I16},
    {"short", ValueType::I16},
    {"short int", ValueType::I16},
    {"signed short", ValueType::I16},
    {"signed short int", ValueType::I16},
    {"met_short", ValueType::I16},
    {"f32", ValueType::F32},
    {"float", ValueType::F32},
    {"float32", ValueType::F32},
    {"met_float", ValueType::F32},
};

}  // namespace

std::optional<ValueType> parse_value_type(std::string_view name) {
  std::string lower(name);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return char(std::tolower(c)); });
  for (const Spelling& spelling : kSpellings)
    if (spelling.name == lower) return spelling.type;
  return std::nullopt;
}

}  // namespace vox::volume
