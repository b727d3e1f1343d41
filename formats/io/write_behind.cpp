#include "formats/io/write_behind.h"

#include <fcntl.h>
#include <sys/stat.h>

namespace vox {
namespace {

constexpr uint64_t kPiece = 32 << 20;  // large enough for a disk, and rarely reached

}  // namespace

WriteBehind::WriteBehind(int file) : file_(file), thread_([this] { run(); }) {}

WriteBehind::~WriteBehind() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void WriteBehind::wrote(uint64_t bytes) {
  {
    const std::lock_guard lock(mutex_);
    waiting_ += bytes;
    if (waiting_ < kPiece) return;
  }
  changed_.notify_one();
}

// Runs in a thread of its own, because the system call blocks while the disk's queue is full.
void WriteBehind::run() {
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return ended_ || waiting_ >= kPiece; });
      if (ended_) return;
      waiting_ = 0;
    }
    struct stat status;
    if (fstat(file_, &status) != 0) return;
    const auto size = static_cast<uint64_t>(status.st_size);
    sync_file_range(file_, static_cast<off_t>(begun_), static_cast<off_t>(size - begun_),
                    SYNC_FILE_RANGE_WRITE);
    begun_ = size;
  }
}

}  // namespace vox
