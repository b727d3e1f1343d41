#include "libvox/base/run_program.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "libvox/base/cancel.h"
#include "libvox/base/error.h"

namespace vox {
namespace {

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::string read_all(int pipe_end, pid_t child) {
  std::string text;
  std::array<char, 4096> piece;
  for (;;) {
    const ssize_t count = read(pipe_end, piece.data(), piece.size());
    if (count > 0) {
      text.append(piece.data(), static_cast<size_t>(count));
    } else if (count == 0 || errno != EINTR) {
      return text;
    }
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

}  // namespace

ProgramResult run_program(const std::vector<std::string>& arguments) {
  std::array<int, 2> ends;
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw Error(std::string("no pipe: ") + std::strerror(errno));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  std::vector<char*> pointers;
  for (const std::string& argument : arguments) pointers.push_back(const_cast<char*>(argument.c_str()));
  pointers.push_back(nullptr);
  pid_t child = 0;
  const int failed = posix_spawnp(&child, pointers[0], &actions, nullptr, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  ProgramResult result = {.status = 127, .output = {}};
  if (failed == 0) {
    result.output = read_all(ends[0], child);
    result.status = wait_for(child);
  } else {
    result.output = arguments[0] + ": " + std::strerror(failed);
  }
  close(ends[0]);
  return result;
}

}  // namespace vox
