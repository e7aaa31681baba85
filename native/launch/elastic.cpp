#include "launch/elastic.h"

#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>

#include "base/json.h"
#include "base/numbers.h"

namespace ringlab {
namespace {

std::string variable(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? "" : text;
}

}  // namespace

std::optional<TorchElastic> torch_elastic() {
  if (std::getenv("TORCHELASTIC_RUN_ID") == nullptr) return std::nullopt;
  TorchElastic elastic;
  elastic.run_id = variable("TORCHELASTIC_RUN_ID");
  elastic.restart_count = number_of<int>(variable("TORCHELASTIC_RESTART_COUNT")).value_or(0);
  elastic.agent_store = variable("TORCHELASTIC_USE_AGENT_STORE") == "True";
  elastic.one_node = variable("LOCAL_WORLD_SIZE") == variable("WORLD_SIZE");
  return elastic;
}

void write_error_file(const Failure& failure) {
  const std::string path = variable("TORCHELASTIC_ERROR_FILE");
  if (path.empty()) return;
  std::string words = failure.what();
  if (!failure.hint().empty()) words += "; " + failure.hint();
  JsonObject extra;
  // torchrun prints this one in its summary.
  extra.add("py_callstack", words).add("timestamp", std::to_string(std::time(nullptr)));
  JsonObject message;
  message.add("message", std::string(error_code_name(failure.code())) + ": " + words).add_raw("extraInfo", extra.str());
  std::ofstream(path, std::ios::trunc) << JsonObject().add_raw("message", message.str()).str();
}

}  // namespace ringlab
