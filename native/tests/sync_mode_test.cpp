// The grammar of --sync, by test vectors shared with the app's parser (src/shared/settings/sync-mode.ts).
#include "sync/mode.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <regex>

#include "base/error.h"
#include "base/json.h"

namespace ringlab {
namespace {

const char* compression_name(Compression compression) {
  switch (compression) {
    case Compression::none: return "none";
    case Compression::fp16: return "fp16";
    case Compression::bf16: return "bf16";
    case Compression::int8: return "int8";
    case Compression::int4: return "int4";
    case Compression::sparse: return "sparse";
    case Compression::powersgd: return "powersgd";
    case Compression::topk: return "topk";
    case Compression::stream: return "stream";
  }
  return "";
}

/// The mode in the vectors' form: without values that its compression does not use.
std::string described(const SyncMode& mode) {
  JsonObject out;
  out.add("text", mode.text).add("outer", mode.kind == SyncMode::Kind::outer).add("compression", compression_name(mode.compression));
  if (mode.compression == Compression::powersgd) out.add("rank", mode.rank).add("half_factors", mode.half_factors);
  if (mode.compression == Compression::topk) out.add("fraction", mode.fraction);
  if (mode.compression == Compression::sparse || mode.compression == Compression::stream) out.add("bits", mode.bits);
  if (mode.compression == Compression::stream) out.add("adapt", mode.adapt);
  out.add("start", mode.start);
  if (mode.kind == SyncMode::Kind::gradients) return out.add("late", mode.late).str();
  out.add("period", mode.period).add("outer_lr", mode.outer_lr).add("outer_momentum", mode.outer_momentum);
  return out.add("fragments", mode.fragments).add("overlap", mode.overlap).add("qsr", mode.qsr).str();
}

/// The file without the spaces between its values; no text in it contains a space or an escape.
std::string vectors() {
  std::ifstream file(RINGLAB_SYNC_VECTORS);
  EXPECT_TRUE(file) << RINGLAB_SYNC_VECTORS;
  std::string all((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  all.erase(std::remove_if(all.begin(), all.end(), [](unsigned char c) { return std::isspace(c) != 0; }), all.end());
  return all;
}

std::vector<std::string> found(const std::string& text, const std::string& pattern) {
  const std::regex expression(pattern);
  std::vector<std::string> all;
  for (std::sregex_iterator at(text.begin(), text.end(), expression), end; at != end; ++at) all.push_back((*at)[1]);
  return all;
}

TEST(SyncMode, ReadsWhatTheVectorsSayIsValid) {
  const auto modes = found(vectors(), R"((\{"text"[^{}]*\}))");
  ASSERT_GT(modes.size(), 20U);
  for (const auto& mode : modes) {
    const std::string text = found(mode, R"re("text":"([^"]*)")re").front();
    EXPECT_EQ(described(parse_sync_mode("--sync", text)), mode);
  }
}

TEST(SyncMode, RefusesWhatTheVectorsSayIsNot) {
  const std::string all = vectors();
  const auto refused = found(all.substr(all.find(R"("refused":)")), R"re([\[,]"([^"]*)")re");
  ASSERT_GT(refused.size(), 20U);
  for (const auto& text : refused) EXPECT_THROW(parse_sync_mode("--sync", text), Failure) << text;
}

TEST(SyncMode, OfGradientsAreListedForHooks) {
  EXPECT_EQ(gradient_mode_forms(), "allreduce, fp16, bf16, powersgd[:RANK][,fp16], topk[:FRACTION]");
  EXPECT_EQ(sync_mode_forms().rfind(gradient_mode_forms() + ", ", 0), 0U) << "the first of all modes";
  for (const auto& name : sync_mode_names()) {
    const bool gradients = gradient_mode_forms().find(name) != std::string::npos;
    EXPECT_EQ(averages_every_step(parse_sync_mode("--sync", gradients ? name : name + ":4")), gradients) << name;
  }
  for (const char* text : {"fp16,late", "bf16,start=10", "local:1,fp32"}) EXPECT_FALSE(averages_every_step(parse_sync_mode("--sync", text))) << text;
}

TEST(SyncMode, OverlapsWhereAnExchangeGoesOnWhileLaterStepsCompute) {
  for (const char* text : {"fp16,late", "local:1,stream=0.156,overlap=1", "local:8,8bit,overlap=2"}) EXPECT_TRUE(overlaps(parse_sync_mode("--sync", text))) << text;
  for (const char* text : {"allreduce", "topk", "local:4", "local:1,stream=0.156"}) EXPECT_FALSE(overlaps(parse_sync_mode("--sync", text))) << text;
}

TEST(SyncMode, ThatTheAppAloneKnowsIsExplained) {
  try {
    parse_sync_mode("--sync", "auto");
    FAIL();
  } catch (const Failure& failure) {
    EXPECT_NE(std::string(failure.what()).find("the app chooses"), std::string::npos) << failure.what();
  }
}

}  // namespace
}  // namespace ringlab
