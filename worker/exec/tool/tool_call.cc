// SPDX-License-Identifier: MIT
#include "worker/exec/tool/tool_call.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/base64.h"
#include "base/nearest.h"
#include "base/result.h"

namespace filecall::worker {
namespace {

Failure invalid(std::string message) {
  return Failure::of({ErrorCode::kInvalidArgument, std::move(message)});
}

const Json& member(const Request& request, const char* name) {
  static const Json kAbsent;
  const auto found = request.params.find(name);
  return found == request.params.end() ? kAbsent : *found;
}

std::string text_member(const Request& request, const char* name) {
  const Json& value = member(request, name);
  return value.is_string() ? value.get<std::string>() : std::string();
}

/// What the schema says of members that are not given; a template may name them.
void put_defaults(const Json& schema, Json& args) {
  const auto properties = schema.is_object() ? schema.find("properties") : schema.end();
  if (!args.is_object() || properties == schema.end() || !properties->is_object()) return;
  for (const auto& [name, property] : properties->items()) {
    if (!property.is_object() || args.contains(name)) continue;
    if (const auto value = property.find("default"); value != property.end()) args[name] = *value;
  }
}

/// Fills `call` from a declared tool.
std::optional<Failure> use_declared(const ToolTable& tools, const Request& request,
                                    ToolCall* call) {
  const auto name = member(request, "tool").get<std::string>();
  const CompiledTool* tool = tools.find(name);
  if (tool == nullptr) {
    const auto names = tools.names();
    const std::string hint = names.empty()
                                 ? "; none is declared: write it under `tool: {tools: ...}` in the "
                                   "worker's configuration file (--config)"
                                 : suggest(name, names);
    return Failure::of(
        {ErrorCode::kNotFound, fmt::format("/params/tool: no declared tool '{}'{}", name, hint)});
  }
  const Json& given = member(request, "args");
  Json args = given.is_null() ? Json::object() : given;
  put_defaults(tool->declared.args_schema, args);
  if (const auto violation = tool->schema.check(args)) {
    Failure failure =
        invalid(fmt::format("/params/args{}: {}; see the tool's input_schema in "
                            "system.describe",
                            violation->pointer, violation->rule));
    failure.details =
        Json{{"pointer", "/params/args" + violation->pointer}, {"rule", violation->rule}};
    return failure;
  }
  auto argv = tool->argv.expand(args, tool->declared.allow_leading_dash);
  if (!argv) return Failure::of(argv.error());
  call->argv = std::move(*argv);
  call->declared = &tool->declared;
  call->effects = tool->declared.effects;
  call->check = tool->declared.check;
  return std::nullopt;
}

/// Fills `call` from the request's own argv.
std::optional<Failure> use_argv(const ToolConfig& config, const Request& request, ToolCall* call) {
  if (!member(request, "args").is_null()) {
    return invalid("/params/args: belongs to a declared tool; with argv, put arguments there");
  }
  call->argv = member(request, "argv").get<std::vector<std::string>>();
  if (call->argv.empty() || call->argv.front().empty()) {
    return invalid("/params/argv: must name a program first");
  }
  for (std::size_t i = 0; i < call->argv.size(); ++i) {
    if (call->argv[i].find('\0') != std::string::npos) {
      return invalid(fmt::format("/params/argv/{}: holds a NUL character; pass it by stdin", i));
    }
  }
  return refuse_program(config.allow, call->argv.front());
}

std::optional<Failure> choose_input(const Request& request, ToolCall* call) {
  const Json& text = member(request, "stdin");
  const Json& encoded = member(request, "stdin_base64");
  if (encoded.is_null()) {
    if (text.is_string()) call->input = text.get<std::string>();
    return std::nullopt;
  }
  if (!text.is_null()) return invalid("/params: give stdin or stdin_base64, not both");
  auto bytes = base64_decode(encoded.get_ref<const std::string&>());
  if (!bytes) return invalid("/params/stdin_base64: is not base64 (RFC 4648, with padding)");
  call->input = std::move(*bytes);
  return std::nullopt;
}

Duration choose_timeout(const ToolConfig& config, const ToolCall& call, const Request& request) {
  Duration timeout = config.timeout;
  if (call.declared != nullptr && call.declared->timeout > Duration::zero()) {
    timeout = call.declared->timeout;
  }
  const Json& asked = member(request, "timeout_ms");
  if (asked.is_number_integer()) {
    timeout = milliseconds(std::min(asked.get<std::int64_t>(), limits::kTimeoutMsMax));
  } else if (request.timeout_ms) {
    // The worker applies it too; asking for more than the default must be possible.
    timeout = milliseconds(*request.timeout_ms);
  }
  return std::min(timeout, config.timeout_max);
}

}  // namespace

Result<ToolTable> ToolTable::compile(const std::vector<DeclaredTool>& tools) {
  ToolTable table;
  for (const DeclaredTool& tool : tools) {
    if (std::string complaint = complaint_about(tool); !complaint.empty()) {
      return fail(ErrorCode::kInvalidArgument, std::move(complaint));
    }
    TRY_ASSIGN(auto argv, ArgvTemplate::parse(tool.argv));
    auto schema = SchemaValidator::compile(tool.args_schema);
    if (!schema) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("tool.tools.{}: args: {}", tool.name, schema.error().message));
    }
    const bool is_new =
        table.tools_.emplace(tool.name, CompiledTool{tool, std::move(argv), std::move(*schema)})
            .second;
    if (!is_new) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("tool.tools.{}: is declared twice; rename one", tool.name));
    }
  }
  return table;
}

const CompiledTool* ToolTable::find(const std::string& name) const {
  const auto found = tools_.find(name);
  return found == tools_.end() ? nullptr : &found->second;
}

std::vector<std::string_view> ToolTable::names() const {
  std::vector<std::string_view> names;
  for (const auto& [name, tool] : tools_) names.push_back(name);
  return names;
}

Json ToolTable::describe() const {
  Json list = Json::array();
  for (const auto& [name, tool] : tools_) {
    list.push_back(Json{{"name", name},
                        {"description", tool.declared.description},
                        {"input_schema", tool.declared.args_schema},
                        {"effects", to_string(tool.declared.effects)},
                        {"risk", to_string(tool.declared.risk)}});
  }
  return list;
}

Result<ToolCall, Failure> decide_tool_call(const ToolConfig& config, const ToolTable& tools,
                                           const Request& request) {
  const bool has_tool = !member(request, "tool").is_null();
  const bool has_argv = !member(request, "argv").is_null();
  if (has_tool == has_argv) {
    return invalid(
        "/params: give either argv (a program and its arguments) or tool (a declared "
        "tool's name, with args)");
  }
  ToolCall call;
  auto refused = has_tool ? use_declared(tools, request, &call) : use_argv(config, request, &call);
  if (refused) return std::move(*refused);
  if (auto failure = refuse_environment(config.env, member(request, "env"))) {
    return std::move(*failure);
  }
  if (auto failure = choose_input(request, &call)) return std::move(*failure);
  const std::string& fallback =
      call.declared != nullptr && !call.declared->cwd.empty() ? call.declared->cwd : config.cwd;
  auto workplace = choose_workplace(config.roots, text_member(request, "cwd"), fallback,
                                    text_member(request, "beneath"));
  if (!workplace) return Failure::of(workplace.error());
  call.workplace = std::move(*workplace);
  const Json& check = member(request, "check");
  if (check.is_boolean()) call.check = check.get<bool>();
  const Json& stream = member(request, "stream");
  call.stream = stream.is_boolean() ? stream.get<bool>() : request.stream;
  call.timeout = choose_timeout(config, call, request);
  const Json& output_bytes = member(request, "output_bytes_max");
  call.output_bytes = config.output_bytes;
  if (output_bytes.is_number_integer()) {
    call.output_bytes = std::min(kToolOutputBytesMax, output_bytes.get<std::size_t>());
  }
  call.limits = config.limits;
  call.destination = "tool";
  if (call.declared != nullptr) {
    call.limits = merge_limits(config.limits, call.declared->limits);
    if (!call.declared->concurrency_class.empty()) {
      call.destination += "." + call.declared->concurrency_class;
    }
  }
  return call;
}

}  // namespace filecall::worker
