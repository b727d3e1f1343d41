#include "tools/common/rank_report.h"

#include <array>
#include <bit>
#include <type_traits>

namespace vox {
namespace {

// Calls f with the name, the unit and a reader of each figure of a row, which may be changed through it.
template <class F>
void each_figure(const F& f) {
  f(
      "voxelize", "s", [](auto& row) -> auto& { return row.share.voxelize_seconds; });
  f(
      "build", "s", [](auto& row) -> auto& { return row.share.build_seconds; });
  f(
      "exchange", "s", [](auto& row) -> auto& { return row.share.exchange_seconds; });
  f(
      "order", "s", [](auto& row) -> auto& { return row.share.order_seconds; });
  f(
      "keep", "s", [](auto& row) -> auto& { return row.share.keep_seconds; });
  f(
      "waited", "s", [](auto& row) -> auto& { return row.traffic.waited; });
  f(
      "sent", "bytes", [](auto& row) -> auto& { return row.traffic.sent; });
  f(
      "received", "bytes", [](auto& row) -> auto& { return row.traffic.received; });
  f(
      "items_kept", "items", [](auto& row) -> auto& { return row.share.items_kept; });
  f(
      "items_given", "items", [](auto& row) -> auto& { return row.share.items_given; });
  f(
      "peak_device_bytes", "bytes", [](auto& row) -> auto& { return row.peak_device_bytes; });
}

}  // namespace

std::vector<RankFigures> gathered(const RankFigures& own, ranks::Ranks& ranks) {
  std::vector<RankFigures> all(ranks.count());
  each_figure([&](const char*, const char*, const auto& figure) {
    using Figure = std::remove_cvref_t<decltype(figure(own))>;
    const std::vector<uint64_t> values = ranks.gather(std::bit_cast<uint64_t>(figure(own)));
    for (size_t i = 0; i < all.size(); ++i) figure(all[i]) = std::bit_cast<Figure>(values[i]);
  });
  return all;
}

void set_ranks(measure::ResultGroup& results, const std::vector<RankFigures>& ranks) {
  if (ranks.empty()) return;
  measure::ResultTable& table = results.table(measure::in_json("ranks"));
  each_figure([&](const char* name, const char* unit, const auto& figure) {
    table.column(name, unit, ranks, [&](const RankFigures& row) { return figure(row); });
  });
}

}  // namespace vox
