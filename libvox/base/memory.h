// How much memory this process takes, and how much the machine has left.
#pragma once

#include <cstdint>

namespace vox {

uint64_t resident_bytes();       // of this process now
uint64_t peak_resident_bytes();  // of this process so far
uint64_t available_bytes();      // what the machine can still give, its control group considered

}  // namespace vox
