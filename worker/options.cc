// SPDX-License-Identifier: MIT
#include "worker/options.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cxxopts.hpp>
#include <filesystem>

#include "base/duration.h"
#include "base/help_text.h"
#include "ipc/durability.h"
#include "os/accounts.h"
#include "spool/layout.h"
#include "worker/config/config_reader.h"
#include "worker/exec/tool/tool_sandbox.h"

namespace filecall::worker {
namespace {

constexpr const char* kHead = R"(Usage: filecall-worker [OPTION...]
Run one command for each request file, and publish its response.

Watches ROOT/requests, runs one command for each JSON file and publishes
ROOT/responses/{id}.json. Never retries, never loops, never restarts itself.

Options:
)";

constexpr const char* kFooter = R"(
Examples:
  filecall-worker --root /var/spool/filecall
  filecall-worker --config /etc/filecall/worker.yaml
  filecall-worker --config worker.yaml --check-config
  filecall-worker --check-config --json | jq '.providers[] | select(.answers) | .name'
  filecall-worker --root ~/jobs --drain        (cron: answer what is pending, exit)

Signals:
  TERM, INT  Take nothing new, let commands finish within --grace, then end them. Again: stop.
  USR1       Take nothing new, let commands finish, however long that takes, then stop.
  HUP        Reopen the log and read the configuration again: tools, providers, clusters, grace,
             log. A wrong one is logged and changes nothing. At a terminal: as TERM.

Files in the root directory:
  requests/ID.json    A request. The worker never changes or deletes it.
  responses/ID.json   Its response, written once.
  events/ID.jsonl     What a request streams while it executes.
  worker/status.json  The worker's state and counts, at least every second while it is busy.
  worker/launch.json  How the worker was started.
  worker/lock         Locked while the worker lives.
  worker/log          The log of a worker that 'filecall worker start' started.

Exit codes:
  0   stopped or drained
  1   failed
  2   wrong usage or bad configuration
  69  a protection that the sandbox needs is missing
  74  answers were not written: the disk was full until the grace was over
  75  busy: another worker serves the root
)";

cxxopts::Options describe() {
  cxxopts::Options options("filecall-worker", "Answers request files of the filecall protocol.");
  options.add_options()  //
      ("root",
       "A root to serve. Repeatable (default: $FILECALL_ROOT, else /tmp/copilot-evaluation).",
       cxxopts::value<std::vector<std::string>>(), "DIR")  //
      ("config", "The configuration, a YAML file: see filecall-worker.yaml(5).",
       cxxopts::value<std::string>(), "FILE")                                                  //
      ("check-config", "Check the configuration, and whether its servers answer, then exit.")  //
      ("json", "With --check-config: print the result as a JSON object.")                      //
      ("drain", "Answer everything that is pending, then exit with 0.")                        //
      ("durability",
       "full: an answered request survives a power cut; journal: the same once a worker has "
       "started again, and faster; file: no response is torn; none: for tests and tmpfs (default: "
       "full).",
       cxxopts::value<std::string>(), "LEVEL")  //
      ("grace", "How long a stop waits for running commands (default: 30s).",
       cxxopts::value<std::string>(), "TIME")                                 //
      ("allow-shared-root", "Serve a root that others own or may write to.")  //
      ("group",
       "Serve the roots for this group: its members may drop requests and read the responses.",
       cxxopts::value<std::string>(), "GROUP")                                            //
      ("allow-home", "Let tools work in the whole home directory or in / (tool.roots).")  //
      ("require-sandbox",
       "Do not start when this machine lacks a protection that tool.sandbox or tool.network "
       "asks for.")                                                    //
      ("poll", "Never use inotify. Read the directories on a timer.")  //
      ("log-file", "Append the log to a file, rotated; '-': standard error (default).",
       cxxopts::value<std::string>(), "FILE")  //
      ("default-log-file", "The same, where neither --log-file nor the configuration names a log.",
       cxxopts::value<std::string>(), "FILE")                                                   //
      ("log-format", "text or json (default: text).", cxxopts::value<std::string>(), "FORMAT")  //
      ("log-level", "debug, info, warn or error (default: info).", cxxopts::value<std::string>(),
       "LEVEL")                          //
      ("version", "Print the version.")  //
      ("help", "Print this help.");
  return options;
}

/// Not the library's own layout, which loses a word at the end of a line.
std::string help_text(const cxxopts::Options& description) {
  std::vector<HelpRow> rows;
  const auto& options = description.group_help("").options;
  for (const cxxopts::HelpOptionDetails& option : options) {
    const std::string value = option.is_boolean ? "" : " " + option.arg_help;
    rows.push_back({"--" + option.l.front() + value, option.desc});
  }
  return kHead + help_rows(rows) + kFooter;
}

Unexpected<Error> usage(const std::string& text) {
  return fail(ErrorCode::kInvalidArgument, text + "; see filecall-worker --help");
}

Result<void> apply(const cxxopts::ParseResult& given, Config& config) {
  if (given.count("root")) config.roots = given["root"].as<std::vector<std::string>>();
  if (given.count("drain")) config.drain = true;
  if (given.count("allow-shared-root")) config.source.allow_shared_root = true;
  if (given.count("group")) config.group = given["group"].as<std::string>();
  if (given.count("require-sandbox")) config.tool.require_sandbox = true;
  if (given.count("allow-home")) config.tool.allow_home = true;
  if (given.count("poll")) config.source.reader.force_poll = true;
  if (given.count("durability")) {
    const auto durability = parse_durability(given["durability"].as<std::string>());
    if (!durability) {
      return usage(fmt::format("--durability: '{}' is none of: full, journal, file, none",
                               given["durability"].as<std::string>()));
    }
    config.source.durability = *durability;
  }
  if (given.count("grace")) {
    const auto grace = parse_duration(given["grace"].as<std::string>());
    if (!grace) return usage("--grace: " + grace.error().message);
    config.grace = *grace;
  }
  if (given.count("log-file")) {
    const auto path = given["log-file"].as<std::string>();
    config.log.path = path == "-" ? "" : path;
  } else if (given.count("default-log-file") && config.log.path.empty()) {
    config.log.path = given["default-log-file"].as<std::string>();
  }
  if (given.count("log-format")) {
    const auto format = given["log-format"].as<std::string>();
    if (format != "text" && format != "json") return usage("--log-format takes text or json");
    config.log.json = format == "json";
  }
  if (given.count("log-level")) {
    const auto level = parse_log_level(given["log-level"].as<std::string>());
    if (!level) return usage("--log-level takes debug, info, warn or error");
    config.log_level = *level;
  }
  return {};
}

std::string absolute(const std::string& path, const std::string& directory) {
  return (std::filesystem::path(directory) / path).lexically_normal().string();
}

/// What the next worker needs to become the same. What depends on the current directory is
/// made absolute; what only one run is for (--drain) is left out.
WorkerLaunch launch_of(const cxxopts::ParseResult& given, const Config& config,
                       const std::string& directory) {
  static constexpr std::string_view kElsewhere[] = {"root", "config", "drain", "default-log-file"};
  WorkerLaunch launch;
  launch.directory = directory;
  for (const auto& flag : given.arguments()) {
    if (std::find(std::begin(kElsewhere), std::end(kElsewhere), flag.key()) !=
        std::end(kElsewhere)) {
      continue;
    }
    const bool is_path = flag.key() == "log-file" && flag.value() != "-";
    std::string text = "--" + flag.key();
    if (is_path) text += "=" + absolute(flag.value(), directory);
    // A switch has the value "true", and nothing else can have it.
    if (!is_path && flag.value() != "true") text += "=" + flag.value();
    launch.arguments.push_back(std::move(text));
  }
  if (given.count("config")) {
    launch.config = absolute(given["config"].as<std::string>(), directory);
    launch.config_digest = config.digest;
  }
  if (given.count("root")) {
    for (const std::string& root : config.roots) launch.roots.push_back(absolute(root, directory));
  }
  launch.is_from_client = given.count("default-log-file") > 0;
  if (!config.log.path.empty()) launch.log_file = absolute(config.log.path, directory);
  return launch;
}

/// The log that somebody chose, and its folder. The client makes that of the default one.
Result<void> check_log_place(const cxxopts::ParseResult& given, const Config& config,
                             const std::string& directory) {
  const std::string& path = config.log.path;
  if (path.empty()) return {};
  if (given.count("default-log-file") && path == given["default-log-file"].as<std::string>()) {
    return {};
  }
  const std::filesystem::path file = absolute(path, directory);
  const std::string folder = file.parent_path().string();
  std::error_code status;
  if (!std::filesystem::is_directory(folder, status)) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("log.file: {}: there is no directory {}; make it, or correct the path",
                            path, folder));
  }
  const bool is_there = std::filesystem::exists(file, status);
  if (is_there && std::filesystem::is_directory(file, status)) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("log.file: {}: is a directory; name a file in it", path));
  }
  if (::access(is_there ? file.c_str() : folder.c_str(), W_OK) == 0) return {};
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("log.file: {}: this user may not write it; name another file", path));
}

/// A root that is not there yet is made; what is there and no directory is none.
Result<void> check_roots(const std::vector<std::string>& roots) {
  for (const std::string& root : roots) {
    std::error_code status;
    if (!std::filesystem::exists(root, status)) continue;
    if (std::filesystem::is_directory(root, status)) continue;
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("roots: {}: is not a directory; --root, $FILECALL_ROOT or roots in the "
                            "configuration name one",
                            root));
  }
  return {};
}

/// The configuration file, then the flags.
Result<void> configure(const cxxopts::ParseResult& given, const std::string& directory,
                       Config& config) {
  if (given.count("config")) {
    TRY_ASSIGN(config, read_config_file(given["config"].as<std::string>()));
  }
  TRY(apply(given, config));
  if (!config.group.empty()) {
    auto group = find_group(config.group);
    if (!group) return usage(group.error().message);
    config.source.group = *group;
  }
  TRY(check_log_place(given, config, directory));
  config.launch = launch_of(given, config, directory);
  if (const auto reason = complaint_about_sandbox(config.tool)) return usage(*reason);
  if (given.count("config")) config.tool.own_files.push_back(given["config"].as<std::string>());
  return {};
}

}  // namespace

Result<Options> parse_options(int argc, const char* const* argv, const char* root_variable,
                              const std::string& directory) {
  cxxopts::Options description = describe();
  Options options;
  try {  // cxxopts reports bad usage by exception only.
    const cxxopts::ParseResult given = description.parse(argc, argv);
    if (given.count("help")) {
      options.action = Options::Action::kHelp;
      options.text = help_text(description);
      return options;
    }
    if (given.count("version")) {
      options.action = Options::Action::kVersion;
      return options;
    }
    if (!given.unmatched().empty()) {
      return usage(fmt::format("unexpected argument '{}'{}", given.unmatched().front(),
                               given.count("check-config") ? "; the file is --config's" : ""));
    }
    if (given.count("check-config")) options.action = Options::Action::kCheckConfig;
    options.prints_json = given.count("json") > 0;
    if (options.prints_json && options.action != Options::Action::kCheckConfig) {
      return usage("--json goes with --check-config");
    }
    const auto read = configure(given, directory, options.config);
    if (!read && !options.prints_json) return Unexpected(read.error());
    if (!read) options.refusal = read.error().message;
  } catch (const cxxopts::exceptions::exception& e) {
    return usage(e.what());
  }
  if (options.config.roots.empty()) {
    options.config.roots = {spool::choose_root("", root_variable)};
    options.config.launch.roots = {absolute(options.config.roots.front(), directory)};
  }
  const auto roots = check_roots(options.config.roots);
  if (!roots && !options.prints_json) return Unexpected(roots.error());
  if (!roots && options.refusal.empty()) options.refusal = roots.error().message;
  options.has_tool_roots = !options.config.tool.roots.empty();
  if (!options.has_tool_roots) options.config.tool.roots = {directory};
  for (const std::string& root : options.config.roots) {
    options.config.tool.hidden.push_back(root.starts_with('/') ? root : directory + "/" + root);
  }
  if (!options.config.log.path.empty()) {
    options.config.tool.own_files.push_back(options.config.log.path);
  }
  return options;
}

}  // namespace filecall::worker
