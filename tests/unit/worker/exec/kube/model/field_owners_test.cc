// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/field_owners.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "worker/exec/kube/model/object_managers.h"

namespace filecall::worker::kube {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string as_it_is(std::string_view text) { return std::string(text); }

Json entry(const std::string& manager, const std::string& operation, const Json& fields) {
  return {{"manager", manager},       {"operation", operation},         {"apiVersion", "apps/v1"},
          {"fieldsType", "FieldsV1"}, {"time", "2026-01-02T03:04:05Z"}, {"fieldsV1", fields}};
}

Json object_of(std::initializer_list<Json> entries) {
  Json rows = Json::array();
  for (const Json& row : entries) rows.push_back(row);
  Json object = Json::object();
  object["metadata"]["managedFields"] = std::move(rows);
  return object;
}

FieldOwners owners_of(std::initializer_list<Json> entries) {
  auto owners = FieldOwners::read(object_of(entries), as_it_is);
  EXPECT_TRUE(owners) << (owners ? "" : owners.error().message);
  return owners ? *owners : FieldOwners();
}

/// "manager: field field", one for each.
std::vector<std::string> words(const std::vector<FieldOwners::Fields>& all) {
  std::vector<std::string> out;
  for (const FieldOwners::Fields& one : all) {
    std::string text = one.manager.name + ":";
    for (const std::string& field : one.fields) text += " " + field;
    out.push_back(text);
  }
  return out;
}

const FieldOwners::Writer kSelf{"filecall", "Apply", ""};

std::vector<std::string> taken(const Json& before, const Json& after) {
  return words(owners_of({entry("other", "Update", before)})
                   .taken_by(kSelf, owners_of({entry("other", "Update", after)})));
}

TEST(FieldOwners, TellsWhatAWriteHasTakenInTheNotationOfConflicts) {
  const struct {
    std::string before;
    std::string after;
    std::string taken;
  } rows[] = {
      {R"({"f:spec":{"f:replicas":{}}})", R"({"f:spec":{}})", "other: .spec.replicas"},
      {R"({"f:spec":{"f:replicas":{},"f:paused":{}}})", R"({"f:spec":{"f:paused":{}}})",
       "other: .spec.replicas"},
      {R"({"f:c":{"k:{\"name\":\"web\"}":{".":{},"f:image":{}}}})",
       R"({"f:c":{"k:{\"name\":\"web\"}":{".":{}}}})", R"(other: .c[name="web"].image)"},
      // A whole item: what stands in it is not told again.
      {R"({"f:c":{"k:{\"name\":\"web\"}":{".":{},"f:image":{},"f:args":{}}}})", R"({"f:d":{}})",
       R"(other: .c[name="web"])"},
      {R"({"f:ports":{"k:{\"containerPort\":80,\"protocol\":\"TCP\"}":{".":{}}}})", R"({"f:d":{}})",
       R"(other: .ports[containerPort=80,protocol="TCP"])"},
      {R"({"f:l":{"i:0":{},"i:12":{}}})", R"({"f:l":{"i:0":{}}})", "other: .l[12]"},
      // What may be a secret is told apart, and not shown.
      {R"({"f:set":{"v:\"hunter2\"":{},"v:\"b\"":{}}})", R"({"f:set":{"v:\"b\"":{}}})",
       "other: .set[=...]"},
      {R"({"f:h":{"k:{\"header\":\"s3cret\",\"name\":\"x\"}":{}}})", R"({"f:d":{}})",
       R"(other: .h[header=...,name="x"])"},
      {R"({"f:metadata":{"f:annotations":{".":{},"f:a.b/c":{}}}})",
       R"({"f:metadata":{"f:annotations":{".":{}}}})", "other: .metadata.annotations.a.b/c"},
  };
  for (const auto& row : rows) {
    EXPECT_THAT(taken(Json::parse(row.before), Json::parse(row.after)), ElementsAre(row.taken))
        << row.before;
    EXPECT_THAT(taken(Json::parse(row.before), Json::parse(row.before)), IsEmpty()) << row.before;
  }
}

TEST(FieldOwners, TakesNothingFromItselfAndAllFromAManagerThatIsGone) {
  const Json replicas = {{"f:replicas", Json::object()}};
  const FieldOwners before =
      owners_of({entry("filecall", "Apply", replicas), entry("filecall", "Update", replicas),
                 entry("hpa", "Update", replicas)});
  const FieldOwners after = owners_of({entry("filecall", "Apply", replicas)});
  EXPECT_THAT(words(before.taken_by(kSelf, after)),
              ElementsAre("filecall: .replicas", "hpa: .replicas"));
  EXPECT_EQ(before.taken_by(kSelf, after)[0].manager.operation, "Update");
  EXPECT_EQ(before.taken_by(kSelf, after)[0].time, "2026-01-02T03:04:05Z");
  EXPECT_THAT(words(after.taken_by(kSelf, owners_of({entry("x", "Apply", replicas)}))), IsEmpty());
}

TEST(FieldOwners, TakesNothingFromUpdatersThatTheServerPutTogether) {
  const FieldOwners before =
      owners_of({entry("a", "Update", {{"f:x", Json::object()}, {"f:y", Json::object()}})});
  const FieldOwners after =
      owners_of({entry("ancient-changes", "Update", {{"f:x", Json::object()}})});
  EXPECT_THAT(words(before.taken_by(kSelf, after)), ElementsAre("a: .y"));
}

TEST(FieldOwners, NamesTheOthersOfOneField) {
  const FieldOwners owners = owners_of(
      {entry("a", "Update", Json::parse(R"({"f:spec":{"f:replicas":{},"f:replicasMax":{}}})")),
       entry("b", "Apply", Json::parse(R"({"f:spec":{"f:paused":{}}})")),
       entry("filecall", "Update", Json::parse(R"({"f:spec":{"f:replicas":{}}})"))});
  EXPECT_THAT(words(owners.others_of(".spec.replicas", {"filecall", "Update", ""})),
              ElementsAre("a: .spec.replicas"));
}

TEST(FieldOwners, SaysThatWhatHasNoKnownFormIsNotKnown) {
  Json deep = Json::object();
  for (int i = 0; i < 100; ++i) deep = Json{{"f:" + std::string(400, 'x'), deep}};
  Json many = Json::object();
  for (int i = 0; i < 60'000; ++i) many["f:" + std::to_string(i)] = Json::object();
  const Json hostile[] = {
      Json(),
      Json::array(),
      {{"metadata", nullptr}},
      {{"metadata", {{"managedFields", Json::array()}}}},
      {{"metadata", {{"managedFields", {{"manager", "x"}}}}}},
      object_of({nullptr}),
      object_of({7}),
      object_of({entry("x", "Update", "text")}),
      object_of({entry("x", "Update", {{"f:a", 1}})}),
      object_of({entry("x", "Update", {{"f:a", Json::array()}})}),
      object_of({entry("x", "Update", {{"z:a", Json::object()}})}),
      object_of({entry("x", "Update", {{"k:{", Json::object()}})}),
      object_of({entry("x", "Update", {{"k:7", Json::object()}})}),
      object_of({entry("x", "Update", {{"", Json::object()}})}),
      object_of({{{"manager", "x"}, {"fieldsType", "FieldsV2"}, {"fieldsV1", Json::object()}}}),
      object_of({entry("x", "Update", deep)}),
      object_of({entry("x", "Update", many)}),
  };
  for (const Json& object : hostile) {
    const auto owners = FieldOwners::read(object, as_it_is);
    ASSERT_FALSE(owners) << object.dump().substr(0, 200);
    EXPECT_FALSE(owners.error().message.empty());
  }
}

TEST(FieldOwners, ShowsABoundedPartAndSaysHowMuchIsMissing) {
  std::vector<FieldOwners::Fields> all;
  for (int i = 0; i < 30; ++i) {
    all.push_back({{"m" + std::to_string(i), "Update", i == 0 ? "scale" : ""}, "", {}});
    for (int k = 0; k < 25; ++k) all.back().fields.push_back(".f" + std::to_string(k));
  }
  const Json shown = shown_owners(all);
  ASSERT_EQ(shown.size(), 20u);
  EXPECT_EQ(shown[0]["subresource"], "scale");
  EXPECT_EQ(shown[0]["fields"].size(), 20u);
  EXPECT_EQ(shown[0]["fieldsLeftOut"], 5);
  EXPECT_FALSE(shown[1].contains("time"));
  const std::string text = owners_in_words(all);
  EXPECT_THAT(text, HasSubstr("'m0' (Update of scale): .f0, .f1, .f2, .f3 and 21 more"));
  EXPECT_THAT(text, HasSubstr("; and 26 more"));
  EXPECT_LT(text.size(), 500u);
}

TEST(FieldOwners, HidesWhatTheExchangeHides) {
  const auto hide = [](std::string_view text) {
    return text.find("token") == text.npos ? std::string(text) : "[redacted]";
  };
  const auto owners =
      FieldOwners::read(object_of({entry("token", "Update", {{"f:token", Json::object()}})}), hide);
  ASSERT_TRUE(owners);
  EXPECT_THAT(words(owners->taken_by(kSelf, FieldOwners())), ElementsAre("[redacted]: [redacted]"));
}

Json thing(const Json& labels, const Json& annotations, const Json& owners = Json::array()) {
  return {{"apiVersion", "apps/v1"},
          {"kind", "Deployment"},
          {"metadata",
           {{"name", "web"},
            {"namespace", "shop"},
            {"labels", labels},
            {"annotations", annotations},
            {"ownerReferences", owners}}}};
}

std::vector<FieldOwners::Fields> managed_by(const std::string& name) {
  return {{{name, "Update", ""}, "", {}}};
}

struct SignRow {
  Json object;
  std::vector<FieldOwners::Fields> managers;
  std::string who;
  std::string instead;
};

void expect_signs(const std::vector<SignRow>& rows) {
  for (const SignRow& row : rows) {
    const auto said = manager_warnings(row.object, row.managers);
    ASSERT_EQ(said.size(), 1u) << row.who << ": " << testing::PrintToString(said);
    EXPECT_THAT(said[0], HasSubstr(row.who));
    EXPECT_THAT(said[0], HasSubstr(row.instead));
  }
}

TEST(ObjectManagers, NamesWhoBySignAndWhatToChangeInstead) {
  const Json none = Json::object();
  expect_signs({
      {thing({{"app.kubernetes.io/managed-by", "Helm"}},
             {{"meta.helm.sh/release-name", "r"}, {"meta.helm.sh/release-namespace", "shop"}}),
       {},
       "Helm release 'shop/r' manages this object (annotation meta.helm.sh/release-name)",
       "change the values of the release or its chart instead"},
      {thing({{"app.kubernetes.io/managed-by", "Helm"}}, none),
       {},
       "a Helm chart made this object (label app.kubernetes.io/managed-by)",
       "no annotation says which release"},
      {thing(none, {{"argocd.argoproj.io/tracking-id", "argo_shop:apps/Deployment:shop/web"}}),
       {},
       "Argo CD application 'argo/shop' manages this object (annotation "
       "argocd.argoproj.io/tracking-id)",
       "where selfHeal is on, at once"},
      {thing({{"argocd.argoproj.io/instance", "shop"}}, none),
       {},
       "Argo CD application 'shop' manages this object (label argocd.argoproj.io/instance)",
       "Change the source instead"},
      {thing({{"app.kubernetes.io/instance", "shop"}}, none), managed_by("argocd-controller"),
       "Argo CD application 'shop' manages this object (manager argocd-controller)",
       "Change the source instead"},
  });
}

TEST(ObjectManagers, NamesFluxByItsLabelsOrItsManager) {
  const Json none = Json::object();
  const std::string reconcile = "kustomize.toolkit.fluxcd.io/reconcile";
  expect_signs({
      {thing({{"kustomize.toolkit.fluxcd.io/name", "apps"},
              {"kustomize.toolkit.fluxcd.io/namespace", "flux-system"}},
             none),
       {},
       "Flux Kustomization 'flux-system/apps' manages this object (label "
       "kustomize.toolkit.fluxcd.io/name)",
       "change the source instead"},
      {thing({{"kustomize.toolkit.fluxcd.io/name", "apps"}}, {{reconcile, "disabled"}}),
       {},
       "Flux Kustomization 'apps'",
       "leaves it as it is: it has " + reconcile + ": disabled"},
      {thing(none, none), managed_by("kustomize-controller"), "a Kustomization of Flux",
       "change the source instead"},
      {thing({{"helm.toolkit.fluxcd.io/name", "r"},
              {"helm.toolkit.fluxcd.io/namespace", "ns"},
              {"app.kubernetes.io/managed-by", "Helm"}},
             {{"meta.helm.sh/release-name", "r"}}),
       {},
       "Flux HelmRelease 'ns/r' manages this object (label helm.toolkit.fluxcd.io/name)",
       "change the values of the HelmRelease or its chart instead"},
      {thing(none, none,
             Json::array({{{"kind", "ReplicaSet"}, {"name", "web-1"}, {"controller", true}}})),
       {},
       "ReplicaSet 'web-1' controls this object (metadata.ownerReferences)",
       "change the ReplicaSet instead"},
      {thing({{"kapp.k14s.io/app", "1"}}, none),
       {},
       "kapp manages this object (label "
       "kapp.k14s.io/app)",
       "instead"},
      {thing({{"app.kubernetes.io/managed-by", "some-operator"}}, none),
       {},
       "'some-operator' manages this object, by its label",
       "instead"},
  });
}

TEST(ObjectManagers, SaysNothingWithoutASign) {
  const Json none = Json::object();
  const Json quiet[] = {
      thing(none, none),
      thing({{"app.kubernetes.io/instance", "shop"}}, none),
      // A copy of a tracked object: Argo CD passes over it.
      thing(none, {{"argocd.argoproj.io/tracking-id", "app:apps/Deployment:shop/another"}}),
      thing(none, {{"argocd.argoproj.io/tracking-id", "app:apps/Deployment:elsewhere/web"}}),
      thing(none, {{"argocd.argoproj.io/tracking-id", ":"}}),
      thing(none, {{"argocd.argoproj.io/tracking-id", 7}}),
      thing(none, none, Json::array({{{"kind", "Shop"}, {"name", "s"}}})),
      thing(none, none, Json::array({7, nullptr})),
      thing(7, "x", Json::object()),
      Json(),
      Json::array(),
  };
  for (const Json& object : quiet) {
    EXPECT_THAT(manager_warnings(object, managed_by("kubectl")), IsEmpty()) << object.dump();
  }
}

TEST(ObjectManagers, NamesTheAutoscalersOfAnObject) {
  const Json identity = {{"apiVersion", "apps/v1"}, {"kind", "Deployment"}, {"name", "web"}};
  const auto autoscaler = [](const std::string& version, const std::string& kind,
                             const std::string& name, const Json& least) {
    Json spec = {{"maxReplicas", 9},
                 {"scaleTargetRef", {{"apiVersion", version}, {"kind", kind}, {"name", name}}}};
    if (!least.is_null()) spec["minReplicas"] = least;
    return Json{{"metadata", {{"name", "scaler"}}}, {"spec", spec}};
  };
  const auto said = [&](const Json& item, std::optional<std::int64_t> replicas) {
    const auto all = autoscaler_warnings(Json::array({item}), identity, replicas);
    return all.empty() ? std::string() : all[0];
  };
  EXPECT_THAT(said(autoscaler("apps/v1", "Deployment", "web", 2), 5),
              HasSubstr("'scaler' sets these replicas, from 2 to 9 (its scaleTargetRef): it may "
                        "set another number at any time"));
  EXPECT_THAT(said(autoscaler("apps/v1beta1", "Deployment", "web", nullptr), 0),
              HasSubstr("it stands still as long as there are 0"));
  EXPECT_THAT(said(autoscaler("apps/v1", "Deployment", "web", 0), 0), HasSubstr("at any time"));
  EXPECT_EQ(said(autoscaler("apps/v1", "Deployment", "api", 1), 5), "");
  EXPECT_EQ(said(autoscaler("apps/v1", "StatefulSet", "web", 1), 5), "");
  EXPECT_EQ(said(autoscaler("argoproj.io/v1", "Deployment", "web", 1), 5), "");
  EXPECT_EQ(said(Json("x"), 5), "");
  EXPECT_THAT(autoscaler_warnings(Json(), identity, 5), IsEmpty());
}

}  // namespace
}  // namespace filecall::worker::kube
