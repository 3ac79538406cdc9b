// SPDX-License-Identifier: MIT
#include "client/cli/follow_output.h"

#include <fmt/core.h>

#include <cstdint>
#include <cstdio>
#include <optional>
#include <utility>

#include "base/base64.h"
#include "base/count_text.h"
#include "client/cli/exit_code.h"
#include "client/cli/output.h"
#include "client/report/text_layout.h"
#include "client/service/last_answer.h"

namespace filecall::client {
namespace {

std::string text_member(const Json& object, const char* name) {
  const auto found = object.is_object() ? object.find(name) : object.end();
  if (!object.is_object() || found == object.end() || !found->is_string()) return {};
  return found->get<std::string>();
}

std::int64_t number_member(const Json& object, const char* name) {
  const auto found = object.is_object() ? object.find(name) : object.end();
  if (!object.is_object() || found == object.end() || !found->is_number_integer()) return 0;
  return found->get<std::int64_t>();
}

/// Text, or what base64 says when the flag beside it does.
std::string bytes_member(const Json& object, const std::string& name) {
  std::string text = text_member(object, name.c_str());
  if (object.is_object() && object.value(name + "_base64", Json()) == true) {
    if (auto bytes = base64_decode(text)) return std::move(*bytes);
  }
  return text;
}

/// How a program ended, if the data are a program's.
std::string end_of_program(const Json& data) {
  if (const std::string signal = text_member(data, "signal_name"); !signal.empty()) {
    return ": ended by " + signal;
  }
  const bool has_code = data.is_object() && data.contains("exit_code");
  return has_code ? fmt::format(": exit code {}", number_member(data, "exit_code")) : "";
}

}  // namespace

FollowOutput::FollowOutput(std::string id, bool is_json, bool is_quiet)
    : id_(std::move(id)), is_json_(is_json), is_quiet_(is_quiet) {}

void FollowOutput::on_event(std::string_view line, const Json& event) {
  if (is_json_) {
    print(std::string(line) + "\n");
    std::fflush(stdout);
    return;
  }
  const std::string name = text_member(event, "event");
  if (name == "started") {
    has_shown_ = false;
    if (++executions_ > 1) on_notice(fmt::format("execution {} begins", executions_));
  } else if (name == "output") {
    print_output(event);
  } else if (name == "delta") {
    print_delta(event);
  } else if (name == "truncated") {
    on_notice("more than an event file holds; the rest is not shown live");
  } else if (name == "exited") {
    tell_omissions(event);
  } else if (name == "given_back") {
    on_notice("the worker stopped and gave it back; the next one runs it again");
  }
  std::fflush(stdout);
}

void FollowOutput::print_output(const Json& event) {
  has_shown_ = true;
  const std::string bytes = bytes_member(event, "text");
  if (text_member(event, "stream") == "stderr") {
    print_note(error_is_terminal() ? for_terminal(bytes) : bytes);
  } else {
    print(bytes);
    is_in_line_ = !bytes.ends_with('\n');
  }
}

void FollowOutput::print_delta(const Json& event) {
  const std::string kind = text_member(event, "kind");
  if (kind != "text" && kind != "refusal") return;
  has_shown_ = true;
  const std::string text = text_member(event, "text");
  print(text);
  is_in_line_ = !text.ends_with('\n');
}

void FollowOutput::tell_omissions(const Json& exited) {
  for (const std::string& stream : {std::string("stdout"), std::string("stderr")}) {
    const std::int64_t bytes = number_member(exited, (stream + "_omitted_bytes").c_str());
    if (bytes > 0) {
      on_notice(
          fmt::format("{} of {} {} not shown; 'filecall show {}' has what the response keeps of {}",
                      counted_noun(bytes, "byte"), stream, one_or_many(bytes, "is", "are"), id_,
                      one_or_many(bytes, "it", "them")));
    }
  }
}

void FollowOutput::on_notice(const std::string& text) {
  if (is_quiet_) return;
  if (is_in_line_ && output_is_terminal()) print_note("\n");
  is_in_line_ = false;
  print_error(id_ + ": " + text);
}

void FollowOutput::print_data(const Json& data) {
  if (has_shown_) return;
  if (!data.is_object() || !data.contains("stdout")) return print_json(data);
  print(bytes_member(data, "stdout"));
  const std::string err = bytes_member(data, "stderr");
  print_note(error_is_terminal() ? for_terminal(err) : err);
}

Result<int> FollowOutput::print_answer(const spool::Layout& layout, RequestState state,
                                       AskedBy asked) {
  if (is_json_) {
    TRY_ASSIGN(const LastAnswer answer, last_answer(layout, id_, state, asked));
    const Json whole = Json::parse(answer.bytes, nullptr, false);
    if (whole.is_discarded()) {
      return fail(ErrorCode::kDataLoss, answer.path + ": not JSON; look at the file");
    }
    print(dump_json({{"event", "answer"}, {"response", whole}}) + "\n");
    const bool is_success = whole.is_object() && whole.value("status", Json()) == "success";
    return is_success ? kExitSuccess : kExitGaveUp;
  }
  TRY_ASSIGN(const Response response, last_response(layout, id_, state, asked));
  if (response.is_success()) {
    print_data(response.data);
    const std::string end = end_of_program(response.data);
    if (has_shown_ || !end.empty()) on_notice("success" + end);
    return kExitSuccess;
  }
  const Failure& failure = *response.failure;
  if (failure.details.is_object() && failure.details.contains("stdout")) {
    print_data(failure.details);
  }
  print_error(fmt::format("{}: {} ({})", id_, failure.message, to_string(failure.code)));
  return kExitGaveUp;
}

}  // namespace filecall::client
