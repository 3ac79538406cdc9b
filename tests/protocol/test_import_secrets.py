# SPDX-License-Identifier: MIT
"""filecall import promptfoo writes no secret of a provider, wherever it stood."""

import json

from foreign_config import Imported

SECRET_CONFIG = """prompts: ['say {{a}}']
providers:
  - id: openai:chat:m
    config: &server
      apiBaseUrl: https://me:PLANTED-1@models.example.com:8443/v1?api-key=PLANTED-2&zone=a
      apiKey: PLANTED-3
      max_tokens: 100
      headers: {Authorization: Bearer PLANTED-4}
      passthrough:
        api_key: PLANTED-5
        adminPassword: 7654321
        max_tokens_per_image: 12
        stop_token: '</s>'
        service: {auth: {user: x, value: PLANTED-6}, tier: flex}
        callback: see https://me:PLANTED/7@hooks.example.com/x
        extra: [{name: Authorization, value: PLANTED-8}, Bearer PLANTED-9, plain]
        note: sk-PLANTED-10-0123456789
      tools:
        - {type: mcp, server_url: 'https://me:PLANTED-11@mcp.example.com',
           headers: {X-Api-Key: PLANTED-12}}
        - {type: function, function: {name: log_in, parameters: {type: object,
           properties: {password: {type: string}}, required: [password]}}}
  - {id: 'openai:chat:env', config: {apiBaseUrl: 'https://b.example.com', apiKey: '{{env.B_KEY}}'}}
  - {id: 'openai:chat:bare', config: {apiBaseUrl: 'me:PLANTED-13@10.0.0.1:80/v1'}}
  - {id: 'openai:chat:typo', config: {apiBaseUrl: 'https://c.example.com', apiKeyEnvar: PLANTED-14}}
  - https://me:PLANTED-15@other.example.com/chat
  - {id: 'openai:chat:odd', config: {temperature: PLANTED-16, passthrough: {token: PLANTED-17}}}
  - vllm:https://me:PLANTED-18@other.example.com
  - {id: 'openai:chat:filed', config: {passthrough: file://body.yaml}}
defaultTest:
  options: {provider: {id: 'openai:chat:judge', config: *server}}
tests:
  - {vars: {a: 1}, assert: [{type: llm-rubric, value: is kind}]}
  - https://me:PLANTED-19@other.example.com/tests.csv
"""


def test_secrets_of_providers_are_written_nowhere(client, folder):
    imported = Imported(client, folder)
    imported.write("body.yaml", "{session_token: PLANTED-20, tier: flex}")
    said = imported.take(SECRET_CONFIG, code=1)
    again = client.run("import", "promptfoo", imported.source / "promptfooconfig.yaml", "--out",
                       imported.out.with_name("again"))
    assert again.returncode == 1
    written = "".join(path.read_text() for path in imported.out.rglob("*") if path.is_file())
    for text in (written, json.dumps(said), again.stdout, again.stderr):
        assert "PLANTED" not in text and "7654321" not in text, text
    first, *_, filed = imported.yaml("models.yaml")["models"]
    assert filed["params"] == {"extra_body": {"tier": "flex"}}
    assert first["params"]["max_tokens"] == 100
    assert first["params"]["extra_body"] == {
        "max_tokens_per_image": 12, "stop_token": "</s>", "service": {"tier": "flex"},
        "callback": "see https://hooks.example.com/x",
        "extra": [{"name": "Authorization"}, "plain"]}
    mcp, function = first["params"]["tools"]
    assert mcp == {"type": "mcp", "server_url": "https://mcp.example.com", "headers": {}}
    assert function["function"]["parameters"]["properties"] == {"password": {"type": "string"}}
    assert imported.yaml("worker.yaml")["llm"]["providers"] == {
        "models-example-com-8443": {
            "kind": "openai", "base_url": "https://models.example.com:8443/v1?zone=a",
            "api_key_env": "MODELS_EXAMPLE_COM_8443_API_KEY"},
        "b-example-com": {"kind": "openai", "base_url": "https://b.example.com",
                          "api_key_env": "B_KEY"},
        "10-0-0-1-80": {"kind": "openai", "base_url": "10.0.0.1:80/v1",
                        "api_key_env": "SERVER_10_0_0_1_80_API_KEY"},
        "c-example-com": {"kind": "openai", "base_url": "https://c.example.com"}}
    named = {note["what"] for note in said["not_taken"] if "never copied" in note["why"]}
    assert named == {
        "apiKey", "password in apiBaseUrl", "passthrough.api_key", "passthrough.adminPassword",
        "passthrough.service.auth", "passthrough.callback", "passthrough.extra[0].value",
        "passthrough.extra[1]", "passthrough.note", "passthrough.token", "tools[0].server_url",
        "tools[0].headers.X-Api-Key", "passthrough.session_token"}
    why = {note["what"]: note["why"] for note in said["not_taken"]}
    assert why["apiKeyEnvar"] == "is no name of a variable"
    assert "variable MODELS_EXAMPLE_COM_8443_API_KEY" in why["apiKey"]
