// Data parallelism within one process, as torch.nn.DataParallel computes it: each batch is split over replicas of one model.
#pragma once

#include <c10/core/Device.h>

#include <functional>
#include <memory>
#include <vector>

#include "models/architectures/registry.h"

namespace ringlab {

/// The model itself is replica 0. The others' own state is created once, not in every step as by libtorch's data_parallel(),
/// which would draw each replica's initial weights again. On the CPU all replicas share the model's parameters; on further GPUs
/// they are copied before each forward pass. In training every replica normalises its own chunk, and only replica 0's running
/// statistics are kept, as in DataParallel. Each replica computes in its own thread, forward and backward; on the CPU the
/// compute threads are divided among them. Dropout draws from one generator on the CPU: forward passes of a model that draws run
/// one replica at a time there, so that a run is reproducible. Not thread-safe.
class Replicas {
 public:
  using Make = std::function<std::shared_ptr<Classifier>()>;

  /// `model` is on `devices[0]`; there is a replica for each device, and a device may occur more than once on the CPU. `make`
  /// creates a model of the same shape on the CPU; its initial weights are not used, and libtorch's generator is restored.
  Replicas(std::shared_ptr<Classifier> model, const Make& make, const std::vector<c10::Device>& devices);
  ~Replicas();
  Replicas(const Replicas&) = delete;
  Replicas& operator=(const Replicas&) = delete;

  /// Splits `images` (N, C, H, W) along N as tensor.chunk() does, a batch smaller than the number of replicas over some of them,
  /// and returns all outputs in order on devices[0]. They are leaves: backward stops here, and backward() below continues it.
  /// `around`, if given, is called in each replica's thread and calls the given forward pass.
  using Around = std::function<void(const std::function<void()>& forward)>;
  Outputs forward(const torch::Tensor& images, const Around& around = {});

  /// Called after backward has reached the outputs of forward(): adds the replicas' gradients, summed in their order, to the
  /// model's.
  void backward();

  /// Number of replicas used in the last forward pass.
  size_t used() const;

 private:
  struct Replica;
  void share_parameters();
  void on_each(size_t count, bool together, const std::function<void(Replica&)>& compute);

  std::shared_ptr<Classifier> model_;
  std::vector<std::unique_ptr<Replica>> replicas_;
  size_t used_ = 0;
  Outputs gathered_;
  enum class Draws { unknown, yes, no } draws_ = Draws::unknown;
};

}  // namespace ringlab
