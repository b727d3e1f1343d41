// What the tables of a set have in common.
#pragma once

#include <cstdint>

namespace vox {

struct TableOptions {
  uint32_t load_factor = 96;  // items per bucket aimed at (Molenaar & Eisemann 2024, §6.2)
};

}  // namespace vox
