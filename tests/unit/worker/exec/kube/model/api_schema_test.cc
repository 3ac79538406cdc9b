// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/api_schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace filecall::worker::kube {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const ShowValue kAsItIs = [](const std::string&, const Json& value) { return value; };

Json document() {
  return Json::parse(R"({"definitions": {
    "Shop": {"type": "object", "required": ["spec"], "description": "A shop.",
      "x-kubernetes-group-version-kind": [{"group": "g", "version": "v1", "kind": "Shop"}],
      "properties": {
        "spec": {"$ref": "#/definitions/Spec", "description": "Wanted. In time."},
        "labels": {"type": "object", "additionalProperties": {"type": "string"}},
        "byName": {"type": "object", "additionalProperties": {"$ref": "#/definitions/Part"}},
        "lists": {"type": "array", "items": {"type": "array", "items": {"type": "integer"}}},
        "port": {"$ref": "#/definitions/Port"},
        "either": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
        "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
        "dotted.name": {"type": "boolean"},
        "lost": {"$ref": "#/definitions/Gone"}}},
    "Spec": {"type": "object", "description": "The spec.", "properties": {
        "size": {"type": "string", "enum": ["s", "l"], "default": "s", "pattern": "^[sl]$"},
        "count": {"type": "integer", "format": "int32", "minimum": 1},
        "parts": {"type": "array", "items": {"$ref": "#/definitions/Part"}}}},
    "Part": {"type": "object", "properties": {
        "name": {"type": "string"}, "inner": {"$ref": "#/definitions/Part"}}},
    "Port": {"type": "string", "format": "int-or-string"},
    "Round": {"$ref": "#/definitions/Circle"}, "Circle": {"$ref": "#/definitions/Round"},
    "Loop": {"x-kubernetes-group-version-kind": [{"group": "", "version": "v1", "kind": "Loop"}],
      "$ref": "#/definitions/Round"}}})");
}

ExplainQuestion about(std::string field, int depth = 1) {
  ExplainQuestion question{"g", "v1", "Shop", std::move(field), depth};
  return question;
}

std::string type_of(const std::string& field) {
  const auto data = explain(document(), about(field), kAsItIs);
  return data ? data->at("type").get<std::string>() : data.error().message;
}

TEST(ApiSchema, NamesTypesAsKubectlDoes) {
  EXPECT_EQ(type_of(""), "object");
  EXPECT_EQ(type_of("spec"), "object");
  EXPECT_EQ(type_of("labels"), "map[string]string");
  EXPECT_EQ(type_of("byName"), "map[string]object");
  EXPECT_EQ(type_of("lists"), "[][]integer");
  EXPECT_EQ(type_of("port"), "int-or-string");
  EXPECT_EQ(type_of("either"), "integer|string");
  EXPECT_EQ(type_of("spec.parts"), "[]object");
  EXPECT_EQ(type_of("lost"), "any");
}

TEST(ApiSchema, WalksListsAndMapsWithAndWithoutSigns) {
  for (const char* field : {"spec.parts.name", ".spec.parts[].name", "spec.parts[*].name",
                            "spec.parts[0].inner.inner.name", "byName.name", "byName.key.name",
                            "byName[\"a.b\"].name", "labels[\"a.b/c\"]", "labels.app"}) {
    EXPECT_EQ(type_of(field), "string") << field;
  }
  EXPECT_EQ(type_of("[\"dotted.name\"]"), "boolean");
}

TEST(ApiSchema, TellsOfAFieldWhatTheSchemaSays) {
  const Json spec = explain(document(), about("spec"), kAsItIs).value();
  EXPECT_EQ(spec.at("description"), "Wanted. In time.");
  EXPECT_EQ(spec.at("typeDescription"), "The spec.");
  EXPECT_EQ(spec.at("required"), true);
  EXPECT_EQ(spec.at("complete"), true);
  EXPECT_EQ(spec.at("fields").at(2),
            (Json{{"name", "size"}, {"type", "string"}, {"enum", {"s", "l"}}, {"default", "s"}}));
  const Json count = explain(document(), about("spec.count"), kAsItIs).value();
  EXPECT_EQ(count.at("format"), "int32");
  EXPECT_EQ(count.at("minimum"), 1);
  EXPECT_EQ(count.at("fields"), Json::array());
  EXPECT_EQ(explain(document(), about("free"), kAsItIs).value().at("openFields"), true);
  const Json root = explain(document(), about(""), kAsItIs).value();
  EXPECT_EQ(root.at("requiredFields"), Json({"spec"}));
  EXPECT_EQ(root.at("fields").back().at("description"), "Wanted.");
}

TEST(ApiSchema, ListsAsManyLevelsAsAreAskedForAndSaysWhatHasNoRoom) {
  const Json two = explain(document(), about("spec", 3), kAsItIs).value();
  const Json& inner = two.at("fields").at(1).at("fields").at(0);
  EXPECT_EQ(inner.at("name"), "inner");
  EXPECT_EQ(inner.at("fields").size(), 2U);
  EXPECT_FALSE(inner.at("fields").at(0).contains("fields"));
  EXPECT_EQ(two.at("complete"), true);
  EXPECT_EQ(explain(document(), about("spec", 0), kAsItIs).value().at("fields"), Json::array());
  ExplainQuestion small = about("spec", 20);
  small.bytes_max = 100;
  const Json cut = explain(document(), small, kAsItIs).value();
  EXPECT_EQ(cut.at("complete"), false);
  EXPECT_EQ(cut.at("left_out"), 1);
  small.bytes_max = 1000;  // A part holds a part, without an end.
  EXPECT_EQ(explain(document(), small, kAsItIs).value().at("complete"), false);
}

TEST(ApiSchema, NamesNearFieldsOfAnUnknownOne) {
  const auto wrong = explain(document(), about("spec.sizes"), kAsItIs);
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(wrong.error().message,
              HasSubstr("Shop.spec has no field 'sizes'; did you mean size"));
  EXPECT_EQ(wrong.error().details.at("nearest"), Json({"size"}));
  EXPECT_THAT(type_of("spec.count.x"), HasSubstr("Shop.spec.count is of type integer"));
  EXPECT_THAT(type_of("free.x"), HasSubstr("whose fields the schema does not name"));
}

TEST(ApiSchema, GivesEveryShownTextAway) {
  std::vector<std::string> names;
  const ShowValue hide = [&](const std::string& name, const Json&) {
    names.push_back(name);
    return Json("hidden");
  };
  const Json spec = explain(document(), about("spec"), hide).value();
  EXPECT_EQ(spec.at("description"), "hidden");
  EXPECT_EQ(spec.at("fields").at(2).at("default"), "hidden");
  EXPECT_THAT(names, ElementsAre("description", "description", "size", "size"));
  const Json size = explain(document(), about("spec.size"), hide).value();
  EXPECT_EQ(size.at("pattern"), "hidden");
  EXPECT_EQ(explain(document(), about("spec.count"), hide).value().at("format"), "hidden");
}

TEST(ApiSchema, ShowsTheFirstOfManyValuesAndIsNotCompleteThen) {
  Json many = document();
  for (int i = 0; i < 150; ++i) {
    many["definitions"]["Spec"]["properties"]["size"]["enum"].push_back("v" + std::to_string(i));
  }
  const Json size = explain(many, about("spec.size"), kAsItIs).value();
  EXPECT_EQ(size.at("enum").size(), 100U);
  EXPECT_EQ(size.at("enumLeftOut"), 52);
  EXPECT_EQ(size.at("complete"), false);
  const Json spec = explain(many, about("spec"), kAsItIs).value();
  EXPECT_EQ(spec.at("fields").at(2).at("enumLeftOut"), 52);
  EXPECT_EQ(spec.at("complete"), false);
  EXPECT_EQ(explain(many, about("spec.count"), kAsItIs).value().at("complete"), true);
}

TEST(ApiSchema, SurvivesWhatIsNoSchema) {
  EXPECT_FALSE(describes(Json(), about("")));
  EXPECT_FALSE(describes(Json{{"definitions", 7}}, about("")));
  EXPECT_FALSE(explain(Json{{"definitions", {{"a", 1}}}}, about(""), kAsItIs));
  ExplainQuestion circle{"", "v1", "Loop", ""};
  ASSERT_TRUE(describes(document(), circle));
  EXPECT_EQ(explain(document(), circle, kAsItIs).value().at("type"), "any");
  EXPECT_FALSE(explain(document(), about(std::string(5000, '.') + "a[[[\"\"]"), kAsItIs));
  std::string deep;
  for (int i = 0; i < 200; ++i) deep += "a.";
  EXPECT_EQ(explain(document(), about(deep), kAsItIs).error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace filecall::worker::kube
