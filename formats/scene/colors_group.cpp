#include <fmt/format.h>

#include <cstring>

#include "formats/scene/groups.h"
#include "formats/scene/h5_words.h"
#include "libvox/base/error.h"
#include "libvox/dag/digests.h"

namespace vox {
namespace {

constexpr uint32_t kColorBits = 24;
constexpr uint64_t kHeadWords = sizeof(attributes::ValueGroup) / sizeof(uint64_t);

std::optional<h5::Object> open_colors(const h5::Object& file) {
  if (!h5::has_child(file, "attributes")) return std::nullopt;
  const h5::Object all = h5::open_group(file, "attributes");
  if (!h5::has_child(all, "colors")) return std::nullopt;
  return h5::open_group(all, "colors");
}

}  // namespace

void write_colors_group(const h5::Object& file, const attributes::PackedValues& colors,
                        const Compression& compression) {
  const h5::Object group = h5::create_group(h5::create_group(file, "attributes"), "colors");
  h5::write_attribute(group, "count", colors.count);
  h5::write_attribute(group, "value_bits", colors.value_bits);
  h5::write_attribute(group, "bytes", colors.byte_count);
  h5::write_text(group, "digest", dag::to_string(dag::digest_of(colors)));
  LongWords heads(colors.groups.size() * kHeadWords);
  if (!heads.empty()) std::memcpy(heads.data(), colors.groups.data(), heads.size() * sizeof(uint64_t));
  h5::write_words(group, "groups", heads, compression);
  h5::write_words(group, "words", colors.words, compression);
  if (!colors.table.empty()) h5::write_words(group, "table", colors.table, compression);
}

std::optional<uint64_t> color_bytes_of(const h5::Object& file) {
  const std::optional<h5::Object> group = open_colors(file);
  if (!group) return std::nullopt;
  return h5::read_attribute<uint64_t>(*group, "bytes") +
         attributes::groups_of(h5::read_attribute<uint64_t>(*group, "count")) *
             sizeof(attributes::ValueGroup) +
         (h5::has_child(*group, "table") ? h5::words_in(h5::open_dataset(*group, "table")) * sizeof(uint32_t)
                                         : 0);
}

std::optional<attributes::PackedValues> read_colors_group(const h5::Object& file, uint64_t voxels) {
  const std::optional<h5::Object> found = open_colors(file);
  if (!found) return std::nullopt;
  const h5::Object& group = *found;
  const auto fail = [&](const std::string& problem) { throw Error(problem).at(group.where()); };
  attributes::PackedValues colors;
  colors.count = h5::read_attribute<uint64_t>(group, "count");
  colors.value_bits = h5::read_attribute<uint32_t>(group, "value_bits");
  colors.byte_count = h5::read_attribute<uint64_t>(group, "bytes");
  if (h5::has_child(group, "table")) {
    const Words table = h5::read_words(h5::open_dataset(group, "table"));
    colors.table.assign(table.begin(), table.end());
  }
  if (colors.table.empty() && colors.value_bits != kColorBits) {
    fail(fmt::format("colors have {} bits, expected {}", colors.value_bits, kColorBits));
  }
  for (const uint32_t color : colors.table)
    if (color >> kColorBits != 0) fail("the table holds a number that is no color");
  if (colors.count != voxels) fail(fmt::format("there are {} colors for {} voxels", colors.count, voxels));
  const LongWords heads = h5::read_long_words(h5::open_dataset(group, "groups"));
  if (heads.size() != attributes::groups_of(colors.count) * kHeadWords)
    fail(fmt::format("the heads of groups have {} words, expected {}", heads.size(),
                     attributes::groups_of(colors.count) * kHeadWords));
  colors.groups.resize(heads.size() / kHeadWords);
  if (!heads.empty())
    std::memcpy(static_cast<void*>(colors.groups.data()), heads.data(), heads.size() * sizeof(uint64_t));
  colors.words = h5::read_words(h5::open_dataset(group, "words"));
  try {
    attributes::check_structure(colors);
  } catch (const Cancelled&) {
    throw;
  } catch (const Error& error) {
    fail(error.what());
  }
  const std::string digest = h5::read_text(group, "digest"), held = dag::to_string(dag::digest_of(colors));
  if (digest != held)
    fail(fmt::format("the digest is {}, but the colors have {}: the file is damaged", digest, held));
  return colors;
}

}  // namespace vox
