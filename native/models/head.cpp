#include "models/head.h"

#include <algorithm>

namespace ringlab {

bool lies_in(const std::string& name, const std::string& layer) {
  return name == layer || (name.size() > layer.size() && name[layer.size()] == '.' && name.compare(0, layer.size(), layer) == 0);
}

bool lies_in(const std::string& name, const std::vector<std::string>& layers) {
  return std::any_of(layers.begin(), layers.end(), [&](const std::string& layer) { return lies_in(name, layer); });
}

std::vector<std::string> head_layers(const Classifier& model) {
  const auto parameters = model.named_parameters();
  std::vector<std::string> layers;
  for (const auto& item : parameters) {
    for (const char* auxiliary : {"aux1.fc2", "aux2.fc2", "AuxLogits.fc"}) {
      if (item.key() == std::string(auxiliary) + ".weight") layers.emplace_back(auxiliary);
    }
  }
  const std::string& last = parameters.back().key();
  layers.push_back(last.substr(0, last.rfind('.')));
  return layers;
}

}  // namespace ringlab
