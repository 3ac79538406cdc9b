// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/base64.h"
#include "base/random.h"
#include "worker/exec/kube/model/redaction.h"
#include "worker/exec/kube/model/sanitize.h"

namespace filecall::worker::kube {
namespace {

constexpr int kRounds = 150;

/// Random objects that repeat the values of a Secret wherever an object has room for text.
class Bodies {
 public:
  explicit Bodies(std::uint64_t seed) : random_(seed) {
    const std::size_t count = 1 + random_.below(4);
    for (std::size_t i = 0; i < count; ++i) values_.push_back(value());
  }

  const std::vector<std::string>& values() const { return values_; }

  Json secret() {
    Json object = {{"metadata",
                    {{"name", "name"},
                     {"labels", texts()},
                     {"annotations", texts()},
                     {"managedFields", {{{"fieldsV1", texts()}}}}}},
                   {"type", "Opaque"},
                   {"extra", tree(3)}};
    for (const std::string& value : values_) {
      if (random_.below(2) == 0 && is_text(value)) {
        object["stringData"][random_.hex(6)] = value;
      } else {
        object["data"][random_.hex(6)] = base64_encode(value);
      }
    }
    Json copy = object;
    if (random_.below(3) > 0) {
      copy["kind"] = "Secret";
      copy["apiVersion"] = "v1";
    }
    // The values may stand in the copy alone: they were taken out of the object since.
    if (random_.below(3) == 0) {
      object.erase("data");
      object.erase("stringData");
    }
    object["metadata"]["annotations"]["kubectl.kubernetes.io/last-applied-configuration"] =
        dump_json(copy);
    return object;
  }

  Json body() {
    const Json item = secret();
    Json named = item;
    named["kind"] = "Secret";
    switch (random_.below(7)) {
      case 0:
        return item;
      case 1:
        return named;
      case 2:
        return {{"kind", "SecretList"}, {"items", {item, other()}}};
      case 3:
        return {{"kind", "List"}, {"items", {other(), named}}};
      case 4:
        return {{"kind", "Table"}, {"rows", {{{"cells", {text(), 1, text()}}, {"object", item}}}}};
      case 5:
        return {{"type", "ADDED"}, {"object", item}};
      default:
        return {{"kind", "Bundle"}, {"spec", {{"x", tree(2)}, {"manifests", {named}}}}};
    }
  }

  Json status() {
    return {{"kind", "Status"},
            {"message", text()},
            {"details", {{"causes", {{{"message", text()}, {"field", text()}}}}}}};
  }

  /// A text that repeats a value in one of the forms that programs use.
  std::string text() {
    const std::string& value = values_[random_.below(values_.size())];
    const std::string before = random_.hex(static_cast<int>(random_.below(8)));
    switch (random_.below(is_text(value) ? 5 : 3)) {
      case 0:
        return before + base64_encode(value);
      case 1:
        return base64_encode(before + value + random_.hex(5));
      case 2: {
        std::string url = base64_encode(value);
        std::replace(url.begin(), url.end(), '+', '-');
        std::replace(url.begin(), url.end(), '/', '_');
        return before + url;
      }
      case 3:
        return before + value + random_.hex(3);
      default:
        return "Invalid value: " + dump_json(Json(value)) + ": " + before;
    }
  }

 private:
  static bool is_text(const std::string& value) {
    return std::all_of(value.begin(), value.end(), [](char c) { return c >= ' ' && c <= '~'; });
  }

  std::string value() {
    const std::size_t size = 6 + random_.below(random_.below(4) == 0 ? 3000 : 60);
    const bool is_binary = random_.below(3) == 0;
    std::string out;
    for (std::size_t i = 0; i < size; ++i) {
      out += static_cast<char>(is_binary ? random_.below(256) : ' ' + random_.below(95));
    }
    return out;
  }

  Json texts() { return {{random_.hex(5), text()}, {random_.hex(5), text()}}; }

  Json other() {
    return {{"kind", "ConfigMap"},
            {"metadata", {{"name", "c"}, {"annotations", texts()}}},
            {"data", texts()},
            {"binaryData", {{"b", base64_encode(values_[0])}}}};
  }

  Json tree(int depth) {
    if (depth == 0 || random_.below(4) == 0) return text();
    if (random_.below(2) == 0) return Json::array({tree(depth - 1), tree(depth - 1)});
    return {{random_.hex(4), tree(depth - 1)},
            {"env", {{{"name", random_.hex(4)}, {"value", text()}}}},
            {"args", {text(), text()}}};
  }

  Random random_;
  std::vector<std::string> values_;
};

/// Every text of a value, with member names, one after the other: what a reader can see.
std::string visible(const Json& value) {
  std::string out;
  const auto visit = [&](const auto& self, const Json& item) -> void {
    if (item.is_string()) out += item.get<std::string>() + "\n";
    if (item.is_object()) {
      for (const auto& [key, inner] : item.items()) out += key + "\n", self(self, inner);
    } else if (item.is_array()) {
      for (const Json& inner : item) self(self, inner);
    }
  };
  visit(visit, value);
  return out;
}

/// What must not be seen: the value as it is, escaped, and its base64 at every alignment.
std::vector<std::string> forms(const std::string& value) {
  const std::string quoted = dump_json(Json(value));
  std::vector<std::string> out = {value, quoted.substr(1, quoted.size() - 2), base64_encode(value)};
  for (std::size_t before = 0; before < 3; ++before) {
    const std::string text = base64_encode(std::string(before, 'x') + value);
    const std::size_t begin = (8 * before + 5) / 6;
    out.push_back(text.substr(begin, 8 * (before + value.size()) / 6 - begin));
  }
  for (std::size_t i = 2, count = out.size(); i < count; ++i) {
    std::string url = out[i];
    std::replace(url.begin(), url.end(), '+', '-');
    std::replace(url.begin(), url.end(), '/', '_');
    out.push_back(std::move(url));
  }
  return out;
}

std::string leak(const Bodies& bodies, const std::string& text) {
  for (const std::string& value : bodies.values()) {
    for (const std::string& form : forms(value)) {
      if (text.find(form) != std::string::npos) return form;
    }
  }
  return {};
}

TEST(RedactionProperty, NoFormOfASecretValueSurvivesInAnyBody) {
  int held = 0;
  for (int seed = 0; seed < kRounds; ++seed) {
    Bodies bodies(static_cast<std::uint64_t>(seed));
    const Json body = bodies.body();
    held += leak(bodies, visible(body)).empty() ? 0 : 1;
    Redactor redactor(DigestKey{});
    const Json out = redactor.redact(body, {"", "Secret"});
    ASSERT_EQ(leak(bodies, visible(out)), "") << "seed " << seed << "\n" << dump_json(out, 1);
    ASSERT_EQ(leak(bodies, dump_json(sanitize(out).manifest)), "") << "seed " << seed;
  }
  EXPECT_EQ(held, kRounds) << "the bodies hold what is looked for";
}

TEST(RedactionProperty, NoFormOfASentValueSurvivesInAnErrorOrAText) {
  for (int seed = 0; seed < kRounds; ++seed) {
    Bodies bodies(static_cast<std::uint64_t>(seed));
    Redactor redactor(DigestKey{});
    redactor.learn(bodies.secret(), {"", "Secret"});
    const Json out = redactor.redact(bodies.status(), {"", "Secret"});
    ASSERT_EQ(leak(bodies, visible(out)), "") << "seed " << seed << "\n" << dump_json(out, 1);
    ASSERT_EQ(leak(bodies, redactor.scrub(bodies.text())), "") << "seed " << seed;
  }
}

TEST(RedactionProperty, KeepsEverythingOfAnObjectThatHoldsNoSecret) {
  const Json deployment = {
      {"apiVersion", "apps/v1"},
      {"kind", "Deployment"},
      {"metadata", {{"name", "web"}, {"namespace", "shop"}, {"labels", {{"app", "web"}}}}},
      {"spec",
       {{"replicas", 3},
        {"template",
         {{"spec",
           {{"containers",
             {{{"name", "web"},
               {"image", "nginx:1.25@sha256:0123"},
               {"args", {"-g", "daemon off;"}}}}},
            {"serviceAccountName", "web"}}}}}}},
      {"status", {{"conditions", {{{"type", "Available"}, {"message", "has minimum"}}}}}}};
  Redactor redactor(DigestKey{});
  redactor.learn({{"kind", "Secret"}, {"stringData", {{"k", "quite-other"}}}}, {"", "Secret"});
  EXPECT_EQ(redactor.redact(deployment, {"apps", "Deployment"}), deployment);
}

}  // namespace
}  // namespace filecall::worker::kube
