// Reads and writes large arrays of words, of 32 or 64 bits, in an HDF5 file: one dimension, chunked, shuffled, deflated.
// The library runs its filters on one thread; here libdeflate compresses chunks on all threads, and they are
// handed over complete. Plain readers (h5py) see an ordinary dataset.
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
Object write_words(const Object& parent, const std::string& name, std::span<const uint64_t> words);

// Reads any layout and any filters that the library knows, in parallel where write_words() could have written
// them.
Words read_words(const Object& dataset);
LongWords read_long_words(const Object& dataset);

}  // namespace vox::h5
