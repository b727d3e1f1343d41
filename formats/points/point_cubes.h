// The points of a cloud by the cubes of 64³ voxels that they fill something of.
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

// A first pass over the cloud counts the records of every cube. A further one, for as many cubes in a row as there
// is room for, puts each record into its cube's part of one array. A cube of more records than memory for all its
// voxels would hold gets that instead, so that no cube is too large.
class PointCubes {
 public:
  // `room` is how many bytes the points may take.
  PointCubes(PointCloud cloud, const PointLattice& lattice, uint64_t room);

  const std::vector<uint64_t>& cubes() const { return cubes_; }  // ascending

  size_t load(size_t begin, size_t end);  // see dag::CubeLoading

  void fill(size_t cube, VoxelSink& to) const;   // the voxels of a cube that is loaded, without colours
  void paint(size_t cube, VoxelSink& to) const;  // with the mean colours

 private:
  static constexpr uint64_t kMostRecords = DenseSums::kBytes / sizeof(PointRecord);

  // A cube that is loaded, or is being loaded.
  struct Loaded {
    uint64_t key;
    uint64_t next, end;  // in records_: where its next record goes, and where those of the next cube begin
    DenseSums* sums;     // null where it has records
  };

  bool is_dense(size_t cube) const { return counts_[cube] > kMostRecords; }
  uint64_t bytes_of(size_t cube) const {
    return is_dense(cube) ? DenseSums::kBytes : counts_[cube] * sizeof(PointRecord);
  }

  // A record on its way to its cube.
  struct Placed {
    uint64_t key;
    PointRecord record;
    size_t place = 0;  // of the cube in loaded_
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
  std::vector<uint64_t> cubes_, counts_;  // of each cube, how many records
  CubeTable places_;                      // where in cubes_ each cube stands

  size_t first_ = 0;            // of the cubes that are loaded
  std::vector<Loaded> loaded_;  // from that on
  std::unique_ptr<PointRecord[]> records_;
  std::vector<std::unique_ptr<DenseSums>> dense_;

  mutable tbb::enumerable_thread_specific<SparseSums> sparse_;
};

}  // namespace vox
