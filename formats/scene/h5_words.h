// Reads and writes large arrays of words, of 32 or 64 bits, in an HDF5 file: one dimension, chunked, shuffled,
// deflated. Chunks are compressed and inflated on all threads. Plain readers (h5py) see an ordinary dataset.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "formats/io/compression.h"
#include "formats/io/h5.h"
#include "libvox/base/words.h"

namespace vox::h5 {

// Throws Error where the library cannot compress so.
void check_available(const Compression& compression);

// Returns the dataset, for attributes.
Object write_words(const Object& parent, const std::string& name, std::span<const uint32_t> words,
                   const Compression& compression);
Object write_words(const Object& parent, const std::string& name, std::span<const uint64_t> words,
                   const Compression& compression);

// Reads any layout and any filters that the library knows, in parallel where write_words() could have written
// them.
Words read_words(const Object& dataset);
LongWords read_long_words(const Object& dataset);

// How many words of 32 bits the dataset has, none of which is read.
uint64_t words_in(const Object& dataset);

}  // namespace vox::h5
