// Groups a file's records of voxels, which may have any order, by the 64³ cubes that contain them.
#pragma once

#include <tbb/parallel_for.h>
#include <tbb/parallel_sort.h>

#include <cstdint>
#include <span>
#include <vector>

#include "libvox/base/vec.h"
#include "libvox/dag/from_cubes.h"

namespace vox {

class CubeGroups {
 public:
  // place(i) returns where the voxel of record i lies in the grid. No coordinate is negative.
  template <class Place>
  CubeGroups(uint64_t records, const Place& place) : records_(records) {
    tbb::parallel_for(uint64_t{0}, records, [&](uint64_t i) { records_[i] = {dag::cube_key(place(i)), i}; });
    tbb::parallel_sort(records_.begin(), records_.end());
    for (uint64_t i = 0; i < records; ++i)
      if (i == 0 || records_[i].cube != records_[i - 1].cube) {
        cubes_.push_back(records_[i].cube);
        starts_.push_back(i);
      }
    starts_.push_back(records);
  }

  const std::vector<uint64_t>& cubes() const { return cubes_; }  // ascending

  // Calls body(i) for the records in a cube, in the order of the file.
  template <class Body>
  void for_each_in(size_t cube, Body body) const {
    for (uint64_t i = starts_[cube]; i < starts_[cube + 1]; ++i) body(records_[i].record);
  }

 private:
  struct Record {
    uint64_t cube, record;
    // Written by hand, because clang-tidy 14 mistakes the body of a defaulted operator<=> for a null pointer.
    bool operator<(const Record& other) const {
      return cube != other.cube ? cube < other.cube : record < other.record;
    }
  };
  std::vector<Record> records_;
  std::vector<uint64_t> cubes_, starts_;
};

}  // namespace vox
