#include "libvox/device/cuda_device.cuh"
#include "libvox/measure/keys_bench_impl.h"

#ifdef VOX_HAS_CUCO
#include <thrust/iterator/transform_iterator.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cuco/static_map.cuh>
#include <memory>

// cuCollections' static_map as a table of the benchmark of voxel keys, in a build that was given its headers
// (VOX_BENCH_CUCO). It uses open addressing with 64-bit keys and 32-bit values, and is called for whole
// batches with its own choice of hash function, probing and memory. It works on CUDA's default stream. The
// default stream and the device's own stream wait for each other, so times are measured as for the other
// tables.
namespace vox::measure {

using CucoMap = cuco::static_map<uint64_t, uint32_t>;
using CucoPair = cuco::pair<uint64_t, uint32_t>;

struct PairOfCell {
  hash::CellFormat<uint64_t> format;
  __host__ __device__ CucoPair operator()(uint64_t cell) const {
    return CucoPair{format.key(cell), format.value(cell)};
  }
};

class CucoTable final : public hash::KeyTable<device::CudaDevice, uint64_t> {
 public:
  CucoTable(device::CudaDevice& device, const hash::KeyTableOptions& options)
      : KeyTable(device, with_limits_of_open(options)) {}

  void find_values(const uint64_t* keys, uint64_t n, uint32_t* values) const override {
    map_->find(keys, keys + n, values);
  }
  // static_map does not report slots, nor what a search reads.
  void find(const uint64_t*, uint64_t, uint32_t*) const override {
    throw Error("the table 'cuco' does not report its slots");
  }
  void count_sectors(const uint64_t*, uint64_t n, uint32_t* sectors) const override {
    device_.fill(sectors, n, 0u);
  }

 private:
  hash::KeyTableBuild build_cells(const uint64_t* cells, uint64_t n) override {
    map_.reset();
    const auto capacity =
        std::max<uint64_t>(1, static_cast<uint64_t>(std::ceil(static_cast<double>(n) / load_factor_)));
    map_ = std::make_unique<CucoMap>(capacity, cuco::empty_key<uint64_t>{hash::kEmptyCell<uint64_t>},
                                     cuco::empty_value<uint32_t>{hash::kNoValue});
    const auto pairs = thrust::make_transform_iterator(cells, PairOfCell{format_});
    return {.keys = static_cast<uint64_t>(map_->insert(pairs, pairs + static_cast<std::ptrdiff_t>(n)))};
  }

  // The map has no limits on its load factor, so those of the open-addressing table are used.
  static hash::KeyTableOptions with_limits_of_open(hash::KeyTableOptions options) {
    options.table = "open";
    return options;
  }

  uint64_t bytes_beside_cells() const override {
    return map_ ? static_cast<uint64_t>(map_->capacity()) * sizeof(CucoPair) : 0;
  }

  std::unique_ptr<CucoMap> map_;
};

template <>
struct CucoMaker<device::CudaDevice, uint64_t> {
  static std::unique_ptr<hash::KeyTable<device::CudaDevice, uint64_t>> make(
      device::CudaDevice& device, const hash::KeyTableOptions& options) {
    return std::make_unique<CucoTable>(device, options);
  }
};

}  // namespace vox::measure
#endif

namespace vox::measure {

template KeysBenchResult bench_keys_on(device::CudaDevice&, const KeysBenchOptions&);

}  // namespace vox::measure
