// The one function of the module that uses MPI. A static build of the library contains it.
#pragma once

#include "libvox/ranks/launched.h"

namespace vox::ranks {

struct JoinedMpi {
  LaunchedRanks* ranks;  // lives as long as the process
  const char* library;   // such as "Open MPI v4.1.4"
};

// Starts MPI at the first call. Throws Error if it cannot.
using JoinMpi = JoinedMpi();
inline constexpr const char* kJoinMpi = "vox_join_mpi";

}  // namespace vox::ranks

extern "C" vox::ranks::JoinedMpi vox_join_mpi();
