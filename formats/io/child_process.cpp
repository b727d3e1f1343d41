#include "formats/io/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <new>
#include <string>

#include "formats/io/read_file.h"
#include "libvox/base/error.h"
#include "libvox/base/process.h"
#include "libvox/base/progress.h"
#include "libvox/base/units.h"

namespace vox {
namespace {

constexpr int kTookTooMuchMemory = 3;  // the child's exit code
constexpr uint64_t kMostOpened = 64;   // files that the child has opened at once

void limit(int resource, uint64_t value) {
  rlimit limit = {.rlim_cur = value, .rlim_max = RLIM_INFINITY};
  getrlimit(static_cast<__rlimit_resource>(resource), &limit);
  limit.rlim_cur = std::min(limit.rlim_max, value);
  setrlimit(static_cast<__rlimit_resource>(resource), &limit);
}

uint64_t mapped_bytes() {
  std::ifstream file("/proc/self/statm");
  uint64_t pages = 0;
  file >> pages;
  return pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

[[noreturn]] void run_as_child(const ChildLimits& limits, const std::function<void(ChildMemory&)>& body) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  signal(SIGINT, SIG_DFL);
  signal(SIGTERM, SIG_DFL);
  int nowhere = open("/dev/null", O_WRONLY);  // discards the C library's message about a broken heap
  dup2(nowhere, STDERR_FILENO);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_CPU, limits.seconds);
  limit(RLIMIT_FSIZE, 0);
  limit(RLIMIT_NOFILE, static_cast<uint64_t>(std::max(nowhere, 0)) + kMostOpened);
  try {
    ChildMemory memory(limits.bytes);
    give_up_rights(limits.readable);
    body(memory);
  } catch (...) {
    _exit(1);
  }
  _exit(0);
}

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    try {
      throw_if_cancelled();
    } catch (...) {
      kill(child, SIGKILL);
      while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
      throw;
    }
  }
  return status;
}

}  // namespace

MemoryFile::MemoryFile() : descriptor_(memfd_create("vox", MFD_CLOEXEC)) {
  if (descriptor_ < 0) throw Error(fmt::format("cannot create a file in memory: {}", std::strerror(errno)));
}

MemoryFile::~MemoryFile() {
  close(descriptor_);
}

// A child process may enlarge no file but this one, and only here.
class EnlargesFiles {
 public:
  EnlargesFiles() {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit most = {.rlim_cur = before_.rlim_max, .rlim_max = before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &most);
  }
  ~EnlargesFiles() { setrlimit(RLIMIT_FSIZE, &before_); }
  EnlargesFiles(const EnlargesFiles&) = delete;
  EnlargesFiles& operator=(const EnlargesFiles&) = delete;

 private:
  rlimit before_ = {};
};

void MemoryFile::write(std::span<const std::byte> bytes) {
  const EnlargesFiles enlarges;
  while (!bytes.empty()) {
    ssize_t count = ::write(descriptor_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) throw Error(fmt::format("writing to memory: {}", std::strerror(errno)));
    bytes = bytes.subspan(static_cast<size_t>(count));
  }
}

size_t MemoryFile::read_count(uint64_t item_bytes) {
  uint64_t count = 0;
  read(std::as_writable_bytes(std::span(&count, 1)));
  if (count > rest_ / item_bytes) throw Error("the result of a child process is damaged");
  return count;
}

void MemoryFile::rewind() {
  struct stat status = {};
  fstat(descriptor_, &status);
  lseek(descriptor_, 0, SEEK_SET);
  rest_ = static_cast<uint64_t>(status.st_size);
}

void MemoryFile::read(std::span<std::byte> bytes) {
  if (bytes.size() > rest_) throw Error("the result of a child process is incomplete");
  rest_ -= bytes.size();
  while (!bytes.empty()) {
    ssize_t count = ::read(descriptor_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) throw Error(fmt::format("reading from memory: {}", std::strerror(errno)));
    bytes = bytes.subspan(static_cast<size_t>(count));
  }
}

ChildMemory::ChildMemory(uint64_t bytes) : most_(mapped_bytes() + available_bytes()) {
  limit(RLIMIT_AS, std::min(most_, mapped_bytes() + bytes));
  if (mapped_bytes() + bytes < most_) std::set_new_handler([] { _exit(kTookTooMuchMemory); });
}

void ChildMemory::lift() {
  std::set_new_handler(nullptr);
  limit(RLIMIT_AS, most_);
}

void run_in_child_process(const ChildLimits& limits, const std::function<void(ChildMemory&)>& body) {
  pid_t child = fork();
  if (child == 0) run_as_child(limits, body);
  if (child < 0) throw Error(fmt::format("cannot start a child process: {}", std::strerror(errno)));
  int status = wait_for(child);
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
    throw ChildTookTooMuch(fmt::format("took more than {} s", limits.seconds));
  if (WIFSIGNALED(status)) throw Error(fmt::format("crashed: {}", strsignal(WTERMSIG(status))));
  if (WEXITSTATUS(status) == kTookTooMuchMemory)
    throw ChildTookTooMuch(fmt::format("took more than {} of memory", format_bytes(limits.bytes)));
  if (WEXITSTATUS(status) != 0) throw Error("crashed");
}

namespace {

constexpr uint64_t kMiB = 1 << 20;

// True if a file is zip (3MF, ZAE), gzip (BLEND) or binary FBX, whose arrays are deflated.
bool is_compressed(const std::filesystem::path& path) {
  const std::string text = first_bytes(path, 18);
  return text.starts_with("PK\x03\x04") || text.starts_with("\x1f\x8b") ||
         text.starts_with("Kaydara FBX Binary");
}

}  // namespace

ChildLimits may_take(const std::filesystem::path& path) {
  std::error_code failed;
  const uint64_t file = std::filesystem::file_size(path, failed);
  if (failed) throw Error(failed.message());
  const uint64_t size = is_compressed(path) ? 16 * file : file;
  return {.seconds = 10 + size / kMiB, .bytes = 256 * kMiB + 64 * size};
}

}  // namespace vox
