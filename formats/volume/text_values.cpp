#include "formats/volume/text_values.h"

#include <fmt/format.h>

#include <charconv>
#include <cstring>

#include "formats/io/scan.h"
#include "libvox/base/cancel.h"
#include "libvox/base/error.h"

namespace vox {
namespace {

constexpr std::string_view kBetweenNumbers = " \t\r\n\v\f";

class NumberText {
 public:
  NumberText(std::string_view text, uint64_t offset, const std::filesystem::path& source)
      : text_(text), at_(offset), source_(source) {}

  // Returns the next word, and an empty one after the last.
  std::string_view next() {
    const size_t begin = text_.find_first_not_of(kBetweenNumbers, at_);
    if (begin == std::string_view::npos) return {};
    at_ = std::min(text_.find_first_of(kBetweenNumbers, begin), text_.size());
    return text_.substr(begin, at_ - begin);
  }

  [[noreturn]] void fail(const std::string& problem, std::string_view word) const {
    const char* place = word.empty() ? text_.data() + text_.size() - 1 : word.data();
    throw Error(problem).at(fmt::format("{}:{}", source_.string(), line_number(text_, place)));
  }

 private:
  std::string_view text_;
  size_t at_;
  const std::filesystem::path& source_;
};

template <class T>
T parsed_number(const NumberText& numbers, std::string_view word, StoredType type) {
  T value = {};
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size())
    numbers.fail(fmt::format("'{}' is no value of type {}", word.substr(0, 40), stored_type_name(type)),
                 word);
  return value;
}

}  // namespace

std::shared_ptr<NamelessFile> parsed_values(std::string_view text, uint64_t offset, StoredType type,
                                            uint64_t count, const std::filesystem::path& source) {
  NumberText numbers(text, offset, source);
  // Each value takes at least one character, and all but the first a blank before it.
  if (count > (text.size() - offset + 1) / 2)
    numbers.fail(
        fmt::format("expected {} values, which {} bytes of text cannot hold", count, text.size() - offset),
        {});
  auto file = std::make_shared<NamelessFile>(count * stored_bytes(type), source);
  with_stored_type(type, [&]<class T>() {
    std::byte* to = file->bytes().data();
    for (uint64_t i = 0; i < count; ++i, to += sizeof(T)) {
      if (i % (1 << 20) == 0) throw_if_cancelled();
      const std::string_view word = numbers.next();
      if (word.empty()) numbers.fail(fmt::format("expected {} values, found {}", count, i), word);
      const T value = parsed_number<T>(numbers, word, type);
      std::memcpy(to, &value, sizeof(T));
    }
  });
  if (const std::string_view more = numbers.next(); !more.empty())
    numbers.fail(fmt::format("expected {} values, found more", count), more);
  return file;
}

}  // namespace vox
