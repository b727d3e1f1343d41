#include "libvox/base/cancel.h"

#include <csignal>

#include "libvox/base/error.h"

namespace vox {
namespace {

volatile std::sig_atomic_t cancelled = 0;

}  // namespace

void cancel_on_interrupt() {
  struct sigaction action = {};
  action.sa_handler = [](int) { cancelled = 1; };
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

void throw_if_cancelled() {
  if (cancelled) throw Cancelled();
}

}  // namespace vox
