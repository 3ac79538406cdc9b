// SPDX-License-Identifier: MIT
#include "worker/exec/registry/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/result.h"

namespace filecall::worker {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

class RegistryTest : public testing::Test {
 protected:
  void SetUp() override {
    uv_loop_init(&loop_);
    ToolConfig config;
    config.allow = {"true"};
    DeclaredTool tool;
    tool.name = "lint";
    tool.description = "Looks for mistakes.";
    tool.argv = {"lint", "{file}"};
    tool.args_schema = {{"type", "object"}, {"properties", {{"file", {{"type", "string"}}}}}};
    config.tools = {tool};
    auto created = Registry::create(&loop_, config, {});
    ASSERT_TRUE(created.has_value()) << created.error().message;
    registry_ = std::move(*created);
  }
  void TearDown() override {
    registry_.reset();
    uv_run(&loop_, UV_RUN_DEFAULT);
    EXPECT_EQ(uv_loop_close(&loop_), 0);
  }

  Result<Prepared, Failure> prepare(const std::string& command, Json params) const {
    Request request;
    request.request_id = "r";
    request.command = command;
    request.params = std::move(params);
    return registry_->prepare(request);
  }
  Failure refused(const std::string& command, Json params) const {
    auto prepared = prepare(command, std::move(params));
    EXPECT_FALSE(prepared) << command;
    return prepared ? Failure{} : std::move(prepared).error();
  }

  uv_loop_t loop_{};
  std::unique_ptr<Registry> registry_;
};

TEST_F(RegistryTest, HasTheCommandsOfThisWorker) {
  std::vector<std::string> names;
  for (const CommandInfo* info : registry_->commands()) names.push_back(info->name);
  EXPECT_TRUE(std::ranges::is_sorted(names));
  EXPECT_THAT(names, testing::IsSupersetOf({"kube.apiResources", "kube.canI", "kube.events",
                                            "kube.getResource", "kube.listResources", "kube.logs",
                                            "llm.chat", "llm.embed", "llm.models", "system.cancel",
                                            "system.discard", "system.describe", "system.echo",
                                            "tool.run"}));
  EXPECT_NE(registry_->find("system.echo"), nullptr);
  EXPECT_EQ(registry_->find("system.ech"), nullptr);
}

TEST_F(RegistryTest, SuggestsNamesForAnUnknownCommand) {
  const Failure failure = refused("system.ecko", Json::object());
  EXPECT_EQ(failure.code, ErrorCode::kUnimplemented);
  EXPECT_THAT(failure.message, HasSubstr("system.echo"));
  EXPECT_FALSE(failure.is_retryable());
}

TEST_F(RegistryTest, NamesPointerAndRuleOfBadParams) {
  const Failure failure = refused("tool.run", {{"argv", {"true", 7}}});
  EXPECT_EQ(failure.code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(failure.message, HasSubstr("/params/argv/1"));
  EXPECT_EQ(failure.details.at("pointer"), "/params/argv/1");
  EXPECT_EQ(refused("system.cancel", Json::object()).code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(refused("tool.run", Json::object()).code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(refused("tool.run", {{"argv", Json::array()}}).code, ErrorCode::kInvalidArgument);
}

TEST_F(RegistryTest, PreparesWhatMayRun) {
  const auto prepared = prepare("tool.run", {{"argv", {"true"}}});
  ASSERT_TRUE(prepared);
  EXPECT_EQ(prepared->executor, registry_->find("tool.run"));
  EXPECT_EQ(prepared->plan.destination, "tool");
  EXPECT_TRUE(prepare("system.echo", {{"any", {1, 2}}}));
}

TEST_F(RegistryTest, DescribesCommandsAndTools) {
  const Json catalog = registry_->describe();
  ASSERT_EQ(catalog.at("commands").size(), registry_->commands().size());
  std::map<std::string, int> by_family;
  for (const Json& command : catalog.at("commands")) {
    const auto name = command.at("name").get<std::string>();
    ++by_family[name.substr(0, name.find('.'))];
  }
  EXPECT_THAT(by_family, ElementsAre(Pair("file", 8), Pair("git", 7), Pair("kube", 24),
                                     Pair("llm", 3), Pair("system", 4), Pair("tool", 1)));
  for (const Json& command : catalog.at("commands")) {
    EXPECT_FALSE(command.at("description").get<std::string>().empty());
    EXPECT_TRUE(command.at("input_schema").is_object());
  }
  const Json& tool = catalog.at("tools").at(0);
  EXPECT_EQ(tool.at("name"), "lint");
  EXPECT_EQ(tool.at("effects"), "external");
  EXPECT_TRUE(tool.at("input_schema").contains("properties"));
}

TEST_F(RegistryTest, RefusesASandboxOfTheWholeMachine) {
  ToolConfig config;
  config.guard = FILECALL_TEST_GUARD;
  config.sandbox = "read-only";
  config.roots = {"/"};
  const auto created = Registry::create(&loop_, config, {});
  ASSERT_FALSE(created.has_value());
  EXPECT_EQ(created.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(created.error().message, HasSubstr("tool.roots"));
}

}  // namespace
}  // namespace filecall::worker
