// Large arrays of 32-bit words in an HDF5 file: one dimension, chunked, shuffled, deflated. The library runs
// its filters on one thread; here chunks are compressed by libdeflate on all of them and handed over
// complete. Plain readers (h5py) see an ordinary dataset.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "formats/io/h5.h"
#include "libvox/base/words.h"

namespace vox::h5 {

// Returns the dataset, for attributes.
Object write_words(const Object& parent, const std::string& name, std::span<const uint32_t> words);

// Reads any layout and any filters that the library knows, in parallel where they are those of write_words().
Words read_words(const Object& dataset);

}  // namespace vox::h5
