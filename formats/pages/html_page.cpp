#include "formats/pages/html_page.h"

#include <fmt/format.h>

#include "formats/images/png_writer.h"
#include "formats/io/output_file.h"
#include "formats/pages/base64.h"
#include "formats/pages/html_style.h"
#include "formats/pages/html_text.h"

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

}  // namespace

HtmlPage::HtmlPage(const std::string& title, const std::string& subtitle)
    : title_(escape_html(title)),
      head_(fmt::format("<header>\n<h1>{}</h1>\n<p>{}</p>\n</header>\n", title_, escape_html(subtitle))) {}

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
  foot_ = "<footer>\n" + facts_markup(facts) + "</footer>\n";
  return *this;
}

std::string HtmlPage::text() const {
  // The policy keeps the page from loading anything, and from running anything but an embedded page, whatever
  // its texts hold.
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"generator\" content=\"vox\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
      "img-src data:{}\">\n"
      "<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n{}<main>\n{}</main>\n{}</body>\n</html>\n",
      scripts_, title_, html_style(), head_, body_, foot_);
}

void write_html(const HtmlPage& page, const std::filesystem::path& path) {
  OutputFile file(path);
  file.write(page.text());
  file.commit();
}

}  // namespace vox
