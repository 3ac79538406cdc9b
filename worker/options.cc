// SPDX-License-Identifier: MIT
#include "worker/options.h"

#include <fmt/core.h>

#include <cxxopts.hpp>

#include "base/duration.h"
#include "ipc/durability.h"
#include "spool/layout.h"
#include "worker/config/config_reader.h"
#include "worker/exec/tool/tool_sandbox.h"

namespace filecall::worker {
namespace {

constexpr const char* kFooter = R"(
Watches ROOT/requests, runs one command per JSON file and publishes
ROOT/responses/{id}.json. Never retries, never loops, never restarts itself.

EXAMPLES
  filecall-worker --root /var/spool/filecall
  filecall-worker --config /etc/filecall/worker.yaml
  filecall-worker --config worker.yaml --check-config
  filecall-worker --check-config --json | jq '.providers[] | select(.answers) | .name'
  filecall-worker --root ~/jobs --drain        (cron: answer what is there, exit)

SIGNALS
  TERM, INT   take nothing new, finish what runs within --grace, then end it; twice: stop at once

EXIT CODES
  0 stopped or drained   1 failed   2 usage or bad configuration
  69 a protection that --require-sandbox asks for is missing   75 another worker serves a root
)";

cxxopts::Options describe() {
  cxxopts::Options options("filecall-worker", "Answers request files of the filecall protocol.");
  options.add_options()  //
      ("root", "A root to serve; repeatable. Default: $FILECALL_ROOT, else /tmp/copilot-evaluation",
       cxxopts::value<std::vector<std::string>>(), "DIR")                             //
      ("config", "YAML configuration file", cxxopts::value<std::string>(), "FILE")    //
      ("check-config", "Check the configuration and which servers answer, and exit")  //
      ("json", "With --check-config: print what was found as a JSON object")          //
      ("drain", "Answer everything that is pending, then exit 0")                     //
      ("durability",
       "full: an answer that was seen survives a power cut; journal: the same once a worker has "
       "started again, and faster; file: it is never torn; none: for tests and tmpfs",
       cxxopts::value<std::string>(), "LEVEL")  //
      ("grace", "How long a stop waits for running commands (default 30s)",
       cxxopts::value<std::string>(), "TIME")                                            //
      ("allow-shared-root", "Serve a root that others own or may write")                 //
      ("allow-home", "Let tools work in the whole home directory or in / (tool.roots)")  //
      ("require-sandbox",
       "Do not start when this machine lacks a protection that tool.sandbox or tool.network "
       "asks for")                                                    //
      ("poll", "Never use inotify; read the directories on a timer")  //
      ("log-file", "Append the log to a file, rotated; '-': standard error (default)",
       cxxopts::value<std::string>(), "FILE")                                              //
      ("log-format", "text or json", cxxopts::value<std::string>(), "FORMAT")              //
      ("log-level", "debug, info, warn or error", cxxopts::value<std::string>(), "LEVEL")  //
      ("version", "Print the version and exit")                                            //
      ("help", "Print this help and exit");
  return options;
}

Unexpected<Error> usage(const std::string& text) {
  return fail(ErrorCode::kInvalidArgument, text + "; see filecall-worker --help");
}

Result<void> apply(const cxxopts::ParseResult& given, Config& config) {
  if (given.count("root")) config.roots = given["root"].as<std::vector<std::string>>();
  if (given.count("drain")) config.drain = true;
  if (given.count("allow-shared-root")) config.source.allow_shared_root = true;
  if (given.count("require-sandbox")) config.tool.require_sandbox = true;
  if (given.count("allow-home")) config.tool.allow_home = true;
  if (given.count("poll")) config.source.reader.force_poll = true;
  if (given.count("durability")) {
    const auto durability = parse_durability(given["durability"].as<std::string>());
    if (!durability) return usage("--durability takes full, journal, file or none");
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

/// The configuration file, then the flags.
Result<void> configure(const cxxopts::ParseResult& given, Config& config) {
  if (given.count("config")) {
    TRY_ASSIGN(config, read_config_file(given["config"].as<std::string>()));
  }
  TRY(apply(given, config));
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
      options.text = description.help() + kFooter;
      return options;
    }
    if (given.count("version")) {
      options.action = Options::Action::kVersion;
      return options;
    }
    if (!given.unmatched().empty()) {
      return usage(fmt::format("unexpected argument '{}'", given.unmatched().front()));
    }
    if (given.count("check-config")) options.action = Options::Action::kCheckConfig;
    options.prints_json = given.count("json") > 0;
    if (options.prints_json && options.action != Options::Action::kCheckConfig) {
      return usage("--json goes with --check-config");
    }
    const auto read = configure(given, options.config);
    if (!read && !options.prints_json) return Unexpected(read.error());
    if (!read) options.refusal = read.error().message;
  } catch (const cxxopts::exceptions::exception& e) {
    return usage(e.what());
  }
  if (options.config.roots.empty()) options.config.roots = {spool::choose_root("", root_variable)};
  if (options.config.tool.roots.empty()) options.config.tool.roots = {directory};
  for (const std::string& root : options.config.roots) options.config.tool.hidden.push_back(root);
  if (!options.config.log.path.empty()) {
    options.config.tool.own_files.push_back(options.config.log.path);
  }
  return options;
}

}  // namespace filecall::worker
