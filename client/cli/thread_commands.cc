// SPDX-License-Identifier: MIT
#include "client/cli/command_table.h"
#include "client/cli/subcommands.h"

namespace filecall::client {
namespace {

constexpr CommandSpec kThreadCommands[] = {
    {.name = "thread",
     .arguments = "ACTION [THREAD] [TITLE]",
     .summary = "List, show, begin, rename, fork, delete or export threads of agents.",
     .details = "list shows those of the root, changed last first; show the last records of one\n"
                "(the thread 'default' when none is named); new and fork begin one; delete marks "
                "one\nas deleted and keeps its records; export prints its messages as one JSON\n"
                "document. A line that is no record is named and passed over.",
     .options = "all last at thread durability root json allow-shared-root",
     .examples = "  filecall thread list\n"
                 "  filecall thread show default --last 20\n"
                 "  filecall thread new 'The shop is slow'\n"
                 "  filecall thread fork default 'Another way'\n"
                 "  filecall thread rename default Everything\n"
                 "  filecall thread delete thread-k3v7q2m5xa\n"
                 "  filecall thread export default > default.json",
     .arguments_min = 1,
     .arguments_max = 3,
     .words = "list show new rename fork delete export",
     .exit_codes = "0 1 2 74 75",
     .run = thread_command},
    {.name = "scenario",
     .arguments = "ACTION [NAME|FILE]",
     .summary = "List or show what agents are for, and what they may use.",
     .details = "list shows the scenarios that are built in, and those of the folder scenarios/ "
                "in\n$XDG_CONFIG_HOME/filecall; show prints one, or says what is wrong with a "
                "file.",
     .options = "root json",
     .examples = "  filecall scenario list\n"
                 "  filecall scenario show code > mine.yaml\n"
                 "  filecall scenario show ./mine.yaml --json",
     .arguments_min = 1,
     .arguments_max = 2,
     .words = "list show explore code editor_code kubeops",
     .exit_codes = "0 1 2 74",
     .run = scenario_command},
};

}  // namespace

std::span<const CommandSpec> thread_commands() { return kThreadCommands; }

}  // namespace filecall::client
