#include "libvox/measure/measured_tables.h"

namespace vox::measure {

std::vector<std::string> measured_tables() {
  std::vector<std::string> names = hash::key_table_names();
#ifdef VOX_HAS_CUCO
  names.emplace_back(kCucoName);
#endif
  return names;
}

std::vector<std::string> measured_tables(const std::string& device) {
  return device == "cpu" ? hash::key_table_names() : measured_tables();
}

}  // namespace vox::measure
