#include "formats/results/report_file.h"

#include <span>

#include "formats/io/h5.h"
#include "libvox/base/atomic_file.h"

namespace vox {
namespace {

constexpr uint32_t kVersion = 1;

struct WriteValue {
  const h5::Object& object;
  const std::string& name;
  void operator()(const std::string& text) const { h5::write_text(object, name, text); }
  void operator()(auto number) const { h5::write_attribute(object, name, number); }
};

struct WriteColumn {
  const h5::Object& group;
  const std::string& name;
  h5::Object operator()(const std::vector<std::string>& texts) const {
    return h5::write_texts(group, name, texts);
  }
  template <class T>
  h5::Object operator()(const std::vector<T>& numbers) const {
    return h5::write_table(group, name, std::span<const T>(numbers), {numbers.size()});
  }
};

void write_group(const ReportGroup& group, const h5::Object& object) {
  for (const auto& attribute : group.attributes()) {
    std::visit(WriteValue{object, attribute.name}, attribute.value);
    if (!attribute.unit.empty()) h5::write_text(object, attribute.name + "_unit", attribute.unit);
  }
  for (const auto& column : group.columns()) {
    const h5::Object dataset = std::visit(WriteColumn{object, column.name}, column.values);
    if (!column.unit.empty()) h5::write_text(dataset, "unit", column.unit);
  }
  for (const ReportGroup& inner : group.groups()) write_group(inner, h5::create_group(object, inner.name()));
}

}  // namespace

ReportGroup& ReportGroup::set(std::string name, double value, std::string unit) {
  attributes_.push_back({std::move(name), std::move(unit), value});
  return *this;
}

ReportGroup& ReportGroup::set(std::string name, std::string_view value) {
  attributes_.push_back({std::move(name), "", std::string(value)});
  return *this;
}

ReportGroup& ReportGroup::column(std::string name, Values values, std::string unit) {
  columns_.push_back({std::move(name), std::move(unit), std::move(values)});
  return *this;
}

ReportGroup& ReportGroup::group(std::string_view name) {
  for (ReportGroup& group : groups_)
    if (group.name_ == name) return group;
  groups_.emplace_back().name_ = name;
  return groups_.back();
}

void write_report(const Report& report, const std::filesystem::path& path) {
  h5::Quiet quiet;
  AtomicFile target(path);
  h5::Object file = h5::create_file(target.path(), path.string());
  h5::write_text(file, "format", "vox-report");
  h5::write_attribute(file, "version", kVersion);
  write_group(report, file);
  h5::close_file(std::move(file));
  target.commit();
}

}  // namespace vox
