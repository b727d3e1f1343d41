// Those who work together on one scene, each on a device of its own: processes that MPI has started, or threads
// of one process. What all have to call, in the same order, is marked as collective.
//
// A rank that fails ends all others: what they wait in, or call next, throws RankFailed.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace vox::ranks {

// Another rank has failed, and says why itself.
struct RankFailed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// What one rank has sent to others and received from them, and how long it has waited for them.
struct Traffic {
  uint64_t sent = 0, received = 0;  // bytes
  double waited = 0;                // seconds
};

class Ranks {
 public:
  virtual ~Ranks() = default;

  virtual uint32_t rank() const = 0;
  virtual uint32_t count() const = 0;

  // Collective. Sends each rank its piece of `send`, pieces one behind the other in the order of ranks, and
  // receives in the same way; sizes are bytes, and those who send and receive agree on them. The memory is the
  // host's, or that of this rank's device, whose work on it is done.
  virtual void exchange(const void* send, std::span<const uint64_t> send_sizes, void* receive,
                        std::span<const uint64_t> receive_sizes) = 0;

  // Collective. Everyone's value, in the order of ranks.
  virtual std::vector<uint64_t> gather(uint64_t value) = 0;

  // Collective. The bytes of rank 0, on the host, become everyone's.
  virtual void broadcast(void* bytes, uint64_t size) = 0;

  // Takes the next number, from 0, which no other rank gets. A collective restart() begins anew.
  virtual uint64_t take() = 0;
  virtual void restart() = 0;

  // Ends the others' work. What has gone wrong is said by who calls it.
  virtual void fail() noexcept = 0;

  virtual Traffic traffic() const = 0;
};

}  // namespace vox::ranks
