#include "formats/pages/html_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "formats/images/image.h"
#include "formats/io/output_file.h"
#include "libvox/base/json.h"

namespace vox {
namespace {

std::string base64(const std::string& bytes) {
  return to_base64({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
}

std::string facts_markup(const HtmlPage::Facts& facts) {
  std::string html = "<dl>\n";
  for (const auto& [name, value] : facts)
    html += fmt::format("<dt>{}</dt><dd>{}</dd>\n", escape_html(name), escape_html(value));
  return html + "</dl>\n";
}

std::string chart_markup(const Chart& chart) {
  std::string html = "<div class=\"chart\">\n";
  if (!chart.legend.empty()) {
    html += "<ul class=\"legend\">";
    for (const Chart::Key& key : chart.legend)
      html += fmt::format("<li><i class=\"{}\"></i>{}</li>", key.style, escape_html(key.name));
    html += "</ul>\n";
  }
  return html + chart.svg + "</div>\n";
}

std::string cell_markup(const HtmlCell& cell) {
  std::string html = escape_html(cell.text);
  if (cell.value) html = fmt::format("<data value=\"{}\">{}</data>", *cell.value, html);
  if (cell.swatch)
    html.insert(
        0, fmt::format("<i class=\"swatch\" style=\"background:{}\"></i>", scene::hex_name(*cell.swatch)));
  if (!cell.note.empty()) html += "<small>" + escape_html(cell.note) + "</small>";
  return html;
}

const char* style_of(HtmlTable::Kind kind) {
  constexpr const char* kStyles[] = {"", " class=\"long\"", " class=\"number\""};
  return kStyles[static_cast<int>(kind)];
}

// Returns the label that a phone shows beside the cell.
std::string label_of(const HtmlTable::Column& column) {
  return escape_html(column.unit.empty() ? column.title : column.title + ", " + column.unit);
}

constexpr std::string_view kReplacement = "\xef\xbf\xbd";  // U+FFFD

bool continues(char c) {
  return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}

// Returns the size of the text's first character in bytes; 0 if it is not allowed in a page.
size_t character_size(std::string_view text) {
  const Utf8Character first = first_character(text);
  return first.is_plain() || first.code == '\n' || first.code == '\t' ? first.size : 0;
}

}  // namespace

HtmlPage::HtmlPage(const std::string& title, const std::string& subtitle)
    : title_(escape_html(title)), subtitle_(escape_html(subtitle)) {}

HtmlPage& HtmlPage::section(const std::string& title) {
  body_ += fmt::format("<h2>{}</h2>\n", escape_html(title));
  return *this;
}

HtmlPage& HtmlPage::paragraph(const std::string& text) {
  body_ += fmt::format("<p>{}</p>\n", escape_html(text));
  return *this;
}

HtmlPage& HtmlPage::facts(const Facts& facts) {
  body_ += facts_markup(facts);
  return *this;
}

HtmlPage& HtmlPage::picture(const scene::Image& image, const std::string& what_it_shows) {
  const std::string words = escape_html(what_it_shows);
  body_ += fmt::format(
      "<figure class=\"picture\"><img width=\"{}\" height=\"{}\" alt=\"{}\" src=\"data:image/png;base64,{}\">"
      "<figcaption>{}</figcaption></figure>\n",
      image.width, image.height, words, base64(encode_png(image)), words);
  return *this;
}

HtmlPage& HtmlPage::page_within(const std::string& html, const std::string& what_it_shows) {
  const std::string words = escape_html(what_it_shows);
  body_ += fmt::format(
      "<figure class=\"picture\"><iframe title=\"{}\" sandbox=\"allow-scripts allow-downloads\" srcdoc=\"",
      words);
  body_ += escape_html(html);
  body_ += fmt::format("\"></iframe><figcaption>{}</figcaption></figure>\n", words);
  scripts_ =
      " blob:; script-src 'unsafe-inline'";  // an embedded page cannot have a laxer policy than this one
  return *this;
}

HtmlPage& HtmlPage::figure(const std::string& title, const std::string& caption, const Chart& chart,
                           const HtmlTable& table) {
  body_ += fmt::format(
      "<figure>\n<h3>{}</h3>\n<p class=\"caption\">{}</p>\n<div class=\"pair\">\n{}{}</div>\n</figure>\n",
      escape_html(title), escape_html(caption), chart_markup(chart), table.markup(title));
  return *this;
}

HtmlPage& HtmlPage::table(const std::string& title, const HtmlTable& table) {
  body_ += fmt::format("<h3>{}</h3>\n{}", escape_html(title), table.markup(title));
  return *this;
}

HtmlPage& HtmlPage::made_by(const Facts& facts) {
  foot_ = facts_markup(facts);
  return *this;
}

HtmlPage& HtmlPage::chapter(const HtmlPage& page, const std::string& anchor) {
  body_ += fmt::format("<h1 id=\"{}\">{}</h1>\n<p>{}</p>\n{}{}", escape_html(anchor), page.title_,
                       page.subtitle_, page.body_, page.foot_);
  if (!page.scripts_.empty()) scripts_ = page.scripts_;
  return *this;
}

HtmlPage& HtmlPage::contents(const Facts& chapters) {
  body_ += "<ul>\n";
  for (const auto& [anchor, text] : chapters)
    body_ += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", escape_html(anchor), escape_html(text));
  body_ += "</ul>\n";
  return *this;
}

std::string HtmlPage::text() const {
  // The policy keeps the page from loading anything, and from running anything but an embedded page, whatever
  // its texts hold.
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n{}"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
      "img-src data:{}\">\n"
      "<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n"
      "<header>\n<h1>{}</h1>\n<p>{}</p>\n</header>\n<main>\n{}</main>\n{}</body>\n</html>\n",
      kPageMark, scripts_, title_, html_style(), title_, subtitle_, body_,
      foot_.empty() ? "" : "<footer>\n" + foot_ + "</footer>\n");
}

bool is_page_of_vox(std::string_view file) {
  return file.substr(0, file.find("<title>")).find(kPageMark) != std::string_view::npos;
}

void write_html(const HtmlPage& page, const std::filesystem::path& path) {
  OutputFile file(path);
  file.write(page.text());
  file.commit();
}

// The colors s1 to s8 follow Okabe & Ito, "Color Universal Design" (2008): people who confuse red and green
// can tell them apart. Printed pages are light, whatever the screen is.
std::string_view html_style() {
  return R"(
:root {
  color-scheme: light dark;
  --page: #fcfcfb; --text: #1c1f24; --quiet: #5a616b; --line: #d9dce1; --soft: #f1f2f4; --accent: #0069a8;
  --s1: #0072b2; --s2: #e69f00; --s3: #009e73; --s4: #cc79a7; --s5: #d55e00; --s6: #56b4e9; --s7: #8a919c;
  --s8: #6f55a5;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --page: #15181c; --text: #e4e7eb; --quiet: #9ba3ae; --line: #353b44; --soft: #1e2329; --accent: #6cbcf0;
    --s1: #4aa8e0; --s2: #ecb54a; --s3: #2fc196; --s4: #dd9cc0; --s5: #f0803c; --s6: #9fd8f7; --s7: #8b94a0;
    --s8: #a893e4;
  }
}
@media print { :root { color-scheme: light; --page: #fff; } }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body {
  margin: 0; background: var(--page); color: var(--text);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", sans-serif;
}
main, header, footer { max-width: 80rem; margin: 0 auto; padding: 0 1.5rem; }
header { padding-top: 2.5rem; }
h1, h2, h3, p, dd, td, th, li { overflow-wrap: anywhere; }
h1 { font-size: 1.7rem; line-height: 1.2; font-weight: 650; letter-spacing: -.01em; margin: 0; }
header p { margin: .35rem 0 0; color: var(--quiet); font-variant-numeric: tabular-nums; }
main > dl:first-child { margin-top: 1.5rem; }
main > h1 { margin: 5rem 0 .35rem; padding-top: 1.2rem; border-top: 3px solid var(--line); }
a { color: var(--accent); }
h2 {
  font-size: 1.2rem; font-weight: 650; margin: 3rem 0 1rem; padding-top: .9rem; border-top: 1px solid var(--line);
}
h3 { font-size: 1rem; font-weight: 600; margin: 2rem 0 .2rem; }
figure h3 { margin-top: 0; }
p { margin: 0 0 1rem; max-width: 46rem; }
p.caption { color: var(--quiet); }
figure { margin: 0 0 2.5rem; break-inside: avoid; }
dl + figure { margin-top: 1.5rem; }
figure.picture img { display: block; width: 100%; height: auto; border-radius: 6px; }
figure.picture iframe { display: block; width: 100%; aspect-ratio: 16 / 9; border: 0; border-radius: 6px; }
figure.picture figcaption { color: var(--quiet); margin-top: .5rem; font-size: .9rem; }
figure.picture { margin-top: 1.5rem; }
.pair { display: grid; gap: 1.25rem 2.25rem; align-items: start; }
@media screen and (min-width: 62rem) {
  .pair { grid-template-columns: minmax(25rem, 1fr) fit-content(100%); }
  /* A table of eight columns has no room beside a chart. */
  .pair:has(thead th:nth-child(8)) { grid-template-columns: minmax(0, 1fr); }
}
.chart { max-width: 40rem; container-type: inline-size; }
.chart svg { display: block; width: 100%; height: auto; }
.legend { list-style: none; margin: 0 0 .6rem; padding: 0; display: flex; flex-wrap: wrap; gap: .15rem 1rem; }
.legend li { font-size: .85rem; white-space: nowrap; }
.legend i, .swatch {
  display: inline-block; width: .8em; height: .8em; margin-right: .45em; border-radius: 2px; vertical-align: -.05em;
  print-color-adjust: exact; -webkit-print-color-adjust: exact;
}
.swatch { width: 1.15em; height: 1.15em; vertical-align: -.22em; border: 1px solid var(--line); }
.legend i.rule { width: 0; border-left: 2px dashed var(--text); border-radius: 0; margin-right: .7em; }
i.s1 { background: var(--s1); } i.s2 { background: var(--s2); } i.s3 { background: var(--s3); }
i.s4 { background: var(--s4); } i.s5 { background: var(--s5); } i.s6 { background: var(--s6); }
i.s7 { background: var(--s7); } i.s8 { background: var(--s8); }
svg text {
  font-size: 11px; fill: var(--quiet); font-variant-numeric: tabular-nums;
  paint-order: stroke; stroke: var(--page); stroke-width: 3px; stroke-linejoin: round;
}
@container (min-width: 30rem) { svg text { font-size: 9px; } }
@container (min-width: 36rem) { svg text { font-size: 7.5px; } }
svg .grid { stroke: var(--line); stroke-width: 1; }
svg .rule { stroke: var(--text); stroke-width: 1.5; stroke-dasharray: 4 3; }
svg .s1 { --c: var(--s1); } svg .s2 { --c: var(--s2); } svg .s3 { --c: var(--s3); } svg .s4 { --c: var(--s4); }
svg .s5 { --c: var(--s5); } svg .s6 { --c: var(--s6); } svg .s7 { --c: var(--s7); } svg .s8 { --c: var(--s8); }
svg rect, svg circle { fill: var(--c); }
svg rect.own { stroke: var(--quiet); stroke-width: .5; }
svg circle { stroke: var(--page); stroke-width: 1; }
svg polyline { fill: none; stroke: var(--c); stroke-width: 1.75; stroke-linejoin: round; stroke-linecap: round; }
svg .area { fill: var(--c); opacity: .12; }
svg .whisker { stroke: var(--c); stroke-width: 1; opacity: .7; }
.scroll { overflow-x: auto; }
.scroll:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
table { border-collapse: collapse; font-size: .87rem; font-variant-numeric: tabular-nums; }
th, td { padding: .28rem .55rem; text-align: left; vertical-align: baseline; overflow-wrap: normal; }
th:first-child, td:first-child { padding-left: 0; }
th:last-child, td:last-child { padding-right: 0; }
thead th { font-weight: 500; color: var(--quiet); vertical-align: bottom; border-bottom: 1px solid var(--line); }
thead small { display: block; }
thead .number { white-space: normal; }
small { font-size: .88em; color: var(--quiet); font-weight: 400; }
td small { display: block; }
tbody th { font-weight: 500; white-space: nowrap; }
tbody th small { margin-left: .4em; }
tbody .long { white-space: normal; overflow-wrap: anywhere; min-width: 7rem; }
.number { text-align: right; white-space: nowrap; }
tbody tr + tr > * { border-top: 1px solid var(--soft); }
tbody tr.total > * { border-top: 1px solid var(--line); font-weight: 600; }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .25rem 1.5rem; margin: 0; max-width: 60rem; }
dt { color: var(--quiet); }
dd { margin: 0; font-variant-numeric: tabular-nums; white-space: pre-line; }
footer { padding-top: 1rem; padding-bottom: 3rem; font-size: .85rem; }
footer dl { margin-top: 3rem; padding-top: 1rem; border-top: 1px solid var(--line); max-width: none; }
@media screen and (max-width: 40rem) {
  main, header, footer { padding-left: 1rem; padding-right: 1rem; }
  h1 { font-size: 1.35rem; }
  header { padding-top: 1.5rem; }
  dl { grid-template-columns: minmax(0, 1fr); gap: 0; }
  dd { margin-bottom: .6rem; }
  table { font-size: .8rem; }
  th, td { padding-left: .22rem; padding-right: .22rem; }
  .long { min-width: 5rem; }
  table.wide, .wide tbody { display: block; font-size: .85rem; }
  .wide thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .wide tr { display: grid; grid-template-columns: repeat(auto-fill, minmax(8.5rem, 1fr)); gap: 0 1.5rem; padding: .5rem 0; }
  .wide tbody tr + tr { border-top: 1px solid var(--line); }
  .wide tbody tr > * { border: 0; padding: .1rem 0; }
  .wide tbody th { grid-column: 1 / -1; white-space: normal; font-weight: 600; }
  .wide tbody td { display: flex; flex-wrap: wrap; justify-content: space-between; column-gap: .6rem; text-align: left; }
  .wide tbody th::before { content: attr(data-label) " "; color: var(--quiet); font-weight: 400; }
  .wide tbody td > data { margin-left: auto; }
  .wide tbody td::before { content: attr(data-label); color: var(--quiet); font-weight: 400; }
  .wide tbody td small { flex-basis: 100%; text-align: right; }
}
@media print {
  body { font-size: 10pt; }
  .scroll { overflow: visible; }
  table { font-size: 8pt; line-height: 1.3; }
  th, td { padding-left: .35rem; padding-right: .35rem; }
  tr { break-inside: avoid; }
  h2, h3 { break-after: avoid; }
  h2 { margin-top: 1.5rem; }
  header, footer { padding-top: 0; padding-bottom: 0; }
  footer dl { margin-top: 1rem; }
  figure { margin-bottom: 1.25rem; }
  .chart { max-width: 8cm; }
  .pair { grid-template-columns: 8cm minmax(0, 1fr); gap: .5cm .8cm; }
  .pair:has(.wide) { grid-template-columns: minmax(0, 1fr); }
}
)";
}

HtmlTable& HtmlTable::row(std::vector<HtmlCell> cells) {
  rows_.push_back({std::move(cells), ""});
  return *this;
}

HtmlTable& HtmlTable::total(std::vector<HtmlCell> cells) {
  rows_.push_back({std::move(cells), " class=\"total\""});
  return *this;
}

// Estimates the width from the number of characters, each as wide as a digit.
HtmlTable::Fit HtmlTable::fit() const {
  constexpr double kPhone = 350, kCharacter = 7.8, kPadding = 7.1;  // CSS pixels
  constexpr size_t kWords = 12;                                     // words are broken into lines
  constexpr size_t kSwatch = 3;
  double width = 0;
  for (size_t i = 0; i < columns_.size(); ++i) {
    size_t most = character_count(columns_[i].unit);
    for (const Row& row : rows_) {
      if (i >= row.cells.size()) continue;
      const HtmlCell& cell = row.cells[i];
      const size_t note = character_count(cell.note);
      const size_t text = character_count(cell.text) + (cell.swatch ? kSwatch : 0);
      most = std::max(most, i == 0 ? text + note : std::max(text, note));
    }
    if (columns_[i].kind == Kind::Words) most = std::min(most, kWords);
    const std::string& title = columns_[i].title;  // it may be broken between words
    for (size_t begin = 0, end; begin < title.size(); begin = end + 1) {
      end = std::min(title.find(' ', begin), title.size());
      most = std::max(most, end - begin);
    }
    width += static_cast<double>(most) * kCharacter + kPadding;
  }
  return width > kPhone ? Fit::Screen : Fit::Phone;
}

std::string HtmlTable::head() const {
  std::string html = "<thead><tr>";
  for (const Column& column : columns_) {
    html += fmt::format("<th scope=\"col\"{}>{}", style_of(column.kind), escape_html(column.title));
    if (!column.unit.empty()) html += fmt::format(" <small>{}</small>", escape_html(column.unit));
    html += "</th>";
  }
  return html + "</tr></thead>\n";
}

std::string HtmlTable::body(Fit fit) const {
  std::string html = "<tbody>\n";
  for (const Row& row : rows_) {
    html += fmt::format("<tr{}>", row.style);
    for (size_t i = 0; i < columns_.size(); ++i) {
      const std::string content = i < row.cells.size() ? cell_markup(row.cells[i]) : "";
      std::string attributes = style_of(columns_[i].kind);
      if (fit == Fit::Screen) attributes += " data-label=\"" + label_of(columns_[i]) + "\"";
      html += i > 0 ? fmt::format("<td{}>{}</td>", attributes, content)
                    : fmt::format("<th scope=\"row\"{}>{}</th>", attributes, content);
    }
    html += "</tr>\n";
  }
  return html + "</tbody>\n";
}

std::string HtmlTable::markup(const std::string& caption) const {
  const Fit fits = fit();
  // If the table is still wider than the page, it can be reached and scrolled with the keyboard.
  return fmt::format(
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
      "aria-label=\"{}\">\n<table{}>\n{}{}</table>\n</div>\n",
      escape_html(caption), fits == Fit::Screen ? " class=\"wide\"" : "", head(), body(fits));
}

std::string escape_html(std::string_view text) {
  std::string html;
  while (!text.empty()) {
    const size_t size = character_size(text);
    html += text[0] == '&'    ? "&amp;"
            : text[0] == '<'  ? "&lt;"
            : text[0] == '>'  ? "&gt;"
            : text[0] == '"'  ? "&quot;"
            : text[0] == '\'' ? "&#39;"
            : size == 0       ? kReplacement
                              : text.substr(0, size);
    text.remove_prefix(size == 0 ? 1 : size);
  }
  return html;
}

size_t character_count(std::string_view text) {
  size_t count = 0;
  for (const char c : text) count += continues(c) ? 0 : 1;
  return count;
}

std::string shortened(std::string_view text, size_t most) {
  if (character_count(text) <= most) return std::string(text);
  size_t end = 0;
  for (size_t count = 0; end < text.size(); ++end)
    if (!continues(text[end]) && ++count == most) break;
  return std::string(text.substr(0, end)) + "…";
}

std::string to_base64(std::span<const uint8_t> bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const auto byte = [&](size_t at) -> uint32_t { return at < bytes.size() ? bytes[at] : 0; };
    const uint32_t word = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
    for (size_t digit = 0; digit < 4; ++digit)
      text += i + digit <= bytes.size() ? kDigits[word >> (18 - 6 * digit) & 63] : '=';
  }
  return text;
}

}  // namespace vox
