// Shows 3D Tiles of vox-convert with CesiumJS in Chromium with software graphics. VOX_CESIUM names the folder Build/Cesium of
// the npm package cesium, without which the test is skipped.
#include <cstdlib>
#include <string>

#include "tests/tools/browser.h"
#include "tests/tools/program.h"

namespace vox {
namespace {

// Two boxes beside each other, the one to the west red and the other one green.
std::string two_boxes() {
  std::string text = "mtllib two.mtl\n";
  const std::string faces[] = {"1 3 2", "2 3 4", "5 6 7", "6 8 7", "1 2 5", "2 6 5",
                               "3 7 4", "4 7 8", "1 5 3", "3 5 7", "2 4 6", "4 8 6"};
  for (const bool east : {false, true}) {
    for (int i = 0; i < 8; ++i)
      text += "v " + std::to_string((i & 1) * 4 + (east ? 6 : 0)) + ' ' + std::to_string((i >> 1 & 1) * 10) +
              ' ' + std::to_string((i >> 2 & 1) * 10) + '\n';
    text += east ? "usemtl green\n" : "usemtl red\n";
    for (const std::string& face : faces) {  // from behind the last vertex
      text += 'f';
      for (const char corner : face)
        text += corner == ' ' ? std::string() : " -" + std::to_string(9 - (corner - '0'));
      text += '\n';
    }
  }
  return text;
}

constexpr const char* kCesiumPage = R"(<!DOCTYPE html><meta charset="utf-8">
<style>body { margin: 0 } canvas { width: 320px; height: 240px }</style><div id="view"></div><script src="cesium/Cesium.js"></script><script type="module">
const widget = new Cesium.CesiumWidget('view', {baseLayer: false, globe: false, skyBox: false, skyAtmosphere: false,
  contextOptions: {webgl: {preserveDrawingBuffer: true}}});
widget.scene.backgroundColor = Cesium.Color.BLACK;
const provider = await Cesium.Cesium3DTilesVoxelProvider.fromUrl('tiles/tileset.json');
const customShader = new Cesium.CustomShader({fragmentShaderText: `void fragmentMain(FragmentInput fsInput,
  inout czm_modelMaterial material) {
  material.diffuse = fsInput.metadata.color.rgb; material.alpha = fsInput.metadata.color.a; }`});
const voxels = widget.scene.primitives.add(new Cesium.VoxelPrimitive({provider, customShader}));
voxels.nearestSampling = true;
const waiting = setInterval(() => {
  if (!voxels.ready) return;
  clearInterval(waiting);
  const {boundingSphere} = voxels;  // looked at from the south
  widget.camera.viewBoundingSphere(boundingSphere, new Cesium.HeadingPitchRange(0, -0.2, 2.5 * boundingSphere.radius));
  widget.camera.lookAtTransform(Cesium.Matrix4.IDENTITY);
}, 20);
globalThis.colors = places => {
  const gl = widget.canvas.getContext('webgl2'), pixel = new Uint8Array(4);
  return places.map(([x, y]) => {
    gl.readPixels(x, 239 - y, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
    return [...pixel.slice(0, 3)].join();
  }).join(' ');
};
</script>
)";

constexpr const char* kLook = R"(
import http.server
import threading
class Handler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass
server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
server.daemon_threads = True
threading.Thread(target=server.serve_forever, daemon=True).start()
# The west, the gap, the east and the sky.
shown = 'globalThis.colors?.([[112, 120], [160, 120], [208, 120], [6, 5]])'
with Chromium(browser, os.getcwd(), 320, 240) as page:
    page.visit('http://127.0.0.1:%d/page.html' % server.server_port)
    page.wait(shown + ' == "255,0,0 0,0,0 0,255,0 0,0,0"')
    print(page.value(shown), end='')
)";

class TilesPage : public ProgramTest {};

TEST_F(TilesPage, CesiumShowsTheVoxelsInTheirColors) {
  const char* cesium = std::getenv("VOX_CESIUM");
  if (cesium == nullptr || browser_name().empty()) GTEST_SKIP() << "no CesiumJS or no chromium";
  write("two.obj", two_boxes());
  write("two.mtl", "newmtl red\nKd 1 0 0\nnewmtl green\nKd 0 1 0\n");
  converted({"two.obj", "--res", "64", "-q"});
  converted({"two.h5", "-o", "tiles/tileset.json", "--origin", "48.2,16.4,180", "-q"});
  write("page.html", kCesiumPage);
  std::filesystem::create_directory_symlink(cesium, folder_ / "cesium");
  const std::string browser = "browser = '" + browser_name() + "'\n";
  EXPECT_EQ(python(chromium_driver() + browser + kLook), "255,0,0 0,0,0 0,255,0 0,0,0");
}

}  // namespace
}  // namespace vox
