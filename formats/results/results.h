// The results of a measurement as a tree of named values with units. formats/results/ writes the tree as
// JSON, as a report (HDF5), as rows (CSV), as text and as tables of a page. A new column is one line of code:
//
//   ResultGroup results;
//   results.set("device", "cpu").set("seconds", 1.5, "s");
//   results.table("rows")
//       .column("items", "items", rows, &Row::items, "Number of items in the table.")
//       .column("bytes", "bytes", rows, &Row::bytes, {.screen = {"MiB", Look::mib()}}, "Size of the table.");
//
// Views (views.h) arrange the columns of a table on a screen and in charts, and docs/results.md lists all fields with
// their units and sentences (fields_of()).
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <functional>
#include <list>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace vox {

// The names of a value in JSON and in reports. If a name is "", the value does not appear there. A group
// named "." is not a group of its own: its contents belong to the group around it. The name of a column
// may be a path: "pointers/most" is `most` in the group `pointers` of the row, or of the table.
struct ResultName {
  ResultName(const char* both) : json(both), report(both) {}
  ResultName(std::string both) : json(both), report(std::move(both)) {}
  ResultName(std::string in_json, std::string in_report)
      : json(std::move(in_json)), report(std::move(in_report)) {}

  std::string json, report;
  std::string view = {};  // for a column that is in neither: its name for views
  std::string word = {};  // the word for the name's last part in lists of fields (listed_as())
};
// For one of several similar names, such as one for each type of bricks. Lists of fields show them once, with a word
// such as TYPE for the last part, or with N for a number at the end. In a table by name, the word is for the keys.
inline ResultName listed_as(std::string word, ResultName name) {
  name.word = std::move(word);
  return name;
}
// These return names of values that are only in JSON, only in reports, or in neither, such as a column that
// only people see.
inline ResultName in_json(std::string name) {
  return {std::move(name), ""};
}
inline ResultName in_report(std::string name) {
  return {"", std::move(name)};
}
inline ResultName for_people(std::string view = "") {
  ResultName name = {"", ""};
  name.view = std::move(view);
  return name;
}

// The way in which a value is shown to people. Files hold all of its digits.
struct Look {
  enum class Form { Plain, Words, Color, Count, Bytes, Mib, Fixed };
  Form form = Form::Plain;
  int digits = 0;     // after the decimal point
  double factor = 1;  // the value is multiplied by this before it is shown

  static Look words() { return {Form::Words}; }  // a page may break the words into lines
  static Look color() { return {Form::Color}; }  // "#ff8000"; a page shows the color
  static Look count() { return {Form::Count}; }  // 12,345
  static Look bytes() { return {Form::Bytes}; }  // 12.06 KiB
  static Look mib() { return {Form::Mib}; }      // 0.01
  static Look fixed(int digits, double factor = 1) { return {Form::Fixed, digits, factor}; }
};

// The heading of a column for people. A column without a title is not shown. The unit stands after each
// number on a screen, and beside the title on a page.
struct Heading {
  enum class Weight { Plain, Total };
  std::optional<std::string> title = {};
  Look look = {};
  std::string unit = {};
  Weight weight = Weight::Plain;
};
struct Headings {
  Heading screen = {}, page = {};
};
inline Headings both(const Heading& heading) {
  return {heading, heading};
}

// A variant of numbers, texts and vectors that can be copied safely. For a variant of such types, libstdc++ 12
// assumes that it always has a value: if a copy runs out of memory, it destroys a value that has not been made. So
// the copy constructor copies the value that the variant holds, and makes a variant of it.
template <class... T>
struct ResultVariant : std::variant<T...> {
  using Base = std::variant<T...>;
  using Base::Base;
  ResultVariant(const ResultVariant& from)
      : Base(std::visit([](const auto& value) { return Base(value); }, static_cast<const Base&>(from))) {}
  ResultVariant(ResultVariant&&) noexcept = default;
  ResultVariant& operator=(const ResultVariant&) = default;
  ResultVariant& operator=(ResultVariant&&) noexcept = default;
  ~ResultVariant() = default;
};

struct ResultColumn {
  using List = std::vector<uint64_t>;
  using Values =
      ResultVariant<std::vector<uint64_t>, std::vector<double>, std::vector<std::string>, std::vector<List>>;

  ResultName name;
  std::string unit;
  Values values;  // lists are only for JSON
  Headings shown = {};
  // True for each row without a value. JSON leaves such a value out, text and pages show nothing, and a
  // report has 0 or "". Empty if all rows have a value.
  std::vector<bool> absent = {};
  std::string about = {};  // a sentence for docs/results.md

  size_t size() const {
    return std::visit([](const auto& rows) { return rows.size(); }, values);
  }
  bool has(size_t row) const { return absent.empty() || !absent[row]; }
  double number(size_t row) const;      // 0 if the values are texts
  std::vector<double> numbers() const;  // all rows' numbers, for charts
  const std::string& text(size_t row) const { return std::get<std::vector<std::string>>(values)[row]; }
};

namespace detail {

template <class T>
struct Kept {
  using Type = ResultColumn::List;
};
template <std::unsigned_integral T>
struct Kept<T> {
  using Type = uint64_t;
};
template <std::floating_point T>
struct Kept<T> {
  using Type = double;
};
template <std::convertible_to<std::string_view> T>
struct Kept<T> {
  using Type = std::string;
};
template <class T>
struct Kept<std::optional<T>> : Kept<T> {};

template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;

}  // namespace detail

// A function of a row, or a pointer to one of its members, that gives the row's value in a column.
template <class Get, class Rows>
concept ValueOfRow = requires(const Get& get, const std::ranges::range_value_t<Rows>& row) {
  std::invoke(get, row);
};

// A table: named columns of the same length.
class ResultTable {
 public:
  // `about` describes the column in a sentence.
  ResultTable& column(ResultName name, std::string unit, ResultColumn::Values values, Headings shown = {},
                      std::string about = "");
  ResultTable& column(ResultName name, std::string unit, ResultColumn::Values values, std::string about) {
    return column(std::move(name), std::move(unit), std::move(values), Headings(), std::move(about));
  }

  // Adds a column with get(row) for each row: an unsigned or a floating-point number, a text, a list, or one
  // of these as an optional.
  template <std::ranges::forward_range Rows, ValueOfRow<Rows> Get>
  ResultTable& column(ResultName name, std::string unit, const Rows& rows, const Get& get,
                      Headings shown = {}, std::string about = "") {
    using Got = std::decay_t<std::invoke_result_t<const Get&, const std::ranges::range_value_t<Rows>&>>;
    using Kept = typename detail::Kept<Got>::Type;
    std::vector<Kept> values;
    std::vector<bool> absent;
    for (const auto& row : rows) {
      const Got& got = std::invoke(get, row);
      if constexpr (detail::kIsOptional<Got>) {
        values.push_back(got ? Kept(*got) : Kept());
        absent.push_back(!got);
      } else {
        values.push_back(Kept(got));
      }
    }
    column(std::move(name), std::move(unit), std::move(values), std::move(shown), std::move(about));
    columns_.back().absent = std::move(absent);
    return *this;
  }
  template <std::ranges::forward_range Rows, ValueOfRow<Rows> Get, std::convertible_to<std::string> About>
  ResultTable& column(ResultName name, std::string unit, const Rows& rows, const Get& get,
                      const About& about) {
    return column(std::move(name), std::move(unit), rows, get, Headings(), about);
  }

  const std::vector<ResultColumn>& columns() const { return columns_; }
  // These return the column with this name in JSON, in a report or for views. If there is none, find() returns nullptr,
  // and [] throws std::out_of_range.
  const ResultColumn* find(std::string_view name) const;
  const ResultColumn& operator[](std::string_view name) const;
  size_t rows() const { return columns_.empty() ? 0 : columns_.front().size(); }

 private:
  std::vector<ResultColumn> columns_;
};

// The form of a table in JSON. Rows: as an array of objects. ByName: as an object of objects, with the first
// column as names. Record: the values of its only row become values of the group around it, in reports too.
enum class TableShape { Rows, ByName, Record };

class ResultGroup {
 public:
  using Value =
      ResultVariant<bool, uint64_t, double, std::string, std::vector<uint64_t>, std::vector<double>>;
  struct Table {
    ResultTable table;
    TableShape shape;
  };
  struct Groups {
    enum class Kind { One, List };  // lists are only for JSON
    Kind kind;
    std::list<ResultGroup> groups = {};
  };
  struct Item {
    ResultName name;
    std::string unit;  // only for values
    std::variant<Value, Table, Groups> content;
    std::string about = {};  // a sentence for docs/results.md; only for values
  };

  // Names are unique within a group. `about` describes the value in a sentence.
  ResultGroup& set(ResultName name, bool value, std::string about = "");
  ResultGroup& set(ResultName name, std::string_view value, std::string about = "");
  ResultGroup& set(ResultName name, const char* value, std::string about = "") {
    return set(std::move(name), std::string_view(value), std::move(about));
  }
  ResultGroup& set(ResultName name, double value, std::string unit = "", std::string about = "");
  ResultGroup& set(ResultName name, std::unsigned_integral auto value, std::string unit = "",
                   std::string about = "") {
    return add(std::move(name), std::move(unit), uint64_t{value}, std::move(about));
  }
  ResultGroup& set(ResultName name, std::vector<uint64_t> values, std::string unit = "",
                   std::string about = "");
  ResultGroup& set(ResultName name, std::vector<double> values, std::string unit = "",
                   std::string about = "");

  // The returned references stay valid while the group lives.
  ResultTable& table(ResultName name, TableShape shape = TableShape::Rows);
  ResultGroup& group(ResultName name);   // the group with this name, made if there is none
  ResultGroup& append(ResultName name);  // a new group at the end of the list with this name

  void put(ResultName name, ResultTable table, TableShape shape = TableShape::Rows) {
    this->table(std::move(name), shape) = std::move(table);
  }

  const std::list<Item>& items() const { return items_; }

 private:
  ResultGroup& add(ResultName name, std::string unit, Value value, std::string about);
  Groups& groups(ResultName name, Groups::Kind kind);

  std::list<Item> items_;
};

}  // namespace vox
