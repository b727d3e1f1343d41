#include "formats/volume/stored_type.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <string>

#include "libvox/base/error.h"

namespace vox {
namespace {

struct Spellings {
  StoredType type;
  std::string_view names;  // each has a comma on both sides
};

// MetaIO defines MET_LONG as four bytes.
constexpr Spellings kSpellings[] = {
    {StoredType::U8, ",u8,uint8,uint8_t,uchar,unsigned char,met_uchar,"},
    {StoredType::I8, ",i8,int8,int8_t,signed char,met_char,"},
    {StoredType::U16, ",u16,uint16,uint16_t,ushort,unsigned short,unsigned short int,met_ushort,"},
    {StoredType::I16, ",i16,int16,int16_t,short,short int,signed short,signed short int,met_short,"},
    {StoredType::U32, ",u32,uint32,uint32_t,uint,unsigned int,met_uint,met_ulong,"},
    {StoredType::I32, ",i32,int32,int32_t,int,signed int,met_int,met_long,"},
    {StoredType::U64,
     ",u64,uint64,uint64_t,ulonglong,unsigned long long,unsigned long long int,met_ulong_long,"},
    {StoredType::I64,
     ",i64,int64,int64_t,longlong,long long,long long int,signed long long,signed long long int,"
     "met_long_long,"},
    {StoredType::F32, ",f32,float,float32,met_float,"},
    {StoredType::F64, ",f64,double,float64,met_double,"},
};

}  // namespace

std::optional<volume::ValueType> same_value_type(StoredType type) {
  return volume::parse_value_type(stored_type_name(type));
}

std::optional<StoredType> parse_stored_type(std::string_view name) {
  std::string lower(name);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return char(std::tolower(c)); });
  if (lower.find(',') != std::string::npos) return std::nullopt;
  const std::string between_commas = "," + lower + ",";
  for (const Spellings& spellings : kSpellings)
    if (spellings.names.find(between_commas) != std::string_view::npos) return spellings.type;
  return std::nullopt;
}

StoredType checked_stored_type(std::string_view name) {
  if (const auto type = parse_stored_type(name)) return *type;
  throw Error(fmt::format("its values are of type '{}', expected one of: {}", name,
                          fmt::join(kStoredTypeNames, ", ")));
}

}  // namespace vox
