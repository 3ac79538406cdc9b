// SPDX-License-Identifier: MIT
#include "client/service/last_answer.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/unit/client/engine/fake_worker.h"

namespace filecall::client {
namespace {

TEST(LastAnswer, LiesWhereTheStateSays) {
  struct Case {
    std::vector<std::string> folders;
    RequestState state;
    std::string found;  // Empty: none.
  };
  const std::vector<Case> cases = {
      {{}, RequestState::kSuccess, ""},
      {{"responses"}, RequestState::kSuccess, "responses"},
      {{"client/answers"}, RequestState::kSuccess, "client/answers"},
      {{"responses", "client/answers"}, RequestState::kSuccess, "responses"},
      {{"failed"}, RequestState::kSuccess, ""},
      {{"failed"}, RequestState::kGaveUp, "failed"},
      {{"failed", "responses"}, RequestState::kGaveUp, "failed"},
      {{"responses"}, RequestState::kGaveUp, "responses"},
      {{"client/answers"}, RequestState::kGaveUp, ""},
      {{"responses", "failed"}, RequestState::kPolling, "responses"},
  };
  for (const Case& one : cases) {
    const TemporaryRoot root;
    for (const std::string& folder : one.folders) root.write(folder + "/a.json", folder);
    const auto answer = last_answer(spool::Layout(root.path()), "a", one.state);
    if (one.found.empty()) {
      ASSERT_FALSE(answer);
      EXPECT_EQ(answer.error().code, ErrorCode::kNotFound);
      continue;
    }
    ASSERT_TRUE(answer) << one.found;
    EXPECT_EQ(answer->bytes, one.found);
    EXPECT_EQ(answer->is_from_cache, one.found == "client/answers");
    EXPECT_EQ(answer->path, root.path() + "/" + one.found + "/a.json");
  }
}

TEST(LastAnswer, ThatIsNotThereIsMissedWherePeopleLookForIt) {
  const TemporaryRoot root;
  for (const RequestState state : {RequestState::kSuccess, RequestState::kGaveUp}) {
    const auto answer = last_answer(spool::Layout(root.path()), "a", state);
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, ErrorCode::kNotFound);
    EXPECT_TRUE(answer.error().message.starts_with(root.path() + "/responses/a.json: "))
        << answer.error().message;
  }
}

TEST(LastAnswer, IsNoLinkToAnotherFile) {
  const TemporaryRoot root;
  root.write("responses/b.json", "{}");
  std::filesystem::create_symlink("b.json", root.path() + "/responses/a.json");
  const auto answer = last_answer(spool::Layout(root.path()), "a", RequestState::kSuccess);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kNotFound);
  EXPECT_NE(answer.error().message.find("is not a regular file"), std::string::npos);
}

}  // namespace
}  // namespace filecall::client
