// The fixture that tests of scene pages share.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "formats/images/image.h"
#include "formats/scene/scene_file.h"
#include "tests/tools/program.h"

namespace vox {

// The driver reports that software graphics copy pictures, which does not concern the page.
constexpr const char* kOpen = R"(
import os, sys
from chromium import Chromium
def messages(page):
    return [m for m in page.messages if 'GPU stall due to ReadPixels' not in m]
def show(address):
    page.value('new Promise(done => { addEventListener("hashchange", done, {once: true}); location.hash = "%s" })' % address)
def picture(file, address):
    show(address + '&samples=1&ao=off')
    page.wait('voxPage.pace.finished > 0')
    page.drawn(file)
def load(name):
    print(name)
    page.open(name + '.html')
    page.wait('globalThis.voxPage')
    page.value('voxPage.settings.samples = 1')
def case(name, address):
    print(name)
    show(address + '&case=' + name)
def lose_graphics():
    page.value('globalThis.lose = voxPage.renderer.gl.getExtension("WEBGL_lose_context"), lose.loseContext()')
    page.wait('voxPage.renderer.gl.isContextLost() && document.body.innerText.includes("context was lost")')
    page.value('lose.restoreContext()')
    page.wait('!voxPage.renderer.gl.isContextLost() && !document.body.innerText.includes("context was lost")')
)";

struct View {
  std::string eye, target, fov;
};
using Choices = std::vector<std::pair<std::string, std::string>>;  // in the words of vox-render and the page

// Pictures of a scene from every view in every shade, with and without level of detail.
struct Series {
  std::string scene;
  std::vector<View> views;
  std::vector<std::string> shades;
  Choices choices;
};

class ScenePageTest : public CubesTest {
 protected:
  ScenePageTest() : CubesTest("vox-render") {}

  void make_village() const {
    ASSERT_EQ(scene({"village", "--seed", "3", "-o", "village.obj", "-q"}).code, 0);
    converted({"village.obj", "--res", "200", "-q"});
    printed({"village.h5", "-q", "--html", "village.html"});
  }

  // Runs Python lines in which `page` is a browser of 240 x 160 pixels, and returns their output.
  std::string browsed(const std::string& lines) const {
    write("chromium.py", chromium_driver());
    std::string indented = "    ";
    for (const char c : lines) indented += c == '\n' ? "\n    " : std::string(1, c);
    return python(fmt::format("{}with Chromium('{}', os.getcwd(), 240, 160) as page:\n{}\n", kOpen,
                              browser_name(), indented));
  }

  // Returns the share of pixels that differ by more than the rounding of a color.
  double share_of_different(const std::string& a, const std::string& b) const {
    const scene::Image one = read_image(folder_ / a), other = read_image(folder_ / b);
    if (one.width != other.width || one.height != other.height) return 1;
    size_t different = 0;
    const auto apart = [](uint8_t x, uint8_t y) { return std::abs(int{x} - int{y}) > 2; };
    for (size_t i = 0; i < one.pixels.size(); ++i) {
      const scene::Rgba8 p = one.pixels[i], q = other.pixels[i];
      different += apart(p.r, q.r) || apart(p.g, q.g) || apart(p.b, q.b);
    }
    return static_cast<double>(different) / static_cast<double>(one.pixels.size());
  }

  // Expects that each SCENE.html shows the same as pictures of SCENE.h5. One browser opens the pages, and then runs
  // these Python lines.
  void expect_pictures(const std::vector<Series>& series, const std::string& more = "") const {
    std::string lines = "\n", opened;
    std::vector<std::string> names;
    for (const Series& all : series) {
      if (all.scene != opened)
        lines += fmt::format("page.open('{}.html#samples=1&panel=off')\npage.wait('globalThis.voxPage')\n",
                             all.scene);
      opened = all.scene;
      for (const View& view : all.views)
        for (const std::string& shade : all.shades)
          for (const char* lod : {"on", "off"}) {
            const std::string name = fmt::format("{}-{}-{}-{}", all.scene, names.size(), shade, lod);
            take_picture(all.scene, name, view, shade, lod, all.choices);
            std::string address = fmt::format("eye={}&target={}&fov={}&shade={}&lod={}", view.eye,
                                              view.target, view.fov, shade, lod);
            for (const auto& [option, value] : all.choices) address += "&" + option + "=" + value;
            lines += fmt::format("picture('{}-page.png', '{}')\n", name, address);
            names.push_back(name);
          }
    }
    EXPECT_EQ(browsed(lines + more + "\nprint(messages(page))"), "[]\n");
    for (const std::string& name : names)
      EXPECT_LE(share_of_different(name + ".png", name + "-page.png"), 0.005) << name;
  }

 private:
  // Uses vox-render's defaults, except that a pixel has one sample and voxels have their own colors, because a
  // page has no mean colors.
  void take_picture(const std::string& scene, const std::string& name, const View& view,
                    const std::string& shade, const std::string& lod, const Choices& choices) const {
    const bool lit = shade == "material";
    std::vector<std::string> options = {scene + ".h5",
                                        "-q",
                                        "--size",
                                        "240x160",
                                        "--samples",
                                        "1",
                                        "-o",
                                        name + ".png",
                                        "--eye=" + view.eye,
                                        "--target=" + view.target,
                                        "--fov",
                                        view.fov,
                                        "--shade",
                                        shade,
                                        "--lod",
                                        lod};
    if (lit && lod == "on") options.insert(options.end(), {"--level-colors", "voxel"});
    if (!lit) options.insert(options.end(), {"--legend", "off"});
    for (const auto& [option, value] : choices) {
      if (!lit && (option != "normals" || shade != "normal")) continue;
      options.push_back("--" + option);
      if (option != "ground") options.push_back(value);
    }
    printed(options);
  }
};

}  // namespace vox
