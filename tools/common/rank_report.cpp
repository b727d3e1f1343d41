#include "tools/common/rank_report.h"

#include <bit>
#include <numeric>

namespace vox {

std::vector<RankFigures> gathered(const RankFigures& own, ranks::Ranks& ranks) {
  std::vector<RankFigures> all(ranks.count());
  const auto gather_seconds = [&](double RankFigures::*member) {
    const std::vector<uint64_t> values = ranks.gather(std::bit_cast<uint64_t>(own.*member));
    for (size_t i = 0; i < all.size(); ++i) all[i].*member = std::bit_cast<double>(values[i]);
  };
  const auto gather_count = [&](uint64_t RankFigures::*member) {
    const std::vector<uint64_t> values = ranks.gather(own.*member);
    for (size_t i = 0; i < all.size(); ++i) all[i].*member = values[i];
  };
  gather_seconds(&RankFigures::voxelize);
  gather_seconds(&RankFigures::build);
  gather_seconds(&RankFigures::exchange);
  gather_seconds(&RankFigures::order);
  gather_seconds(&RankFigures::waited);
  gather_count(&RankFigures::sent);
  gather_count(&RankFigures::received);
  gather_count(&RankFigures::items_kept);
  gather_count(&RankFigures::items_given);
  gather_count(&RankFigures::peak_device_bytes);
  return all;
}

void set_ranks(measure::ResultGroup& results, const std::vector<RankFigures>& ranks) {
  if (ranks.empty()) return;
  std::vector<uint64_t> numbers(ranks.size());
  std::iota(numbers.begin(), numbers.end(), uint64_t{0});
  results.table(measure::in_json("ranks"))
      .column("rank", "", numbers)
      .column("voxelize", "s", ranks, &RankFigures::voxelize)
      .column("build", "s", ranks, &RankFigures::build)
      .column("exchange", "s", ranks, &RankFigures::exchange)
      .column("order", "s", ranks, &RankFigures::order)
      .column("waited", "s", ranks, &RankFigures::waited)
      .column("sent", "bytes", ranks, &RankFigures::sent)
      .column("received", "bytes", ranks, &RankFigures::received)
      .column("items_kept", "items", ranks, &RankFigures::items_kept)
      .column("items_given", "items", ranks, &RankFigures::items_given)
      .column("peak_device_bytes", "bytes", ranks, &RankFigures::peak_device_bytes);
}

}  // namespace vox
