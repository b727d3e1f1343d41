// Reads and writes large arrays of 32-bit or 64-bit words in an HDF5 file. Each array is a dataset of one
// dimension, chunked, shuffled and deflated. All threads compress and inflate chunks. Other readers (h5py)
// see an ordinary dataset.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "formats/io/compression.h"
#include "formats/io/h5.h"
#include "libvox/base/words.h"

namespace vox::h5 {

// Throws Error if the HDF5 library lacks the filter for this compression.
void check_available(const Compression& compression);

// Returns the dataset, to which the caller may add attributes.
Object write_words(const Object& parent, const std::string& name, std::span<const uint32_t> words,
                   const Compression& compression);
Object write_words(const Object& parent, const std::string& name, std::span<const uint64_t> words,
                   const Compression& compression);

// Reads a dataset of any layout with any filters that the HDF5 library supports. A dataset that write_words()
// could have written is read in parallel.
Words read_words(const Object& dataset);
LongWords read_long_words(const Object& dataset);

// Returns the number of 32-bit words in the dataset without reading them.
uint64_t words_in(const Object& dataset);

}  // namespace vox::h5
