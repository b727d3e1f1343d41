// Ranks that are processes which a launcher such as mpirun or srun has started. The code that needs MPI is a
// module of its own, which is loaded only if there is a launcher (mpi/).
#pragma once

#include <cstdint>

#include "libvox/ranks/ranks.h"

namespace vox::ranks {

class LaunchedRanks : public Ranks {
 public:
  // Returns true if no other rank failed before this one; only the first rank to fail reports its error.
  // Later calls return the same value.
  virtual bool first_to_fail() noexcept = 0;

  // Ends all processes, including this one. The launcher returns this exit code.
  virtual void end_all(int exit_code) noexcept = 0;
};

// The facts that the launcher has put into this process's environment variables.
struct Launch {
  uint32_t rank = 0, count = 1;
};
Launch launch();  // returns one rank if there is no launcher

// Joins the other processes of the launch until the process exits. Returns nullptr if this is the only
// process. Throws Error if this build has no MPI, or if the launcher belongs to another MPI.
LaunchedRanks* joined_ranks();

bool has_mpi();  // true if the module for MPI is installed

}  // namespace vox::ranks
