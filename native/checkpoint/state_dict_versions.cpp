#include "checkpoint/state_dict_versions.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <stdexcept>

#include "base/arguments.h"
#include "base/error.h"
#include "values/value_file.h"

namespace ringlab {

Value state_dict_versions(const std::string& arch, const std::vector<std::string>& names, bool module_prefix) {
  std::map<std::string, int64_t> versions{{"", arch.rfind("mnasnet", 0) == 0 ? 2 : 1}};
  for (const auto& name : names) {
    for (size_t dot = name.find('.'); dot != std::string::npos; dot = name.find('.', dot + 1)) {
      int64_t& version = versions.try_emplace(name.substr(0, dot), 1).first->second;
      if (name.compare(dot, std::string::npos, ".num_batches_tracked") == 0) version = 2;
    }
  }
  Value metadata = Value::ordered_dict();
  const std::string wrapper = module_prefix ? "module" : "";
  if (module_prefix) metadata.set("", Value::dict().set("version", Value::integer(1)));
  for (const auto& [name, version] : versions) metadata.set(wrapper + (module_prefix && !name.empty() ? "." : "") + name, Value::dict().set("version", Value::integer(version)));
  return metadata;
}

namespace {

/// A file's own versions under the other names. The wrapper itself is one more module, without a name.
Value renamed_versions(const Value& versions, bool has, bool wanted) {
  Value renamed = Value::ordered_dict();
  const std::string wrapper = "module";
  if (wanted && !has) renamed.set("", Value::dict().set("version", Value::integer(1)));
  for (const auto& [key, version] : versions.entries()) {
    const std::string& name = key.as_text();
    if (has == wanted) renamed.set(name, version);
    else if (wanted) renamed.set(name.empty() ? wrapper : kModulePrefix + name, version);
    else if (name == wrapper) renamed.set("", version);
    else if (name.rfind(kModulePrefix, 0) == 0) renamed.set(name.substr(std::strlen(kModulePrefix)), version);
  }
  return renamed;
}

}  // namespace

Value with_module_prefix(const Value& state_dict, const std::string& arch, bool module_prefix) {
  const auto& entries = state_dict.entries();
  const bool has = !entries.empty() && std::all_of(entries.begin(), entries.end(), [](const auto& item) { return item.first.as_text().rfind(kModulePrefix, 0) == 0; });
  std::vector<std::string> names;
  Items renamed;
  for (const auto& [key, value] : entries) {
    names.push_back(has ? key.as_text().substr(std::strlen(kModulePrefix)) : key.as_text());
    renamed.emplace_back(Value::text((module_prefix ? kModulePrefix : "") + names.back()), value);
  }
  const Value* versions = state_dict.metadata();
  return Value::ordered_dict(std::move(renamed)).set_metadata(versions != nullptr ? renamed_versions(*versions, has, module_prefix) : state_dict_versions(arch, names, module_prefix));
}

int module_prefix_command(const std::vector<std::string>& arguments) {
  std::vector<std::string> words;
  parse_arguments("module-prefix", arguments, {}, [&](const std::string& word) { words.push_back(word); });
  if (words.size() != 3 || (words[0] != "on" && words[0] != "off")) {
    throw Failure(ErrorCode::usage, "module-prefix: give on or off and two files: ringlab-train module-prefix on|off FROM TO");
  }
  const std::string& from = words[1];
  Value whole = read_value(from);
  try {
    const Value* arch = whole.find("arch");
    const bool on = words[0] == "on";
    if (const Value* inner = whole.find("state_dict")) {
      const Value renamed = with_module_prefix(*inner, arch != nullptr ? arch->as_text() : "", on);
      for (auto& [key, value] : whole.entries()) {
        if (key.kind() == Value::Kind::text && key.as_text() == "state_dict") value = renamed;
      }
    } else {
      const bool tensors = whole.is_dict() && std::any_of(whole.entries().begin(), whole.entries().end(), [](const auto& item) { return item.second.kind() == Value::Kind::tensor; });
      if (!tensors) throw std::runtime_error("holds no state_dict");
      whole = with_module_prefix(whole, "", on);
    }
  } catch (const std::runtime_error& error) {
    throw_mismatch(from, error.what());
  }
  write_value(words[2], whole);
  return 0;
}

}  // namespace ringlab
