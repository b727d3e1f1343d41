#include "formats/results/report_file.h"

#include <span>

#include "formats/io/h5_new_file.h"
#include "libvox/base/error.h"

namespace vox {
namespace {

constexpr uint32_t kVersion = 1;

struct WriteValue {
  const h5::Object& object;
  const std::string& name;
  void operator()(const std::string& text) const { h5::write_text(object, name, text); }
  void operator()(bool yes) const { h5::write_attribute(object, name, uint64_t{yes}); }
  void operator()(auto number) const { h5::write_attribute(object, name, number); }
  template <class T>
  void operator()(const std::vector<T>& numbers) const {
    h5::write_attribute(object, name, std::span<const T>(numbers));
  }
};

void write_value(const h5::Object& object, const std::string& name, const std::string& unit,
                 const auto& value) {
  WriteValue{object, name}(value);
  if (!unit.empty()) h5::write_text(object, name + "_unit", unit);
}

struct WriteColumn {
  const h5::Object& group;
  const std::string name;
  h5::Object operator()(const std::vector<std::string>& texts) const {
    return h5::write_texts(group, name, texts);
  }
  template <class T>
  h5::Object operator()(const std::vector<T>& numbers) const {
    return h5::write_table(group, name, std::span<const T>(numbers), {numbers.size()});
  }
  h5::Object operator()(const std::vector<measure::ResultColumn::List>&) const {
    throw Error("a report holds no lists").at(group.where() + "/" + name);
  }
};

h5::Object group_at(const h5::Object& object, const std::string& name) {
  return h5::has_child(object, name) ? h5::open_group(object, name) : h5::create_group(object, name);
}

void write_column(const h5::Object& object, const measure::ResultColumn& column, std::string_view path,
                  measure::TableShape shape) {
  if (const size_t slash = path.find('/'); slash != std::string_view::npos)
    return write_column(group_at(object, std::string(path.substr(0, slash))), column, path.substr(slash + 1),
                        shape);
  const std::string name(path);
  std::visit(
      [&](const auto& values) {
        if (shape == measure::TableShape::Record)
          return write_value(object, name, column.unit, values.front());
        const h5::Object dataset = WriteColumn{object, name}(values);
        if (!column.unit.empty()) h5::write_text(dataset, "unit", column.unit);
      },
      column.values);
}

void write(const h5::Object& object, const measure::ResultGroup& group);

void write(const h5::Object& object, const measure::ResultGroup::Item& item,
           const measure::ResultGroup::Value& value) {
  std::visit([&](const auto& plain) { write_value(object, item.name.report, item.unit, plain); }, value);
}

void write_columns(const h5::Object& object, const measure::ResultGroup::Table& table) {
  for (const measure::ResultColumn& column : table.table.columns())
    if (!column.name.report.empty()) write_column(object, column, column.name.report, table.shape);
}

void write(const h5::Object& object, const measure::ResultGroup::Item& item,
           const measure::ResultGroup::Table& table) {
  if (table.shape == measure::TableShape::Record || item.name.report == ".")
    return write_columns(object, table);
  write_columns(group_at(object, item.name.report), table);
}

void write(const h5::Object& object, const measure::ResultGroup::Item& item,
           const measure::ResultGroup::Groups& groups) {
  if (groups.kind == measure::ResultGroup::Groups::Kind::List)
    throw Error("a report holds no lists").at(object.where() + "/" + item.name.report);
  if (item.name.report == ".") return write(object, groups.groups.front());
  write(group_at(object, item.name.report), groups.groups.front());
}

void write(const h5::Object& object, const measure::ResultGroup& group) {
  for (const measure::ResultGroup::Item& item : group.items())
    if (!item.name.report.empty())
      std::visit([&](const auto& content) { write(object, item, content); }, item.content);
}

}  // namespace

void write_report(const measure::ResultGroup& results, const std::filesystem::path& path) {
  h5::NewFile file(path);
  h5::write_text(file.root(), "format", "vox-report");
  h5::write_attribute(file.root(), "version", kVersion);
  write(file.root(), results);
  file.commit();
}

}  // namespace vox
