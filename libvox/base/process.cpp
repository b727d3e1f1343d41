#include "libvox/base/process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string_view>
#include <utility>

#include "libvox/base/error.h"
#include "libvox/base/progress.h"

namespace vox {
namespace {

int exit_code(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return exit_code(status);
}

std::string read_all(int pipe_end, pid_t child, AfterInterrupt then) {
  std::string text;
  std::array<char, 4096> piece;
  for (;;) {
    const ssize_t count = read(pipe_end, piece.data(), piece.size());
    if (count > 0) {
      text.append(piece.data(), static_cast<size_t>(count));
    } else if (count == 0 || errno != EINTR) {
      return text;
    }
    if (then == AfterInterrupt::Finish) continue;
    try {
      throw_if_cancelled();
    } catch (...) {
      kill(child, SIGKILL);
      wait_for(child);
      close(pipe_end);
      throw;
    }
  }
}

// Starts a program with `input` as its stdin and `output` as its stdout and stderr. Returns 0, or the error.
int spawn(pid_t& child, const std::vector<std::string>& arguments, int input, int output) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
  std::vector<char*> pointers;
  for (const std::string& argument : arguments) pointers.push_back(const_cast<char*>(argument.c_str()));
  pointers.push_back(nullptr);
  const int failed = posix_spawnp(&child, pointers[0], &actions, nullptr, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  return failed;
}

void kill_and_forget(pid_t child) {
  kill(child, SIGKILL);
  wait_for(child);
}

std::string system_problem(const char* what) {
  return std::string(what) + ": " + std::strerror(errno);
}

}  // namespace

ProgramResult run_program(const std::vector<std::string>& arguments, AfterInterrupt then) {
  std::array<int, 2> ends;
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw Error(system_problem("cannot create a pipe"));
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  pid_t child = 0;
  const int failed = spawn(child, arguments, nothing, ends[1]);
  close(nothing);
  close(ends[1]);
  ProgramResult result = {.status = 127, .output = {}};
  if (failed == 0) {
    result.output = read_all(ends[0], child, then);
    result.status = wait_for(child);
  } else {
    result.output = arguments[0] + ": " + std::strerror(failed);
  }
  close(ends[0]);
  return result;
}

std::optional<std::filesystem::path> program_in_path(const std::string& name) {
  const char* const path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "" : path;
  while (!rest.empty()) {
    const std::string_view folder = rest.substr(0, rest.find(':'));
    rest.remove_prefix(std::min(folder.size() + 1, rest.size()));
    const std::filesystem::path program = std::filesystem::path(folder) / name;
    std::error_code absent;
    if (std::filesystem::is_regular_file(program, absent) && access(program.c_str(), X_OK) == 0)
      return program;
  }
  return std::nullopt;
}

// The program's stdin is a socket, not a pipe, because send() can be told to raise no signal if nobody reads.
FedProgram::FedProgram(const std::vector<std::string>& arguments) {
  std::array<int, 2> ends;
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    throw Error(system_problem("cannot create a socket"));
  input_ = ends[0];
  output_ = memfd_create("output", MFD_CLOEXEC);
  const int failed = output_ < 0 ? errno : spawn(child_, arguments, ends[1], output_);
  close(ends[1]);
  if (failed == 0) return;
  child_ = 0;
  close_input();
  if (output_ >= 0) close(output_);
  throw Error(std::string("cannot be started: ") + std::strerror(failed)).at(arguments[0]);
}

FedProgram::~FedProgram() {
  close_input();
  if (child_ != 0) kill_and_forget(child_);
  close(output_);
}

void FedProgram::close_input() {
  if (input_ >= 0) close(std::exchange(input_, -1));
}

bool FedProgram::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = send(input_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count < 0 && errno != EINTR) return false;
    if (count > 0) bytes = bytes.subspan(static_cast<size_t>(count));
    throw_if_cancelled();
  }
  return true;
}

ProgramResult FedProgram::finish() {
  close_input();
  int status = 0;
  while (waitpid(child_, &status, 0) < 0 && errno == EINTR) throw_if_cancelled();
  child_ = 0;
  ProgramResult result = {.status = exit_code(status), .output = {}};
  std::array<char, 4096> piece;
  for (off_t at = 0;;) {
    const ssize_t count = pread(output_, piece.data(), piece.size(), at);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return result;
    result.output.append(piece.data(), static_cast<size_t>(count));
    at += count;
  }
}

namespace {

uint64_t read_number(const std::filesystem::path& path, uint64_t otherwise) {
  std::ifstream file(path);
  uint64_t value = 0;
  return file >> value ? value : otherwise;
}

// Returns the bytes of files in a control group's memory, which the system frees when memory is wanted.
uint64_t bytes_of_files(const std::filesystem::path& group, bool is_version_1) {
  std::ifstream file(group / "memory.stat");
  const std::string before = is_version_1 ? "total_" : "";
  uint64_t bytes = 0, value = 0;
  for (std::string key; file >> key >> value;)
    if (key == before + "inactive_file" || key == before + "active_file") bytes += value;
  return bytes;
}

// Returns the memory that the control groups of this process leave, each of which has a limit of its own. /proc/self/cgroup has
// the line "0::/a/b" for version 2 and "7:memory:/a/b" for version 1; in a container, the path may lead nowhere, but the root is
// the container's.
uint64_t left_by_control_groups() {
  uint64_t left = UINT64_MAX;
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const size_t names = line.find(':') + 1, path = line.find(":/", names);
    const bool is_version_1 = path != names;
    if (path == std::string::npos || (is_version_1 && line.find("memory", names) >= path)) continue;
    const std::filesystem::path root = is_version_1 ? "/sys/fs/cgroup/memory" : "/sys/fs/cgroup";
    for (std::filesystem::path group = line.substr(path + 2);; group = group.parent_path()) {
      const uint64_t limit =
          read_number(root / group / (is_version_1 ? "memory.limit_in_bytes" : "memory.max"), UINT64_MAX);
      if (limit != UINT64_MAX) {
        const uint64_t all =
            read_number(root / group / (is_version_1 ? "memory.usage_in_bytes" : "memory.current"), 0);
        const uint64_t used = all - std::min(all, bytes_of_files(root / group, is_version_1));
        left = std::min(left, limit > used ? limit - used : 0);
      }
      if (group.empty()) break;
    }
  }
  return left;
}

// Returns what `ulimit -v` leaves.
uint64_t left_by_address_space() {
  rlimit limit = {};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return UINT64_MAX;
  const uint64_t used = read_number("/proc/self/statm", 0) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  return limit.rlim_cur > used ? limit.rlim_cur - used : 0;
}

}  // namespace

uint64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  uint64_t total = 0, resident = 0;
  file >> total >> resident;
  return resident * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

uint64_t peak_resident_bytes() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<uint64_t>(usage.ru_maxrss) * 1024;
}

uint64_t available_bytes() {
  uint64_t available = 0;
  std::ifstream file("/proc/meminfo");
  for (std::string key, unit; file >> key;) {
    uint64_t kilobytes = 0;
    file >> kilobytes;
    std::getline(file, unit);
    if (key == "MemAvailable:") available = kilobytes * 1024;
  }
  return std::min({available, left_by_control_groups(), left_by_address_space()});
}

}  // namespace vox
