// Throws Error if a call of MPI failed.
#pragma once

namespace vox::ranks {

void check_mpi(int status, const char* call);

}  // namespace vox::ranks
