// What a misspelt word was meant to be.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace vox {

// The candidate that takes fewest changes (a letter more, less, another, or two swapped), if at most a third
// of the word's letters; the first of equals; "" for none.
std::string_view nearest_word(std::string_view word, std::span<const std::string_view> candidates);

// "did you mean 'sphere'?", or "" where no candidate is near: for Error::hint().
std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace vox
