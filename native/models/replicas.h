// Data parallelism within one process, as torch.nn.DataParallel computes it: each batch is split over replicas of one model.
#pragma once

#include <c10/core/Device.h>

#include <functional>
#include <memory>
#include <vector>

#include "models/architectures/registry.h"

namespace ringlab {

/// The model itself is replica 0. What the others do not share with it is made once, not in every step as by libtorch's
/// data_parallel(), which would draw each replica's initial weights again. On the CPU all replicas use the model's parameters
/// where they lie; on further GPUs they are copied before each forward pass. In training every replica normalises its own chunk,
/// and the running statistics that are kept are replica 0's: DataParallel's way.
///
/// Each replica computes in a thread of its own, forward and backward; on the CPU the computing threads are shared among them.
/// Dropout draws from one generator on the CPU: a model that draws goes forward replica by replica there, so that a run can be
/// repeated. Not for use from several threads.
class Replicas {
 public:
  using Make = std::function<std::shared_ptr<Classifier>()>;

  /// `model` is on `devices[0]`; there is a replica for each device, and a device may occur more than once on the CPU. `make`
  /// makes a model of the same shape on the CPU; its initial weights are not used, and libtorch's generator is left as it was.
  Replicas(std::shared_ptr<Classifier> model, const Make& make, const std::vector<c10::Device>& devices);
  ~Replicas();
  Replicas(const Replicas&) = delete;
  Replicas& operator=(const Replicas&) = delete;

  /// Splits `images` (N, C, H, W) along N as tensor.chunk() does, a batch smaller than the replicas over some of them, and gives
  /// all answers in order on devices[0]. They are leaves: backward through them ends here, and backward() takes it on.
  /// `around`, where given, is called in each replica's thread and calls the forward pass that it is handed.
  using Around = std::function<void(const std::function<void()>& forward)>;
  Outputs forward(const torch::Tensor& images, const Around& around = {});

  /// After backward has reached what forward() gave: the replicas' gradients, summed in their order, are added to the model's.
  void backward();

  /// How many replicas the last forward pass used.
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
