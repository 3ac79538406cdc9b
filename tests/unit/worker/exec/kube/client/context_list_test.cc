// SPDX-License-Identifier: MIT
#include "worker/exec/kube/client/context_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace filecall::worker::kube {
namespace {

using testing::HasSubstr;

Kubeconfig shop() {
  Kubeconfig config;
  config.clusters["c"].server = "https://h.example:6443/p/";
  config.users["u"].token = Secret("canary-token");
  config.contexts["x"] = {"c", "u", "shop"};
  config.current_context = "x";
  return config;
}

TEST(ContextList, NamesWhatIsNoCredential) {
  EXPECT_EQ(describe_context(shop(), "x", {}), (Json{{"name", "x"},
                                                     {"allowed", true},
                                                     {"current", true},
                                                     {"default", false},
                                                     {"cluster", "c"},
                                                     {"user", "u"},
                                                     {"namespace", "shop"},
                                                     {"server", "https://h.example:6443/p"}}));
}

TEST(ContextList, TellsOfAContextThatIsNotAllowedItsNameAlone) {
  EXPECT_EQ(describe_context(shop(), "x", {"y"}),
            (Json{{"name", "x"}, {"allowed", false}, {"current", true}, {"default", false}}));
}

TEST(ContextList, SaysWhyAContextCannotBeUsedAndShowsNoPassword) {
  Kubeconfig config = shop();
  config.clusters["c"].server = "https://ada:canary-pw@h.example?token=canary-query";
  config.contexts["dangling"] = {"gone", "u", ""};
  const Json row = describe_context(config, "x", {});
  EXPECT_THAT(row.at("problem").get<std::string>(), HasSubstr("without a user"));
  EXPECT_FALSE(row.contains("server"));
  EXPECT_THAT(row.dump(), testing::Not(HasSubstr("canary")));
  const Json dangling = describe_context(config, "dangling", {});
  EXPECT_THAT(dangling.at("problem").get<std::string>(), HasSubstr("\"gone\" does not exist"));
  EXPECT_EQ(dangling.at("namespace"), "default");
  EXPECT_THAT(describe_context(config, "typo", {"typo"}).at("problem").get<std::string>(),
              HasSubstr("no such context"));
}

TEST(ContextList, DropsTheQueryOfAServer) {
  Kubeconfig config = shop();
  config.clusters["c"].server = "https://h.example?token=canary-query";
  EXPECT_EQ(describe_context(config, "x", {}).at("server"), "https://h.example");
}

}  // namespace
}  // namespace filecall::worker::kube
