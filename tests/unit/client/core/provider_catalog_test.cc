// SPDX-License-Identifier: MIT
#include "client/core/provider_catalog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace filecall::client {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

ProviderCatalog catalog() {
  return {{{"small", "openai", "generic", {"tiny", "gpt-*"}, {"seed", "n", "logprobs"}},
           {"claude", "anthropic", "anthropic", {"claude-*"}, {"temperature", "stop"}},
           {"local", "openai", "generic", {}, {}}},
          "claude"};
}

TEST(ProviderCatalog, SendsARequestWhereTheWorkerWould) {
  const ProviderCatalog all = catalog();
  EXPECT_EQ(all.find("", "gpt-9")->name, "small");
  EXPECT_EQ(all.find("", "claude-1")->name, "claude");
  EXPECT_EQ(all.find("", "unknown")->name, "claude") << "the default";
  EXPECT_EQ(all.find("local", "gpt-9")->name, "local");
  EXPECT_EQ(all.find("nobody", "gpt-9"), nullptr);
  EXPECT_EQ(ProviderCatalog().find("", "m"), nullptr);
}

TEST(ParamsComplaint, NamesTheNearestMember) {
  EXPECT_THAT(params_complaint("llm.chat", {{"prompt", "x"}, {"temper", 0}}, {}),
              HasSubstr("did you mean temperature?"));
  EXPECT_THAT(params_complaint("tool.run", {{"argv", {"x"}}, {"cdw", "/"}}, {}),
              HasSubstr("/params/cdw: tool.run has no such member"));
  EXPECT_THAT(params_complaint("system.echo", {{"anything", 1}}, {}), IsEmpty());
  EXPECT_THAT(params_complaint("somebody.else", {{"anything", 1}}, {}), IsEmpty());
}

TEST(ParamsComplaint, NamesWhatTheProviderDoesNotTake) {
  const auto complaint = [](const Json& params) {
    return params_complaint("llm.chat", params, catalog());
  };
  EXPECT_THAT(complaint({{"model", "claude-1"}, {"seed", 1}}),
              HasSubstr("/params/seed: provider claude (kind anthropic"));
  EXPECT_THAT(complaint({{"model", "gpt-1"}, {"seed", 1}}), IsEmpty());
  EXPECT_THAT(complaint({{"provider", "cluade"}}), HasSubstr("did you mean claude?"));
  EXPECT_THAT(complaint({{"provider", "local"}, {"seed", 1}}), IsEmpty());
  for (const Json& none :
       {Json{{"n", 1}}, Json{{"logprobs", false}}, Json{{"tools", Json::array()}},
        Json{{"seed", nullptr}}, Json{{"temperature", 1}}}) {
    EXPECT_THAT(complaint(none), IsEmpty()) << none;
  }
}

}  // namespace
}  // namespace filecall::client
