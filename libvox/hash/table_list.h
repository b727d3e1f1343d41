// The names of the variants of hash tables, in the order in which they are shown. make_tables_impl.h lists
// what each is made of.
#pragma once

#include <string>
#include <vector>

namespace vox::hash {

std::vector<std::string> table_names();
// Throws UsageError unless there is a variant of this name.
void check_table_name(const std::string& name);

}  // namespace vox::hash
