// Turns what a call of MPI returns into an Error.
#pragma once

namespace vox::ranks {

void check_mpi(int status, const char* call);

}  // namespace vox::ranks
