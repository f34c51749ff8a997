"""The command line: ``montecarlo`` and ``python -m montecarlo``.

Thin: parses words, calls a study, prints. Bad input is one line on stderr and exit status 2.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from typing import Any

import typer

try:
    from typer import _click as click
except ImportError:  # typer before 0.27 rests on click itself
    import click  # type: ignore[no-redef]

from montecarlo.commands import (
    advise,
    ambiguity,
    audit,
    banker,
    compare,
    deal,
    hand,
    par,
    plan,
    report,
    reproduce,
    rules,
    runs,
    score,
    simulate,
    skill,
    train,
    tune,
    value,
    verify,
)
from montecarlo.errors import MontecarloError, nearest

INTERRUPTED = 130
"""Exit status of a command that Ctrl-C ended."""

app = typer.Typer(
    name="montecarlo",
    help="Monte Carlo statistics for the Chinese card game 十三张 (thirteen cards, Chinese poker).",
    epilog="Start with:  montecarlo variants   ·   montecarlo exact taiwan   ·   "
    "montecarlo simulate taiwan --policy none --deals 1e7   ·   montecarlo verify",
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

_COMMANDS: dict[str, Callable[..., None]] = {
    "variants": rules.variants,
    "rules": rules.rules,
    "exact": rules.exact,
    "hand": hand.hand,
    "advise": advise.advise,
    "simulate": simulate.simulate,
    "plan": plan.plan,
    "score": score.score,
    "deal": deal.deal,
    "train": train.train,
    "value": value.value,
    "compare": compare.compare,
    "runs": runs.runs,
    "extend": runs.extend,
    "merge": runs.merge,
    "tune": tune.tune,
    "par": par.par,
    "audit": audit.audit,
    "ambiguity": ambiguity.ambiguity,
    "skill": skill.skill,
    "banker": banker.banker,
    "verify": verify.verify,
    "report": report.report,
    "reproduce": reproduce.reproduce,
}
for _name, _command in _COMMANDS.items():
    app.command(_name)(_command)


@app.callback(invoke_without_command=True)
def _top(
    version: bool = typer.Option(False, "--version", help="print the version and exit"),
) -> None:
    if version:
        from montecarlo import __version__

        sys.stdout.write(f"montecarlo {__version__}\n")
        raise typer.Exit


def run(words: list[str] | None = None) -> int:
    """Run one command and return its exit status (0 done, 2 bad input, 130 interrupted)."""
    try:
        words = sys.argv[1:] if words is None else words
        status: Any = app(args=words or ["--help"], standalone_mode=False)
        sys.stdout.flush()
        if status == INTERRUPTED:  # newer typer makes a status of Ctrl-C, older ones raise
            return _interrupted()
        return status if isinstance(status, int) else 0
    except MontecarloError as error:
        return _complain(str(error))
    except click.ClickException as error:
        return _complain(_usage(error))
    except (KeyboardInterrupt, typer.Abort):
        return _interrupted()
    except BrokenPipeError:
        # the reader has closed the pipe; keep the interpreter from writing to it once more
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except OSError as error:
        if error.errno is None:
            raise
        where = f"{error.filename}: " if error.filename else ""
        return _complain(f"{where}{error.strerror}")


def main() -> None:
    """Entry point: run the words given and exit with the status."""
    signal.signal(signal.SIGTERM, _stop)
    sys.exit(run())


def _stop(_signal: int, _frame: object) -> None:
    """End like Ctrl-C when the system asks to: what was stored is whole, the folder is free."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # asked once is enough
    raise KeyboardInterrupt


def _interrupted() -> int:
    sys.stderr.write("montecarlo: interrupted; a run with --out goes on with --resume\n")
    return INTERRUPTED


def _complain(text: str) -> int:
    sys.stderr.write("montecarlo: " + " ".join(text.split()) + "\n")
    return 2


def _usage(error: Any) -> str:
    text = str(error.format_message()).replace("Value error, ", "")
    if "No such command" in text:
        word = text.split("'")[1] if "'" in text else ""
        return f"no command '{word}'{nearest(word, _COMMANDS)} (montecarlo --help lists them)"
    context = getattr(error, "ctx", None)
    return f"{text} (see: {context.command_path} --help)" if context else text


if __name__ == "__main__":
    main()
