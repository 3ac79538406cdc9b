# SPDX-License-Identifier: MIT
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from conftest_shared import *  # noqa: E402,F401,F403


def pytest_configure(config):
    config.addinivalue_line("markers", "core: what the sanitizer builds run too")
