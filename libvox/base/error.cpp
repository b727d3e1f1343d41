#include "libvox/base/error.h"

#include <fmt/format.h>

#include "libvox/base/units.h"

namespace vox {

Error::Error(std::string problem) : problem_(std::move(problem)) {
  compose();
}

Error& Error::at(std::string where) {
  where_ = std::move(where);
  compose();
  return *this;
}

Error& Error::hint(std::string hint) {
  hint_ = std::move(hint);
  compose();
  return *this;
}

Error& Error::about(std::string setting) {
  setting_ = std::move(setting);
  return *this;
}

UsageError& UsageError::hint(std::string hint) {
  Error::hint(std::move(hint));
  return *this;
}

UsageError& UsageError::about(std::string setting) {
  Error::about(std::move(setting));
  return *this;
}

void Error::compose() {
  text_.clear();
  if (!where_.empty()) text_ += where_ + ": ";
  text_ += problem_;
  if (!hint_.empty()) text_ += " (" + hint_ + ")";
}

OutOfMemory::OutOfMemory(uint64_t asked, uint64_t available)
    : Error(fmt::format("out of memory: {} asked for, {} available", format_bytes(asked),
                        format_bytes(available))) {
  const std::string least = asked > available ? " by at least " + format_bytes(asked - available) : "";
  hint(fmt::format("allow more memory{} or lower the resolution", least)).about("memory_limit");
}

Cancelled::Cancelled() : Error("interrupted") {}

}  // namespace vox
