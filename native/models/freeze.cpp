#include "models/freeze.h"

#include "src/error.h"
#include "src/suggest.h"

namespace ringlab {
namespace {

bool lies_in(const std::string& parameter, const std::string& name) {
  return parameter == name || (parameter.size() > name.size() && parameter[name.size()] == '.' && parameter.compare(0, name.size(), name) == 0);
}

/// Everything that --freeze may name: parameters and the modules around them.
std::vector<std::string> names_in(const Classifier& model) {
  std::vector<std::string> names{"backbone"};
  for (const auto& item : model.named_parameters()) {
    const std::string& name = item.key();
    for (size_t dot = name.find('.'); dot != std::string::npos; dot = name.find('.', dot + 1)) {
      if (names.back() != name.substr(0, dot)) names.push_back(name.substr(0, dot));
    }
    names.push_back(name);
  }
  return names;
}

}  // namespace

void freeze(Classifier& model, const std::vector<std::string>& names) {
  const auto parameters = model.named_parameters();
  const std::string last = parameters.back().key();
  const std::string head = last.substr(0, last.rfind('.'));
  for (const auto& name : names) {
    bool found = false;
    for (const auto& item : parameters) {
      if (name == "backbone" ? lies_in(item.key(), head) : !lies_in(item.key(), name)) continue;
      item.value().set_requires_grad(false);
      found = true;
    }
    if (!found) throw Failure(ErrorCode::usage, "--freeze " + name + ": no such parameter or module; nearest valid: " + join(nearest(name, names_in(model), 3)));
  }
  for (const auto& item : parameters) {
    if (item.value().requires_grad()) return;
  }
  throw Failure(ErrorCode::usage, "--freeze: nothing would learn; leave out at least one of " + join(names));
}

}  // namespace ringlab
