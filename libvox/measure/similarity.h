// Similarities: what brings one picture onto another by a turn, a scale and a shift; found from a pair of
// bases, and then from all points that it brings onto each other.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "libvox/measure/bases.h"
#include "libvox/measure/votes.h"

namespace vox::measure {

// A place p as a complex number becomes turn · p + shift. Pixels are places with whole coordinates, y goes
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

// The greatest distance that two similarities leave between what they make of a picture's corners.
double greatest_distance(const Similarity& a, const Similarity& b, uint32_t width, uint32_t height);

// A point of the query and the point of the reference that it falls on.
struct PointPair {
  PixelPlace query, reference;
};

// The similarity with the least sum of squared distances. Sums are of whole numbers, so that their order does
// not matter. Nothing where all of the query's points are one.
std::optional<Similarity> fit_similarity(std::span<const PointPair> pairs);

// Points that are at most `reach` pixels of the reference apart, each of them nearest to the other.
std::vector<PointPair> points_together(std::span<const PixelPlace> query,
                                       std::span<const PixelPlace> reference, const Similarity& similarity,
                                       double reach);

// What two pictures have in common.
struct PictureMatch {
  static constexpr double kReach = 3;  // pixels, at which one point falls on another

  Similarity similarity;  // of the query's places to the reference's
  uint32_t votes = 0;     // for the pair of bases that it was found by
  uint64_t points = 0;    // of the query, that fall on points of the reference
};

// Refines the similarity of a pair of bases: the points that it brings together give a better one, and so on,
// with less and less distance between them.
PictureMatch refine_match(std::span<const PixelPlace> query, std::span<const PixelPlace> reference,
                          const VotedPair& pair);

// What points that come together have to be, for a match.
struct MatchLimits {
  uint32_t least_percent = 15;    // of the query's points
  uint64_t reference_pixels = 0;  // that points may fall on by chance
};

// The best of the first pairs, those with the most votes: the one that brings the most points together.
// Nothing where these are too few of the query's, or no more than chance could bring together.
std::optional<PictureMatch> best_match(std::span<const PixelPlace> query,
                                       std::span<const PixelPlace> reference,
                                       std::span<const VotedPair> pairs, const MatchLimits& limits);

}  // namespace vox::measure
