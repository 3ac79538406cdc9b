// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/sanitize.h"

#include <gtest/gtest.h>

namespace filecall::worker::kube {
namespace {

TEST(Sanitize, KeepsMinimalMetadataAndEverythingElse) {
  const Json object = {{"apiVersion", "v1"},
                       {"kind", "Pod"},
                       {"metadata",
                        {{"name", "p"},
                         {"uid", "u"},
                         {"resourceVersion", "7"},
                         {"generation", 2},
                         {"labels", Json::object()},
                         {"ownerReferences", {{{"name", "o"}}}}}},
                       {"spec", {{"a", 1}}},
                       {"status", {{"b", 2}}}};
  const Sanitized out = sanitize(object);
  EXPECT_EQ(out.manifest["metadata"],
            Json({{"name", "p"}, {"ownerReferences", {{{"name", "o"}}}}}));
  EXPECT_EQ(out.manifest["spec"], object["spec"]);
  EXPECT_EQ(out.manifest["status"], object["status"]);
  EXPECT_TRUE(out.cut.empty());
  EXPECT_EQ(precondition_of(object), Json({{"uid", "u"}, {"resourceVersion", "7"}}));
}

TEST(Sanitize, BoundsNamesOfMembersAsWell) {
  const std::string giant(2'000'000, 'k');
  for (const char* member : {"spec", "metadata"}) {
    const Sanitized out = sanitize({{member, {{"labels", {{giant, "v"}, {"a", "b"}}}}}});
    EXPECT_LT(dump_json(out.manifest).size(), 64u * 1024) << member;
    EXPECT_EQ(out.manifest[member]["labels"], Json({{"a", "b"}}));
    EXPECT_LT(dump_json(out.cut).size(), 1000u);
    EXPECT_FALSE(out.cut.empty());
  }
}

TEST(Sanitize, NamesWhatItCuts) {
  Json list = Json::array();
  for (int i = 0; i < 20; ++i) list.push_back(i);
  const Json object = {{"spec", {{"a/b", std::string(100, 'x')}, {"list", list}}}};
  const Sanitized out = sanitize(object, {.text_bytes_max = 10, .items_max = 5});
  EXPECT_EQ(out.manifest["spec"]["a/b"], "xxxxxxxxxx...");
  EXPECT_EQ(out.manifest["spec"]["list"].size(), 5u);
  EXPECT_EQ(out.cut, Json::parse(R"([{"path": "/spec/a~1b", "cut": "kept 10 of 100 bytes"},
                                     {"path": "/spec/list", "cut": "kept 5 of 20 items"}])"));
}

TEST(Sanitize, FitsAnyObjectIntoItsBytes) {
  Json wide = Json::object();
  for (int i = 0; i < 3000; ++i) {
    wide["member" + std::to_string(i)] = {{"text", std::string(200, 'y')}, {"n", i}};
  }
  const Json object = {{"apiVersion", "v1"},
                       {"kind", "X"},
                       {"metadata", {{"name", "n"}}},
                       {"spec", wide},
                       {"status", {{"small", 1}}}};
  for (const std::size_t bytes : {1024u, 10000u, 100000u}) {
    const Sanitized out = sanitize(object, {.bytes_max = bytes});
    EXPECT_LE(dump_json(out.manifest).size(), bytes);
    EXPECT_EQ(out.manifest["metadata"]["name"], "n");
    EXPECT_FALSE(out.cut.empty());
    EXPECT_LE(out.cut.size(), 100u);
  }
}

TEST(Sanitize, LeavesOutTheLargestMemberWhenNothingElseHelps) {
  Json deep = Json::object();
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) {
      for (int k = 0; k < 4; ++k) {
        deep[std::to_string(i)][std::to_string(j)][std::to_string(k)] = std::string(60, 'z');
      }
    }
  }
  const Sanitized out =
      sanitize({{"kind", "X"}, {"spec", deep}, {"status", 1}}, {.bytes_max = 1024});
  EXPECT_FALSE(out.manifest.contains("spec"));
  EXPECT_EQ(out.manifest["status"], 1);
  EXPECT_EQ(out.cut.back()["path"], "/spec");
}

TEST(Sanitize, TakesBodiesOfAnyShape) {
  for (const Json& body : {Json(), Json(1), Json::array(), Json{{"metadata", 1}}}) {
    EXPECT_EQ(sanitize(body).manifest, body);
  }
}

}  // namespace
}  // namespace filecall::worker::kube
