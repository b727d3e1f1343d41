#include <cstdio>

#include "formats/mesh.h"
#include "libvox/base/error.h"
#include "libvox/dag/node.h"

// Fails to link unless the reader, and with it Assimp, came along.
int main() {
  try {
    vox::read_mesh("no such file.fbx");
  } catch (const vox::Error& error) {
    std::puts(error.what());
    return 0;
  }
  return 1;
}
