#include "options/options.h"

#include <algorithm>

#include "base/error.h"
#include "base/suggest.h"
#include "models/published_weights.h"
#include "options/combinations.h"
#include "options/option_table.h"

namespace ringlab {
namespace {

const OptionRow* find_row(const std::vector<OptionRow>& rows, const std::string& name) {
  for (const auto& row : rows) {
    if (std::find(row.names.begin(), row.names.end(), name) != row.names.end()) return &row;
  }
  return nullptr;
}

[[noreturn]] void unknown_option(const std::vector<OptionRow>& rows, const std::string& name) {
  std::vector<std::string> names = {"--help", "--version"};
  for (const auto& row : rows) {
    for (const auto& known : row.names) {
      if (known.rfind("--", 0) == 0 || name.size() <= 2) names.push_back(known);
    }
  }
  throw Failure(ErrorCode::usage, name + ": unknown option; nearest: " + join(nearest(name, names, 3)));
}

/// main.py's --pretrained has no value, and downloads.
[[noreturn]] void explain_pretrained(const std::vector<std::string>& arguments) {
  std::string arch = Options{}.arch;
  for (size_t i = 0; i + 1 < arguments.size(); ++i) {
    if ((arguments[i] == "-a" || arguments[i] == "--arch") && !published_weights_file(arguments[i + 1]).empty()) arch = arguments[i + 1];
  }
  const std::string file = published_weights_file(arch);
  throw Failure(ErrorCode::usage, "--pretrained: takes a file and then DIR; main.py's downloads, this one does not: get " + std::string(kPublishedWeightsUrl) + file + " and give --pretrained " + file + " DIR");
}

std::string wrapped(const std::string& text, size_t indent, size_t width) {
  std::string out;
  size_t column = indent;
  size_t at = 0;
  while (at < text.size()) {
    size_t end = text.find(' ', at);
    if (end == std::string::npos) end = text.size();
    const std::string word = text.substr(at, end - at);
    if (column > indent && column + 1 + word.size() > width) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
    at = end + 1;
  }
  return out + "\n";
}

/// The option's value as typed by a user; "null" if it was not given.
std::string value_text(const OptionRow& row, const Options& options) {
  JsonObject value;
  row.get(options, value, "d");
  std::string text = value.str();  // {"d":value}
  text = text.substr(5, text.size() - 6);
  if (text.size() >= 2 && text.front() == '"') text = text.substr(1, text.size() - 2);
  return text;
}

}  // namespace

Options parse_options(const std::vector<std::string>& arguments, const std::vector<std::string>& architectures) {
  const auto rows = option_table(architectures);
  Options options;
  bool have_dir = false;
  bool only_positional = false;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (argument == "--" && !only_positional) {
      only_positional = true;
      continue;
    }
    if (only_positional || argument.size() < 2 || argument[0] != '-') {
      if (have_dir) throw Failure(ErrorCode::usage, argument + ": one data folder only, and " + options.dir + " is given already");
      if (argument.empty()) throw Failure(ErrorCode::usage, "DIR is empty: give the folder that holds the data");
      options.dir = argument;
      have_dir = true;
      continue;
    }
    std::string name = argument;
    std::string value;
    bool inline_value = false;
    if (argument[1] == '-') {
      const size_t equals = argument.find('=');
      if (equals != std::string::npos) {
        name = argument.substr(0, equals);
        value = argument.substr(equals + 1);
        inline_value = true;
      }
    } else if (argument.size() > 2 && find_row(rows, argument) == nullptr) {  // -b32
      name = argument.substr(0, 2);
      value = argument.substr(2);
      inline_value = true;
    }
    const OptionRow* row = find_row(rows, name);
    if (row == nullptr) unknown_option(rows, inline_value && argument[1] != '-' ? argument : name);
    if (row->metavar.empty()) {
      if (inline_value) throw Failure(ErrorCode::usage, name + " takes no value, and got '" + value + "'");
    } else if (!inline_value && !row->words.empty()) {
      const bool follows = i + 1 < arguments.size() && std::find(row->words.begin(), row->words.end(), arguments[i + 1]) != row->words.end();
      value = follows ? arguments[++i] : row->words.front();
    } else if (!inline_value) {
      const bool last = i + 1 == arguments.size();
      if (name == "--pretrained" && (last || (arguments[i + 1].size() > 1 && arguments[i + 1][0] == '-'))) explain_pretrained(arguments);
      if (last) throw Failure(ErrorCode::usage, name + ": its value " + row->metavar + " is missing");
      value = arguments[++i];
    }
    row->set(options, name, value);
  }
  if (!have_dir && !options.dummy && !options.pretrained.empty()) explain_pretrained(arguments);
  if (!have_dir && !options.dummy) throw Failure(ErrorCode::usage, "DIR is missing: give the folder that holds the data, or --dummy (ringlab-train --help)");
  check_combinations(options);
  return options;
}

std::string help_text(const std::vector<std::string>& architectures) {
  std::string out =
      "usage: ringlab-train [options] DIR | --dummy [DIR]\n"
      "       ringlab-train classify CHECKPOINT IMAGE [--top N]\n"
      "       ringlab-train module-prefix on|off FROM TO\n"
      "       ringlab-train python-engine FILE\n"
      "       ringlab-train try-patterns\n"
      "       ringlab-train make-shapes DIR [--train N] [--val N] [--size PX] [--classes N] [--seed N]\n"
      "                                 [--task easy|hard|classes100]\n"
      "       ringlab-train pack DIR [--edge PX] [--out FOLDER] [--workers N]\n"
      "       ringlab-train monitor [--metrics FILE] [--interval SECONDS] [--watch-pid PID]...\n"
      "                             [--watch-pid-file FILE]... [--disk DIR]\n"
      "       ringlab-train collect --rank RANK=RANKDIR:WORKDIR... [--output FILE]...\n"
      "                             [--patterns FILE] [--attempt N]\n"
      "       ringlab-train probe --listen HOST:PORT | --connect HOST:PORT [--seconds S]\n"
      "                           [--secret-file FILE] [--probes N] [--connect-timeout S]\n"
      "       ringlab-train link SOCKET\n"
      "       ringlab-train supervise [--restarts-per-hour N] [--wait SECONDS] -- OPTIONS DIR\n"
      "       ringlab-train facts [--load]\n"
      "       ringlab-train --version\n\n"
      "Trains an image classifier on one process or on several that average their gradients. The options are\n"
      "those of PyTorch's examples/imagenet/main.py, extended. DIR holds one of: train/<class>/*.jpg and\n"
      "val/<class>/*.jpg (or .png); MNIST's or Fashion-MNIST's four IDX files (or .gz); CIFAR-10 or CIFAR-100,\n"
      "binary version; what `pack` made.\n";
  std::string group;
  for (const auto& row : option_table(architectures)) {
    if (row.group != group) {
      group = row.group;
      out += "\n" + group + "\n";
    }
    std::vector<std::string> names(row.names.rbegin(), row.names.rend());
    std::string left = "  " + join(names) + (row.metavar.empty() ? "" : " " + (row.words.empty() ? row.metavar : "[" + row.metavar + "]"));
    constexpr size_t kColumn = 34;
    left = left.size() + 2 > kColumn ? left + "\n" + std::string(kColumn, ' ') : left + std::string(kColumn - left.size(), ' ');
    std::string help = row.help;
    const size_t mark = help.find("%d");
    if (mark != std::string::npos) help.replace(mark, 2, value_text(row, Options{}));
    out += left + wrapped(help, kColumn, 100);
  }
  out += "  -h, --help                      this text\n\nArchitectures\n  " + wrapped(join(architectures), 2, 100);
  out +=
      "\nExit codes\n  0 done   2 bad usage   3 bad data   4 a peer was lost, never came or disagrees   5 diverged\n"
      "  6 out of memory   7 stopped on request, with a checkpoint   1 any other error\n";
  return out;
}

JsonObject options_as_json(const Options& options) {
  JsonObject settings;
  settings.add("dir", options.dir);
  for (const auto& row : option_table({options.arch})) row.get(options, settings, row.names.front().substr(2));
  return settings;
}

std::vector<std::pair<std::string, std::string>> agreed_options(const Options& options) {
  std::vector<std::pair<std::string, std::string>> agreed;
  const Options defaults;
  for (const auto& row : option_table({options.arch})) {
    const bool by_group = row.agreement == Agreement::by_group;
    if (row.agreement == Agreement::own || (by_group && row.group != kTrainingGroup)) continue;
    const std::string value = value_text(row, options);
    agreed.emplace_back(row.names.front(), row.agreement != Agreement::given ? value : value == value_text(row, defaults) ? "none" : "a value");
  }
  return agreed;
}

std::vector<std::string> options_as_arguments(const Options& options) {
  std::vector<std::string> arguments;
  const Options defaults;
  for (const auto& row : option_table({options.arch})) {
    const auto typed = [&row](const Options& of) { return row.raw ? row.raw(of) : value_text(row, of); };
    if (typed(options) == typed(defaults)) continue;
    arguments.push_back(row.names.front());
    if (!row.metavar.empty()) arguments.push_back(typed(options));
  }
  if (!options.dir.empty()) {
    arguments.push_back("--");
    arguments.push_back(options.dir);
  }
  return arguments;
}

}  // namespace ringlab
