// Command lines of the commands other than training: a table each, one row per option.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ringlab {

struct ArgumentRow {
  std::string name;         ///< "--edge"
  bool takes_value = true;  ///< accepts `--edge 256` and `--edge=256`
  /// Receives the value ("" without one). `given` is the start of an error message: "pack: --edge 256".
  std::function<void(const std::string& given, const std::string& value)> set;
};

/// Numbers from `low` to `high`. `unit` ends the error message: " seconds". Rows keep a reference to `into`.
ArgumentRow number_row(std::string name, int& into, int low, int high);
ArgumentRow number_row(std::string name, uint64_t& into, uint64_t low, uint64_t high);
ArgumentRow number_row(std::string name, double& into, double low, double high, std::string unit = "");
ArgumentRow text_row(std::string name, std::string& into);
ArgumentRow switch_row(std::string name, bool& into);

/// Throws Failure of code `usage` with a one-line message that begins with the command's name. Arguments without two leading
/// dashes go to `positional`; if it is null, they are unknown options, too.
void parse_arguments(const std::string& command, const std::vector<std::string>& arguments, const std::vector<ArgumentRow>& rows,
                     const std::function<void(const std::string&)>& positional = {});

}  // namespace ringlab
