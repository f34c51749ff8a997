"""Speed of the toolkit, each figure beside a peer's measured in the same run.

    python benchmarks/speed.py [--json] [NAME …]

With ``--json`` one object a line on stdout; without it a table. No NAME: all benchmarks.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from collections.abc import Sequence
from pathlib import Path

HERE = Path(__file__).resolve().parent
for folder in (HERE, HERE.parent):
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))

from measuring import Measurement, measure  # noqa: E402

ORDER = ("deal", "tabulate", "strengths", "frontier", "compile", "set", "table", "exact")


def benchmark_names() -> list[str]:
    """Return the names of all benchmarks that exist, those of the design's list first."""
    found = {path.stem for path in (HERE / "cases").glob("[a-z]*.py")}
    return [name for name in ORDER if name in found] + sorted(found - set(ORDER))


def measured(name: str) -> Measurement:
    """Prepare and time one benchmark; only its own file is imported."""
    return measure(name, importlib.import_module(f"cases.{name}").benchmark())


def table_row(result: Measurement) -> str:
    """Return one line of the table for people."""
    ours, theirs = rounded(result.per_second), rounded(result.baseline_per_second)
    return (
        f"{result.name:<10} {ours:>14} {result.unit + '/s':<12} {result.ratio:>10,.1f} x "
        f"{theirs:>14}  {result.baseline}"
    )


def rounded(value: float) -> str:
    """Return three significant digits, without an exponent where that reads well.

    >>> rounded(15_234_567.8), rounded(0.01234)
    ('15,200,000', '0.0123')
    """
    if value >= 1000:
        digits = len(str(int(value))) - 3
        return f"{round(value, -digits):,.0f}"
    return f"{value:.3g}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status (2: unknown benchmark)."""
    parser = argparse.ArgumentParser(prog="speed.py", description="time the toolkit beside peers")
    parser.add_argument("names", nargs="*", metavar="NAME", help="benchmarks to run (all)")
    parser.add_argument("--json", action="store_true", help="print one JSON object a line")
    options = parser.parse_args(arguments)
    known = benchmark_names()
    for name in options.names:
        if name not in known:
            print(f"unknown benchmark '{name}': there are {', '.join(known)}", file=sys.stderr)
            return 2
    for name in options.names or known:
        result = measured(name)
        line = json.dumps(result._asdict()) if options.json else table_row(result)
        print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
