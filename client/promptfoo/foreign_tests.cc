// SPDX-License-Identifier: MIT
#include "client/promptfoo/foreign_tests.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/utf8.h"
#include "client/promptfoo/foreign_assertion.h"
#include "client/promptfoo/nunjucks.h"
#include "client/promptfoo/outer_blanks.h"
#include "ipc/json_text.h"

namespace filecall::client {
namespace {

constexpr std::size_t kTestsMax = 1'000'000;
constexpr const char* kKnownKeys[] = {"vars",    "assert",    "metadata", "description",
                                      "options", "threshold", "type"};

bool is_one_of(std::string_view key, std::initializer_list<std::string_view> keys) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

/// The cells of a table whose names begin with two underscores say what the others are for.
Json test_of_cells(const Json& cells) {
  Json test = {{"vars", Json::object()}, {"assert", Json::array()}};
  std::string metric;
  for (const auto& [name, value] : cells.items()) {
    const auto& text = value.get_ref<const std::string&>();
    if (name.starts_with("__expected")) {
      if (!without_outer_blanks(text).empty()) {
        test["assert"].push_back(assertion_of_cell(text));
      }
    } else if (name == "__description") {
      test["description"] = text;
    } else if (name == "__metric") {
      metric = text;
    } else if (name == "__threshold") {
      if (!text.empty()) test["threshold"] = Json::parse(text, nullptr, false);
    } else if (name == "__prefix" || name == "__suffix") {
      if (!text.empty()) test["options"][name.substr(2)] = text;
    } else if (name.starts_with("__metadata:")) {
      if (!text.empty()) test["metadata"][name.substr(std::string("__metadata:").size())] = text;
    } else if (name.starts_with("__")) {
      if (!text.empty()) test[name] = text;
    } else {
      test["vars"][name] = value;
    }
  }
  if (metric.empty()) return test;
  for (Json& assertion : test["assert"]) assertion["metric"] = metric;
  return test;
}

class TestTaker {
 public:
  TestTaker(ImportFiles& files, ImportNotes& notes) : files_(files), notes_(notes) {}

  void take(const ConfigNode& config) {
    if (const auto given = config.find("defaultTest")) defaults_ = load_default(*given);
    const auto tests = config.find("tests");
    if (tests) return take_list(*tests);
    if (defaults_) return add(*defaults_);
    add(ConfigNode::of({.file = config.file(), .json = Json::object(), .path = "tests"}));
  }
  std::vector<ForeignTest> tests() && { return std::move(tests_); }

 private:
  std::optional<ConfigNode> load_default(const ConfigNode& node) {
    if (!node.json().is_string()) return node;
    auto parsed = read_config(files_, path_of_url(node.json().get<std::string>()));
    if (parsed) return *std::move(parsed);
    notes_.not_taken(node, "defaultTest", parsed.error().message);
    return std::nullopt;
  }

  void take_list(const ConfigNode& node) {
    if (node.json().is_string()) return take_path(node, node.json().get<std::string>());
    if (node.json().is_object()) {
      const std::string path = node.text("path");
      return path.empty() ? add(node) : take_path(node, path);
    }
    for (const ConfigNode& one : node.items()) {
      if (one.json().is_array()) {
        notes_.not_taken(one, "test", "is a list");
      } else {
        take_list(one);
      }
    }
  }

  void take_path(const ConfigNode& node, const std::string& text) {
    const std::string url = path_of_url(text);
    const std::string path = url.empty() ? text : url;
    if (is_program_path(path)) {
      return notes_.not_taken(node, "tests of " + path,
                              "is a program; let it write JSON Lines, and name that file");
    }
    if (text.find("://") != text.npos && url.empty()) {
      return notes_.not_taken(node, "tests of " + text, "is not on this machine; download it");
    }
    if (path.find(".xls") != path.npos) {
      return notes_.not_taken(node, "tests of " + path, "is a spreadsheet; save it as CSV");
    }
    const auto paths = files_.list(path);
    if (!paths || paths->empty()) {
      return notes_.not_taken(node, "tests of " + path,
                              paths ? "no file fits" : paths.error().message);
    }
    for (const std::string& one : *paths) take_file(node, one);
  }

  void take_file(const ConfigNode& node, const std::string& path) {
    const auto refuse = [&](const Error& error) {
      notes_.not_taken(node, "tests of " + path, error.message);
    };
    if (path.ends_with(".csv")) {
      const auto rows = files_.read_table(path);
      if (!rows) return refuse(rows.error());
      for (const ForeignRow& row : *rows) {
        add(ConfigNode::of(
            {.file = path, .json = test_of_cells(row.cells), .line = static_cast<int>(row.line)}));
      }
      return;
    }
    const auto text = files_.read(path);
    if (!text) return refuse(text.error());
    if (path.ends_with(".jsonl")) return take_lines(node, path, *text);
    const auto parsed = ConfigNode::parse(*text, path);
    if (!parsed) return refuse(parsed.error());
    take_list(*parsed);
  }

  void take_lines(const ConfigNode& node, const std::string& path, std::string_view rest) {
    for (int line = 1; !rest.empty(); ++line) {
      const std::string_view text = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(std::min(rest.size(), text.size() + 1));
      if (without_outer_blanks(text).empty()) continue;
      Json json = Json::parse(text, nullptr, false);
      if (json.is_object()) {
        add(ConfigNode::of({.file = path, .json = std::move(json), .line = line}));
      } else {
        notes_.not_taken(node, fmt::format("line {} of {}", line, path), "is no JSON object");
      }
    }
  }

  void add(const ConfigNode& node) {
    ForeignTest test{.node = node};
    if (!is_asked(node)) return;
    bool is_judged = true;
    bool has_default_assertions = true;
    std::vector<const ConfigNode*> sources = {&node};
    if (defaults_ && &*defaults_ != &node) sources.insert(sources.begin(), &*defaults_);
    for (const ConfigNode* one : sources) {
      if (!take_options(*one, test, is_judged, has_default_assertions)) return;
      if (!take_settings(*one, test)) return;
    }
    if (!has_default_assertions) drop_default_assertions(test);
    if (!is_judged) {
      for (const ConfigNode& one : std::exchange(test.assertions, {})) {
        notes_.not_taken(one, "assertion " + one.text("type"),
                         "its test changes the answer before it is judged (transform)");
      }
    }
    multiply(std::move(test));
  }

  /// Whether the test asks a model at all.
  bool is_asked(const ConfigNode& node) {
    if (!node.find("providerOutput") && !node.find("__providerOutput")) return true;
    notes_.not_taken(node, "test", "has its answer written down; nothing is asked");
    return false;
  }

  /// False: the test cannot be asked as it is meant.
  bool take_options(const ConfigNode& node, ForeignTest& test, bool& is_judged,
                    bool& has_default_assertions) {
    const auto options = node.find("options");
    if (!options) return true;
    for (const auto& [key, value] : options->members()) {
      if (key == "provider") {
        test.judge = value;
      } else if (key == "disableDefaultAsserts") {
        if (value.json() == true) has_default_assertions = false;
      } else if (key == "disableVarExpansion") {
        test.keeps_lists = value.json() == true;
      } else if (is_one_of(key, {"prefix", "suffix"})) {
        notes_.not_taken(node, "test with a " + key, "write it into the prompt, or a column");
        return false;
      } else if (is_one_of(key, {"transform", "postprocess"})) {
        notes_.not_taken(value, key, "graders look at the answer as it is");
        is_judged = false;
      } else {
        notes_.not_taken(value, key, "a test has no such option here");
      }
    }
    return true;
  }

  /// False: as above.
  bool take_settings(const ConfigNode& node, ForeignTest& test) {
    if (const auto vars = node.find("vars"); vars && !take_vars(*vars, test)) return false;
    if (const auto metadata = node.find("metadata"); metadata && metadata->json().is_object()) {
      test.metadata.update(metadata->json());
    }
    if (const auto threshold = node.find("threshold"); threshold) {
      if (threshold->json().is_number()) test.threshold = threshold->json().get<double>();
    }
    if (const std::string text = node.text("description"); !text.empty()) test.description = text;
    if (const auto assertions = node.find("assert")) take_assertions(*assertions, test);
    for (const auto& [key, value] : node.members()) {
      const bool is_known = std::any_of(std::begin(kKnownKeys), std::end(kKnownKeys),
                                        [&key = key](const char* known) { return key == known; });
      if (!is_known) notes_.not_taken(value, key, "a test has no such setting here");
    }
    return true;
  }

  void take_assertions(const ConfigNode& node, ForeignTest& test) {
    for (const ConfigNode& item : node.items()) {
      const ConfigNode one = item.resolved();
      if (one.text("type") != "assert-set") {
        test.assertions.push_back(one);
        continue;
      }
      const auto inner = one.find("assert");
      if (!inner || one.find("threshold") || one.find("weight")) {
        notes_.not_taken(item, "assertion assert-set", "a group has no threshold and weight here");
        continue;
      }
      notes_.differs(item, "assertion assert-set", "its assertions count one by one");
      for (const ConfigNode& each : inner->items()) test.assertions.push_back(each.resolved());
    }
  }

  void drop_default_assertions(ForeignTest& test) const {
    std::size_t own = 0;
    if (const auto assertions = test.node.find("assert")) own = assertions->items().size();
    const std::size_t others = test.assertions.size() - std::min(own, test.assertions.size());
    test.assertions.erase(test.assertions.begin(),
                          test.assertions.begin() + static_cast<std::ptrdiff_t>(others));
  }

  /// False: one cannot be known, and the test would ask something else without it.
  bool take_vars(const ConfigNode& node, ForeignTest& test) {
    if (!node.json().is_object()) {
      notes_.not_taken(node, "test", "its vars are no mapping; write the variables there");
      return false;
    }
    for (const auto& [name, value] : node.members()) {
      auto known = var_value(value.json());
      if (!known) {
        notes_.not_taken(value, "test with the variable " + name, known.error().message);
        return false;
      }
      test.vars[name] = *std::move(known);
    }
    return true;
  }

  /// The content of files, where the value names some.
  Result<Json> var_value(const Json& value) const {
    if (value.is_array()) {
      Json list = Json::array();
      for (const Json& one : value) {
        TRY_ASSIGN(Json known, one.is_string() ? var_value(one) : Result<Json>(one));
        list.push_back(std::move(known));
      }
      return list;
    }
    const std::string path = value.is_string() ? path_of_url(value.get<std::string>()) : "";
    if (path.empty()) return value;
    TRY_ASSIGN(const std::vector<std::string> paths, files_.list(path));
    if (paths.empty()) return refused(path + ": no file fits");
    Json contents = Json::array();
    for (const std::string& one : paths) {
      TRY_ASSIGN(std::string content, var_content(one));
      contents.push_back(std::move(content));
    }
    return contents.size() == 1 ? contents[0] : contents;
  }

  Result<std::string> var_content(const std::string& path) const {
    if (is_program_path(path)) return refused(path + ": is a program; write what it says");
    if (path.ends_with(".yaml") || path.ends_with(".yml")) {
      TRY_ASSIGN(const ConfigNode parsed, read_config(files_, path));
      return dump_json(parsed.json());
    }
    TRY_ASSIGN(std::string text, files_.read(path));
    if (!is_valid_utf8(text)) return refused(path + ": is no text");
    while (text.ends_with('\n') || text.ends_with('\r')) text.pop_back();
    return text;
  }

  /// One test for each combination of the variables that are lists.
  void multiply(ForeignTest test) {
    std::vector<Json> combinations = {Json::object()};
    for (const auto& [name, value] : test.vars.items()) {
      // There, too, only lists of texts are: another one is a value.
      const bool is_list =
          value.is_array() && !value.empty() && value[0].is_string() && !test.keeps_lists;
      const Json values = is_list ? value : Json::array({value});
      std::vector<Json> next;
      for (const Json& before : combinations) {
        for (const Json& one : values) {
          if (tests_.size() + next.size() >= kTestsMax) {
            return notes_.not_taken(test.node, "test", "has more than a million combinations");
          }
          next.push_back(before);
          next.back()[name] = one;
        }
      }
      combinations = std::move(next);
    }
    for (Json& vars : combinations) {
      ForeignTest one = test;
      one.vars = std::move(vars);
      if (fill_vars(one)) tests_.push_back(std::move(one));
    }
  }

  /// Variables may have places for the others.
  bool fill_vars(ForeignTest& test) {
    const Json all = test.vars;
    for (auto& [name, value] : test.vars.items()) {
      if (!value.is_string() ||
          value.get_ref<const std::string&>().find("{{") == std::string::npos) {
        continue;
      }
      auto filled = render_foreign(value.get<std::string>(), all);
      if (!filled) {
        notes_.not_taken(test.node, "test",
                         fmt::format("its variable {}: {}", name, filled.error().message));
        return false;
      }
      value = *std::move(filled);
    }
    return true;
  }

  ImportFiles& files_;
  ImportNotes& notes_;
  std::optional<ConfigNode> defaults_;
  std::vector<ForeignTest> tests_;
};

}  // namespace

std::vector<ForeignTest> take_tests(const ConfigNode& config, ImportFiles& files,
                                    ImportNotes& notes) {
  TestTaker taker(files, notes);
  taker.take(config);
  return std::move(taker).tests();
}

}  // namespace filecall::client
