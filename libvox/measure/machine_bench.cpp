#include "libvox/measure/machine_bench.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>

#include "libvox/base/bits.h"
#include "libvox/base/error.h"
#include "libvox/base/files.h"
#include "libvox/base/log.h"

namespace vox::measure {
namespace {

constexpr uint64_t kDiskPiece = uint64_t{8} << 20;

// A file without a name, which is gone when it is closed.
class DiskFile {
 public:
  explicit DiskFile(const std::filesystem::path& folder) : folder_(folder), file_(open_nameless(folder)) {
    if (file_ < 0) fail("no file can be made here");
  }
  ~DiskFile() { close(file_); }
  DiskFile(const DiskFile&) = delete;
  DiskFile& operator=(const DiskFile&) = delete;

  // Calls move(first, piece) for all pieces of the file; it returns the number of bytes that it has moved.
  void for_pieces(uint64_t bytes, const std::function<ssize_t(uint64_t, uint64_t)>& move) const {
    for (uint64_t first = 0; first < bytes;) {
      throw_if_cancelled();
      const ssize_t moved = move(first, std::min(kDiskPiece, bytes - first));
      if (moved < 0 && errno == EINTR) continue;
      if (moved <= 0) fail("the file cannot be written or read");
      first += static_cast<uint64_t>(moved);
    }
  }
  void flush() const {
    if (fdatasync(file_) != 0) fail("the file cannot be flushed");
  }
  // Makes the next read come from the disk, where the system follows this advice.
  void forget() const { posix_fadvise(file_, 0, 0, POSIX_FADV_DONTNEED); }
  int descriptor() const { return file_; }

 private:
  [[noreturn]] void fail(const char* what) const {
    throw Error(std::string(what) + ": " + std::strerror(errno)).at(folder_.string());
  }

  std::filesystem::path folder_;
  int file_;
};

}  // namespace

void check(const MachineBenchOptions& options) {
  using Options = MachineBenchOptions;
  if (options.tests.empty()) throw UsageError("the list of tests is empty");
  if (!options.mebibytes.empty())
    check_axis(options.mebibytes, "the size of the memory", 1, Options::kMostMebibytes);
  check_axis({options.disk_mebibytes}, "the size of the file", 1, Options::kMostMebibytes);
  check_axis({options.repetitions}, "the number of repetitions", 1, Options::kMostRepetitions);
}

MachineBenchRow bench_disk(MachineTest test, const MachineBenchOptions& options) {
  const uint64_t bytes = uint64_t{options.disk_mebibytes} << 20;
  const DiskFile file(options.disk);
  std::vector<uint64_t> piece(kDiskPiece / sizeof(uint64_t));
  const auto write = [&](uint64_t first) {
    for (uint64_t i = 0; i < piece.size(); ++i) piece[i] = mix64(first + i);
    Stopwatch watch;
    file.for_pieces(bytes, [&](uint64_t at, uint64_t size) {
      return pwrite(file.descriptor(), piece.data(), size, static_cast<off_t>(at));
    });
    file.flush();
    return watch.seconds();
  };
  const auto read = [&](uint32_t) {
    file.forget();
    Stopwatch watch;
    file.for_pieces(bytes, [&](uint64_t at, uint64_t size) {
      return pread(file.descriptor(), piece.data(), size, static_cast<off_t>(at));
    });
    return watch.seconds();
  };
  MachineBenchRow row = {.test = test, .bytes = bytes, .operations = bytes, .time = {}};
  if (test == MachineTest::Write) {
    row.time = repeated(options.repetitions, write);
    read(0);
    if (piece[0] != mix64(options.repetitions)) throw Error("the file holds other bytes than were written");
  } else {
    write(0);
    row.time = repeated(options.repetitions, read);
    if (piece[0] != mix64(0)) throw Error("the file holds other bytes than were written");
  }
  return row;
}

MachineBenchRow bench_sort(const MachineBenchOptions& options) {
  std::vector<uint64_t> keys(options.sorted_keys);
  MachineBenchRow row = {.test = MachineTest::Sort,
                         .bytes = keys.size() * sizeof(uint64_t),
                         .operations = keys.size(),
                         .bytes_each = sizeof(uint64_t),
                         .time = {}};
  row.time = repeated(options.repetitions, [&](uint32_t repetition) {
    for (uint64_t i = 0; i < keys.size(); ++i) keys[i] = mix64(i ^ uint64_t{repetition} << 32);
    Stopwatch watch;
    std::ranges::sort(keys);
    return watch.seconds();
  });
  if (!std::ranges::is_sorted(keys)) throw Error("the keys are not sorted");
  return row;
}

}  // namespace vox::measure
