# SPDX-License-Identifier: MIT
"""Providers behind an authority of their own and behind a proxy."""

import socket

import pytest

from endpoint import environment
from web_proxy import Proxy, TlsEnd, make_certificate


@pytest.fixture
def certificate(folder):
    return make_certificate(folder)


@pytest.fixture
def tls_end(endpoint, certificate):
    started = TlsEnd(endpoint.port, *certificate)
    yield started
    started.stop()


@pytest.fixture
def provider(start_worker, endpoint, spool):
    """provider(**members) -> the answer of one call to a provider configured so."""
    def ask(**members):
        start_worker(config=endpoint.config(**members), env=environment())
        return spool.call("q", "llm.chat", {"model": "m", "prompt": "say Hello there"})
    return ask


@pytest.fixture
def proxies():
    started = []

    def start(port):
        started.append(Proxy(port))
        return started[-1]
    yield start
    for proxy in started:
        proxy.stop()


def test_a_private_authority_is_trusted_when_its_file_is_named(provider, tls_end, certificate,
                                                               endpoint):
    answer = provider(base_url=f"https://127.0.0.1:{tls_end.port}/v1", ca_file=str(certificate[0]))
    assert answer["status"] == "success", answer
    assert answer["data"]["text"] == "Hello there"
    assert len(endpoint.calls()) == 1


def test_an_unknown_authority_is_not_trusted(provider, tls_end, endpoint):
    answer = provider(base_url=f"https://127.0.0.1:{tls_end.port}/v1")
    assert answer["error_code"] == "unavailable", answer
    assert "certificate" in answer["error_message"]
    assert endpoint.calls() == []


def test_a_certificate_of_another_name_is_not_trusted(provider, tls_end, certificate, endpoint):
    answer = provider(base_url=f"https://localhost:{tls_end.port}/v1", ca_file=str(certificate[0]))
    assert answer["status"] == "error" and endpoint.calls() == [], answer


def test_a_proxy_is_asked_for_what_this_machine_cannot_resolve(provider, proxies, endpoint):
    proxy = proxies(endpoint.port)
    answer = provider(base_url="http://provider.invalid/v1",
                      proxy=f"http://127.0.0.1:{proxy.port}")
    assert answer["status"] == "success", answer
    assert proxy.asked[0].startswith("POST http://provider.invalid/v1/chat/completions ")
    assert len(proxy.asked) == len(endpoint.calls()) == 1


def test_a_proxy_sees_nothing_but_the_name_of_a_provider_with_tls(provider, proxies, tls_end,
                                                                  certificate, endpoint):
    proxy = proxies(tls_end.port)
    answer = provider(base_url=f"https://127.0.0.1:{tls_end.port}/v1",
                      ca_file=str(certificate[0]), proxy=f"http://127.0.0.1:{proxy.port}")
    assert answer["status"] == "success", answer
    assert proxy.asked == [f"CONNECT 127.0.0.1:{tls_end.port} HTTP/1.1"]
    assert len(endpoint.calls()) == 1


def test_a_proxy_that_is_not_there_is_said_to_be(provider):
    with socket.socket() as held:  # Bound and not listening: nobody else gets the port.
        held.bind(("127.0.0.1", 0))
        port = held.getsockname()[1]
        answer = provider(base_url="http://provider.invalid/v1",
                          proxy=f"http://127.0.0.1:{port}")
    assert answer["error_code"] == "unavailable" and answer["retryable"], answer
    assert str(port) in answer["error_message"], answer
