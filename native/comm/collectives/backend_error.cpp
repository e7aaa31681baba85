#include "comm/collectives/backend_error.h"

namespace ringlab {
namespace {

std::string line_at(const std::string& text, size_t begin) { return text.substr(begin, text.find('\n', begin) - begin); }

}  // namespace

Failure backend_failure(const std::string& what) {
  const std::string marker = "Last error:\n";
  const size_t last = what.find(marker);
  const std::string reason = last == std::string::npos ? "" : line_at(what, last + marker.size());
  if (reason.rfind("Duplicate GPU detected", 0) == 0) {
    return {ErrorCode::backend_missing, "NCCL needs a GPU for each rank: " + reason, "start fewer ranks on that machine, give each another --gpu, or take gloo"};
  }
  const std::string words = line_at(what, 0) + (reason.empty() ? "" : ": " + reason);
  return {ErrorCode::peer_lost, "the connection between the ranks broke: " + words, "all ranks still answer: look at the network between them"};
}

}  // namespace ringlab
