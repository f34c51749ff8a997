"""Tables kept on disk: found again, never trusted when damaged."""

from __future__ import annotations

import numpy as np
import pytest

from montecarlo.setting import table_cache


@pytest.fixture
def build(tmp_path, monkeypatch):
    """A builder that counts its calls, with the cache in an empty folder."""
    monkeypatch.setenv("MONTECARLO_CACHE", str(tmp_path))

    class Build:
        calls = 0
        folder = tmp_path / "settings"

        def __call__(self):
            self.calls += 1
            return {"a": np.arange(1000, dtype=np.uint32), "b": np.ones((3, 4))}

    return Build()


def ask(build, part=b"x"):
    arrays = table_cache.cached_arrays("test", [part], build)
    assert np.array_equal(arrays["a"], np.arange(1000))
    assert arrays["b"].tolist() == np.ones((3, 4)).tolist()
    assert not arrays["a"].flags.writeable
    return arrays


def test_built_once_for_equal_parts(build):
    ask(build)
    ask(build)
    assert build.calls == 1
    ask(build, b"y")
    assert build.calls == 2
    assert not list(build.folder.glob("*.part"))


@pytest.mark.parametrize("place", [0, 25, 200, -1])
def test_any_changed_byte_is_noticed(build, place):
    ask(build)
    (path,) = build.folder.iterdir()
    content = bytearray(path.read_bytes())
    content[place] ^= 1
    path.write_bytes(content)
    ask(build)
    assert build.calls == 2
    ask(build)  # repaired
    assert build.calls == 2


@pytest.mark.parametrize("keep", [0, 10, 300, 3000])
def test_a_truncated_file_is_noticed(build, keep):
    ask(build)
    (path,) = build.folder.iterdir()
    path.write_bytes(path.read_bytes()[:keep])
    ask(build)
    assert build.calls == 2


def test_a_file_under_another_key_is_noticed(build):
    ask(build)
    (path,) = build.folder.iterdir()
    ask(build, b"y")
    other = next(p for p in build.folder.iterdir() if p != path)
    other.write_bytes(path.read_bytes())
    ask(build, b"y")
    assert build.calls == 3


def test_a_folder_that_cannot_be_written_is_no_error(build):
    build.folder.parent.joinpath("settings").write_text("a file where the folder should be")
    ask(build)
    ask(build)
    assert build.calls == 2
