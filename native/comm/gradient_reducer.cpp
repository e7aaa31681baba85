#include "comm/gradient_reducer.h"

#include <chrono>

#include "comm/state.h"
#include "compat/c10d_version.h"

namespace ringlab {
namespace {

/// The same all-reduce as without a hook, with a clock and a counter. The gradient is multiplied by 1 / world size, as the
/// Reducer does itself: the results are equal to Python's DistributedDataParallel to the bit.
class AllreduceHook : public c10d::CommHookInterface {
 public:
  AllreduceHook(CommState& comm, ReductionTimes& times) : comm_(comm), times_(times) {}

  c10::intrusive_ptr<c10::ivalue::Future> runHook(c10d::GradBucket& bucket) override {
    at::Tensor& gradients = bucket.getBufferRef();
    gradients.mul_(1.0 / comm_.settings.world_size);
    std::vector<at::Tensor> tensors{gradients};
    auto work = comm_.group_for(gradients)->allreduce(tensors);
    comm_.count_allreduce(static_cast<int64_t>(gradients.nbytes()));
    times_.last_bucket_at = steady_seconds();
    return work->getFuture();
  }

  at::Tensor parseHookResult(const c10::IValue& result) override {
    if (result.isTensorList()) return result.toTensorVector().front();
    return result.toTensor();
  }

 private:
  CommState& comm_;
  ReductionTimes& times_;
};

}  // namespace

double steady_seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

struct GradientReducer::State {
  ReductionTimes times;
  std::unique_ptr<c10d::Reducer> reducer;
};

GradientReducer::GradientReducer(Communicator& communicator, const std::vector<std::pair<std::string, at::Tensor>>& parameters,
                                 const std::vector<at::Tensor>& buffers)
    : state_(std::make_unique<State>()) {
  std::vector<at::Tensor> tensors;
  std::unordered_map<size_t, std::string> names;
  for (const auto& [name, parameter] : parameters) {
    names[tensors.size()] = name;
    tensors.push_back(parameter);
  }
  communicator.verify_parameters(tensors);
  std::vector<at::Tensor> all;
  for (const auto& tensor : tensors) all.push_back(tensor.detach());
  for (const auto& buffer : buffers) all.push_back(buffer.detach());
  communicator.broadcast(all);
  state_->reducer = compat::make_reducer(communicator.state().group_for(tensors.front()), tensors, std::move(names));
  state_->reducer->register_comm_hook(std::make_unique<AllreduceHook>(communicator.state(), state_->times));
}

GradientReducer::~GradientReducer() = default;

void GradientReducer::before_forward() {
  state_->reducer->prepare_for_forward();
  state_->reducer->rebuild_buckets();
}

void GradientReducer::before_backward() { state_->reducer->prepare_for_backward({}); }

ReductionTimes GradientReducer::times() const { return state_->times; }

}  // namespace ringlab
