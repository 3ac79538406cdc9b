// SPDX-License-Identifier: MIT
#include "client/core/settings_review.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "ipc/setting_digest.h"

namespace filecall::client {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class SettingsReviewTest : public testing::Test {
 protected:
  SettingsReviewTest() {
    launch_.salt = "salt";
    launch_.config = "/etc/w.yaml";
    launch_.config_digest = "xxh128:1";
    launch_.is_from_client = true;
    launch_.roots = {"/root"};
  }
  void had(const char* what, const char* variable, const char* value) {
    launch_.settings.push_back({"p", what, variable, "", setting_digest("salt", value)});
  }
  SettingsReview review() const {
    return review_settings(
        launch_,
        {.variable = look(variables_), .file = look(files_), .config_digest = config_digest_});
  }
  SettingsPlan plan(bool may_restart, bool is_idle) const {
    return plan_settings(launch_, review(), {"/root", may_restart, is_idle});
  }

  WorkerLaunch launch_;
  std::map<std::string, std::string> variables_, files_;
  std::string config_digest_;

 private:
  static SettingsNow::Look look(const std::map<std::string, std::string>& values) {
    return [&values](const std::string& name) -> std::optional<std::string> {
      const auto found = values.find(name);
      if (found == values.end()) return std::nullopt;
      return found->second;
    };
  }
};

TEST_F(SettingsReviewTest, FindsNothingWhereAllIsTheSame) {
  had("key", "K", "secret");
  variables_["K"] = " secret\n";
  config_digest_ = "xxh128:1";
  EXPECT_THAT(review().differences, IsEmpty());
  EXPECT_EQ(plan(true, true).remedy, SettingsRemedy::kNone);
}

TEST_F(SettingsReviewTest, NamesWhatDiffersAndNoValue) {
  had("key", "K", "secret");
  had("base URL", "U", "");
  launch_.settings.push_back({"q", "key", "", "/key", setting_digest("salt", "in file")});
  variables_ = {{"K", "other"}, {"U", "http://x"}};
  files_["/key"] = "changed";
  config_digest_ = "xxh128:2";
  EXPECT_THAT(review().differences,
              ElementsAre("configuration: /etc/w.yaml was changed since the worker read it",
                          "provider p: the worker has another key than $K",
                          "provider p: the worker has no base URL, and $U has one",
                          "provider q: the worker has another key than /key"));
}

TEST_F(SettingsReviewTest, AClientWithoutTheVariableKnowsNothing) {
  had("key", "K", "secret");
  had("key", "EMPTY", "");
  launch_.settings.push_back({"q", "key", "", "/unreadable", setting_digest("salt", "x")});
  EXPECT_THAT(review().differences, IsEmpty());
  EXPECT_THAT(review().unset, ElementsAre("$K"));
}

TEST_F(SettingsReviewTest, AnAddressWithoutAKeyOnEitherSideIsNoDifference) {
  launch_.settings = {{"anthropic", "key", "AK", "", ""}, {"anthropic", "base URL", "AU", "", ""}};
  variables_["AU"] = "http://x";
  EXPECT_THAT(review().differences, IsEmpty());
  variables_["AK"] = "k";
  EXPECT_EQ(review().differences.size(), 2U);
}

TEST_F(SettingsReviewTest, RestartsOnlyWhatIsIdleWholeAndItsOwn) {
  had("key", "K", "secret");
  had("key", "OTHER", "secret");
  variables_ = {{"K", "new"}, {"OTHER", "secret"}};
  EXPECT_EQ(plan(true, true).remedy, SettingsRemedy::kRestart);
  EXPECT_THAT(plan(true, false).notice, HasSubstr("it has requests"));
  EXPECT_THAT(plan(false, true).notice, HasSubstr("'filecall worker restart --root /root'"));
  launch_.roots.push_back("/second");
  EXPECT_THAT(plan(true, true).notice, HasSubstr("several roots"));
  launch_.roots.pop_back();
  variables_.erase("OTHER");
  EXPECT_THAT(plan(true, true).notice, HasSubstr("set $OTHER as well"));
  launch_.is_from_client = false;
  EXPECT_THAT(plan(true, true).notice, HasSubstr("filecall did not start it"));
  EXPECT_EQ(plan(true, true).remedy, SettingsRemedy::kSay);
}

}  // namespace
}  // namespace filecall::client
