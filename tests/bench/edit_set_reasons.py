# SPDX-License-Identifier: MIT
"""Why our engine makes something else of a case of other projects' tests than they do, by verdict
and the case's name, and which cases cannot be asked of it."""

READS_ONLY = "reads a patch, a model's answer or a command line, and changes no file"

FORMS = {
    "test_failed_move_returns_committed_destination_delta": "needs a directory without rights",
    "test_apply_patch_fails_on_write_error": "needs a directory without rights",
    "test_unreadable_destinations_return_inexact_delta": "needs a file that is no text",
    "test_delete_symlink_returns_inexact_delta": "needs a link",
    "test_full_edit_dry_run": "a dry run",
    "serializes concurrent edits to same file": "two edits at once, of which one may fail",
    "throws error when file was not read first (FileTime)":
        "whether a file was read: that is asked with base_sha256",
    "throws error when file has been modified since read":
        "whether a file was read: that is asked with base_sha256",
    "test_apply_patch_cli_allows_overlapping_eof_chunks_in_legacy_mode":
        "an older way of the same program, which another case corrects",
    "test_apply_patch_cli_uses_legacy_line_handling_without_rollout_env":
        "an older way of the same program, which another case corrects",
}

OVERWRITES = "a file that is there is not overwritten: nobody said that they know its content"
ONLY_ADDS = "lines are added at the end though nothing says so: we ask for a line of context"
ALL_OR_NOTHING = "one file cannot be changed: nothing is made, they leave what came before it"
FINAL_NEWLINE = "a file without final newline keeps none; they add one"
BARE_CR = "a CR alone ends no line: git and GNU patch take it for text, too"
FIRST_OF_TWO = "its lines stand at two places: they change the first"

REASONS = {
    ("we refuse", "010_move_overwrites_existing_destination"): OVERWRITES,
    ("we refuse", "011_add_overwrites_existing_file"): OVERWRITES,
    ("we refuse", "test_apply_patch_cli_move_overwrites_existing_destination"): OVERWRITES,
    ("we refuse", "test_apply_patch_cli_add_overwrites_existing_file"): OVERWRITES,
    ("we refuse", "moves file overwriting existing destination"): OVERWRITES,
    ("we refuse", "adds file overwriting existing file"): OVERWRITES,
    ("we refuse", "016_pure_addition_update_chunk"): ONLY_ADDS,
    ("we refuse", "test_pure_addition_chunk_followed_by_removal"): ONLY_ADDS,
    ("we refuse", "test_apply_patch_cli_appends_after_trailing_blank_crlf_line"): ONLY_ADDS,
    ("we refuse", "015_failure_after_partial_success_leaves_changes"): ALL_OR_NOTHING,
    ("other content", "test_apply_patch_cli_failure_after_partial_success_leaves_changes"):
        ALL_OR_NOTHING,
    ("we refuse", "024_preserves_mixed_line_endings"): BARE_CR,
    ("we refuse", "test_apply_patch_cli_preserves_cr_from_target_file"): BARE_CR,
    ("we refuse", "test_apply_patch_cli_preserves_untouched_mixed_line_endings"): BARE_CR,
    ("other content", "test_apply_patch_cli_uses_crlf_for_new_trailing_newline"): FINAL_NEWLINE,
    ("other content", "test_apply_patch_cli_updates_file_appends_trailing_newline"): FINAL_NEWLINE,
    ("other content", "appends trailing newline on update"): FINAL_NEWLINE,
    ("other content", "should handle files with no trailing newline"): FINAL_NEWLINE,
    ("other content", "should add a new file"):
        "each added line of a new file has its end; they leave out the last one",
    ("we refuse", "test_replace_multiple_matches"): FIRST_OF_TWO,
    ("we refuse", "test_replace_multiple_matches_missing_whitespace"): FIRST_OF_TWO,
    ("we refuse", "test_replace_part_with_missing_leading_whitespace_including_blank_line"):
        "the old text begins with an empty line that the file does not have: they leave it out",
    ("we refuse", "test_find_diffs_dev_null"):
        "a diff from /dev/null that removes a line; they only read it",
}
