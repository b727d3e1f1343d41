// Writes a report as a page: one HTML file that needs nothing outside of it. Charts are SVG, pictures are
// PNG, and there is no script but that of a page within it. The page is light or dark as the reader's system is; it can be printed, and
// read on a phone.
//
//   HtmlPage page("village.h5", "45,972,702 voxels in 4096³");
//   page.section("Memory").figure("Hash tables", "Shorter is better.", draw(bars), table);
//   page.made_by({{"Command", "vox-stats …"}});
//   write_html(page, "report.html");
//
// All texts are plain text; the page escapes them.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "formats/pages/html_table.h"
#include "formats/pages/svg_chart.h"
#include "libvox/scene/scene.h"

namespace vox {

class HtmlPage {
 public:
  using Facts = std::vector<std::pair<std::string, std::string>>;

  HtmlPage(const std::string& title, const std::string& subtitle);

  HtmlPage& section(const std::string& title);
  HtmlPage& paragraph(const std::string& text);
  HtmlPage& facts(const Facts& facts);
  HtmlPage& picture(const scene::Image& image, const std::string& what_it_shows);
  // A whole page of its own within this one, with its scripts: formats/pages/scene_page.h makes such.
  HtmlPage& page_within(const std::string& html, const std::string& what_it_shows);
  // A chart and its numbers, side by side where there is room; `caption` says what to see.
  HtmlPage& figure(const std::string& title, const std::string& caption, const Chart& chart,
                   const HtmlTable& table);
  HtmlPage& table(const std::string& title, const HtmlTable& table);
  HtmlPage& made_by(const Facts& facts);  // shown at the end of the page

  std::string text() const;

 private:
  std::string title_, head_, body_, foot_;
  std::string scripts_;  // what the page's policy says of them
};

// Replaces what is at `path` once all is written. Throws Error that names the file.
void write_html(const HtmlPage& page, const std::filesystem::path& path);

}  // namespace vox
