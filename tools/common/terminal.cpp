#include "tools/common/terminal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "libvox/base/error.h"
#include "libvox/base/plain_text.h"

namespace vox {

void occupy_closed_streams() {
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream) {
    if (fcntl(stream, F_GETFD) >= 0 || errno != EBADF) continue;
    // The lowest free descriptor is this one: those below are open.
    [[maybe_unused]] const int opened = open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

void print_result(std::string_view text) {
  const std::string escaped = escape_lines(text);
  errno = 0;
  const bool written = std::fwrite(escaped.data(), 1, escaped.size(), stdout) == escaped.size();
  if (!written || std::fflush(stdout) != 0)
    throw Error(fmt::format("the result cannot be written: {}", std::strerror(errno))).at("standard output");
}

void print_message(std::string_view text) {
  const std::string escaped = escape_lines(text);
  std::fwrite(escaped.data(), 1, escaped.size(), stderr);
  std::fflush(stderr);
}

}  // namespace vox
