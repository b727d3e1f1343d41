// Guesses which word was meant by a misspelt one.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace vox {

// Returns the candidate that takes the fewest changes (a letter added, removed or replaced, or two neighbours
// swapped), if these are at most a third of the word's letters. Among equally near candidates the first wins.
// Returns "" if no candidate is near.
std::string_view nearest_word(std::string_view word, std::span<const std::string_view> candidates);

// Returns text for Error::hint(): "did you mean 'sphere'?", or "" if no candidate is near.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace vox
