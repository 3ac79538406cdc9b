// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/quoted_objects.h"

#include <gtest/gtest.h>

#include "worker/exec/kube/model/redaction.h"

namespace filecall::worker::kube {
namespace {

TEST(QuotedObjects, LeaveTheMistakeOfAPatchAndNothingOfTheLiveObject) {
  // As kube-apiserver 1.20 answers a merge patch with a wrong type.
  EXPECT_EQ(
      without_quoted_objects(
          R"( "" is invalid: patch: Invalid value: "{\"data\":{\"password\":\"Y29y}\\\"cmVj\"}}": )"
          R"(v1.Secret.Immutable: ReadBool: expect t, but found ", error found in #10 byte of )"
          R"(...|mutable":"nope","kin|..., bigger context ...|ord":"Y29ycmVj"},"imm|...)"),
      R"( "" is invalid: patch: Invalid value: "...": v1.Secret.Immutable: ReadBool: expect t, )"
      R"(but found ", error found in #10 byte of ...)");
}

TEST(QuotedObjects, AreGosValuesToo) {
  EXPECT_EQ(without_quoted_objects(
                R"(x: Invalid value: map[string]interface {}{"data":"a}b\"c}"}: must be y)"),
            "x: Invalid value: map[string]interface {}{...}: must be y");
  EXPECT_EQ(without_quoted_objects(R"(Invalid value: v1.LabelSelector{Labels:"a"}: immutable)"),
            "Invalid value: v1.LabelSelector{...}: immutable");
  EXPECT_EQ(without_quoted_objects("value: map[data:map[a:x]y] b:z]: bad"), "value: map[...]: bad");
  EXPECT_EQ(without_quoted_objects(R"(value: "map[data:map[a:x]]": bad)"), R"(value: "...": bad)");
}

TEST(QuotedObjects, GoToTheEndOfTheTextWhereTheirOwnIsNotFound) {
  EXPECT_EQ(without_quoted_objects(R"(patch: "{\"a\":\"secr)"), "patch: \"...");
  EXPECT_EQ(without_quoted_objects(R"(patch: {"a":"secr)"), "patch: {...");
  EXPECT_EQ(without_quoted_objects("may not change:\n core.PodSpec{\n  A: \"x}\",\n }\n- b\n"),
            "may not change:\n core.PodSpec{...");
  EXPECT_EQ(without_quoted_objects("near ...|secr"), "near ...");
  EXPECT_EQ(without_quoted_objects("map[a:b"), "map[...");
}

TEST(QuotedObjects, AreNotWhatOnlyLooksLikeOne) {
  for (const char* text :
       {R"(pods "web" not found)", R"(conflict with "kubectl": .spec.containers[name="c"].image)",
        R"(expects " or n, but found 1)", "cannot use {} here", "a map[string]string is expected",
        R"(spec.ports[0].name: Required value)", ""}) {
    EXPECT_EQ(without_quoted_objects(text), text);
  }
}

TEST(QuotedObjects, AreTakenOutOfTheWholeErrorOfAnExchange) {
  const std::string quote = R"(Invalid value: "{\"data\":{\"k\":\"aHVudGVyMi1odW50ZXIy\"}}": bad)";
  Redactor redactor(DigestKey{});
  const Json out = redactor.redact(
      {{"kind", "Status"}, {"message", quote}, {"details", {{"causes", {{{"message", quote}}}}}}},
      {"", "Secret"});
  EXPECT_EQ(out["message"], R"(Invalid value: "...": bad)");
  EXPECT_EQ(out["details"]["causes"][0]["message"], R"(Invalid value: "...": bad)");
}

}  // namespace
}  // namespace filecall::worker::kube
