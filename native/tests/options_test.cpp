// The command line of the trainer, and what ranks compare of it.
#include "options/options.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "launch/launch.h"

namespace ringlab {
namespace {

const std::vector<std::string> kArchitectures = {"resnet18", "resnet34", "resnet50"};

Options parse(const std::vector<std::string>& arguments) { return parse_options(arguments, kArchitectures); }

std::string complaint(const std::vector<std::string>& arguments) {
  try {
    parse(arguments);
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.exit_code(), 2);
    EXPECT_EQ(std::string(failure.what()).find('\n'), std::string::npos);
    return failure.what();
  }
  return "no complaint";
}

TEST(Options, HasMainPysDefaults) {
  const Options o = parse({"data"});
  EXPECT_EQ(o.arch, "resnet18");
  EXPECT_EQ(o.workers, 4);
  EXPECT_EQ(o.epochs, 90);
  EXPECT_EQ(o.batch_size, 256);
  EXPECT_EQ(o.learning_rate(), 0.1);
  EXPECT_EQ(o.momentum, 0.9);
  EXPECT_EQ(o.weight_decay, 1e-4);
  EXPECT_EQ(o.print_freq, 10);
}

TEST(Options, TakesShortLongAndJoinedForms) {
  const Options o = parse({"-a", "resnet50", "-j2", "--lr=0.5", "--wd", "1e-5", "-b", "64", "data", "--no-accel", "-p", "1", "--seed", "7"});
  EXPECT_EQ(o.arch, "resnet50");
  EXPECT_EQ(o.workers, 2);
  EXPECT_EQ(o.lr, 0.5);
  EXPECT_EQ(o.weight_decay, 1e-5);
  EXPECT_EQ(o.batch_size, 64);
  EXPECT_EQ(o.dir, "data");
  EXPECT_TRUE(o.no_accel);
  EXPECT_EQ(o.seed, 7);
}

TEST(Options, NamesWhatIsWrongAndWhatIsNear) {
  EXPECT_NE(complaint({"--epohcs", "3", "d"}).find("--epohcs: unknown option; nearest: --epochs"), std::string::npos);
  EXPECT_NE(complaint({"-a", "resnet19", "d"}).find("resnet18"), std::string::npos);
  EXPECT_NE(complaint({"-b", "0", "d"}).find("-b 0: out of range; valid: 1"), std::string::npos);
  EXPECT_NE(complaint({"--lr", "fast", "d"}).find("--lr fast: not a number"), std::string::npos);
  EXPECT_NE(complaint({"--lr", "nan", "d"}).find("--lr nan"), std::string::npos);
  EXPECT_NE(complaint({"--dist-url", "file:///x", "d"}).find("tcp://HOST:PORT, env://"), std::string::npos);
  EXPECT_NE(complaint({"--dist-url", "tcp://h:99999", "d"}).find("valid: 1 to 65535"), std::string::npos);
  EXPECT_NE(complaint({"--evaluate=yes", "d"}).find("takes no value"), std::string::npos);
  EXPECT_NE(complaint({"d", "--epochs"}).find("--epochs: its value N is missing"), std::string::npos);
  EXPECT_NE(complaint({}).find("DIR is missing"), std::string::npos);
  EXPECT_NE(complaint({"a", "b"}).find("one data folder only"), std::string::npos);
  EXPECT_NE(complaint({"-a", "ResNet-34", "d"}).find("nearest valid: resnet34"), std::string::npos);
  const std::string quantised = complaint({"-a", "quantized_resnet50", "d"});
  EXPECT_NE(quantised.find("quantised models are not trained here; nearest valid: resnet50"), std::string::npos) << quantised;
}

TEST(Options, ExplainMainPysPretrained) {
  const std::string get = "get https://download.pytorch.org/models/resnet50-0676ba61.pth";
  EXPECT_NE(complaint({"-a", "resnet50", "--pretrained", "data"}).find(get), std::string::npos);
  EXPECT_NE(complaint({"--pretrained", "-a", "resnet50", "data"}).find(get), std::string::npos);
  EXPECT_NE(complaint({"data", "-a", "resnet50", "--pretrained"}).find(get), std::string::npos);
  EXPECT_EQ(parse({"--pretrained", "w.pth", "data"}).pretrained, "w.pth");
  EXPECT_NE(complaint({"--freeze-bn", "d"}).find("there is no --freeze"), std::string::npos);
  EXPECT_NE(complaint({"--freeze", "backbone", "--backbone-lr", "0.1", "d"}).find("--backbone-lr"), std::string::npos);
  EXPECT_EQ(parse({"--backbone-lr", "0.01", "d"}).backbone_lr, 0.01);
}

std::vector<std::string> disagreement(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  const auto first = agreed_options(parse(a));
  const auto second = agreed_options(parse(b));
  EXPECT_EQ(first.size(), second.size());
  std::vector<std::string> names;
  for (size_t i = 0; i < first.size() && i < second.size(); ++i) {
    EXPECT_EQ(first[i].first, second[i].first);
    if (first[i].second != second[i].second) names.push_back(first[i].first);
  }
  return names;
}

TEST(Options, RanksAgreeOnWhatIsLearned) {
  const std::vector<std::vector<std::string>> agreed = {
      {"--arch", "resnet34"}, {"--epochs", "3"}, {"--start-epoch", "1"}, {"--batch-size", "8"}, {"--accumulate", "2"}, {"--optimizer", "adamw", "--lr", "0.1"},
      {"--learning-rate", "0.5"}, {"--backbone-lr", "0.1"}, {"--momentum", "0.5"}, {"--weight-decay", "0"}, {"--scheduler", "cosine"}, {"--warmup-epochs", "2"},
      {"--step-size", "3"}, {"--gamma", "0.5"}, {"--seed", "7"}, {"--label-smoothing", "0.1"}, {"--freeze", "layer1"}, {"--amp", "bf16"}, {"--channels-last"}, {"--draft"},
      {"--evaluate"}, {"--image-size", "64"}, {"--input-channels", "1"}, {"--sharded-data"}, {"--resume", "a.pth"}, {"--fresh-rank-state"}, {"--keep-every", "2"}, {"--checkpoint-every", "9"},
      {"--sync-bn"}, {"--sync", "fp16"}, {"--check-sync"}};
  for (auto option : agreed) {
    const std::string name = option.front();
    option.push_back("d");
    EXPECT_EQ(disagreement({"d"}, option), std::vector<std::string>{name}) << name;
  }
  EXPECT_EQ(disagreement({"d", "--freeze", "fc"}, {"d", "--freeze", "fc", "--freeze-bn"}), std::vector<std::string>{"--freeze-bn"});
}

TEST(Options, RanksHaveThePlaceAndTheFilesOfTheirOwn) {
  EXPECT_TRUE(disagreement({"a", "--resume", "x.pth"}, {"b", "--resume", "y.pth"}).empty());
  EXPECT_TRUE(disagreement({"d", "--rank", "0", "-j", "1", "--metrics", "a", "--threads", "2", "--no-accel", "--pretrained", "w.pth"}, {"d", "--rank", "1", "--address", "h"}).empty());
}

TEST(Options, HelpNamesEveryOption) {
  const std::string help = help_text(kArchitectures);
  for (const char* name : {"--arch", "--workers", "--epochs", "--start-epoch", "--batch-size", "--lr", "--momentum", "--wd", "--print-freq", "--resume",
                           "--evaluate", "--world-size", "--rank", "--dist-url", "--dist-backend", "--seed", "--gpu", "--no-accel",
                           "--multiprocessing-distributed", "--nproc-per-node", "--check-sync", "--metrics", "--threads", "resnet34"}) {
    EXPECT_NE(help.find(name), std::string::npos) << name;
  }
  size_t start = 0;
  for (size_t end = help.find('\n'); end != std::string::npos; start = end + 1, end = help.find('\n', start)) EXPECT_LE(end - start, 110U);
}

TEST(Options, AutoIsChosenBeforeTheTrainer) {
  const std::string said = complaint({"--sync", "auto", "d"});
  EXPECT_NE(said.find("ringlab estimate"), std::string::npos) << said;
  for (const char* valid : {"allreduce", "powersgd", "diloco"}) EXPECT_NE(said.find(valid), std::string::npos) << said;
}

TEST(Options, EveryOneSurvivesTheWayToAChild) {
  // A value equal to the default, a list, words with spaces: each must reach the ranks of --nproc-per-node.
  for (const std::vector<std::string>& one : std::vector<std::vector<std::string>>{
           {"--optimizer", "adam"}, {"--optimizer", "adam", "--lr", "0.1"}, {"--optimizer", "adamw", "--lr", "0.001"}, {"--lr", "0.1"},
           {"--freeze", "layer1"}, {"--freeze", "layer1,layer2.0,fc.bias"}, {"--scheduler", "cosine"}, {"--warmup-epochs", "2"},
           {"--label-smoothing", "0.1"}, {"--sync", "diloco:20,4"}, {"--sync", "topk:0.01"}, {"--input-channels", "1"}, {"--gpu", "0"},
           {"--accumulate", "4"}, {"--amp", "bf16"}, {"--parallel", "dp"}, {"--parallel", "none"}, {"--sync-bn"}, {"--channels-last"}, {"--channels-last", "auto"}, {"--draft"},
           {"--parallel", "dp", "--replicas", "2"}}) {
    std::vector<std::string> arguments = one;
    arguments.push_back("data dir");
    const Options options = parse(arguments);
    const Options copy = parse(options_as_arguments(options));
    EXPECT_EQ(options_as_json(options).str(), options_as_json(copy).str()) << one[0] << " " << one.back();
    EXPECT_EQ(copy.lr, options.lr) << one.back();
    EXPECT_EQ(copy.freeze, options.freeze);
  }
  EXPECT_EQ(options_as_json(parse(options_as_arguments(parse({"--dummy"})))).str(), options_as_json(parse({"--dummy"})).str());
  EXPECT_TRUE(parse({"--dummy", "d"}).dummy) << "main.py takes a folder too, and does not read it";
}

TEST(Options, SurviveTheWayToAChild) {
  Options o = parse({"-a", "resnet34", "--resume", "a \"b\" \\ 图.tar", "--lr", "0.001", "--check-sync", "--seed", "3", "data dir"});
  const Options copy = parse(options_as_arguments(o));
  EXPECT_EQ(options_as_json(o).str(), options_as_json(copy).str());
  EXPECT_EQ(copy.resume, o.resume);
}

TEST(Options, CannotAllBeTogether) {
  const auto names_both = [](const std::vector<std::string>& arguments, const char* one, const char* other) {
    const std::string said = complaint(arguments);
    EXPECT_NE(said.find(one), std::string::npos) << said;
    EXPECT_NE(said.find(other), std::string::npos) << said;
  };
  names_both({"d", "--replicas", "2"}, "--replicas 2", "--parallel ddp");
  names_both({"d", "--parallel", "dp", "--replicas", "9", "-b", "8"}, "--replicas 9", "--batch-size 8");
  names_both({"d", "--sync-bn", "--parallel", "dp"}, "--sync-bn", "--parallel dp");
  names_both({"d", "--sync-bn", "--parallel", "none"}, "--sync-bn", "--parallel none");
  names_both({"d", "--sync-bn", "--sync", "diloco:8"}, "--sync-bn", "--sync diloco:8");
  for (const char* mode : {"powersgd", "topk", "fp16,late", "local:4"}) names_both({"d", "--amp", "fp16", "--sync", mode}, "--amp fp16", mode);
  for (const char* mode : {"allreduce", "fp16", "bf16"}) EXPECT_EQ(complaint({"d", "--amp", "fp16", "--sync", mode}), "no complaint");
  EXPECT_EQ(complaint({"d", "--amp", "bf16", "--sync", "topk", "--sync-bn"}), "no complaint");
}

TEST(Launch, TellsWhatIsMissing) {
  const auto failing = [](const std::vector<std::string>& arguments) -> std::string {
    try {
      resolve_launch(parse(arguments));
    } catch (const Failure& failure) {
      EXPECT_EQ(failure.exit_code(), 2);
      return failure.what();
    }
    return "no complaint";
  };
  EXPECT_NE(failing({"d", "--world-size", "2"}).find("--rank is missing"), std::string::npos);
  EXPECT_NE(failing({"d", "--world-size", "2", "--rank", "2"}).find("out of range"), std::string::npos);
  EXPECT_NE(failing({"d", "--world-size", "2", "--rank", "1"}).find("--dist-url is missing"), std::string::npos);
  EXPECT_NE(failing({"d", "--world-size", "2", "--rank", "1", "--dist-url", "tcp://h:1", "--dist-backend", "nccl"}).find("has no nccl"), std::string::npos);
  EXPECT_NE(failing({"d", "--amp", "fp16"}).find("valid here: off, bf16"), std::string::npos);
  EXPECT_NE(failing({"d", "--parallel", "dp", "--world-size", "2", "--rank", "0"}).find("this run has 2 processes"), std::string::npos);
  EXPECT_EQ(failing({"d"}), "no complaint");
}

TEST(Launch, GivesEachRankADevice) {
  Capabilities two_gpus;
  two_gpus.cuda = two_gpus.nccl = true;
  two_gpus.gpus = 2;
  const std::vector<std::string> second = {"d", "--world-size", "4", "--rank", "1", "--dist-url", "tcp://h:1"};
  const auto with = [](std::vector<std::string> arguments, const std::vector<std::string>& more) {
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  };
  const auto gpu = [&](const std::vector<std::string>& arguments, const Capabilities& capabilities) { return resolve_launch(parse(arguments), capabilities).gpu; };
  EXPECT_EQ(gpu({"d"}, {}), -1);
  EXPECT_EQ(gpu({"d"}, two_gpus), 0);
  EXPECT_EQ(gpu({"d", "--no-accel", "--gpu", "1"}, two_gpus), -1);
  EXPECT_EQ(gpu({"d", "--gpu", "1"}, two_gpus), 1);
  EXPECT_EQ(gpu({"d", "--amp", "fp16", "--parallel", "dp", "--replicas", "2"}, two_gpus), 0);
  EXPECT_THROW(gpu({"d", "--parallel", "dp", "--replicas", "3"}, two_gpus), Failure) << "two GPUs";
  EXPECT_EQ(gpu(with(second, {"--local-rank", "1", "--dist-backend", "nccl"}), two_gpus), 1);
  EXPECT_EQ(gpu(with(second, {"--local-rank", "2"}), two_gpus), 0) << "Gloo lets two ranks share a GPU";

  const auto complaint_of = [&](const std::vector<std::string>& arguments, const Capabilities& capabilities) -> std::string {
    try {
      gpu(arguments, capabilities);
    } catch (const Failure& failure) {
      EXPECT_EQ(failure.code(), ErrorCode::backend_missing);
      return failure.what();
    }
    return "no complaint";
  };
  Capabilities no_gpu = two_gpus;
  no_gpu.gpus = 0;
  EXPECT_NE(complaint_of({"d", "--gpu", "2"}, two_gpus).find("valid: 0 to 1"), std::string::npos);
  EXPECT_NE(complaint_of({"d", "--gpu", "0"}, no_gpu).find("sees no GPU"), std::string::npos);
  EXPECT_NE(complaint_of({"d", "--gpu", "0"}, {}).find("no CUDA"), std::string::npos);
  EXPECT_NE(complaint_of(with(second, {"--local-rank", "2", "--dist-backend", "nccl"}), two_gpus).find("local rank 2 has none"), std::string::npos);
  EXPECT_NE(complaint_of(with(second, {"--dist-backend", "nccl"}), no_gpu).find("computes on the CPU"), std::string::npos);
  EXPECT_NE(complaint_of(with(second, {"--dist-backend", "mpi"}), two_gpus).find("valid here: gloo, nccl"), std::string::npos);
}

TEST(Launch, ReadsTheEnvironment) {
  setenv("MASTER_ADDR", "10.0.0.1", 1);
  setenv("MASTER_PORT", "2345", 1);
  setenv("WORLD_SIZE", "3", 1);
  setenv("RANK", "2", 1);
  setenv("LOCAL_RANK", "1", 1);
  const Launch launch = resolve_launch(parse({"d", "--dist-url", "env://"}));
  for (const char* host : {"fd00::1", "[fd00::1]"}) {
    setenv("MASTER_ADDR", host, 1);
    EXPECT_EQ(resolve_launch(parse({"d", "--dist-url", "env://"})).master.str(), "[fd00::1]:2345") << host;
  }
  for (const char* name : {"MASTER_ADDR", "MASTER_PORT", "WORLD_SIZE", "RANK", "LOCAL_RANK"}) unsetenv(name);
  EXPECT_EQ(launch.master.str(), "10.0.0.1:2345");
  EXPECT_EQ(launch.world_size, 3);
  EXPECT_EQ(launch.rank, 2);
  EXPECT_EQ(launch.local_rank, 1);
}

}  // namespace
}  // namespace ringlab
