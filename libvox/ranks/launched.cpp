#include "libvox/ranks/launched.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>

#include "libvox/base/error.h"
#include "libvox/ranks/mpi/join.h"

namespace vox::ranks {
namespace {

// The environment variables in which a launcher states a process's rank and the number of processes.
struct Names {
  const char *rank, *count;
};
constexpr std::array<Names, 4> kLaunchers = {{
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
    {"PMI_RANK", "PMI_SIZE"},  // MPICH, Intel MPI, Cray
    {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"},
    {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"},  // set by srun; a batch script has no step
}};

std::optional<uint32_t> number_in(const char* variable) {
  const char* text = std::getenv(variable);
  if (text == nullptr) return std::nullopt;
  const char* end = text + std::strlen(text);
  uint32_t value = 0;
  const auto [stop, error] = std::from_chars(text, end, value);
  return error == std::errc() && stop == end ? std::optional(value) : std::nullopt;
}

#ifndef VOX_MPI_LINKED
// Returns the path of the module, which lies beside the library.
std::filesystem::path module_path() {
  Dl_info here = {};
  if (dladdr(reinterpret_cast<const void*>(&launch), &here) == 0) return {};
  std::error_code failed;
  return std::filesystem::weakly_canonical(here.dli_fname, failed).parent_path() / "libvox_mpi.so";
}

JoinMpi* load_module() {
  // MPI's own modules look up MPI's symbols in the global namespace.
  void* module = dlopen(module_path().c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (module == nullptr)
    throw Error(fmt::format("MPI cannot be loaded: {}", dlerror()))
        .hint("install the MPI with which vox was built, or start without a launcher");
  auto* join = reinterpret_cast<JoinMpi*>(dlsym(module, kJoinMpi));
  if (join == nullptr) throw Error("is not a module of this version of vox").at(module_path().string());
  return join;
}
#endif

LaunchedRanks& join(const Launch& launch) {
  if (!has_mpi())
    throw Error(fmt::format("started as {} processes, but this build of vox has no MPI", launch.count))
        .hint("start it alone, or use a build with MPI");
#ifdef VOX_MPI_LINKED
  const JoinedMpi joined = vox_join_mpi();
#else
  static JoinMpi* const join = load_module();
  const JoinedMpi joined = join();
#endif
  if (joined.ranks->count() != launch.count)
    throw Error(fmt::format("started as {} processes, but {} sees {}", launch.count, joined.library,
                            joined.ranks->count()))
        .hint("use the launcher of that MPI");
  return *joined.ranks;
}

}  // namespace

Launch launch() {
  for (const Names& names : kLaunchers) {
    const auto rank = number_in(names.rank), count = number_in(names.count);
    if (rank && count && *rank < *count) return {*rank, *count};
  }
  return {};
}

LaunchedRanks* joined_ranks() {
  const Launch launched = launch();
  return launched.count == 1 ? nullptr : &join(launched);
}

bool has_mpi() {
#ifdef VOX_MPI_LINKED
  return true;
#else
  std::error_code failed;
  return std::filesystem::exists(module_path(), failed);
#endif
}

}  // namespace vox::ranks
