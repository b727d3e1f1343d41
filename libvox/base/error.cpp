#include "libvox/base/error.h"

#include <fmt/format.h>

#include "libvox/base/phrase.h"
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
  hint(fmt::format("{}{} or lower the resolution", phrase(Phrase::AllowMoreMemory), least));
}

Cancelled::Cancelled() : Error("interrupted") {}

}  // namespace vox
