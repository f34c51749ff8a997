"""A rule sheet for people: plain text in Chinese and English, `WIDTH` columns wide."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from montecarlo.specials.predicates import PREDICATES
from montecarlo.statistics.rounding import with_error
from montecarlo.studies.knobs import NUMBER, available_knobs, categories_of
from montecarlo.variants import Variant
from montecarlo.variants.schema import CATEGORIES_ZH, ROWS, ROWS_ZH, SpecialEntry

if TYPE_CHECKING:
    from rich.console import Console

WIDTH = 100

WHEEL_TEXT = {
    "second": "A-2-3-4-5 just below 10-J-Q-K-A 次大",
    "lowest": "A-2-3-4-5 below 2-3-4-5-6 最小",
    "none": "A-2-3-4-5 is no straight 不算顺子",
}
COMPARE_TEXT = {
    "grouped": "sets first, then kickers 先比成组的牌",
    "cards": "the highest card first, then the next 由最大的牌比起",
    "top_card": "the highest card only 只比最大一张",
}
TIE_TEXT = {
    "draw": "nobody wins 和",
    "suit_baodao": "by suit, of the pair or highest card that makes the row (♠ > ♥ > ♣ > ♦) 比花色",
    "suit_top_card": "by the suit of the highest-ranked card (♠ > ♥ > ♣ > ♦) 比最大牌的花色",
    "banker": "the banker wins 庄家胜; players draw",
}
_EQUAL_TEXT = {"suit": "equal: by suit", "strength": "equal: the higher wins", "draw": ""}


def sheet_text(variant: Variant, policies: Sequence[Mapping[str, Any]]) -> str:
    """Return the rule sheet of a variant and of its trained policies (`trained_policies`)."""
    from rich.console import Console

    paper = io.StringIO()
    console = Console(
        file=paper, width=WIDTH, color_system=None, highlight=False, markup=False, emoji=False
    )
    _print_sheet(console, variant, policies)
    return "\n".join(line.rstrip() for line in paper.getvalue().splitlines()) + "\n"


def _print_sheet(console: Console, variant: Variant, policies: Sequence[Mapping[str, Any]]) -> None:
    changed = ", ".join(f"{knob}={_word(value)}" for knob, value in variant.knobs.items())
    console.print(f"{variant.number} {variant.zh}   {variant.en}   [{variant.id}]")
    if changed:
        console.print(f"changed by --set: {changed}")
    _section(console, "Play 玩法", [_game(variant), *_comparing(variant)])
    if variant.format == "rows":
        _section(console, "Rows 每墩", _row_lines(variant))
        _section(console, "Sweeps 打枪、全垒打", _sweep_lines(variant))
    _print_specials(console, variant)
    _section(console, "Settlement 结算", _settlement_lines(variant))
    _section(
        console, "Sources 出处", [f"{source.file}: {source.passage}" for source in variant.sources]
    )
    assumptions = [
        f"{each.text}" + (f" (else: --set {' or '.join(each.readings)})" if each.readings else "")
        for each in variant.assumptions
    ]
    _section(console, "Assumptions and other readings 假定与其他读法", assumptions)
    _section(console, "Trained policies 策略", [_policy_line(p) for p in policies] or ["none"])
    _print_knobs(console, variant)
    console.print(f"\nsha256 {variant.sha256}")


def _section(console: Console, title: str, lines: Sequence[str]) -> None:
    from rich.table import Table

    console.print(f"\n{title}")
    table = Table.grid(padding=(0, 1))
    for line in lines:
        table.add_row(" ·", line)
    console.print(table)


def _game(variant: Variant) -> str:
    pairs = (
        "each player settles with the banker only 各家与庄家比"
        if variant.banker
        else "every pair of players settles 各家互比"
    )
    what = {
        "rows": "three rows are compared, each pays 三墩分开计",
        "majority": f"who wins two rows or more takes {_units(variant.majority)} 赢两墩以上者为赢",
        "tail": f"only the tail is compared: {_units(variant.base_units('tail'))} 只比尾墩",
        "ladder": f"the higher tier takes {_units(variant.tier_points)}, no rows are set 比牌型",
    }[variant.format]
    return f"2 to 4 players; {pairs}; {what}"


def _comparing(variant: Variant) -> list[str]:
    lines = [f"straights 顺子: {WHEEL_TEXT[variant.wheel]} (wheel={variant.wheel})"]
    if variant.format == "ladder":
        return lines
    foul = {
        "lose_rows": "a fouled hand loses all its rows; two fouled hands draw 倒水全输",
        "refused": "an illegal setting is refused 不允许出牌",
    }[variant.fouls]
    return [
        "head ≤ middle ≤ tail 头墩 ≤ 中墩 ≤ 尾墩",
        *lines,
        f"same category 牌型相同: {COMPARE_TEXT[variant.compare]} (compare={variant.compare})",
        f"equal rows 相同: {TIE_TEXT[variant.tie]} (tie={variant.tie})",
        f"fouls 倒水: {foul} (fouls={variant.fouls})",
    ]


def _row_lines(variant: Variant) -> list[str]:
    lines = []
    for row in ROWS:
        base = variant.base_units(row)
        special = [
            f"{_words(c)} {CATEGORIES_ZH[c]} {variant.row_units(row, c)}"
            for c in categories_of(row)
            if variant.row_units(row, c) != base
        ]
        lines.append(f"{row} {ROWS_ZH[row]}: {_units(base)}" + "".join(f"; {s}" for s in special))
    return [*lines, "figures are units in all, taken by the winner's category 赢家牌型计注"]


def _sweep_lines(variant: Variant) -> list[str]:
    sweep = variant.sweep
    parts = [
        ("gun 打枪 (all three rows of one opponent)", sweep.gun, sweep.gun_times, sweep.gun_add),
        (
            "home run 全垒打 (guns all three opponents)",
            sweep.home_run,
            sweep.home_run_times,
            sweep.home_run_add,
        ),
    ]
    return [f"{name}: {_sweep(scope, times, add)}" for name, scope, times, add in parts]


def _sweep(scope: str, times: int, add: int) -> str:
    words = {
        "none": [],
        "base": [f"the rows' base × {times}, extras as they are"],
        "pair": [f"everything the pair pays × {times}, extras too"],
    }[scope]
    if add:
        words = [*words, f"+ {_units(add)}"]
    return ", ".join(words) or "pays nothing more"


def _print_specials(console: Console, variant: Variant) -> None:
    from rich.table import Table

    ladder = variant.format == "ladder"
    console.print("\nSpecials 特殊牌型" + (", by tier" if ladder else ", from the highest rank"))
    if not variant.specials:
        console.print("  · none 无")
        return
    table = Table(box=None, padding=(0, 1), pad_edge=True)
    table.add_column("tier" if ladder else "rank", justify="right")
    table.add_column("points", justify="right")
    table.add_column("中文")
    table.add_column("id", overflow="fold")
    table.add_column("meaning")
    for entry in variant.specials:
        table.add_row(
            str(entry.tier if ladder else entry.rank),
            str(entry.points),
            entry.zh,
            entry.id,
            _meaning(entry),
        )
    console.print(table)
    both = {
        "higher": "both hold one: the higher takes its points, equal ranks draw 同级和",
        "banker_pays": "banker and player both hold one: the banker pays the player's 庄家赔闲家",
    }[variant.both_special]
    _section(console, "Specials against each other 同时报到", [both])


def _meaning(entry: SpecialEntry) -> str:
    options = ", ".join(f"{name}={_word(value)}" for name, value in entry.rule.options)
    parts = [PREDICATES[entry.predicate].definition]
    if options:
        parts.append(f"[{options}]")
    if _EQUAL_TEXT[entry.equal]:
        parts.append(f"({_EQUAL_TEXT[entry.equal]})")
    return " ".join(parts)


def _settlement_lines(variant: Variant) -> list[str]:
    money = variant.settlement
    stakes = money.stake if isinstance(money.stake, tuple) else (money.stake,)
    stake = ", ".join(f"{stake:g}" for stake in stakes)
    how = {
        "units": f"money = units × stake 总注数 × 单注; stake {stake}",
        "pot": f"everyone antes one stake ({stake}), the highest net units take the pot 赢得底池",
    }[money.settle]
    fee = f"fee 服务费: {money.fee_rate:g} × net winnings + {money.fee_flat:g}, winners only"
    free = not money.fee_rate and not money.fee_flat
    return [how, "no fee 无服务费" if free else fee]


def _print_knobs(console: Console, variant: Variant) -> None:
    from rich.table import Table

    console.print("\nKnobs 可改规则: --set knob=value")
    table = Table(box=None, padding=(0, 1), pad_edge=True)
    table.add_column("knob", overflow="fold")
    table.add_column("now")
    table.add_column("values")
    for knob in available_knobs(variant):
        if knob.name.startswith("row.") and not knob.name.endswith(".base"):
            continue
        values = knob.values
        table.add_row(
            knob.name,
            _word(knob.value),
            values if isinstance(values, str) else ", ".join(map(_word, values)),
        )
    if variant.format == "rows":
        table.add_row("row.ROW.CATEGORY", "see above", NUMBER + " (units in all)")
    console.print(table)


def _units(number: int) -> str:
    return f"{number} unit" if number == 1 else f"{number} units"


def _word(value: Any) -> str:
    if isinstance(value, (tuple, list)):
        return ",".join(map(_word, value))
    return str(value).lower() if isinstance(value, bool) else f"{value}"


def _words(category: str) -> str:
    return category.replace("_", " ")


def _policy_line(policy: Mapping[str, Any]) -> str:
    """One trained policy: its role, file, and how much a perfect responder gains on it."""
    role = "" if policy["role"] == "any" else f", {policy['role']}"
    players = policy["players"]
    seats = f"{players} players" if isinstance(players, int) else "2 to 4 players"
    line = f"{policy['name']}{role}, {seats} ({policy['file']})"
    found = policy["exploitability"]
    if found is not None:
        line += (
            f": exploitability {with_error(found['lower'], found['lower_se'])} to "
            f"{with_error(found['upper'], found['upper_se'])} units a deal, against the population "
            f"alone {with_error(found['population'], found['population_se'])}"
        )
    return line if policy["matches"] else f"{line}; trained for other rules than these knobs"
