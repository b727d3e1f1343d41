#include "formats/io/mapped_file.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>

#include "formats/io/read_file.h"
#include "libvox/base/error.h"

namespace vox {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, int reason) {
  throw Error(fmt::format("cannot be mapped: {}", std::strerror(reason))).at(path.string());
}

}  // namespace

MappedFile::MappedFile(const std::filesystem::path& path) {
  const ReadFile file(path);
  // Zero pages are mapped first and the file over them, so that the byte behind the file reads as zero even
  // if the file fills its last page.
  size_ = file.size();
  mapped_size_ = size_ + 1;
  void* zeros = mmap(nullptr, mapped_size_, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (zeros == MAP_FAILED) fail(path, errno);
  if (mmap(zeros, size_, PROT_READ, MAP_PRIVATE | MAP_FIXED, file.descriptor(), 0) == MAP_FAILED) {
    int reason = errno;
    munmap(zeros, mapped_size_);
    fail(path, reason);
  }
  data_ = static_cast<const char*>(zeros);
}

MappedFile::~MappedFile() {
  munmap(const_cast<char*>(data_), mapped_size_);
}

}  // namespace vox
