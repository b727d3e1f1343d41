// The variants of hash tables, by name, in the order in which they are shown. What each is made of is listed
// in make_tables_impl.h.
#pragma once

#include <string>
#include <vector>

namespace vox::hash {

std::vector<std::string> table_names();
// Throws UsageError unless there is a table of this name.
void check_table_name(const std::string& name);

}  // namespace vox::hash
