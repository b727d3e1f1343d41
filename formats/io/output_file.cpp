#include "formats/io/output_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "libvox/base/error.h"

namespace vox {

OutputFile::OutputFile(const std::filesystem::path& target)
    : file_(target), stream_(std::fopen(file_.path().c_str(), "wb")) {
  if (!stream_) fail();
}

void OutputFile::fail() const {
  throw Error(fmt::format("cannot be written: {}", std::strerror(errno))).at(file_.target().string());
}

void OutputFile::write(std::string_view bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), stream_.get()) != bytes.size()) fail();
}

void OutputFile::close() {
  if (std::fclose(stream_.release()) != 0) fail();
}

}  // namespace vox
