#include "tools/common/bricks_report.h"

#include <fmt/format.h>

#include "libvox/base/units.h"

namespace vox {
namespace {

double percent(uint64_t part, uint64_t whole) {
  return 100 * static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

std::string bricks_line(const bricks::FrozenBricks& bricks) {
  return fmt::format("{} voxels of {}, {:.2f} % filled, as {} bricks of {}³ in {}, {:.2f} % of dense",
                     format_count(bricks.info.box().voxels()), volume::value_type_name(bricks.info.type),
                     percent(bricks.filled, bricks.info.box().voxels()), format_count(bricks.bricks()),
                     bricks.shape().side(), format_bytes(bricks.bytes()),
                     percent(bricks.bytes(), bricks.info.bytes()));
}

std::string describe_bricks(const bricks::FrozenBricks& bricks) {
  const volume::VolumeInfo& info = bricks.info;
  std::string text = fmt::format(
      "volume       {} x {} x {} voxels of {}, {} filled\n"
      "spacing      {:.6g}, {:.6g}, {:.6g}, origin {:.6g}, {:.6g}, {:.6g}\n"
      "source       {}\n"
      "bricks       {} of {}³ voxels, {}, {:.2f} % of dense\n"
      "  {:<11}  {:>15}  {:>7}  {:>12}\n",
      info.size.x, info.size.y, info.size.z, volume::value_type_name(info.type), format_count(bricks.filled),
      info.spacing.x, info.spacing.y, info.spacing.z, info.origin.x, info.origin.y, info.origin.z,
      info.source, format_count(bricks.bricks()), bricks.shape().side(), format_bytes(bricks.bytes()),
      percent(bricks.bytes(), info.bytes()), "type", "bricks", "share", "bytes");
  for (uint32_t type = 0; type < bricks::kBrickTypeCount; ++type)
    if (bricks.counts[type] > 0)
      text += fmt::format("  {:<11}  {:>15}  {:>5.1f} %  {:>12}\n", bricks::BrickTypes::kNames[type],
                          format_count(bricks.counts[type]), percent(bricks.counts[type], bricks.bricks()),
                          format_bytes(bricks.type_bytes(type)));
  return text;
}

measure::ResultGroup& set_bricks(measure::ResultGroup& results, const bricks::FrozenBricks& bricks) {
  measure::ResultGroup& group = results.group("bricks");
  group.set("bytes", bricks.bytes(), "bytes")
      .set("size", bricks.shape().side(), "voxels")
      .set(measure::in_json("count"), bricks.bricks(), "bricks")
      .set("filled", bricks.filled, "voxels")
      .set(measure::in_json("value_type"), volume::value_type_name(bricks.info.type))
      .set("dense_bytes", bricks.info.bytes(), "bytes");
  const std::vector<std::string> names(bricks::BrickTypes::kNames.begin(), bricks::BrickTypes::kNames.end());
  std::vector<uint64_t> counts(bricks.counts.begin(), bricks.counts.end()), bytes;
  measure::ResultGroup &types = group.group(measure::in_json("types")),
                       &type_bytes = group.group(measure::in_json("type_bytes"));
  for (uint32_t type = 0; type < bricks::kBrickTypeCount; ++type) {
    bytes.push_back(bricks.type_bytes(type));
    types.set(names[type], counts[type], "bricks");
    type_bytes.set(names[type], bytes[type], "bytes");
  }
  group.table(measure::in_report("types"))
      .column("name", "", names)
      .column("bricks", "bricks", std::move(counts))
      .column("bytes", "bytes", std::move(bytes));
  return group;
}

}  // namespace vox
