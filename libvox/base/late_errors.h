// Connects memory that is filled when it is read (paged_memory.h) with the errors that are thrown later (progress.h).
#pragma once

#include <cstdint>

namespace vox {

uint64_t late_errors();  // the number of errors that the calling thread has given to fail_later()

// Makes all pieces that could not be filled unread again, so that whoever reads one next gets its error.
void forget_unfilled_pieces();

}  // namespace vox
