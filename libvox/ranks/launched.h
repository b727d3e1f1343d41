// Ranks that are processes which a launcher has started, such as mpirun or srun. What has to know of MPI is a module
// of its own, which is loaded only then (mpi/).
#pragma once

#include <cstdint>

#include "libvox/ranks/ranks.h"

namespace vox::ranks {

class LaunchedRanks : public Ranks {
 public:
  // Whether no other rank has failed before this one: that one alone says why. What it returns is kept.
  virtual bool first_to_fail() noexcept = 0;

  // Ends all processes, this one too; the launcher returns this code.
  virtual void end_all(int exit_code) noexcept = 0;
};

// What the launcher has told this process in its environment.
struct Launch {
  uint32_t rank = 0, count = 1;
};
Launch launch();  // one rank where there was no launcher

// Joins the other processes of the launch, if there are any: nullptr where this one is alone. They stay joined until the
// process exits. Throws Error where this build has no MPI, or the launcher belongs to another one.
LaunchedRanks* joined_ranks();

bool has_mpi();  // whether the module is there

}  // namespace vox::ranks
