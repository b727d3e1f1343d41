// The only way of a program's text to stdout and stderr. Names, notes and messages hold text of files, so that everything
// is escaped on its way (libvox/base/plain_text.h), also where the output is no terminal: equal runs print equal text.
#pragma once

#include <cstdio>
#include <string_view>

namespace vox {

// Opens /dev/null for each of descriptors 0 to 2 that the process was started without, the wrong way round: reading
// and writing fail there as on a closed one, and no file that is opened later gets its number.
void occupy_closed_streams();

// Prints a result on stdout at once. Throws Error where it cannot be written, as on a full disk.
void print_result(std::string_view text);

// Prints lines on stderr. Where that fails there is nobody left to tell.
void print_message(std::string_view text);

}  // namespace vox
