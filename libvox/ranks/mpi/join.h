// The one function of the module that knows MPI. A static build holds it itself.
#pragma once

#include "libvox/ranks/launched.h"

namespace vox::ranks {

struct JoinedMpi {
  LaunchedRanks* ranks;  // lives as long as the process
  const char* library;   // "Open MPI v4.1.4"
};

// Begins MPI with the first call. Throws Error.
using JoinMpi = JoinedMpi();
inline constexpr const char* kJoinMpi = "vox_join_mpi";

}  // namespace vox::ranks

extern "C" vox::ranks::JoinedMpi vox_join_mpi();
