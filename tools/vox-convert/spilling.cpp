#include "tools/vox-convert/spilling.h"

#include <fmt/format.h>

#include <filesystem>

#include "libvox/base/error.h"
#include "libvox/base/units.h"

namespace vox {

rounds::SpillOptions parse_spill(const std::string& text) {
  if (text == "host") return {};
  std::error_code failed;
  if (!std::filesystem::is_directory(text, failed))
    throw UsageError(fmt::format("--spill is '{}', expected host or the name of a folder", text));
  return {.place = rounds::SpillPlace(text)};
}

void set_spill(measure::ResultGroup& results, const rounds::RoundsFigures& figures) {
  results.group("spill")
      .set("rounds", figures.rounds)
      .set("nodes", figures.nodes, "nodes")
      .set("bytes", figures.bytes, "bytes")
      .set("build_seconds", figures.build_seconds, "s")
      .set("spill_seconds", figures.spill_seconds, "s")
      .set("merge_seconds", figures.merge_seconds, "s")
      .set("order_seconds", figures.order_seconds, "s");
}

std::string spill_line(const rounds::RoundsFigures& figures) {
  return fmt::format(
      "{} of {}, {}: built in {:.2f} s, spilled in {:.2f} s, merged in {:.2f} s, ordered in {:.2f} s",
      format_count(figures.rounds, "round"), format_count(figures.nodes, "node"), format_bytes(figures.bytes),
      figures.build_seconds, figures.spill_seconds, figures.merge_seconds, figures.order_seconds);
}

}  // namespace vox
