# SPDX-License-Identifier: MIT
"""Which of these tests run under a sanitizer in the normal mode; with --long all of them do.

A sanitizer finds what bytes from outside and lifetimes break (`memory`), or what threads do to each
other (`threads`). A test whose way through the programs another one takes already, such as one of
forty that only compare answers, costs minutes and finds nothing more: unit tests and the fuzz
targets give the same code far more inputs. Tests marked `core`, at least one for each way, run
under both, each with the first of its parameters. These files run whole, but those of FIRST: what
stands behind the last "-" in their tests' names runs with its first value.
"""

MEMORY = {
    "test_bad_input": "requests that are no requests",
    "test_cancel_and_stop": "what ends while others still use it",
    "test_client_retries": "responses that come late, twice or torn",
    "test_crash": "what a killed worker left behind",
    "test_git_hostile": "repositories that somebody else made",
    "test_half_written": "files that change under the reader",
    "test_hostile_root": "a root that somebody else fills",
    "test_json_schema": "schemas from a request",
    "test_kube_credentials": "programs and files that give credentials",
    "test_kube_diff_resource": "manifests from a request, objects from a server",
    "test_kube_exec": "what a server says on the channels of a command",
    "test_kube_exec_ends": "frames, handshakes and ends of a WebSocket",
    "test_kube_get_resource": "objects of a real server",
    "test_kube_secrets": "what redaction must find",
    "test_kube_transport": "servers that hang, lie and break off",
    "test_llm_batch": "foreign batch files and tables",
    "test_llm_chat": "streams of providers, broken anywhere",
    "test_llm_network": "proxies, certificates, connections that end",
    "test_tool_run": "output of programs, their ends and limits",
}
THREADS = {
    "test_cancel_and_stop": "a stop while the pool works",
    "test_client_lifecycle": "the client's two threads, and its end",
    "test_client_retries": "the client's two threads: decisions and the database",
    "test_kube_credentials": "plugins and files, read on the pool",
    "test_kube_transport": "names that libcurl resolves on threads of its own",
    "test_llm_flow": "many calls at once, and a reload among them",
    "test_notice": "the scan on the pool beside events",
    "test_publish": "the journal: the loop and the pool share its groups",
    "test_status": "counting beside a listing",
}
FIRST = {"test_hostile_root"}  # Of five things at each place, one.
BY_NAME = {"memory": MEMORY, "threads": THREADS}


def way_of(file_stem, node_id):
    """Tests of one way, of which the first runs where not all do."""
    test, _, parameters = node_id.partition("[")
    return test, parameters.rpartition("-")[0] if file_stem in FIRST else ""


def runs_under(sanitizer, mode, file_stem, is_core, is_first):
    """Whether a test runs; without a sanitizer every test does. `is_first`: no other of
    its way came before."""
    if not sanitizer or mode == "long":
        return True
    if file_stem in BY_NAME[sanitizer]:
        return is_first or file_stem not in FIRST
    return is_core and is_first


def short_runs(sanitizer, mode, is_core, environment):
    """The variables of a client that ends at once: whether leaks are looked for at its end."""
    if sanitizer != "memory" or mode == "long" or is_core:
        return {}
    options = environment.get("ASAN_OPTIONS", "")
    return {"ASAN_OPTIONS": f"{options}:detect_leaks=0".lstrip(":")}
