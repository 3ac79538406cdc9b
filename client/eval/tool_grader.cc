// SPDX-License-Identifier: MIT
#include "client/eval/tool_grader.h"

#include <fmt/core.h>

#include <utility>

#include "ipc/json_text.h"
#include "ipc/limits.h"

namespace filecall::client {
namespace {

std::string output_text(const Json& data, const char* name) {
  const auto found = data.find(name);
  const auto* text = found == data.end() ? nullptr : found->get_ptr<const std::string*>();
  return text == nullptr ? std::string() : *text;
}

std::string first_line(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  text.remove_prefix(begin);
  return std::string(text.substr(0, text.find_first_of("\r\n")));
}

class ToolGrader final : public Grader {
 public:
  ToolGrader(GraderSettings settings, ToolRule rule)
      : Grader(std::move(settings)), rule_(std::move(rule)) {}

  std::vector<Question> ask(const Subject& subject) const override {
    std::string why;
    if (!has_expected(subject, why)) return {};
    const Json* answer = answer_of(subject, settings().at);
    Json input = {{"request_id", subject.request.request_id},
                  {"answer", answer == nullptr ? Json() : *answer},
                  {"data", subject.data},
                  {"params", subject.request.params},
                  {"vars", subject.vars()}};
    if (subject.turns.is_array()) input["turns"] = subject.turns;
    if (auto expected = rule_.expected.value(subject, why)) input["expected"] = *expected;
    Json params = rule_.params;
    params["stdin"] = dump_json(input) + "\n";
    return {make_question("tool.run", std::move(params), "tool")};
  }

 private:
  /// True when none is needed.
  bool has_expected(const Subject& subject, std::string& why) const {
    return rule_.expected.source == Expectation::Source::kNone ||
           rule_.expected.value(subject, why).has_value();
  }

  Judgement judge(const Subject& subject, std::span<const Reply> replies) const override {
    std::string why;
    if (!has_expected(subject, why)) return Judgement::none(why);
    if (replies.size() != 1 || !replies[0].response || !replies[0].response->is_success() ||
        !replies[0].response->data.is_object()) {
      return Judgement::none(replies.size() == 1 && !replies[0].problem.empty()
                                 ? "the program was not run: " + replies[0].problem
                                 : "the program was not run");
    }
    const Json& data = replies[0].response->data;
    const auto exit_code = data.find("exit_code");
    if (exit_code == data.end() || !exit_code->is_number_integer()) {
      return Judgement::none("the program was ended by a signal");
    }
    const auto code = exit_code->get<std::int64_t>();
    const std::string output = output_text(data, "stdout");
    if (code < 0 || code > (rule_.prints_json ? 0 : 1)) {
      return Judgement::none(fmt::format("the program could not judge (exit code {}): {}", code,
                                         first_line(output_text(data, "stderr"))));
    }
    if (rule_.prints_json) return printed(output);
    return Judgement::of(code == 0, first_line(output));
  }

  static Judgement printed(const std::string& output) {
    const auto parsed = parse_json_strict(output, limits::kDepth);
    if (!parsed || !parsed->is_object()) {
      return Judgement::none("the program printed no JSON object: " + excerpt(output, 120));
    }
    const auto score = parsed->find("score");
    const bool is_number = score != parsed->end() && score->is_number();
    const double value = is_number ? score->get<double>() : -1;
    if (!(value >= 0 && value <= 1)) {
      return Judgement::none("the program's score is not a number from 0 to 1");
    }
    return {.score = value, .reason = output_text(*parsed, "reason")};
  }

  ToolRule rule_;
};

}  // namespace

std::unique_ptr<Grader> make_tool_grader(GraderSettings settings, ToolRule rule) {
  return std::make_unique<ToolGrader>(std::move(settings), std::move(rule));
}

}  // namespace filecall::client
