// SPDX-License-Identifier: MIT
#include "worker/exec/kube/client/api_reply.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <type_traits>

namespace filecall::worker::kube {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

ApiReply reply(const std::string& body, const std::string& kind = "Secret") {
  return {200, "application/json", body, {"", kind}, Redactor(DigestKey{})};
}

TEST(ApiReply, HidesValuesOfASecretThatDoesNotSayThatItIsOne) {
  // "aHVudGVyMi1odW50ZXIy" is hunter2-hunter2.
  ApiReply found =
      reply(R"({"kind": "SecretList", "items": [{"data": {"k": "aHVudGVyMi1odW50ZXIy"}}]})");
  EXPECT_THAT(dump_json(found.object()), Not(HasSubstr("aHVud")));
  EXPECT_THAT(dump_json(found.object()), HasSubstr("\"k\""));
}

TEST(ApiReply, ScrubsWarningsOfWhatTheBodyHad) {
  ApiReply found = reply(R"({"kind": "Secret", "data": {"k": "aHVudGVyMi1odW50ZXIy"}})");
  (void)found.object();
  found.add_warning("value hunter2-hunter2 is weak");
  EXPECT_THAT(found.warnings()[0], Not(HasSubstr("hunter2")));
}

TEST(ApiReply, IsNullForWhatIsNotJson) {
  EXPECT_TRUE(reply("<html>").object().is_null());
  EXPECT_TRUE(reply("").object().is_null());
}

TEST(ApiReply, CannotBeToldToRevealByAnybodyButTheConfiguration) {
  EXPECT_FALSE(std::is_default_constructible_v<RevealPermit>);
}

TEST(WarningText, ReadsTheHeadersForm) {
  EXPECT_EQ(warning_text(R"(299 - "old \"v1\" here")"), R"(old "v1" here)");
  EXPECT_EQ(warning_text("plain"), "plain");
}

}  // namespace
}  // namespace filecall::worker::kube
