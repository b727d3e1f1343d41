// Starts several processes by Open MPI's mpirun, if it is installed.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "libvox/base/process.h"
#include "libvox/ranks/ranks.h"

namespace vox {

inline bool have_mpirun() {
  return ranks::has_mpi() &&
         run_program({"mpirun", "--version"}).output.find("Open MPI") != std::string::npos;
}

// Returns the beginning of a command line. It works on machines with fewer cores than processes, and for
// root, as in CI.
inline std::vector<std::string> mpirun_command(uint32_t count) {
  setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
  setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
  setenv("ASAN_OPTIONS", "detect_leaks=0", 1);  // MPI's modules leak memory
  return {"mpirun", "--oversubscribe", "--timeout", "100", "-n", std::to_string(count)};
}

}  // namespace vox
