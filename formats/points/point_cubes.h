// Sorts the points of a cloud by the cubes of 64³ voxels in which they fill voxels.
#pragma once

#include <tbb/enumerable_thread_specific.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "formats/points/cube_table.h"
#include "formats/points/point_cloud.h"
#include "formats/points/point_lattice.h"
#include "formats/points/voxel_sums.h"
#include "formats/voxels/voxel_file.h"

namespace vox {

// A first pass over the cloud counts the records of every cube. Each further pass takes as many consecutive
// cubes as fit into memory, and puts their records into one array, cube by cube. A cube whose records would
// take more memory than sums for all its voxels gets these sums instead, so no cube is too large.
class PointCubes {
 public:
  // `room` is the number of bytes that the points may take.
  PointCubes(PointCloud cloud, const PointLattice& lattice, uint64_t room);

  const std::vector<uint64_t>& cubes() const { return cubes_; }  // ascending

  size_t load(size_t begin, size_t end);  // see dag::CubeLoading

  void fill(size_t cube, VoxelSink& to) const;   // writes the voxels of a loaded cube, without colours
  void paint(size_t cube, VoxelSink& to) const;  // writes them with their mean colours

 private:
  static constexpr uint64_t kMostRecords = DenseSums::kBytes / sizeof(PointRecord);

  // A cube that is loaded or is being loaded.
  struct Loaded {
    uint64_t key;
    uint64_t next, end;  // in records_: the place of its next record, and the end of its part
    DenseSums* sums;     // null if it has records
  };

  bool is_dense(size_t cube) const { return counts_[cube] > kMostRecords; }
  uint64_t bytes_of(size_t cube) const {
    return is_dense(cube) ? DenseSums::kBytes : counts_[cube] * sizeof(PointRecord);
  }

  // A record on its way to its cube.
  struct Placed {
    uint64_t key;
    PointRecord record;
    size_t place = 0;  // the cube's index in loaded_
  };

  void count_records();
  void choose_cubes(size_t begin);
  void load_records();
  void put_all(std::vector<Placed>& records);
  void put(const Placed& placed);
  Int3 corner_of(size_t cube) const { return dag::cube_corner(cubes_[cube]); }
  template <class Body>
  void for_each_record(size_t cube, const Body& body) const;

  const PointCloud cloud_;
  const PointLattice lattice_;
  const uint64_t room_;
  std::vector<uint64_t> cubes_, counts_;  // counts_ has the number of records of each cube
  CubeTable places_;                      // the index of each cube in cubes_

  size_t first_ = 0;            // the first loaded cube
  std::vector<Loaded> loaded_;  // the cubes from first_ on
  std::unique_ptr<PointRecord[]> records_;
  std::vector<std::unique_ptr<DenseSums>> dense_;

  mutable tbb::enumerable_thread_specific<SparseSums> sparse_;
};

}  // namespace vox
