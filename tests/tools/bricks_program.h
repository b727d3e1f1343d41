// The fixture that tests of vox-convert with volumes share.
#pragma once

#include <string>

#include "tests/tools/program.h"

namespace vox {

// A volume of 20 x 14 x 9 voxels with a ball around its centre.
inline std::string ball(uint32_t scale) {
  std::string bytes;
  for (int z = 0; z < 9; ++z)
    for (int y = 0; y < 14; ++y)
      for (int x = 0; x < 20; ++x) {
        const int r = (x - 10) * (x - 10) + (y - 7) * (y - 7) + (z - 4) * (z - 4);
        bytes += static_cast<char>(r > 40 ? 0 : (40 - r) * static_cast<int>(scale));
      }
  return bytes;
}

class BricksProgram : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    if (!folder_.empty()) write("ball_20x14x9_uint8.raw", ball(6));
  }
  // Returns the bytes after the header.
  std::string values(const std::string& nrrd) const {
    const std::string bytes = read_bytes(folder_ / nrrd);
    return bytes.substr(bytes.find("\n\n") + 2);
  }
  // Returns a digest of the whole group /bricks.
  std::string bricks_digest(const std::string& file) const {
    return python("import h5py, hashlib\ng = h5py.File('" + file + R"(')['bricks']
print([(n, hashlib.sha1(g[n][()].tobytes()).hexdigest()) for n in g])
print(sorted((n, str(v)) for n, v in g.attrs.items())))");
  }
};

}  // namespace vox
