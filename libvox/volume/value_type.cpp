#include "libvox/volume/value_type.h"

#include <algorithm>

namespace vox::volume {

std::optional<ValueType> parse_value_type(std::string_view name) {
  const auto found = std::ranges::find(kValueTypeNames, name);
  if (found == kValueTypeNames.end()) return std::nullopt;
  return static_cast<ValueType>(found - kValueTypeNames.begin());
}

}  // namespace vox::volume
