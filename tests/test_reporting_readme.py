"""The README shows real outputs: its commands and its Python are run and compared."""

import re
import shlex
from pathlib import Path

import pytest

from montecarlo import cli

README = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(\w*)\n(.*?)```", README, re.DOTALL)


def shown_commands() -> list[tuple[str, str]]:
    """Return each command that is shown with its output."""
    found = []
    for language, block in BLOCKS:
        if language == "":
            for part in re.split(r"^\$ montecarlo ", block, flags=re.MULTILINE)[1:]:
                words, _, output = part.partition("\n")
                if output.strip():
                    found.append((words, output))
    return found


def plain(text: str) -> list[str]:
    return [line.rstrip() for line in text.rstrip().splitlines()]


@pytest.mark.parametrize(("words", "output"), shown_commands(), ids=lambda text: text[:24])
def test_commands_print_what_is_shown(
    words: str, output: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status = cli.run(shlex.split(words))
    out, err = capsys.readouterr()
    shown = plain(output)
    if shown[0].startswith("montecarlo: "):
        assert status == 2
        assert plain(err) == shown
    else:
        assert status == 0
        # a command may print more than its first part, which is what is shown
        assert plain(out)[: len(shown)] == shown


def test_there_are_commands_with_outputs() -> None:
    names = {words.split()[0] for words, _ in shown_commands()}
    assert names >= {"exact", "simulate", "verify"}


def test_the_python_examples_give_what_their_comments_say() -> None:
    lines = "\n".join(block for language, block in BLOCKS if language == "python")
    names: dict[str, object] = {}
    checked = 0
    for statement in re.split(r"\n(?=\S)", lines):
        code, _, comment = statement.partition("#")
        if not comment or "=" in code.split("(")[0]:
            exec(code, names)
            continue
        value = str(eval(code.strip(), names))
        expected = comment.strip().strip("'").rstrip(" …")
        if expected != "pandas":
            assert value.startswith(expected)
            checked += 1
    assert checked >= 3
    found = names["found"]
    assert f"{found.p:.4f}" in README  # type: ignore[attr-defined]
    assert "({:.4f}, {:.4f})".format(*found.ci95) in README  # type: ignore[attr-defined]
