// Geometric hashing (Alcantara et al. 2009, §6): finds one picture, the query, in another, the reference, in
// which it appears rotated, scaled and shifted. The time is measured with several tables of voxel keys, as in
// the paper's Table 1. A table is used for the map from coordinates to bases and for the two-way indices of
// bases. All tables find the same match.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "libvox/measure/edge_points.h"
#include "libvox/measure/timing.h"
#include "libvox/measure/votes.h"
#include "libvox/scene/scene.h"

namespace vox::measure {

// Similarities: maps of one picture onto another by a rotation, a scale and a shift. A similarity is found
// from a pair of bases, and then improved with all points that it brings together.

// Maps a place p, as a complex number, to turn · p + shift. Pixels are places with whole coordinates; y goes
// down.
struct Similarity {
  Vec2<double> turn = {1, 0}, shift = {0, 0};

  Vec2<double> operator()(Vec2<double> place) const {
    return {turn.x * place.x - turn.y * place.y + shift.x, turn.x * place.y + turn.y * place.x + shift.y};
  }
  Similarity inverse() const;
  double scale() const;
  double degrees() const;  // from x towards y, which is clockwise in a picture; above -180, at most 180

  bool operator==(const Similarity&) const = default;
};

// Returns the greatest distance between the places to which two similarities map a corner of the picture.
double greatest_distance(const Similarity& a, const Similarity& b, uint32_t width, uint32_t height);

// A point of the query and the point of the reference that it falls on.
struct PointPair {
  PixelPlace query, reference;
};

// Returns the similarity with the least sum of squared distances, or nothing if all of the query's points are
// equal. The sums are of whole numbers, so their order does not matter.
std::optional<Similarity> fit_similarity(std::span<const PointPair> pairs);

// Returns pairs of points that are at most `reach` pixels of the reference apart and each other's nearest
// point.
std::vector<PointPair> points_together(std::span<const PixelPlace> query,
                                       std::span<const PixelPlace> reference, const Similarity& similarity,
                                       double reach);

// A match of two pictures.
struct PictureMatch {
  static constexpr double kReach = 3;  // distance in pixels at which two points count as coinciding

  Similarity similarity;  // from the query's places to the reference's
  uint32_t votes = 0;     // votes for the pair of bases from which it was found
  uint64_t points = 0;    // number of the query's points that fall on points of the reference
};

// Refines the similarity of a pair of bases. It is fitted repeatedly to the points that it brings together,
// within smaller and smaller distances.
PictureMatch refine_match(std::span<const PixelPlace> query, std::span<const PixelPlace> reference,
                          const VotedPair& pair);

// The conditions under which coinciding points are a match.
struct MatchLimits {
  uint32_t least_percent = 15;    // minimum share of the query's points
  uint64_t reference_pixels = 0;  // number of pixels on which points could fall by chance
};

// Returns the match that brings the most points together, from the first pairs, which have the most votes.
// Returns nothing if too few of the query's points coincide, or no more than by chance.
std::optional<PictureMatch> best_match(std::span<const PixelPlace> query,
                                       std::span<const PixelPlace> reference,
                                       std::span<const VotedPair> pairs, const MatchLimits& limits);

// Generated pairs of pictures: a reference, and a query that shows a part of it rotated, scaled and shifted,
// in another light, behind objects that the reference does not have. The transformation between them is
// known. For one seed they are the same on every machine.

struct PicturePairOptions {
  static constexpr uint32_t kLeastSide = 64, kMostSide = 4096, kMostClutter = 400, kMostNoise = 64;

  uint32_t side = 512;    // side of the reference in pixels; the query's is three quarters of it
  uint32_t clutter = 25;  // objects in front of the query, in per cent of the reference's objects in it
  uint32_t noise = 6;     // greatest error of a pixel, up or down, in grey levels
  uint64_t seed = 1;
};

struct PicturePair {
  scene::Image query, reference;
  Similarity known;  // from the query's places to the reference's
};

// Throws UsageError unless all options make sense.
void check(const PicturePairOptions& options);

// The options must be accepted by check().
PicturePair make_picture_pair(const PicturePairOptions& options);

// Returns the reference in grey and, if a match is given, the query's edges over it in colour.
scene::Image overlay_of(const GreyPicture& query, const GreyPicture& reference, uint32_t step,
                        const std::optional<Similarity>& similarity);

}  // namespace vox::measure

namespace vox {
class Engine;
}

namespace vox::measure {

struct MatchBenchOptions {
  static constexpr uint32_t kMostBases = 1 << 16, kMostRepetitions = 1000;
  static constexpr uint32_t kFewestPoints = 8, kFewestCells = 4;

  std::vector<std::string> tables = {"lines", "robin", "cuckoo2009", "sorted"};
  uint32_t points = 256;       // maximum for each picture
  uint32_t bases = 16384;      // maximum for the reference
  uint32_t query_bases = 256;  // maximum for the query
  uint32_t cells = 32;         // distance between the two points of a basis
  uint32_t step = 32;          // minimum change of grey from one pixel to the next at an edge
  // The minimum share of the query's points that must fall on points of the reference, in per cent.
  uint32_t least_percent = MatchLimits().least_percent;
  uint32_t repetitions = 7;
  uint64_t seed = 1;  // decides which pairs of points become bases
  scene::Image query, reference;
};

// Throws UsageError unless all options make sense. The pictures are not checked.
void check(const MatchBenchOptions& options);

struct MatchBenchRow {
  std::string table;
  // Statistics of the map: pairs of keys and values, different keys, and the most values of one key.
  uint64_t items = 0, keys = 0, most_values = 0;
  uint64_t votes = 0;  // number of votes cast
  uint64_t bytes = 0;  // size of map and index
  uint32_t repetitions = 0;
  // Absent if a table could not be built. `time` is the sum of the other three.
  std::optional<Timing> map_time, index_time, vote_time, time;
  std::string error;  // why there is no time, or why the result is wrong

  double mean_values() const {
    return keys == 0 ? 0 : static_cast<double>(items) / static_cast<double>(keys);
  }
};

// The numbers of features found in a picture.
struct PictureFeatures {
  uint32_t width = 0, height = 0;
  uint64_t edge_points = 0, points = 0, bases = 0;
};

struct MatchBenchResult {
  PictureFeatures query, reference;
  uint32_t most_votes = 0;            // most votes for any pair of bases
  std::optional<PictureMatch> match;  // empty if too few points coincide
  std::vector<MatchBenchRow> rows;
  double seconds = 0;  // for the whole benchmark

  // Returns the share of the query's points that fall on points of the reference.
  double share() const;
};

// Throws Error if a picture has too few edges for a basis, or if the tables find different results.
MatchBenchResult bench_match(Engine& engine, const MatchBenchOptions& options);

// The same for a device of this type; compiled in on_cpu.cpp and on_cuda.cu.
template <class Device>
MatchBenchResult bench_match_on(Device& device, const MatchBenchOptions& options);

}  // namespace vox::measure
