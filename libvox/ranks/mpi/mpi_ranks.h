// Ranks that are MPI processes. Waiting is a loop that checks whether the awaited message has come, and
// whether the user has interrupted the program. It sleeps in between, because other ranks may need the core.
#pragma once

#include <mpi.h>

#include "libvox/ranks/launched.h"
#include "libvox/ranks/mpi/pieces_in_flight.h"

namespace vox::ranks {

class MpiRanks final : public LaunchedRanks {
 public:
  MpiRanks();            // starts MPI; a process may have only one object
  ~MpiRanks() override;  // ends MPI, together with all other ranks
  MpiRanks(const MpiRanks&) = delete;
  MpiRanks& operator=(const MpiRanks&) = delete;

  uint32_t rank() const override { return static_cast<uint32_t>(rank_); }
  uint32_t count() const override { return static_cast<uint32_t>(count_); }

  void exchange(const void* send, std::span<const uint64_t> send_sizes, void* receive,
                std::span<const uint64_t> receive_sizes) override;
  std::vector<uint64_t> gather(uint64_t value) override;
  void broadcast(void* bytes, uint64_t size) override;
  uint64_t take() override;
  void restart() override;
  void fail() noexcept override { end_all(1); }
  Traffic traffic() const override { return traffic_; }

  bool first_to_fail() noexcept override;
  void end_all(int exit_code) noexcept override;

 private:
  enum Counter : MPI_Aint { kTaken, kFailures, kCounters };

  enum class Seen { Nothing, Progress, Done };
  template <class Look>
  void wait_until(const Look& look);
  void wait(MPI_Request request);
  void barrier();

  int rank_ = 0, count_ = 1;
  MPI_Comm all_ = MPI_COMM_NULL;
  MPI_Win window_ = MPI_WIN_NULL;
  uint64_t* counters_ = nullptr;  // only on rank 0; all ranks take numbers from them
  StagingList staging_;
  Traffic traffic_;
  bool failed_ = false, is_first_to_fail_ = false;
};

}  // namespace vox::ranks
