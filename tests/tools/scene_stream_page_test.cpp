// Tests pages that load their scene from a web server, in Chromium with software graphics.
#include <fmt/format.h>

#include <cstring>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "tests/formats/pages/chunk_reader.h"
#include "tests/tools/program.h"
#include "tests/tools/scene_page_program.h"

namespace vox {
namespace {

namespace fs = std::filesystem;

// A web server that counts what it sends, waits before it answers, and loses connections.
constexpr const char* kServer = R"(
import http.server, socketserver, threading, time
class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads, bytes, wait, lose, paths = True, 0, 0, lambda self, path, times: False, []
    def __init__(self):
        super().__init__(('127.0.0.1', 0), Handler)
        self.lock, self.paths = threading.Lock(), []
        threading.Thread(target=self.serve_forever, daemon=True).start()
    def handle_error(self, request, address):
        pass
    def url(self, path):
        return 'http://127.0.0.1:%d/%s' % (self.server_port, path)
class Handler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass
    def end_headers(self):
        self.send_header('Cache-Control', 'no-cache')
        super().end_headers()
    def do_GET(self):
        with self.server.lock:
            self.server.paths.append(self.path)
            times = self.server.paths.count(self.path)
        if self.path.endswith('.voxc'):
            time.sleep(self.server.wait)
            if self.server.lose(self.path, times):
                self.connection.close()
                return
        super().do_GET()
    def copyfile(self, source, to):
        content = source.read()
        to.write(content)
        with self.server.lock:
            self.server.bytes += len(content)
server = Server()
complete = 'voxPage.renderer.stream.complete && voxPage.pace.finished > 0'
def visit(path):
    page.visit(server.url(path))
    page.wait('globalThis.voxPage')
def picture(file, address):
    show(address)
    page.wait(complete)
    page.drawn(file)
def stream(name):
    return page.value('voxPage.renderer.stream.' + name)
)";

constexpr const char* kSeen = "samples=1&panel=off&ao=off";

class SceneStreamPage : public ScenePageTest {
 protected:
  void make_town(const char* resolution = "800") const {
    ASSERT_EQ(scene({"village", "--seed", "3", "-o", "village.obj", "-q"}).code, 0);
    converted({"village.obj", "--res", resolution, "-q", "-o", "town.h5"});
    printed({"town.h5", "-q", "--html", "town/", "--stream"});
  }

  std::string served(const std::string& lines) const { return browsed(kServer + lines); }

  void take(const std::string& file, const View& view, std::vector<std::string> more) const {
    std::vector<std::string> options = {
        "town.h5", "-q",    "--size", "240x160",           "--samples",
        "1",       "-o",    file,     "--eye=" + view.eye, "--target=" + view.target,
        "--fov",   view.fov};
    options.insert(options.end(), more.begin(), more.end());
    printed(options);
  }
  static std::string address(const View& view) {
    return fmt::format("{}&eye={}&target={}&fov={}", kSeen, view.eye, view.target, view.fov);
  }

  // Returns the mean difference of two pictures' codes.
  double difference(const std::string& a, const std::string& b) const {
    const scene::Image one = read_image(folder_ / a), other = read_image(folder_ / b);
    EXPECT_EQ(one.pixels.size(), other.pixels.size());
    double sum = 0;
    for (size_t i = 0; i < one.pixels.size(); ++i) {
      const scene::Rgba8 p = one.pixels[i], q = other.pixels[i];
      sum += std::abs(int{p.r} - int{q.r}) + std::abs(int{p.g} - int{q.g}) + std::abs(int{p.b} - int{q.b});
    }
    return sum / 3 / static_cast<double>(one.pixels.size());
  }

  uint64_t bytes_of(const std::string& folder) const {
    uint64_t bytes = 0;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder_ / folder))
      if (entry.is_regular_file()) bytes += entry.file_size();
    return bytes;
  }
};

const View kFar = {"60,50,70", "0,5,0", "40"}, kStreet = {"4,3,16", "0,2,0", "60"},
           kBack = {"-20,90,-30", "1,0,2", "35"};

TEST_F(SceneStreamPage, HoldsTheVoxelsOfTheScene) {
  make_town("512");
  python(R"(
import glob, zlib
for file in glob.glob('town/chunks/*/*.voxc'):
    open(file + '.raw', 'wb').write(zlib.decompress(open(file, 'rb').read()))
)");
  const dag::VoxelScene town = read_scene(folder_ / "town.h5");
  ChunkReader reader(town, [&](const std::string& name) {
    const std::string bytes = read_bytes(folder_ / "town/chunks" / name.substr(0, 2) / (name + ".voxc.raw"));
    std::vector<uint32_t> words(bytes.size() / 4);
    std::memcpy(words.data(), bytes.data(), words.size() * 4);
    return words;
  });
  const std::string facts = read_bytes(folder_ / "town/scene.json"), top = json_value(facts, "top");
  reader.expect_scene(top.substr(1, top.size() - 2));
  EXPECT_EQ(std::to_string(reader.chunks()), json_value(facts, "chunks"));
  EXPECT_GT(reader.chunks(), 3u);
}

// The page comes back when its graphics were taken, and a page that is loaded again cancels what is out of sight.
TEST_F(SceneStreamPage, ShowsWhatPicturesShow) {
  if (browser_name().empty()) GTEST_SKIP() << "no chromium";
  make_town();
  std::string lines = fmt::format("visit('town/#{}')\n", kSeen);
  std::vector<std::string> names;
  for (const View& view : {kFar, kStreet, kBack})
    for (const std::string shade : {"material", "depth", "normal"})
      for (const std::string lod : {"on", "off"}) {
        if (lod == "off" && shade != "material") continue;
        const std::string name = fmt::format("{}-{}-{}", names.size(), shade, lod);
        std::vector<std::string> more = {"--shade", shade, "--lod", lod};
        if (shade != "material") more.insert(more.end(), {"--legend", "off"});
        take(name + ".png", view, more);
        lines +=
            fmt::format("picture('{}-page.png', '{}&shade={}&lod={}')\n", name, address(view), shade, lod);
        names.push_back(name);
      }
  EXPECT_EQ(served(lines + fmt::format(R"(
print(messages(page), len(server.paths) == len(set(server.paths)))
show('{0}')
page.wait(complete)
page.screenshot('before.png')
lose_graphics()
page.wait(complete)
page.screenshot('after.png')
server.wait = 3
page.visit(server.url('town/?again#{0}'))
page.wait('globalThis.voxPage && voxPage.renderer.stream.fetches > 1')
page.value('voxPage.settings.pose = {{eye: [0, 5000, 0], target: [0, 9000, 1], fov: 40}}, voxPage.changed()')
page.wait('voxPage.renderer.stream.cancelled > 0')
page.wait(complete)
print(stream('cancelled') > 0)
print(messages(page)))",
                                       address(kFar))),
            "[] True\nTrue\n[]\n");
  for (const std::string& name : names)
    EXPECT_LE(share_of_different(name + ".png", name + "-page.png"), 0.005) << name;
  EXPECT_EQ(share_of_different("before.png", "after.png"), 0);
}

// Nodes that are seen from afar have means of colors that pictures do not have, so only voxels are compared exactly.
// Another page begins with the view, the cut and the light that it is told of. A page that is opened as a file says
// what it needs.
TEST_F(SceneStreamPage, ShowsTheColorOfEachVoxelAndBeginsAsItIsTold) {
  if (browser_name().empty()) GTEST_SKIP() << "no chromium";
  make_town("300");
  const std::vector<std::string> look = {"--sun", "-1,0.6,0.2", "--ground",        "--exposure",
                                         "1.2",   "--clip",     "-8,-10,-8,8,20,8"};
  take("told.png", kFar, look);
  std::vector<std::string> page = {
      "town.h5", "-q",    "--html", "told", "--stream", "--eye=" + kFar.eye, "--target=" + kFar.target,
      "--fov",   kFar.fov};
  page.insert(page.end(), look.begin(), look.end());
  printed(page);
  printed({"cube.h5", "-q", "--html", "cube/", "--stream"});
  converted({"village.obj", "--res", "800", "--materials", "colors", "-q", "-o", "town.h5", "--force"});
  printed({"town.h5", "-q", "--html", "colors/", "--stream"});
  std::string lines = fmt::format("visit('colors/#{}')\n", kSeen);
  const std::vector<View> views = {kFar, kStreet, kBack};
  for (size_t i = 0; i < views.size(); ++i)
    for (const std::string lod : {"off", "on"}) {
      const std::string name = std::to_string(i) + lod;
      std::vector<std::string> more = {"--lod", lod};
      if (lod == "on") more.insert(more.end(), {"--level-colors", "voxel"});
      take(name + ".png", views[i], more);
      lines += fmt::format("picture('{}-page.png', '{}&lod={}')\n", name, address(views[i]), lod);
    }
  EXPECT_EQ(served(lines + R"(
print(messages(page), len(server.paths) == len(set(server.paths)))
print(page.value('voxPage.pick({x: 120.5, y: 80.5}).material > 15'))
visit('colors/?small#)" +
                   address(kStreet) + R"(&lod=off&memory=2')
page.wait(complete)
print(stream('memory') <= 2 << 20)
visit('told/')
page.value('voxPage.settings.samples = 1, voxPage.settings.occlusion = false')
page.value('document.body.classList.add("bare"), voxPage.changed()')
page.wait(complete)
page.screenshot('told-page.png')
print('the box from' in page.value('document.getElementById("shown").textContent'))
page.value('voxPage.settings.hidden = 0xffff, voxPage.changed()')
page.wait(complete)
print(page.value('voxPage.pick({x: 120.5, y: 80.5})'))
print(page.value('[...document.getElementById("mode").options].map(mode => mode.text).join()'))
page.open('cube/index.html')
page.wait('document.getElementById("message")?.innerText.includes("python3 -m http.server")')
print(messages(page)))"),
            "[] True\nTrue\nTrue\nTrue\nNone\nmaterial,normal,depth,level\n[]\n");
  for (size_t i = 0; i < views.size(); ++i) {
    const std::string name = std::to_string(i);
    EXPECT_LE(share_of_different(name + "off.png", name + "off-page.png"), 0.005) << name;
    EXPECT_LE(difference(name + "on.png", name + "on-page.png"), 6) << name;
  }
  EXPECT_LE(share_of_different("told.png", "told-page.png"), 0.005);
}

TEST_F(SceneStreamPage, LoadsWhatItsViewNeedsAndKeepsToItsMemory) {
  if (browser_name().empty()) GTEST_SKIP() << "no chromium";
  make_town("1200");
  const uint64_t all = bytes_of("town");
  std::vector<View> views;
  for (const char* target : {"-8,0,-8", "8,0,-8", "8,0,8", "-8,0,8", "-8,0,-8"}) {
    const std::string at = target;
    views.push_back({at.substr(0, at.find(',')) + ",30" + at.substr(at.rfind(',')), at + ".5", "6"});
  }
  std::string lines = fmt::format(R"(
server.wait = 0.05
visit('town/#{0}&eye=300,250,350&target=0,5,0')
page.wait('voxPage.pace.frames > 0')
first = server.bytes
page.wait(complete)
far = server.bytes
picture('near.png', '{0}&eye=4,3,16&target=0,2,0&fov=10')
print(first, far, server.bytes, stream('longest') < 1e4, len(server.paths) - len(set(server.paths)))
server.wait = 0
visit('town/?small#{0}&memory=2')
)",
                                  kSeen);
  for (size_t i = 0; i < views.size(); ++i) {
    take(fmt::format("{}.png", i), views[i], {});
    lines += fmt::format("picture('{}-page.png', '{}&memory=2')\n", i, address(views[i]));
  }
  std::istringstream words(served(lines + R"(
print(stream('memory') <= 2 << 20, stream('dropped') > 0, page.value('document.getElementById("loading").textContent'))
picture('all.png', 'samples=1&panel=off&ao=off&memory=2&eye=5,25,30&target=0,0,0&fov=60&lod=off')
print(stream('memory') <= 2 << 20, page.value('document.getElementById("loading").textContent'))
print(messages(page)))"));
  uint64_t first = 0, far = 0, near = 0;
  std::string is_short, twice, line, kept;
  words >> first >> far >> near >> is_short >> twice >> std::ws;
  while (std::getline(words, line)) kept += line + "\n";
  EXPECT_GT(first, 0u);
  EXPECT_LE(first, far);
  EXPECT_LT(far, near);
  EXPECT_LT(far, all / 2);
  EXPECT_LT(near, all);
  EXPECT_EQ(is_short + twice, "True0");
  EXPECT_EQ(kept, "True True \nTrue This view needs more memory than the page may take\n[]\n");
  for (size_t i = 0; i < views.size(); ++i)
    EXPECT_LE(share_of_different(fmt::format("{}.png", i), fmt::format("{}-page.png", i)), 0.005) << i;
}

// A chunk is missing or damaged after the connections were lost.
TEST_F(SceneStreamPage, TriesLostConnectionsAgainAndShowsTheLevelAboveAMissingChunk) {
  if (browser_name().empty()) GTEST_SKIP() << "no chromium";
  make_town();
  EXPECT_EQ(served(fmt::format(R"(
import glob, json, zlib
hits = '''JSON.stringify([...Array(24 * 16).keys()].map(i => voxPage.pick({{x: i % 24 * 10 + 5, y: Math.floor(i / 24) * 10 + 5}}) !== null))'''
log2 = 'JSON.stringify([...Array(24 * 16).keys()].map(i => voxPage.pick({{x: i % 24 * 10 + 5, y: Math.floor(i / 24) * 10 + 5}})?.log2 ?? 0))'
visit('town/#{0}')
page.wait(complete)
page.screenshot('whole.png')
whole, fine = json.loads(page.value(hits)), json.loads(page.value(log2))
last = [path for path in server.paths if path.endswith('.voxc')][-1]
server.paths, server.lose = [], lambda path, times: times <= 2
visit('town/?again#{0}')
page.wait(complete)
page.screenshot('again.png')
chunks = [path for path in server.paths if path.endswith('.voxc')]
print(len(chunks) == 3 * len(set(chunks)), page.value('document.getElementById("loading").hidden'))
server.lose = lambda path, times: False
content = open(last[1:], 'rb').read()
for damage in 'missing', 'damaged':
    if damage == 'missing': os.remove(last[1:])
    else: open(last[1:], 'wb').write(content[:-100])
    visit('town/?%s#{0}' % damage)
    page.wait(complete)
    page.screenshot(damage + '.png')
    text = page.value('document.getElementById("loading").textContent')
    print('A part of the scene is ' + damage in text, last[6:] in text, 'level above' in text)
    part, coarse = json.loads(page.value(hits)), json.loads(page.value(log2))
    print(sum(a and not b for a, b in zip(whole, part)), sum(a < b for a, b in zip(fine, coarse)) > 0)
)",
                               address(kStreet))),
            "True True\nTrue True True\n0 True\nTrue True True\n0 True\n");
  EXPECT_EQ(share_of_different("whole.png", "again.png"), 0);
  EXPECT_GT(share_of_different("whole.png", "missing.png"), 0);
  EXPECT_LT(share_of_different("whole.png", "missing.png"), 0.7);
  EXPECT_EQ(share_of_different("damaged.png", "missing.png"), 0);
}

TEST_F(SceneStreamPage, IsRefusedWithOptionsThatHaveNoEffect) {
  expect_failure(kBadUsage, "--stream has no effect", {"cube.h5", "--stream"});
  expect_failure(kBadUsage, "expected the name of a folder", {"cube.h5", "--html", "a.html", "--stream"});
  expect_failure(kBadUsage, "ends in .html, or a folder and --stream", {"cube.h5", "--html", "a"});
  expect_failure(kBadUsage, "--page-limit has no effect",
                 {"cube.h5", "--html", "a", "--stream", "--page-limit", "1M"});
  expect_failure(kBadUsage, "--page-memory has no effect",
                 {"cube.h5", "--html", "a.html", "--page-memory", "64M"});
  expect_failure(kBadUsage, "--shade sharing has no effect",
                 {"cube.h5", "--html", "a", "--stream", "--shade", "sharing"});
  fs::create_directories(folder_ / "a");
  write("a/notes.txt", "by hand");
  expect_failure(kFailed, "holds notes.txt, which vox did not write", {"cube.h5", "--html", "a", "--stream"});
  const Finished run = ran({"cube.h5", "--html", "a/", "--stream", "--force", "--json"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(read_bytes(folder_ / "a/notes.txt"), "by hand");
  EXPECT_EQ(json_value(run.out, "files"), "3");
  EXPECT_EQ(json_value(run.out, "chunks"), "1");
}

}  // namespace
}  // namespace vox
