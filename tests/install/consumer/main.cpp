#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>

#include "formats/mesh/mesh.h"
#include "libvox/base/error.h"
#include "libvox/base/log_line.h"
#include "libvox/dag/node.h"

// A triangle, and a byte too many: worth a warning.
void write_stl(const char* path) {
  char bytes[80 + 4 + 50 + 1] = {};
  bytes[80] = 1;
  const float corners[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
  std::memcpy(bytes + 96, corners, sizeof(corners));
  std::ofstream(path, std::ios::binary).write(bytes, sizeof(bytes));
}

// Fails to link unless the reader, and with it Assimp, came along. Warnings reach who asks for them, and
// nobody else: check.cmake looks that nothing but the results is printed.
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
