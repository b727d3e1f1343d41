#include "formats/mapped_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "libvox/base/error.h"

namespace vox {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& problem) {
  throw Error(problem).at(path.string());
}

struct Descriptor {
  int number;
  ~Descriptor() {
    if (number >= 0) close(number);
  }
};

}  // namespace

MappedFile::MappedFile(const std::filesystem::path& path) {
  // Not blocking: a named pipe is refused below instead of waited for.
  Descriptor file{open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.number < 0) fail(path, fmt::format("cannot be opened: {}", std::strerror(errno)));
  struct stat status = {};
  if (fstat(file.number, &status) != 0) fail(path, std::strerror(errno));
  if (S_ISDIR(status.st_mode)) fail(path, "is a folder, expected a file");
  if (!S_ISREG(status.st_mode)) fail(path, "is not a regular file");
  if (status.st_size == 0) fail(path, "the file is empty");

  // Zero pages first, the file over them: what follows its last byte reads as zero even where the file fills
  // its last page.
  size_ = static_cast<size_t>(status.st_size);
  mapped_size_ = size_ + 1;
  void* zeros = mmap(nullptr, mapped_size_, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (zeros == MAP_FAILED) fail(path, fmt::format("cannot be mapped: {}", std::strerror(errno)));
  if (mmap(zeros, size_, PROT_READ, MAP_PRIVATE | MAP_FIXED, file.number, 0) == MAP_FAILED) {
    int reason = errno;
    munmap(zeros, mapped_size_);
    fail(path, fmt::format("cannot be mapped: {}", std::strerror(reason)));
  }
  data_ = static_cast<const char*>(zeros);
}

MappedFile::~MappedFile() {
  munmap(const_cast<char*>(data_), mapped_size_);
}

}  // namespace vox
