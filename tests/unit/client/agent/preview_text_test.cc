// SPDX-License-Identifier: MIT
#include "client/agent/preview_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace filecall::client {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

AgentCall call_of(const std::string& tool, Json preview) {
  AgentCall call;
  call.tool = tool;
  call.preview = std::move(preview);
  return call;
}

Json hunk(const std::string& id, const std::string& diff) {
  return {{"id", id}, {"header", "@@ -1 +1 @@"}, {"diff", diff}};
}

TEST(PreviewText, IsEmptyWhenTheArgumentsSayAll) {
  EXPECT_THAT(preview_text(call_of("tool.run", nullptr)), IsEmpty());
}

TEST(PreviewText, ShowsEveryFileOfAChangeSetWithItsHunks) {
  const AgentCall call =
      call_of("file.propose", {{"changes",
                                {{{"path", "a.txt"},
                                  {"operation", "update"},
                                  {"hunks", {hunk("h1", "-one\n+1"), hunk("h2", "-two\n+2\n")}}},
                                 {{"path", "b.txt"},
                                  {"operation", "delete"},
                                  {"unified_diff", "-gone\n"},
                                  {"hunks", Json::array()}}}}});
  EXPECT_EQ(preview_text(call),
            "update a.txt\n[h1] @@ -1 +1 @@\n-one\n+1\n[h2] @@ -1 +1 @@\n-two\n+2\n"
            "delete b.txt\n-gone\n");
  EXPECT_THAT(preview_hunks(call), ElementsAre("h1", "h2"));
}

TEST(PreviewText, NoNameOrNoteBeginsALineOfItsOwn) {
  const std::string fake = "x\nupdate safe.txt\xe2\x80\xae";
  const std::string shown = "x\\nupdate safe.txt\\u202e";
  const AgentCall files =
      call_of("file.edit", {{"changes",
                             {{{"path", fake},
                               {"operation", "update"},
                               {"warning", fake},
                               {"hunks", {hunk("h1", "-a\n+b\xe2\x80\x8b\n")}}}}}});
  EXPECT_EQ(preview_text(files),
            "update " + shown + "\n  " + shown + "\n[h1] @@ -1 +1 @@\n-a\n+b\\u200b\n");
  AgentCall object = call_of(
      "kube.delete", {{"identity", {{"kind", "Pod"}, {"name", fake}}}, {"warnings", {fake}}});
  object.impact_error = fake;
  EXPECT_EQ(preview_text(object), "it is not known what depends on it: " + shown + "\nPod " +
                                      shown + "\n" + shown + "\n");
}

TEST(PreviewText, SaysWhatStandsInTheWayOfAChange) {
  const AgentCall call =
      call_of("file.propose", {{"changes",
                                {{{"path", "a.txt"},
                                  {"operation", "update"},
                                  {"conflict", true},
                                  {"warning", "the file was changed meanwhile"}}}}});
  EXPECT_THAT(preview_text(call), HasSubstr("conflict: it cannot be made"));
  EXPECT_THAT(preview_text(call), HasSubstr("the file was changed meanwhile"));
}

TEST(PreviewText, OffersHunksOfAProposalAlone) {
  const Json changes = {{"changes", {{{"path", "a"}, {"hunks", {hunk("h1", "+x\n")}}}}}};
  EXPECT_THAT(preview_hunks(call_of("file.edit", changes)), IsEmpty());
  EXPECT_THAT(preview_hunks(call_of("file.propose", changes)), ElementsAre("h1"));
}

TEST(PreviewText, NamesAnObjectWithItsPlaceAndEachChangedField) {
  const AgentCall call =
      call_of("kube.scale",
              {{"identity", {{"kind", "Deployment"}, {"name", "web"}, {"namespace", "shop"}}},
               {"cluster", {{"context", "prod"}}},
               {"changes",
                {{{"op", "replace"}, {"path", "/spec/replicas"}, {"before", 1}, {"after", 3}}}}});
  EXPECT_EQ(preview_text(call),
            "Deployment web in shop, context prod\nreplace /spec/replicas: 1 -> 3\n");
}

TEST(PreviewText, TellsCreationDeletionAndNoChangeApart) {
  const auto text = [](Json preview) {
    return preview_text(call_of("kube.patchResource", std::move(preview)));
  };
  EXPECT_THAT(text({{"previous", nullptr}, {"proposed", Json::object()}}),
              HasSubstr("there is no such object yet"));
  EXPECT_THAT(text({{"previous", Json::object()}, {"proposed", nullptr}}),
              HasSubstr("the object is deleted"));
  EXPECT_THAT(text({{"changed", false}}), HasSubstr("nothing changes"));
  EXPECT_THAT(text({{"changed", true}}), Not(HasSubstr("nothing changes")));
}

TEST(PreviewText, BeginsWithWhatBreaks) {
  AgentCall call = call_of("kube.deleteResource", {{"proposed", nullptr}});
  call.impact = {{"severity", "high"},
                 {"complete", true},
                 {"summary", "1 object breaks"},
                 {"impactedResources",
                  {{{"effect", "breaks"},
                    {"kind", "Deployment"},
                    {"namespace", "shop"},
                    {"name", "web"},
                    {"severity", "high"},
                    {"with", {{"ReplicaSet", 1}}}}}}};
  EXPECT_EQ(preview_text(call),
            "impact when it is gone: high\n  1 object breaks\n"
            "  breaks Deployment shop/web and 1 ReplicaSet (high)\nthe object is deleted\n");
}

TEST(PreviewText, CountsWhatItLeavesOutOfAnImpact) {
  AgentCall call = call_of("kube.deleteResource", nullptr);
  Json rows = Json::array();
  for (int i = 0; i < 50; ++i) {
    rows.push_back({{"effect", "loses"},
                    {"kind", "Pod"},
                    {"name", "p" + std::to_string(i)},
                    {"severity", "low"}});
  }
  call.impact = {
      {"severity", "low"}, {"complete", false}, {"impactedResources", rows}, {"omitted", 7}};
  EXPECT_THAT(preview_text(call), HasSubstr("and 17 more"));
  EXPECT_THAT(preview_text(call), HasSubstr("not everything could be read"));
}

TEST(PreviewText, SaysThatAnImpactOrAPreviewIsNotKnown) {
  AgentCall call = call_of("kube.deleteResource", nullptr);
  call.impact_error = "the server does not answer";
  EXPECT_THAT(preview_text(call), HasSubstr("not known what depends on it: the server"));
  call.preview_error = "not found";
  EXPECT_THAT(preview_text(call), StartsWith("no preview: not found\nit is not known"));
}

TEST(PreviewText, IsBoundedAndSaysSo) {
  const AgentCall call = call_of(
      "file.propose", {{"changes",
                        {{{"path", "a"},
                          {"operation", "create"},
                          {"hunks", {hunk("h1", "+" + std::string(1 << 20, 'x') + "\n")}}}}}});
  const std::string text = preview_text(call);
  EXPECT_LT(text.size(), 70U << 10);
  EXPECT_THAT(text, HasSubstr("left out"));
}

}  // namespace
}  // namespace filecall::client
