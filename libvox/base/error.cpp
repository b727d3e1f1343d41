#include "libvox/base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <vector>

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

UsageError& UsageError::at(std::string where) {
  Error::at(std::move(where));
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

namespace {

// Optimal string alignment: the Levenshtein distance with swaps of neighbors.
size_t changes(std::string_view a, std::string_view b) {
  std::vector<size_t> above2(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    std::swap(above2, above);
    std::swap(above, row);
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], above2[j - 2] + 1);
    }
  }
  return row[b.size()];
}

}  // namespace

std::string_view nearest_word(std::string_view word, std::span<const std::string_view> candidates) {
  size_t fewest = std::max<size_t>(word.size() / 3, 1) + 1;
  std::string_view nearest;
  for (std::string_view candidate : candidates) {
    if (candidate.size() + fewest <= word.size() || word.size() + fewest <= candidate.size()) continue;
    if (size_t count = changes(word, candidate); count < fewest) fewest = count, nearest = candidate;
  }
  return nearest;
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates) {
  std::string_view nearest = nearest_word(word, candidates);
  return nearest.empty() ? "" : "did you mean '" + std::string(nearest) + "'?";
}

}  // namespace vox
