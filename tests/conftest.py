"""What all tests share: a Hypothesis profile, one folder of compiled kernels, the golden files."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

HERE = Path(__file__).parent

settings.register_profile("repeatable", deadline=None, derandomize=True, max_examples=60)
settings.load_profile("repeatable")


def pytest_configure(config: pytest.Config) -> None:
    """Give all workers one cache of their own: kernels are compiled once, the user's is left alone.

    An own ``MONTECARLO_CACHE`` stays as it is.
    """
    os.environ.setdefault("MONTECARLO_CACHE", str(config.rootpath / ".pytest_cache" / "montecarlo"))


@pytest.fixture(scope="session")
def golden() -> Callable[[str], Any]:
    """Return a reader of tests/golden: the value of a .json file, the list of a .jsonl file's."""

    def read(path: str) -> Any:
        text = (HERE / "golden" / path).read_text(encoding="utf-8")
        if path.endswith(".jsonl"):
            return [json.loads(line) for line in text.splitlines() if line.strip()]
        return json.loads(text)

    return read
