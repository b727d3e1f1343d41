// The names of the variants of hash tables, in the order in which they are shown. make_tables_impl.h lists
// the variants themselves.
#pragma once

#include <string>
#include <vector>

namespace vox::hash {

std::vector<std::string> table_names();
// Throws UsageError if there is no variant of this name.
void check_table_name(const std::string& name);

}  // namespace vox::hash
