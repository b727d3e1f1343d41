// The benchmark of geometric hashing on one device.
#pragma once

#include <utility>

#include "libvox/base/error.h"
#include "libvox/base/progress.h"
#include "libvox/base/units.h"
#include "libvox/hash/keyed/key_table.h"
#include "libvox/match/votes.h"
#include "libvox/measure/match_bench.h"
#include "libvox/measure/timing.h"

namespace vox::measure {

template <class Device>
class MatchBench {
 public:
  MatchBench(Device& device, const MatchBenchOptions& options)
      : device_(device), options_(options), tables_(chosen_names(options.tables, hash::key_table_names())) {}

  MatchBenchResult run() {
    Stopwatch watch;
    // All pairs of a query's points may become bases, and those of the reference with a probability of 1/3, as in the
    // paper.
    std::vector<Side> queries;
    for (const scene::Image& query : options_.queries)
      queries.push_back(
          side_of(query, result_.queries.emplace_back().features, {.most = options_.query_bases}));
    const Side reference = side_of(options_.reference, result_.reference,
                                   {.chance = match::BasisChoice::kAlways / 3, .most = options_.bases});
    Progress progress("matching", tables_.size());
    for (const std::string& table : tables_) {
      result_.rows.push_back(measure(table, queries, reference.bases));
      progress.update(result_.rows.size(), table);
    }
    if (!pairs_) throw Error("no table could be built: " + result_.rows.front().error);
    for (size_t i = 0; i < queries.size(); ++i) {
      const std::vector<match::VotedPair>& pairs = (*pairs_)[i];
      if (!pairs.empty()) result_.queries[i].most_votes = pairs.front().votes;
      result_.queries[i].match = match::best_match(
          queries[i].points, reference.points, pairs,
          {.least_percent = options_.least_percent, .reference_pixels = options_.reference.pixels.size()});
    }
    result_.seconds = watch.seconds();
    return std::move(result_);
  }

 private:
  struct Side {
    std::vector<match::PixelPlace> points;
    match::PictureBases<Device> bases;
  };

  Side side_of(const scene::Image& image, PictureFeatures& features, match::BasisChoice choice) {
    const match::GrayPicture picture = match::gray_of(image);
    match::FeaturePoints found = match::find_feature_points(
        device_, picture, {.step = options_.step, .most = options_.points, .seed = options_.seed});
    choice.seed = options_.seed;
    choice.cells = options_.cells;
    Side side = {std::move(found.places), {}};
    side.bases = match::choose_bases(device_, picture, side.points, choice);
    features = {picture.width, picture.height, found.edge_points, side.points.size(), side.bases.count};
    if (side.bases.count == 0)
      throw Error(
          "the picture has too few edges to be matched: " + format_count(found.edge_points, "edge point") +
          ", " + format_count(side.points.size(), "point") + " where an edge turns, " +
          format_count(side.bases.count) + " pairs of them as bases")
          .at(image.name)
          .hint("let smaller steps be edges")
          .about("step");
    return side;
  }

  // Returns the row of a table, or a row with the reason if it cannot be built.
  MatchBenchRow measure(const std::string& table, const std::vector<Side>& queries,
                        const match::PictureBases<Device>& reference) {
    MatchBenchRow row;
    row.table = table;
    row.items = reference.items();
    row.repetitions = options_.repetitions;
    device_.pool().trim();
    try {
      match::GeometricHash<Device> matcher(device_, table);
      std::vector<double> map_times, index_times, vote_times;
      row.time = repeated(options_.repetitions, [&](uint32_t) {
        const double map = device_.seconds([&] { matcher.build_map(reference); });
        const double index = device_.seconds([&] { matcher.build_index(reference); });
        std::vector<std::vector<match::VotedPair>> pairs;
        double vote = 0;
        row.votes = 0;
        for (const Side& query : queries) {
          vote += device_.seconds([&] { pairs.push_back(matcher.vote(query.bases)); }) /
                  static_cast<double>(queries.size());
          row.votes += matcher.votes_cast();
        }
        compare(row, std::move(pairs));
        map_times.push_back(map);
        index_times.push_back(index);
        vote_times.push_back(vote);
        return map + index + vote;
      });
      row.map_time = without_first(std::move(map_times));
      row.index_time = without_first(std::move(index_times));
      row.vote_time = without_first(std::move(vote_times));
      row.keys = matcher.map().index().count();
      row.most_values = matcher.longest_run();
      row.bytes = matcher.bytes();
    } catch (const Cancelled&) {
      throw;
    } catch (const OutOfMemory&) {
      throw;
    } catch (const Error& error) {
      row.time.reset();
      row.error = error.what();
    }
    return row;
  }

  // The first repetition warms up.
  static Timing without_first(std::vector<double> seconds) {
    seconds.erase(seconds.begin());
    return summarize(std::move(seconds));
  }

  // Checks that all tables and all repetitions find the same pairs.
  void compare(MatchBenchRow& row, std::vector<std::vector<match::VotedPair>> pairs) {
    if (!pairs_)
      pairs_ = std::move(pairs);
    else if (*pairs_ != pairs)
      row.error = "its votes differ from those of the first count";
  }

  Device& device_;
  const MatchBenchOptions& options_;
  const std::vector<std::string> tables_;
  MatchBenchResult result_;
  std::optional<std::vector<std::vector<match::VotedPair>>> pairs_;  // for each query
};

template <class Device>
MatchBenchResult bench_match_on(Device& device, const MatchBenchOptions& options) {
  check(options);
  try {
    return MatchBench<Device>(device, options).run();
  } catch (OutOfMemory& error) {
    error.hint("allow more memory, or take fewer points or bases");
    throw;
  }
}

}  // namespace vox::measure
