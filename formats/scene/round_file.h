// A file of a round that ranks keep (libvox/ranks/round_keeper.h), until the scene that it belongs to is whole. It is for
// the program that has written it alone, and is written and read at the disk's rate: docs/formats.md has every word.
#pragma once

#include <filesystem>

#include "libvox/ranks/round_keeper.h"

namespace vox {

// The round appears complete or not at all. `build` names what it belongs to, a sum over what that is made of.
void write_round(const rounds::Round& round, const ranks::Pieces& pieces, uint64_t build,
                 const std::filesystem::path& path);

// What the beginning of a file says. Throws Error that names the file where it is none of this build, or has not the
// length that it says.
ranks::Pieces read_round_pieces(const std::filesystem::path& path, uint64_t build);

// Reads all, and throws Error, too, where the sum over its bytes is another than when it was written, or the round has
// not this form.
rounds::Round read_round(const std::filesystem::path& path, uint64_t build, const rounds::RoundForm& form);

}  // namespace vox
