"""Measures hookrun against its budgets: prints a table of ratios and exits with 1 when a budget is missed."""

from __future__ import annotations

import argparse
import os
import sys

from cases import CASES, Row
from measuring import NotProved
from report import machine, table, write_document

import hookrun


def main() -> int:
    given = read_arguments()
    print(machine(), flush=True)
    if not is_installed():
        print("note: hookrun is an editable install here; `nox -s bench` measures the wheel", file=sys.stderr)
    rows: list[Row] = []
    for name in given.only or CASES:
        print(f"measuring: {name}", file=sys.stderr, flush=True)
        try:
            rows += CASES[name](given.rounds)
        except NotProved as error:
            print(f"error: a run did not do its work: {error}", file=sys.stderr)
            return 1
    print(table(rows), end="")
    if given.write:
        print(f"written: {write_document(rows, given.rounds)}")
    missed = [row for row in rows if row.is_missed]
    for row in missed:
        print(f"missed: {row.what} is {row.ratio:.2f} x {row.versus}, at most {row.budget:g}", file=sys.stderr)
    return 1 if missed else 0


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=21, help="how often each thing is run (default 21)")
    parser.add_argument("--only", action="append", choices=CASES, metavar="NAME", help=", ".join(CASES))
    parser.add_argument("--write", action="store_true", help="write docs/performance.md")
    given = parser.parse_args()
    if given.write and (given.only or not is_installed()):
        parser.error("--write needs all cases and an installed wheel: nox -s bench -- --write")
    return given


def is_installed() -> bool:
    """Say whether the hookrun that is measured lies in this environment, not in a checkout."""
    return os.path.realpath(hookrun.__file__).startswith(os.path.realpath(sys.prefix) + os.sep)


if __name__ == "__main__":
    sys.exit(main())
