// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/usage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "worker/exec/kube/model/quantity.h"

namespace filecall::worker::kube {
namespace {

std::int64_t milli(std::string_view text) {
  const auto amount = Quantity::parse(text);
  return amount ? amount->thousandths() : -999;
}
std::int64_t whole(std::string_view text) {
  const auto amount = Quantity::parse(text);
  return amount ? amount->whole() : -999;
}

TEST(Quantity, IsReadInEveryForm) {
  EXPECT_EQ(milli("250m"), 250);
  EXPECT_EQ(milli("0.1"), 100);
  EXPECT_EQ(milli("1.005"), 1005);
  EXPECT_EQ(milli("2"), 2000);
  EXPECT_EQ(milli("12345678n"), 13) << "rounded up";
  EXPECT_EQ(milli("1n"), 1);
  EXPECT_EQ(milli("1500u"), 2);
  EXPECT_EQ(milli("0"), 0);
  EXPECT_EQ(milli("-1.5"), -1500);
  EXPECT_EQ(whole("1Ki"), 1024);
  EXPECT_EQ(whole("1.5Gi"), 1610612736);
  EXPECT_EQ(whole("129e6"), 129000000);
  EXPECT_EQ(whole("129M"), 129000000);
  EXPECT_EQ(whole("1E"), 1000000000000000000);
  EXPECT_EQ(whole("1e3"), 1000);
  EXPECT_EQ(whole("123456789012345"), 123456789012345);
  EXPECT_EQ(whole("+5"), 5);
  EXPECT_EQ(whole(".5k"), 500);
  EXPECT_EQ(whole("5."), 5);
}

TEST(Quantity, IsRefusedWhereItIsNone) {
  for (const char* text : {"", "m", "1x", "1 Gi", "Gi", "1.2.3", "--1", "1e", "1ee3", "e3", "NaN",
                           "0x10", "1e99", "9999999999E", "1e19", "1mi"}) {
    EXPECT_EQ(whole(text), -999) << text;
  }
  EXPECT_EQ(whole(std::string(65, '1')), -999);
}

TEST(Quantity, AddsWithoutNoise) {
  Quantity sum = Quantity::parse("0").value();
  for (int i = 0; i < 1000; ++i) sum += Quantity::parse("0.001").value();
  EXPECT_EQ(sum.thousandths(), 1000);
}

TEST(Quantity, IsNeverLargerThanItsNumber) {
  Quantity sum = Quantity::parse("9e18").value();
  sum += Quantity::parse("9e18").value();
  EXPECT_EQ(sum.whole(), 9000000000000000000);
  EXPECT_EQ(sum.thousandths(), 9000000000000000000);
}

Json pods() {
  return Json::parse(R"([
    {"metadata": {"namespace": "s", "name": "web"}, "spec": {"nodeName": "n1", "containers": [
      {"name": "a", "resources": {"requests": {"cpu": "100m", "memory": "64Mi"},
                                  "limits": {"cpu": 1}}},
      {"name": "b", "resources": {"limits": {"memory": "1Gi"}}}]}},
    {"metadata": {"namespace": "s", "name": "new"}, "spec": {"nodeName": "n1", "containers": [
      {"name": "a", "resources": {"requests": {"cpu": "1"}, "limits": {"cpu": "2"}}}]}},
    {"metadata": {"namespace": "s", "name": "done"}, "status": {"phase": "Succeeded"},
     "spec": {"nodeName": "n1", "containers": [{"name": "a"}]}}])");
}

Json metrics() {
  return Json::parse(R"([
    {"metadata": {"namespace": "s", "name": "web"}, "timestamp": "2026-01-01T00:00:02Z",
     "window": "30s", "containers": [
       {"name": "a", "usage": {"cpu": "1500000n", "memory": "1536Ki"}},
       {"name": "b", "usage": {"cpu": "1m", "memory": "1Mi"}}]},
    {"metadata": {"namespace": "s", "name": "gone"}, "timestamp": "2026-01-01T00:00:01Z",
     "containers": [{"name": "a", "usage": {"cpu": "3", "memory": "5Gi"}}]}])");
}

TEST(Usage, StandsBesideWhatPodsAskFor) {
  const Json data = pod_usage(metrics(), pods(), {});
  EXPECT_EQ(data.at("rows"), Json::parse(R"([
    ["gone", 3000, null, null, 5120, null, null],
    ["web", 3, 100, null, 2, 1088, null],
    ["new", null, 1000, 2000, null, null, null]])"));
  EXPECT_EQ(data.at("withoutMetrics"), 1);
  EXPECT_EQ(data.at("oldest"), "2026-01-01T00:00:01Z");
  EXPECT_EQ(data.at("newest"), "2026-01-01T00:00:02Z");
  EXPECT_EQ(data.at("window"), "30s");
}

TEST(Usage, TooLargeANumberIsNotSaid) {
  const Json nodes = Json::parse(R"([{"metadata": {"name": "n"},
      "usage": {"cpu": 18446744073709551615, "memory": 5242880}}])");
  EXPECT_EQ(node_usage(nodes, {}, {}, {}).at("rows"),
            Json::parse(R"([["n", null, null, null, 5, null, null]])"));
}

TEST(Usage, IsSortedAndCutAsAsked) {
  UsageQuestion question;
  question.sort_by = "name";
  question.rows_max = 2;
  question.has_namespaces = true;
  const Json data = pod_usage(metrics(), pods(), question);
  EXPECT_EQ(data.at("rows").at(0).at(1), "gone");
  EXPECT_EQ(data.at("rows").at(1).at(1), "new");
  EXPECT_EQ(data.at("left_out"), 1);
  EXPECT_EQ(data.at("withoutMetrics"), 1) << "of all rows";
}

TEST(Usage, OfContainersHasARowForEach) {
  UsageQuestion question;
  question.by_container = true;
  question.sort_by = "memory";
  const Json data = pod_usage(metrics(), pods(), question);
  EXPECT_EQ(data.at("rows").size(), 4U);
  EXPECT_EQ(data.at("rows").at(1), Json::parse(R"(["web", "a", 2, 100, 1000, 1, 64, null])"));
}

/// "requests/limits" in thousandths of a processor, of a pod with this specification.
std::string asked_cpu(const std::string& spec) {
  Json pod = Json::parse(R"({"metadata": {"namespace": "s", "name": "p"}})");
  pod["spec"] = Json::parse(spec);
  const Json row = pod_usage(Json::array(), Json::array({pod}), {}).at("rows").at(0);
  return row.at(2).dump() + "/" + row.at(3).dump();
}

TEST(Usage, AsksAsTheSchedulerCounts) {
  const std::string container =
      R"("containers": [{"resources": {"requests": {"cpu": "100m"}, "limits": {"cpu": "200m"}}}])";
  const std::string sidecar =
      R"({"restartPolicy": "Always", "resources": {"requests": {"cpu": "30m"}, "limits":
         {"cpu": "50m"}}})";
  const std::string large = R"({"resources": {"requests": {"cpu": "250m"}}})";
  // A container that is started before the others and stays.
  EXPECT_EQ(asked_cpu("{" + container + R"(, "initContainers": [)" + sidecar + "]}"), "130/250");
  // One that ends before they begin needs its place once, beside the sidecars before it.
  EXPECT_EQ(asked_cpu("{" + container + R"(, "initContainers": [)" + large + "]}"), "250/200");
  EXPECT_EQ(asked_cpu("{" + container + R"(, "initContainers": [)" + sidecar + "," + large + "]}"),
            "280/250");
  EXPECT_EQ(asked_cpu("{" + container + R"(, "initContainers": [)" + large + "," + sidecar + "]}"),
            "250/250");
  // A sidecar without a limit leaves the pod without one.
  EXPECT_EQ(asked_cpu("{" + container + R"(, "initContainers": [{"restartPolicy": "Always"}]})"),
            "100/null");
  EXPECT_EQ(asked_cpu("{" + container + R"(, "overhead": {"cpu": "10m"}})"), "110/210");
  // What the pod itself asks for stands in place of its containers.
  EXPECT_EQ(
      asked_cpu("{" + container +
                R"(, "resources": {"requests": {"cpu": "500m"}}, "overhead": {"cpu": "1m"}})"),
      "501/201");
  EXPECT_EQ(asked_cpu(R"({"containers": [{}], "resources": {"limits": {"cpu": "2"}}})"),
            "2000/2000");
  EXPECT_EQ(asked_cpu(R"({"containers": [{}], "initContainers": [7, "x", {"resources": 7}],
                          "overhead": 7, "resources": "x"})"),
            "null/null");
}

TEST(Usage, OfContainersHasSidecarsToo) {
  Json pod = pods().at(0);
  pod["spec"]["initContainers"] = Json::parse(
      R"([{"name": "side", "restartPolicy": "Always", "resources": {"requests": {"cpu": "5m"}}},
          {"name": "once", "resources": {"requests": {"cpu": "5m"}}}])");
  UsageQuestion question;
  question.by_container = true;
  question.sort_by = "name";
  const Json rows = pod_usage(Json::array(), Json::array({pod}), question).at("rows");
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows.at(2).at(1), "side");
  EXPECT_EQ(rows.at(2).at(3), 5);
}

TEST(Usage, OfNodesHasWhatTheirPodsAskFor) {
  const Json nodes = Json::parse(R"([
    {"metadata": {"name": "n1"}, "status": {"allocatable": {"cpu": "4", "memory": "8Gi"}}},
    {"metadata": {"name": "n2"}}])");
  const Json used = Json::parse(R"([{"metadata": {"name": "n1"},
                                     "usage": {"cpu": "500m", "memory": "1Gi"}}])");
  EXPECT_EQ(node_usage(used, nodes, pods(), {}).at("rows"), Json::parse(R"([
    ["n1", 500, 1100, 4000, 1024, 1088, 8192],
    ["n2", null, null, null, null, null, null]])"));
  EXPECT_EQ(node_usage(used, nodes, Json(), {}).at("rows").at(0).at(2), Json());
}

TEST(Usage, SurvivesWhatIsNone) {
  EXPECT_EQ(pod_usage(Json{1, "x", Json::object()}, Json(), {}).at("returned"), 1);
  EXPECT_EQ(pod_usage(Json(), Json{{"a", 1}}, {}).at("returned"), 0);
  EXPECT_EQ(node_usage(Json(), Json(), Json(), {}).at("returned"), 0);
}

}  // namespace
}  // namespace filecall::worker::kube
