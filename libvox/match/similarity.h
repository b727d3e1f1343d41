// Similarities: maps of one picture onto another by a rotation, a scale and a shift. A similarity is found
// from a pair of bases, and then improved with all points that it brings together.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "libvox/match/edge_points.h"
#include "libvox/match/votes.h"
#include "libvox/scene/scene.h"

namespace vox::match {

// Maps a place p to turn · p + shift, where places are complex numbers. A pixel is a place with whole coordinates; y
// points down.
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

// Returns the pairs of points that lie at most `reach` pixels of the reference apart and are each other's
// nearest point.
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

// The conditions under which points that coincide make a match.
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
// known. Equal seeds give equal pairs on every machine.

struct PicturePairOptions {
  static constexpr uint32_t kLeastSide = 64, kMostSide = 4096, kMostClutter = 400, kMostNoise = 64;

  uint32_t side = 512;    // side of the reference in pixels; the query's is three quarters of it
  uint32_t clutter = 25;  // objects in front of the query, in percent of the reference's objects in it
  uint32_t noise = 6;     // greatest error of a pixel, up or down, in gray levels
  uint64_t seed = 1;
  uint32_t frame = 0;  // each frame is another query for the same reference
};

struct PicturePair {
  scene::Image query, reference;
  Similarity known;  // from the query's places to the reference's
};

// Throws UsageError unless all options make sense.
void check(const PicturePairOptions& options);

// The options must be accepted by check().
PicturePair make_picture_pair(const PicturePairOptions& options);

// Returns the reference in gray and, if a match is given, the query's edges over it in color.
scene::Image overlay_of(const GrayPicture& query, const GrayPicture& reference, uint32_t step,
                        const std::optional<Similarity>& similarity);

}  // namespace vox::match
