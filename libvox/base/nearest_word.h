// Guesses which word a misspelt one was meant to be.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace vox {

// The candidate that the fewest changes lead to (a letter added, removed, replaced, or two neighbours
// swapped), if they are at most a third of the word's letters; of equally near ones the first; "" if there is
// none.
std::string_view nearest_word(std::string_view word, std::span<const std::string_view> candidates);

// Text for Error::hint(): "did you mean 'sphere'?", or "" where no candidate is near.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace vox
