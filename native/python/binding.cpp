// `torch.classes.ringlab.ScriptEngine`: what python/ringlab/_engine.py calls. No header of Python's: one library for every Python that has this libtorch.
// torch.classes calls without Python's global lock, so that other threads of a script run on.
#include <torch/custom_class.h>
#include <torch/library.h>

#include <cstdint>
#include <memory>
#include <stdexcept>

#include "python/script_engine.h"

namespace ringlab {
namespace {

using Names = std::vector<std::string>;
using Tensors = std::vector<at::Tensor>;

NamedTensors named(const Names& names, const Tensors& tensors) {
  if (names.size() != tensors.size()) throw std::runtime_error("as many names as tensors are needed");
  NamedTensors out;
  for (size_t i = 0; i < names.size(); ++i) out.emplace_back(names[i], tensors[i]);
  return out;
}

class EngineHolder : public torch::CustomClassHolder {
 public:
  EngineHolder(const std::vector<int64_t>& place, const Names& rendezvous, const std::vector<double>& seconds, const Names& names, const Tensors& parameters, const Names& frozen_names,
               const Tensors& frozen, const Names& buffer_names, const Tensors& buffers, const Tensors& statistics, const std::string& mode, int64_t steps_per_epoch, bool gradients_elsewhere) {
    if (place.size() != 3 || rendezvous.size() != 3 || seconds.size() != 2) throw std::runtime_error("place, rendezvous and seconds are [rank, world size, port], [host, secret, interface], [rendezvous, peer]");
    if (place[1] < 2 || place[0] < 0 || place[0] >= place[1] || place[2] < 1 || place[2] > 65535) throw std::runtime_error("no such rank or port");
    ScriptRendezvous to;
    to.rank = static_cast<int>(place[0]);
    to.world_size = static_cast<int>(place[1]);
    to.master = {rendezvous[0], static_cast<uint16_t>(place[2])};
    to.secret = rendezvous[1];
    to.interface = rendezvous[2];
    to.rendezvous_timeout = seconds[0];
    to.peer_timeout = seconds[1];
    engine_ = std::make_unique<ScriptEngine>(std::move(to), ScriptModel{named(names, parameters), named(frozen_names, frozen), named(buffer_names, buffers), statistics}, mode, steps_per_epoch,
                                             gradients_elsewhere ? ScriptEngine::Gradients::elsewhere : ScriptEngine::Gradients::here);
  }

  ScriptEngine& engine() { return *engine_; }

 private:
  std::unique_ptr<ScriptEngine> engine_;
};

using Self = c10::intrusive_ptr<EngineHolder>;

Names state_names(const Self& self) {
  Names out;
  for (const auto& [name, tensor] : self->engine().state()) out.push_back(name);
  return out;
}

Tensors state_tensors(const Self& self) {
  Tensors out;
  for (const auto& [name, tensor] : self->engine().state()) out.push_back(tensor.detach().clone());
  return out;
}

TORCH_LIBRARY(ringlab, library) {
  library.class_<EngineHolder>("ScriptEngine")
      .def(torch::init<const std::vector<int64_t>&, const Names&, const std::vector<double>&, const Names&, const Tensors&, const Names&, const Tensors&, const Names&, const Tensors&, const Tensors&, const std::string&, int64_t, bool>())
      .def("averages_parameters", [](const Self& self) { return self->engine().averages_parameters(); })
      .def("before_forward", [](const Self& self, bool averages) { self->engine().before_forward(averages); })
      .def("before_backward", [](const Self& self) { self->engine().before_backward(); })
      .def("after_step", [](const Self& self, double lr) { self->engine().after_step(lr); })
      .def("synchronise", [](const Self& self, bool last) { self->engine().synchronise(last); })
      .def("begin_steps", [](const Self& self) { self->engine().begin_steps(); })
      .def("use_buffers", [](const Self& self, const Names& names, const Tensors& buffers, const Tensors& statistics) { self->engine().use_buffers(named(names, buffers), statistics); })
      .def("check", [](const Self& self) { self->engine().check(); })
      .def("average", [](const Self& self, const std::vector<int64_t>& which, Tensors gradients) {
        self->engine().average(std::vector<size_t>(which.begin(), which.end()), gradients);
      })
      .def("state_names", state_names)
      .def("state_tensors", state_tensors)
      .def("load_state", [](const Self& self, const Names& names, const Tensors& tensors, int64_t step, const std::vector<Names>& buckets) {
        self->engine().load_state(named(names, tensors), step, buckets);
      })
      .def("step", [](const Self& self) { return self->engine().step(); })
      .def("buckets", [](const Self& self) { return self->engine().buckets(); })
      .def("bytes_sent", [](const Self& self) { return self->engine().traffic().sent; })
      .def("close", [](const Self& self) { self->engine().close(); });
}

}  // namespace
}  // namespace ringlab
