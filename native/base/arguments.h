// The command lines of the commands beside training: a table each, one row an option.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ringlab {

struct ArgumentRow {
  std::string name;         ///< "--edge"
  bool takes_value = true;  ///< as `--edge 256` or `--edge=256`
  /// Takes the value ("" where there is none). `given` begins a complaint: "pack: --edge 256".
  std::function<void(const std::string& given, const std::string& value)> set;
};

/// Numbers from `low` to `high`. `unit` ends the complaint: " seconds". Rows refer to `into` as long as they live.
ArgumentRow number_row(std::string name, int& into, int low, int high);
ArgumentRow number_row(std::string name, uint64_t& into, uint64_t low, uint64_t high);
ArgumentRow number_row(std::string name, double& into, double low, double high, std::string unit = "");
ArgumentRow text_row(std::string name, std::string& into);
ArgumentRow switch_row(std::string name, bool& into);

/// Throws Failure of code `usage` whose one line begins with the command's name. What does not begin with two dashes goes to
/// `positional`; without one it is an unknown option, too.
void parse_arguments(const std::string& command, const std::vector<std::string>& arguments, const std::vector<ArgumentRow>& rows,
                     const std::function<void(const std::string&)>& positional = {});

}  // namespace ringlab
