#include "formats/pages/html_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "formats/pages/html_text.h"

namespace vox {
namespace {

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

}  // namespace

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

}  // namespace vox
