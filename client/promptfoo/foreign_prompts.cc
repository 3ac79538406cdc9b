// SPDX-License-Identifier: MIT
#include "client/promptfoo/foreign_prompts.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "client/promptfoo/nunjucks.h"
#include "client/promptfoo/outer_blanks.h"
#include "ipc/json_text.h"

namespace filecall::client {
namespace {

constexpr std::size_t kNameBytes = 40;
constexpr std::string_view kSeparator = "---";

/// Several prompts of one text file stand between lines of "---".
std::vector<std::string> split_prompts(const std::string& text) {
  std::vector<std::string> prompts(1);
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string line = text.substr(begin, end - begin);
    if (without_outer_blanks(line) == kSeparator) {
      prompts.emplace_back();
    } else {
      prompts.back() += line + "\n";
    }
    begin = end + 1;
  }
  std::erase_if(prompts, [](const std::string& one) { return without_outer_blanks(one).empty(); });
  for (std::string& one : prompts) one = std::string(without_outer_blanks(one));
  return prompts;
}

bool is_chat(const Json& json) {
  return json.is_array() && !json.empty() &&
         std::all_of(json.begin(), json.end(), [](const Json& message) {
           return message.is_object() && message.contains("role");
         });
}

/// Every string in our form; the string says which has none.
Result<void> take_strings(Json& value, std::set<std::string>& names) {
  if (value.is_string()) {
    TRY_ASSIGN(TakenTemplate taken, take_template(value.get<std::string>()));
    names.insert(taken.names.begin(), taken.names.end());
    value = std::move(taken.text);
  } else if (value.is_structured()) {
    for (Json& inner : value) TRY(take_strings(inner, names));
  }
  return {};
}

Result<TakenPrompt> chat_prompt(Json messages) {
  TakenPrompt prompt{.name = {}, .text = {}, .is_json = true};
  TRY(take_strings(messages, prompt.names));
  const Json params = {{"messages", std::move(messages)}};
  prompt.text = params.dump(2) + "\n";
  return prompt;
}

Result<TakenPrompt> prompt_of_text(const std::string& text) {
  const std::string bare(without_outer_blanks(text));
  if (bare.starts_with('[')) {
    const Json json = Json::parse(bare, nullptr, false);
    if (is_chat(json)) return chat_prompt(json);
    const bool looks_like_chat = bare.find("\"role\"") != std::string::npos;
    if (looks_like_chat) {
      return refused("is no JSON: places must stand inside of its strings");
    }
  }
  if (bare.starts_with("- role:")) {
    const auto yaml = YamlDocument::parse(bare, "prompt");
    if (yaml && is_chat(yaml->json())) return chat_prompt(yaml->json());
  }
  TRY_ASSIGN(TakenTemplate taken, take_template(text));
  TakenPrompt prompt{.name = {}, .text = taken.text, .is_json = false, .names = taken.names};
  if (bare.empty()) return refused("is empty");
  // A text that begins so would be read as JSON.
  if (bare.starts_with('{') && !bare.starts_with("{{")) {
    prompt.is_json = true;
    prompt.text = Json({{"prompt", taken.text}}).dump(2);
  }
  prompt.text += "\n";
  return prompt;
}

std::string file_stem(const std::string& path) {
  const std::string file = path.substr(path.rfind('/') + 1);
  return file.substr(0, file.find('.', 1));
}

class PromptTaker {
 public:
  PromptTaker(ImportFiles& files, ImportNotes& notes) : files_(files), notes_(notes) {}

  void take(const ConfigNode& node, const std::string& label) {
    if (node.json().is_array()) {
      for (const ConfigNode& one : node.items()) take(one, "");
    } else if (node.json().is_object()) {
      take_mapping(node);
    } else if (node.json().is_string()) {
      take_text(node, node.json().get<std::string>(), label);
    } else {
      notes_.not_taken(node, "prompt", "is no text");
    }
  }
  std::vector<TakenPrompt> prompts() && { return std::move(prompts_); }

 private:
  void take_mapping(const ConfigNode& node) {
    const std::string raw = node.text("raw");
    const std::string id = node.text("id");
    const std::string label = node.text("label");
    if (!raw.empty() || !id.empty()) {
      for (const auto& [key, value] : node.members()) {
        if (key == "raw" || key == "id" || key == "label") continue;
        notes_.not_taken(value, "prompt's " + key, "a prompt has no such setting here");
      }
      return take_text(node, raw.empty() ? id : raw, label);
    }
    // {"prompts/a.txt": "a"} is the older form.
    for (const auto& [path, name] : node.members()) {
      const std::string given = name.json().is_string() ? name.json().get<std::string>() : "";
      take_text(name, path, given);
    }
  }

  void take_text(const ConfigNode& node, const std::string& text, const std::string& label) {
    std::string path = path_of_url(text);
    const bool is_one_line = text.find('\n') == std::string::npos;
    for (const char* ending : {".txt", ".json", ".yaml", ".yml", ".md", ".j2", ".jsonl"}) {
      const bool is_path = is_one_line && text.find(' ') == std::string::npos &&
                           text.find("{{") == std::string::npos && text.ends_with(ending);
      if (path.empty() && is_path) path = text;
    }
    if (path.empty() && (text.starts_with("exec:") || (is_one_line && is_program_path(text) &&
                                                       text.find(' ') == std::string::npos))) {
      path = text;
    }
    if (path.empty()) return add(node, text, label.empty() ? name_from(text) : name_from(label));
    if (is_program_path(path) || path.starts_with("exec:")) {
      return notes_.not_taken(node, "prompt " + path,
                              "is a program; write what it makes as prompts and columns");
    }
    const auto paths = files_.list(path);
    if (!paths || paths->empty()) {
      return notes_.not_taken(node, "prompt " + path,
                              paths ? "no file fits" : paths.error().message);
    }
    for (const std::string& one : *paths) take_file(node, one, label);
  }

  void take_file(const ConfigNode& node, const std::string& path, const std::string& label) {
    const auto text = files_.read(path);
    if (!text) return notes_.not_taken(node, "prompt " + path, text.error().message);
    const std::string name = name_from(label.empty() ? file_stem(path) : label);
    if (path.ends_with(".yaml") || path.ends_with(".yml") || path.ends_with(".json")) {
      const auto parsed = YamlDocument::parse(*text, path);
      if (parsed && is_chat(parsed->json())) return add(node, dump_json(parsed->json()), name);
      return add(node, *text, name);
    }
    const std::vector<std::string> parts =
        path.ends_with(".txt") ? split_prompts(*text)
                               : std::vector{std::string(without_outer_blanks(*text))};
    for (const std::string& part : parts) add(node, part, name);
  }

  void add(const ConfigNode& node, const std::string& text, const std::string& name) {
    auto prompt = prompt_of_text(text);
    if (!prompt) return notes_.not_taken(node, "prompt", prompt.error().message);
    const std::string base = name.empty() ? "prompt" : name;
    prompt->name = base;
    for (int i = 2; !names_.insert(prompt->name).second; ++i) {
      prompt->name = fmt::format("{}-{}", base, i);
    }
    prompts_.push_back(*std::move(prompt));
  }

  ImportFiles& files_;
  ImportNotes& notes_;
  std::set<std::string> names_;
  std::vector<TakenPrompt> prompts_;
};

}  // namespace

std::string name_from(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool is_upper = c >= 'A' && c <= 'Z';
    const bool is_plain = is_upper || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (is_plain) {
      out += is_upper ? static_cast<char>(c + 32) : c;
    } else if (!out.empty() && out.back() != '-') {
      out += '-';
    }
    if (out.size() == kNameBytes) break;
  }
  while (out.ends_with('-')) out.pop_back();
  return out;
}

std::vector<TakenPrompt> take_prompts(const ConfigNode& prompts, ImportFiles& files,
                                      ImportNotes& notes) {
  PromptTaker taker(files, notes);
  taker.take(prompts, "");
  return std::move(taker).prompts();
}

}  // namespace filecall::client
