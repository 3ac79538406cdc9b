// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace filecall::client {

class Arguments;

/// Each reads its arguments, lets the rooms below do the work, prints, and returns the exit code.
/// Each subcommand has its own file; the table names them.
int call_command(const Arguments& arguments);
int run_command(const Arguments& arguments);
int watch_command(const Arguments& arguments);
int status_command(const Arguments& arguments);
int show_command(const Arguments& arguments);
int follow_command(const Arguments& arguments);
int retry_command(const Arguments& arguments);
int edit_command(const Arguments& arguments);
int cancel_command(const Arguments& arguments);
int pause_command(const Arguments& arguments);
int resume_command(const Arguments& arguments);
int proposal_command(const Arguments& arguments);
int gc_command(const Arguments& arguments);
int import_command(const Arguments& arguments);
int thread_command(const Arguments& arguments);
int scenario_command(const Arguments& arguments);
int agent_command(const Arguments& arguments);
int eval_command(const Arguments& arguments);
int runs_command(const Arguments& arguments);
int report_command(const Arguments& arguments);
int compare_command(const Arguments& arguments);
int approvals_command(const Arguments& arguments);
int approve_command(const Arguments& arguments);
int deny_command(const Arguments& arguments);
int policy_command(const Arguments& arguments);
int doctor_command(const Arguments& arguments);
int worker_command(const Arguments& arguments);
int schema_command(const Arguments& arguments);
int completion_command(const Arguments& arguments);
int version_command(const Arguments& arguments);
int help_command(const Arguments& arguments);

/// The completion script for "bash" or "zsh", made from the table. Pure.
std::string completion_script(const std::string& shell);

}  // namespace filecall::client
