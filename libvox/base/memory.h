// The memory that this process uses, and the memory that the machine has left.
#pragma once

#include <cstdint>

namespace vox {

uint64_t resident_bytes();       // used by this process now
uint64_t peak_resident_bytes();  // the most that this process has used
uint64_t available_bytes();      // free memory of the machine, within this process's control group

}  // namespace vox
