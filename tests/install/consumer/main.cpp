#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>

#include "formats/mesh/mesh.h"
#include "libvox/base/error.h"
#include "libvox/base/log_line.h"
#include "libvox/dag/node.h"

// Writes a triangle followed by one surplus byte, which causes a warning.
void write_stl(const char* path) {
  char bytes[80 + 4 + 50 + 1] = {};
  bytes[80] = 1;
  const float corners[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
  std::memcpy(bytes + 96, corners, sizeof(corners));
  std::ofstream(path, std::ios::binary).write(bytes, sizeof(bytes));
}

// The program links only if the package brings the reader and, with it, Assimp. Warnings reach only callers
// that ask for them: check.cmake checks that nothing is printed except the results.
int main() {
  write_stl("triangle.stl");
  vox::read_mesh("triangle.stl");
  int warnings = 0;
  vox::set_log_sink([&](vox::LogLevel, std::string_view) { ++warnings; });
  vox::read_mesh("triangle.stl");
  if (warnings != 1) return 1;
  try {
    vox::read_mesh("no such file.fbx");
  } catch (const vox::Error& error) {
    std::puts(error.what());
    return 0;
  }
  return 1;
}
