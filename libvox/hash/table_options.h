// The options of a table set, which all of its tables share.
#pragma once

#include <cstdint>
#include <string>

namespace vox::hash {

struct TableOptions {
  std::string table = "sector";  // the variant, one of table_names()
  uint32_t load_factor = 96;     // intended number of items in a bucket (Molenaar & Eisemann 2024, §6.2)
};

}  // namespace vox::hash
