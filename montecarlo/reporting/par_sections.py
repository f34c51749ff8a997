"""A PAR sheet as sections of rows: what its HTML, CSV and XLSX files have in common.

Texts are pairs (Chinese, English). A cell is a text, a number, an exact chance (Fraction), an
`Estimate`, or None for what does not apply.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from montecarlo.reporting.payout_lines import line_name
from montecarlo.scoring.lines import payouts
from montecarlo.statistics.clustered import Estimate
from montecarlo.statistics.intervals import normal_quantile
from montecarlo.studies.par_parts import CONFIDENCES
from montecarlo.studies.par_sheet import ParSheet
from montecarlo.studies.rule_sheet_text import COMPARE_TEXT, TIE_TEXT, WHEEL_TEXT
from montecarlo.variants import Variant
from montecarlo.variants.schema import CATEGORIES_ZH, ROWS_ZH

Text = tuple[str, str]
Cell = Text | str | int | float | Fraction | Estimate | None

ROLES: dict[str, Text] = {
    "banker": ("庄家", "banker"), "player": ("闲家", "player"),
    "seat": ("每家", "any seat"), "seat 0": ("第一家", "seat 0"),
}  # fmt: skip


@dataclass(frozen=True)
class Column:
    """A column: its title, and what its numbers are (``percent`` are written as such).

    One for files only stands in CSV and XLSX, but not where people read.
    """

    zh: str
    en: str
    percent: bool = False
    files_only: bool = False


@dataclass(frozen=True)
class Section:
    """One table of a sheet."""

    id: str
    zh: str
    en: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[Text, ...] = ()


def sections(sheet: ParSheet) -> tuple[Section, ...]:
    """Return all sections of a sheet, in the order of reading."""
    found = [_summary(sheet), _rules(sheet.variant), _table(sheet.variant), _lines(sheet)]
    found += [_bands(sheet), _checks(sheet), _exposure(sheet), _rare(sheet), _fees(sheet)]
    return tuple(section for section in found if section.rows or section.notes)


def payout_name(variant: Variant, payout: str) -> Text:
    """Return a payout parameter's name in Chinese and English."""
    first, *rest = payout.split(".")
    if first == "row" and rest[1] == "base":
        return f"{ROWS_ZH[rest[0]]} 每墩", f"{rest[0]}: base"
    if first == "row":
        zh = f"{ROWS_ZH[rest[0]]} {CATEGORIES_ZH[rest[1]]} 另加"
        return zh, f"{rest[0]}: {rest[1].replace('_', ' ')}, extra"
    if payout in ("gun_add", "home_run_add"):
        zh, en = line_name(variant, payout.removesuffix("_add"))
        return f"{zh} 另加", f"{en}, added"
    return line_name(variant, payout)


def _summary(sheet: ParSheet) -> Section:
    seat = ROLES[sheet.roles[0].name]
    rows: list[tuple[Cell, ...]] = [(("局数", "deals played"), sheet.moments.deals)]
    if sheet.edge is not None:
        others = sheet.moments.experiment.players - 1
        each = Estimate(sheet.edge.value / others, sheet.edge.se / others, sheet.edge.deals)
        rows += [
            (("庄家优势，每局", "banker's edge a deal"), sheet.edge),
            (("庄家优势，每局每闲家", "banker's edge a deal and player"), each),
        ]
    rows += [
        (("流通分数，每局", "flow: units that change hands a deal"), sheet.flow),
        ((f"{seat[0]}标准差", f"standard deviation of a deal, {seat[1]}"), sheet.sd),
    ]
    for confidence in CONFIDENCES:
        z, percent = normal_quantile(confidence), f"{100 * confidence:.0f} %"
        rows.append(
            ((f"波动指数 {percent}", f"volatility index at {percent} ({z:.4f} · SD)"),
             sheet.volatility_index(confidence))
        )  # fmt: skip
    names = {"win": ("赢", "wins"), "tie": ("和", "ties"), "lose": ("输", "loses")}
    for name, p in sheet.results.items():
        zh, en = names[name]
        rows.append(((f"{seat[0]}{zh}的局", f"share of deals that {seat[1]} {en}"), p))
    notes: list[Text] = [
        ("波动指数：z × 标准差；n 局后结果在 n × 平均 ± 指数 × √n 之内。",
         "Volatility index: z · SD, in units of one deal; after n deals a result lies within "
         "n · mean ± index · √n."),
    ]  # fmt: skip
    if not sheet.variant.banker:
        notes.append(
            ("人人对等，没有庄家优势：各家平均都是 0；看标准差与流通分数。",
             "All pairs settle and all seats are alike: nobody has an edge, every seat expects 0. "
             "What tables differ in is spread and flow.")
        )  # fmt: skip
    columns = (Column("项目", "quantity"), Column("数值", "value ± standard error"))
    return Section("summary", "总览", "Summary", columns, tuple(rows), tuple(notes))


def _rules(variant: Variant) -> Section:
    sweep, own = variant.sweep, variant.settlement
    rows: list[tuple[Cell, ...]] = [
        (("玩法", "format"), variant.format),
        (("庄家", "banker"), ("有庄家", "yes, seat 0") if variant.banker else ("无", "none")),
        (("A-2-3-4-5", "A-2-3-4-5"), WHEEL_TEXT[variant.wheel]),
        (("比牌", "comparing rows"), COMPARE_TEXT[variant.compare]),
        (("同牌", "equal rows"), TIE_TEXT[variant.tie]),
    ]
    if variant.format == "rows":
        rows += [
            (("打枪加倍", "gun multiplies"), f"{sweep.gun} × {sweep.gun_times}"
             if sweep.gun != "none" else "–"),
            (("全垒打加倍", "home run multiplies"), f"{sweep.home_run} × {sweep.home_run_times}"
             if sweep.home_run != "none" else "–"),
        ]  # fmt: skip
    rows += [
        (("庄闲都有特殊牌", "both report specials"), variant.both_special),
        (("抽水", "service fee on winnings"), f"{100 * own.fee_rate:g} %"),
        (("每局固定费", "flat fee of winners"), f"{own.fee_flat:g}"),
        (("规则指纹", "sha256 of the rules"), variant.sha256[:16]),
    ]
    notes: list[Text] = [
        ("全文见 montecarlo rules。", f"In full: montecarlo rules {variant.id}."),
        *(("假定：", f"Assumed: {assumption.text}") for assumption in variant.assumptions),
    ]
    columns = (Column("规则", "rule"), Column("内容", "reading"))
    return Section("rules", "规则", "Rules", columns, tuple(rows), tuple(notes))


def _table(variant: Variant) -> Section:
    rows = tuple((payout_name(variant, p.id), p.id, p.units) for p in payouts(variant))
    columns = (Column("赔付", "payout"), Column("代号", "id"), Column("分", "units"))
    return Section("payouts", "赔率表", "Payout table", columns, rows)


def _lines(sheet: ParSheet) -> Section:
    columns = [
        Column("赔付项", "line"), Column("代号", "id", files_only=True),
        Column("一手牌的机会（精确）", "odds of a hand, exact"),
        Column("每局次数", "payments a deal"), Column("流通分数，每局", "flow a deal"),
        Column("占流通", "share of flow", percent=True),
    ]  # fmt: skip
    if sheet.variant.banker:
        columns.append(Column("庄家净得，每局", "banker's edge through it"))
    columns.append(Column("占方差", "share of variance", percent=True))
    rows = []
    for line in sheet.lines:
        edge = () if line.edge is None else (line.edge,)
        rows.append(
            (line_name(sheet.variant, line.id), line.id, line.p, line.payments, line.flow,
             line.share_of_flow, *edge, line.share_of_variance)
        )  # fmt: skip
    total: list[Cell] = [("合计", "total"), "", None, None, sheet.flow, 1]
    if sheet.variant.banker:
        total.append(sheet.edge)
    rows.append((*total, 1))
    notes: tuple[Text, ...] = (
        ("特殊牌的机会是精确计数；其余由同一批牌局估计，± 为标准误。",
         "Odds of specials are exact counts (of hands whose first special it is); all else is "
         "estimated from the same deals, ± one standard error from totals a deal."),
        ("占方差：该项与总分的协方差除以方差；各项相加为一。",
         "Share of variance: covariance of a line's units with all units, over the variance; "
         "shares add up to one and may be negative."),
    )  # fmt: skip
    if not all(line.payments.value for line in sheet.lines):
        notes += (("零次：这些牌局里没有遇到。", "0 payments: not met in these deals."),)
    return Section("lines", "各项贡献", "Payout lines", tuple(columns), tuple(rows), notes)


def _bands(sheet: ParSheet) -> Section:
    columns = (
        Column("座位", "seat"), Column("局数", "deals"), Column("置信", "confidence", percent=True),
        Column("下限", "from"), Column("上限", "to"),
    )  # fmt: skip
    rows = tuple((ROLES[b.role], b.deals, b.confidence, b.low, b.high) for b in sheet.bands)
    notes = (("正态近似，单位为分。", "Normal approximation, in units, of one seat's total."),)
    return Section("bands", "结果的范围", "A seat's result after many deals", columns, rows, notes)


def _checks(sheet: ParSheet) -> Section:
    columns = (
        Column("局数", "deals"), Column("置信", "confidence", percent=True),
        Column("正态下限", "normal, from"), Column("正态上限", "normal, to"),
        Column("精确下限", "exact, from"), Column("精确上限", "exact, to"),
        Column("正态范围实得", "chance in the normal band", percent=True),
    )  # fmt: skip
    rows = tuple((c.deals, c.confidence, *c.normal, *c.exact, c.coverage) for c in sheet.checks)
    worst = max((abs(c.coverage - c.confidence) for c in sheet.checks), default=0.0)
    notes = (
        ("同一分布独立相加的精确卷积，与正态近似对照。",
         "The normal bands beside the exact convolution of the distribution of a deal's result "
         "that was played (mean and SD its own). The normal band holds what it promises to within "
         f"{100 * worst:.2g} percentage points."),
    )  # fmt: skip
    return Section(
        "band_checks", "正态近似是否可靠", "How well the normal bands hold", columns, rows, notes
    )


def _exposure(sheet: ParSheet) -> Section:
    seat, found = ROLES[sheet.roles[0].name], sheet.exposure
    deals = sheet.moments.deals
    rows: list[tuple[Cell, ...]] = [
        (("规则上限", "bound of the rules"), found.bound, None, None, None),
        (("最大输分", "largest loss seen"), found.worst, Fraction(found.worst_deals, deals),
         *found.worst_p),
        (("最大赢分", "largest win seen"), found.best, Fraction(found.best_deals, deals),
         *found.best_p),
    ]  # fmt: skip
    rows += [
        (("输这么多或更多的机会不超过", "loss reached or exceeded no more often than"),
         tail.units, Fraction(round(tail.chance * 10**6), 10**6), None, None)
        for tail in found.tails
    ]  # fmt: skip
    columns = (
        Column("项目", "what"), Column("分", "units"), Column("机会", "odds of a deal"),
        Column("95 % 下限", "95 %: from", percent=True), Column("95 % 上限", "to", percent=True),
    )  # fmt: skip
    notes = (
        ("上限由规则得出：没有一局会更多；未必达得到。",
         "The bound follows from the rules alone: no deal brings or costs that seat more; whether "
         "cards allow it is not said."),
    )  # fmt: skip
    return Section(
        "exposure", f"{seat[0]}一局的最大风险", f"Exposure a deal, {seat[1]}", columns, tuple(rows),
        notes,
    )  # fmt: skip


def _rare(sheet: ParSheet) -> Section:
    rows = []
    for award in sheet.rare:
        word = ("罕于一亿分之一", "rarer than 1 in 100 million")
        if not award.flagged:
            word = ("未遇到", "not met in these deals")
        upper = None if award.bound is None else award.bound.high
        name = sheet.variant.format != "ladder" or not award.id.startswith("special.")
        shown = line_name(sheet.variant, award.id) if name else _entry(sheet.variant, award.id)
        rows.append((shown, award.id, award.p, upper, word))
    columns = (
        Column("赔付项", "award"), Column("代号", "id"),
        Column("机会（精确）", "odds of a hand, exact"),
        Column("每局机会至多（95 %）", "chance a deal, at most (95 %)", percent=True),
        Column("标记", "flag"),
    )  # fmt: skip
    note = (
        ("检测机构通常要求：公布的奖项至少一亿局出现一次，否则须注明机会。",
         "Test laboratories commonly ask that an advertised award come at least once in 100 "
         "million games, or that its odds be shown."),
    )  # fmt: skip
    none = (("没有罕于一亿分之一的奖项。", "No award is rarer than 1 in 100 million."),)
    flagged = any(award.flagged for award in sheet.rare)
    return Section(
        "rare", "罕见奖项", "Rare awards", columns, tuple(rows), note if flagged else (*note, *none)
    )


def _entry(variant: Variant, award: str) -> Text:
    entry = next(e for e in variant.specials if f"special.{e.id}" == award)
    return entry.zh, entry.en


def _fees(sheet: ParSheet) -> Section:
    columns = (
        Column("座位", "seat"), Column("抽水", "fee on winnings", percent=True),
        Column("每局固定", "flat fee"), Column("每局赢分", "won a deal, E[max(units, 0)]"),
        Column("抽走，每局", "taken a deal"), Column("抽水后平均", "mean after the fee"),
    )  # fmt: skip
    rows = tuple((ROLES[f.role], f.rate, f.flat, f.won, f.taken, f.left) for f in sheet.fees)
    notes = (
        ("抽水取自每局净赢的一家；以分计，注码为 1。",
         "The fee is taken from each seat that ends a deal above zero; in units, at a stake of 1."),
    )  # fmt: skip
    return Section("fees", "抽水的影响", "Effect of a service fee", columns, rows, notes)


def read_by_people(section: Section) -> Section:
    """Return a section without the columns that are for files only."""
    kept = [i for i, column in enumerate(section.columns) if not column.files_only]
    return replace(
        section,
        columns=tuple(section.columns[i] for i in kept),
        rows=tuple(tuple(row[i] for i in kept) for row in section.rows),
    )


def names_of(columns: Sequence[Column]) -> list[str]:
    """Return the titles of columns, Chinese beside English."""
    return [f"{column.zh} {column.en}" for column in columns]
