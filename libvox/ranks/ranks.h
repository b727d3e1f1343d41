// The ranks that work together on one scene, each on a device of its own. They are processes that MPI has
// started, or threads of one process. A function that all ranks must call, in the same order, is marked as
// collective.
//
// A rank that fails ends all others: the calls in which they wait, or their next calls, throw RankFailed.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace vox::ranks {

// Another rank has failed, and reports the reason itself.
struct RankFailed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The data that one rank has sent to others and received from them, and how long it has waited for them.
struct Traffic {
  uint64_t sent = 0, received = 0;  // bytes
  double waited = 0;                // seconds
};

class Ranks {
 public:
  virtual ~Ranks() = default;

  virtual uint32_t rank() const = 0;
  virtual uint32_t count() const = 0;

  // Collective. Sends each rank its piece of `send` and receives a piece from each rank. In both arrays the
  // pieces lie one behind the other in the order of ranks. Sizes are in bytes, and sender and receiver must
  // agree on them. The memory is the host's, or that of this rank's device, whose work on it must be done.
  virtual void exchange(const void* send, std::span<const uint64_t> send_sizes, void* receive,
                        std::span<const uint64_t> receive_sizes) = 0;

  // Collective. Returns all ranks' values, in the order of ranks.
  virtual std::vector<uint64_t> gather(uint64_t value) = 0;

  // Collective. Copies these bytes of rank 0, which lie on the host, to all other ranks.
  virtual void broadcast(void* bytes, uint64_t size) = 0;

  // Returns the next number, from 0 on, which no other rank gets. A collective restart() begins again at 0.
  virtual uint64_t take() = 0;
  virtual void restart() = 0;

  // Ends the work of the other ranks. The caller reports what went wrong.
  virtual void fail() noexcept = 0;

  virtual Traffic traffic() const = 0;
};

}  // namespace vox::ranks
