#include "formats/child_process.h"

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

#include "libvox/base/cancel.h"
#include "libvox/base/error.h"
#include "libvox/base/memory.h"

namespace vox {
namespace {

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

[[noreturn]] void run_as_child(uint64_t seconds, uint64_t memory, const std::function<void()>& body) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  signal(SIGINT, SIG_DFL);
  signal(SIGTERM, SIG_DFL);
  int nowhere = open("/dev/null", O_WRONLY);  // for what the C library says when a heap is broken
  dup2(nowhere, STDERR_FILENO);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_CPU, seconds);
  limit(RLIMIT_AS, memory);
  try {
    body();
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
  if (descriptor_ < 0) throw Error(fmt::format("no file in memory: {}", std::strerror(errno)));
}

MemoryFile::~MemoryFile() {
  close(descriptor_);
}

void MemoryFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    ssize_t count = ::write(descriptor_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) throw Error(fmt::format("writing to memory: {}", std::strerror(errno)));
    bytes = bytes.subspan(static_cast<size_t>(count));
  }
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

void run_in_child_process(uint64_t seconds, const std::function<void()>& body) {
  uint64_t memory = mapped_bytes() + available_bytes();
  pid_t child = fork();
  if (child == 0) run_as_child(seconds, memory, body);
  if (child < 0) throw Error(fmt::format("no child process: {}", std::strerror(errno)));
  int status = wait_for(child);
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
    throw Error(fmt::format("did not finish in {} s", seconds));
  if (WIFSIGNALED(status)) throw Error(fmt::format("crashed: {}", strsignal(WTERMSIG(status))));
  if (WEXITSTATUS(status) != 0) throw Error("crashed");
}

}  // namespace vox
