// The file of a round that ranks keep until their scene is complete (libvox/ranks/round_keeper.h). Only the
// program that wrote the file reads it, so it is made for speed: it is written and read at the disk's rate.
// docs/formats.md lists every word.
#pragma once

#include <filesystem>

#include "libvox/ranks/round_keeper.h"

namespace vox {

// Writes the file complete or not at all. `build` identifies the build: a sum over the facts that decide what
// is built.
void write_round(const rounds::Round& round, const ranks::Pieces& pieces, uint64_t build,
                 const std::filesystem::path& path);

// Reads the pieces from the head of the file. Throws Error that names the file if it belongs to another build
// or its length is not the one that its head states.
ranks::Pieces read_round_pieces(const std::filesystem::path& path, uint64_t build);

// Reads the whole round. Throws Error in the same cases, and if the checksum differs from the stored one or
// the round does not have this form.
rounds::Round read_round(const std::filesystem::path& path, uint64_t build, const rounds::RoundForm& form);

}  // namespace vox
