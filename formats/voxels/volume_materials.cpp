// The bins of formats/voxels/voxel_file.h.

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "formats/volume/stored_volume.h"
#include "formats/voxels/voxel_file.h"
#include "libvox/base/error.h"
#include "libvox/base/log.h"
#include "libvox/base/units.h"
#include "libvox/bricks/volume_cast.h"
#include "libvox/render/volume_render.h"

namespace vox {
namespace {

// Sixteen colors of viridis, which Stéfan van der Walt and Nathaniel Smith released as CC0.
constexpr std::array<uint32_t, 16> kViridis = {0x440154, 0x481a6c, 0x472f7d, 0x414487, 0x39568c, 0x31688e,
                                               0x2a788e, 0x23888e, 0x1f988b, 0x22a884, 0x35b779, 0x54c568,
                                               0x7ad151, 0xa5db36, 0xd2e21b, 0xfde725};

// Returns the color at a place between 0 and 1.
scene::Rgb8 viridis(double place) {
  const double at = place * (kViridis.size() - 1);
  const size_t below = std::min(static_cast<size_t>(at), kViridis.size() - 2);
  const double share = at - static_cast<double>(below);
  const auto channel = [&](uint32_t shift) {
    const double low = kViridis[below] >> shift & 255, high = kViridis[below + 1] >> shift & 255;
    return static_cast<uint8_t>(low + share * (high - low) + 0.5);
  };
  return {channel(16), channel(8), channel(0)};
}

struct BinRule {
  double threshold, background;
  double low, width;  // the binned range's lower end, and a bin's width
  uint32_t count;

  uint8_t entry(double value) const {
    if (value < threshold || value == background) return kNoEntry;
    if (!(width > 0)) return 0;
    const double bin = (value - low) / width * count;
    return static_cast<uint8_t>(std::min(static_cast<uint32_t>(std::max(bin, 0.0)), count - 1));
  }
};

BinRule bin_rule(const StoredVolume& stored, const volume::ThresholdOptions& options, uint32_t count) {
  const volume::ValueRange range = stored_range(stored);
  BinRule rule = {.threshold = -std::numeric_limits<double>::infinity(),
                  .background = std::min(range.low, 0.0),
                  .low = range.low,
                  .width = 0,
                  .count = count};
  if (options.raw) rule.threshold = *options.raw;
  if (options.share) rule.threshold = range.low + *options.share * (range.high - range.low);
  rule.low = std::max(rule.low, rule.threshold);
  rule.width = range.high - rule.low;
  if (!std::isfinite(range.high - range.low))
    throw Error(
        fmt::format("its values range from {} to {}, which is too wide for bins", range.low, range.high))
        .at(stored.info.source);
  return rule;
}

scene::Palette bin_palette(const BinRule& rule, const std::optional<scene::Palette>& given) {
  scene::Palette palette;
  palette.count = rule.count;
  for (uint32_t i = 0; i < rule.count; ++i) {
    const auto edge = [&](uint32_t bin) { return rule.low + rule.width * bin / rule.count; };
    palette.colors[i] = given ? given->colors[i] : viridis(rule.count == 1 ? 0.5 : i / (rule.count - 1.0));
    palette.names[i] = fmt::format("{:.4g} to {:.4g}", edge(i), edge(i + 1));
  }
  return palette;
}

// Returns the entry of every possible value, to look up values of one or two bytes.
template <class T>
std::vector<uint8_t> entries_of_all(const BinRule& rule) {
  std::vector<uint8_t> entries(size_t{1} << 8 * sizeof(T));
  for (size_t i = 0; i < entries.size(); ++i) entries[i] = rule.entry(static_cast<double>(static_cast<T>(i)));
  return entries;
}

template <class T>
std::function<void(const std::byte*, uint64_t, uint8_t*)> bin_classifier(const BinRule& rule) {
  if constexpr (sizeof(T) <= 2) {
    using Index = std::conditional_t<sizeof(T) == 1, uint8_t, uint16_t>;
    return [table = std::make_shared<const std::vector<uint8_t>>(entries_of_all<T>(rule))](
               const std::byte* values, uint64_t count, uint8_t* entries) {
      for (uint64_t i = 0; i < count; ++i) entries[i] = (*table)[stored_value<Index>(values, i)];
    };
  } else {
    return [rule](const std::byte* values, uint64_t count, uint8_t* entries) {
      for (uint64_t i = 0; i < count; ++i)
        entries[i] = rule.entry(static_cast<double>(stored_value<T>(values, i)));
    };
  }
}

}  // namespace

ValueEntries bins_of(const StoredVolume& stored, const VolumeMaterials& materials,
                     const volume::ThresholdOptions& threshold,
                     const std::optional<scene::Palette>& palette) {
  const uint32_t most = palette ? palette->count : scene::kPaletteSize;
  const bool no_materials = materials.kind == VolumeMaterials::Kind::None;
  const uint32_t count = no_materials ? 1 : materials.count.value_or(most);
  if (count > most)
    throw Error(fmt::format("the palette has {} colors, but {} bins need one each", most, count));
  const BinRule rule = bin_rule(stored, threshold, count);
  return {no_materials ? scene::Palette() : bin_palette(rule, palette),
          with_stored_type(stored.info.type, [&]<class T>() { return bin_classifier<T>(rule); })};
}

namespace {

// The labels of formats/voxels/voxel_file.h.

struct LabelCount {
  int64_t label;
  uint64_t voxels;
};

using LabelCounts = std::vector<LabelCount>;

// Sorts the labels in ascending order and adds up the counts of equal ones.
void tidy(LabelCounts& counts) {
  std::ranges::sort(counts, {}, &LabelCount::label);
  size_t kept = 0;
  for (size_t i = 0; i < counts.size(); ++i) {
    if (kept > 0 && counts[kept - 1].label == counts[i].label) {
      counts[kept - 1].voxels += counts[i].voxels;
    } else {
      counts[kept++] = counts[i];
    }
  }
  counts.resize(kept);
}

constexpr bool is_label_range(double value) {
  return value >= -9223372036854775808.0 && value < 9223372036854775808.0;
}

// True if a value is a whole number of 64 bits.
template <class T>
bool is_label(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    return is_label_range(static_cast<double>(value)) && std::trunc(value) == value;
  } else {
    return std::in_range<int64_t>(value);
  }
}

struct LabelSums {
  LabelCounts counts;
  uint64_t first_other = UINT64_MAX;  // the first value that is not a label

  void add(const LabelSums& other) {
    first_other = std::min(first_other, other.first_other);
    counts.insert(counts.end(), other.counts.begin(), other.counts.end());
    tidy(counts);
  }
};

// Counts the labels of some values, one run of equal values at a time.
template <class T>
LabelSums count_labels(const std::byte* values, uint64_t begin, uint64_t end) {
  LabelSums sums;
  for (uint64_t i = begin; i < end; ++i) {
    const T value = stored_value<T>(values, i);
    if (!is_label(value)) {
      sums.first_other = std::min(sums.first_other, i);
      continue;
    }
    const auto label = static_cast<int64_t>(value);
    if (label == 0) continue;
    if (sums.counts.empty() || sums.counts.back().label != label) sums.counts.push_back({label, 0});
    ++sums.counts.back().voxels;
  }
  tidy(sums.counts);
  return sums;
}

LabelSums count_piece(StoredType type, const std::byte* values, uint64_t count) {
  return with_stored_type(type, [&]<class T>() {
    return tbb::parallel_reduce(
        tbb::blocked_range<uint64_t>(0, count, 1 << 16), LabelSums(),
        [&](const tbb::blocked_range<uint64_t>& part, LabelSums sums) {
          sums.add(count_labels<T>(values, part.begin(), part.end()));
          return sums;
        },
        [](LabelSums a, const LabelSums& b) {
          a.add(b);
          return a;
        });
  });
}

[[noreturn]] void throw_too_many(const StoredVolume& stored) {
  throw Error(fmt::format("has more than {} labels, but a scene has as many materials", scene::kPaletteSize))
      .at(stored.info.source)
      .hint("labels:16 gives the labels with the most voxels a material each, and all others the last one");
}

enum class ManyLabels { Refused, Counted };

// Counts all labels except 0. If many labels are refused, it stops soon after there is one too many.
LabelCounts survey(const StoredVolume& stored, ManyLabels many) {
  LabelCounts all;
  size_t tidied = 0;
  read_stored_pieces(stored, [&](const VoxelBox& box, const std::byte* values) {
    const LabelSums sums = count_piece(stored.info.type, values, box.voxels());
    if (sums.first_other != UINT64_MAX)
      throw Error(stored_voxel_text(stored, box, values, sums.first_other) +
                  ", expected whole numbers as labels")
          .at(stored.info.source);
    all.insert(all.end(), sums.counts.begin(), sums.counts.end());
    if (all.size() <= 2 * tidied + scene::kPaletteSize) return;
    tidy(all);
    tidied = all.size();
    if (many == ManyLabels::Refused && tidied > scene::kPaletteSize) throw_too_many(stored);
  });
  tidy(all);
  if (many == ManyLabels::Refused && all.size() > scene::kPaletteSize) throw_too_many(stored);
  return all;
}

struct LabelEntries {
  std::vector<std::pair<int64_t, uint8_t>> entries = {};  // ascending
  uint8_t others = kNoEntry;
  uint32_t count = 0;
};

// Returns the labels with the most voxels, in ascending order; all others share the last entry.
LabelEntries merged_entries(const StoredVolume& stored, LabelCounts counts, uint32_t most) {
  const size_t labels = counts.size();
  uint64_t all = 0, kept = 0;
  for (const LabelCount& count : counts) all += count.voxels;
  std::ranges::stable_sort(counts, std::ranges::greater(), &LabelCount::voxels);
  counts.resize(most - 1);
  std::ranges::sort(counts, {}, &LabelCount::label);
  LabelEntries result = {.others = static_cast<uint8_t>(most - 1), .count = most};
  for (const LabelCount& count : counts) {
    result.entries.emplace_back(count.label, static_cast<uint8_t>(result.entries.size()));
    kept += count.voxels;
  }
  log_warning("{}: {} labels share a material, {:.2g} % of the filled voxels", stored.info.source,
              format_count(labels - counts.size()),
              100 * static_cast<double>(all - kept) / static_cast<double>(all));
  return result;
}

LabelEntries entries_of_labels(const StoredVolume& stored, const LabelCounts& counts, uint32_t most) {
  if (counts.size() > most) return merged_entries(stored, counts, most);
  LabelEntries result;
  const bool are_small = counts.empty() || (counts.front().label > 0 && counts.back().label <= int64_t{most});
  for (const LabelCount& count : counts) {
    const int64_t entry = are_small ? count.label - 1 : static_cast<int64_t>(result.entries.size());
    result.entries.emplace_back(count.label, static_cast<uint8_t>(entry));
    result.count = static_cast<uint32_t>(entry + 1);
  }
  return result;
}

scene::Palette label_palette(const LabelEntries& labels, const std::optional<scene::Palette>& given) {
  if (given && given->count < labels.count)
    throw Error(fmt::format("the palette has {} colors, but the labels need {}", given->count, labels.count));
  const render::LabelColors colors = render::distinct_colors();
  scene::Palette palette;
  palette.count = labels.count;
  for (uint32_t i = 0; i < labels.count; ++i) {
    palette.colors[i] = given ? given->colors[i] : colors[bricks::label_slot(i + 1)];
    palette.names[i] = i == labels.others ? "other labels" : fmt::format("label {}", i + 1);
  }
  for (const auto& [label, entry] : labels.entries) palette.names[entry] = fmt::format("label {}", label);
  return palette;
}

template <class T>
std::function<void(const std::byte*, uint64_t, uint8_t*)> label_classifier(const LabelEntries& labels) {
  return [labels](const std::byte* values, uint64_t count, uint8_t* entries) {
    T last = 0;
    uint8_t entry = kNoEntry;
    for (uint64_t i = 0; i < count; ++i) {
      const T value = stored_value<T>(values, i);
      if (value != last) {
        last = value;
        const int64_t label = is_label(value) ? static_cast<int64_t>(value) : 0;
        const auto found =
            std::ranges::lower_bound(labels.entries, label, {}, &std::pair<int64_t, uint8_t>::first);
        const bool is_known = found != labels.entries.end() && found->first == label;
        entry = is_known ? found->second : label == 0 ? kNoEntry : labels.others;
      }
      entries[i] = entry;
    }
  };
}

}  // namespace

ValueEntries labels_of(const StoredVolume& stored, const VolumeMaterials& materials,
                       const std::optional<scene::Palette>& palette) {
  const LabelCounts counts = survey(stored, materials.count ? ManyLabels::Counted : ManyLabels::Refused);
  const LabelEntries labels =
      entries_of_labels(stored, counts, materials.count.value_or(scene::kPaletteSize));
  return {label_palette(labels, palette),
          with_stored_type(stored.info.type, [&]<class T>() { return label_classifier<T>(labels); })};
}

bool seem_labels(const StoredVolume& stored) {
  if (stored.info.type != StoredType::U8 && stored.info.type != StoredType::U16) return false;
  const render::LabelSurvey found = render::survey_labels(known_volume(stored), 0);
  return found.likely && found.labels.size() <= scene::kPaletteSize;
}

}  // namespace vox
