"""The workbench in a real browser: what is typed changes the figures to what Python says."""

from pathlib import Path

import numpy as np
import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from montecarlo.reporting.par_files import write_par
from montecarlo.studies.par_sheet import par
from montecarlo.studies.winnings import winnings_sample
from montecarlo.variants import load
from tests.twins.chromium import browser, open_page, requested_urls

__all__ = ["browser"]

NAMES = ("hongkong_edge", "taiwan", "bidaxiao2", "shaoxing")
DEALS, SEED = 8_000, 6
AGREE = {"rel": 1e-9, "abs": 1e-12}


class Bench:
    """A sheet, its sample, and the page that was written of it."""

    def __init__(self, name: str, folder: Path) -> None:
        self.sheet = par(name, deals=DEALS, seed=SEED, policy="greedy")
        self.sample = winnings_sample(self.sheet.moments, self.sheet.fees[0].won)
        (self.path,) = write_par(self.sheet, folder, ["workbench.html"])


@pytest.fixture(scope="module")
def benches(tmp_path_factory):
    folder = tmp_path_factory.mktemp("workbench")
    return {name: Bench(name, folder) for name in NAMES}


def type_into(browser, element_id, text):
    field = browser.find_element(By.ID, element_id)
    field.send_keys(Keys.CONTROL, "a")
    field.send_keys(text)


def payout_field(browser, payout):
    return browser.find_element(By.CSS_SELECTOR, f"[data-payout='{payout}']").get_attribute("id")


def figures(browser):
    """Return what the page shows of each figure: value and error, or its text where it has none."""
    return browser.execute_script(
        "return Object.fromEntries([...document.querySelectorAll('[data-figure]')].map(cell => ["
        "cell.dataset.figure, 'value' in cell.dataset"
        " ? [Number(cell.dataset.value), Number(cell.dataset.error)] : cell.textContent]))"
    )


def agrees(found, estimate):
    assert found[0] == pytest.approx(estimate.value, **AGREE)
    assert found[1] == pytest.approx(estimate.se, **AGREE)


def check_page(browser, bench, v, fee):
    """Compare every figure of the page with Python's."""
    moments, shown = bench.sheet.moments, figures(browser)
    agrees(shown["edge"], moments.units(v))
    agrees(shown["sd"], moments.sd(v))
    agrees(shown["flow"], moments.flow(v))
    agrees(shown["won"], bench.sample.winnings(v))
    agrees(shown["left"], bench.sample.after_fee(v, fee))
    nets = moments.line_units(v)
    met = {line.id for line in bench.sheet.lines if line.payments.value}
    for line in moments.lines:
        if line not in met:
            assert shown[f"{line}:flow"] == "—"
            continue
        agrees(shown[f"{line}:flow"], moments.flow(v, [line]))
        agrees(shown[f"{line}:variance"], moments.share_of_variance(v, [line]))
        if bench.sheet.variant.banker:
            agrees(shown[f"{line}:net"], nets[line])


@pytest.mark.parametrize("name", NAMES)
def test_figures_follow_what_is_typed(name, benches, browser):
    bench = benches[name]
    moments = bench.sheet.moments
    open_page(browser, bench.path)
    v = moments.vector()
    check_page(browser, bench, v, 0.0)
    changes = {0: 7, len(v) // 2: 3, len(v) - 1: 2}
    for place, points in changes.items():
        type_into(browser, payout_field(browser, moments.payout_ids[place]), str(points))
        v[place] = points
    type_into(browser, "fee", "2.5")
    check_page(browser, bench, v, 0.025)
    assert moments.sd(v).value != pytest.approx(moments.sd(moments.vector()).value, rel=1e-3)
    assert [entry["message"] for entry in browser.get_log("browser")] == []
    others = [url for url in requested_urls(browser) if not url.startswith("data:")]
    assert others == [bench.path.as_uri()]
    browser.find_element(By.ID, "reset").send_keys(Keys.ENTER)
    check_page(browser, bench, moments.vector(), 0.0)
    assert browser.find_element(By.ID, "fee").get_attribute("value") == "0"


@pytest.mark.parametrize("name", NAMES)
def test_the_table_is_copied_as_a_rule_file_that_loads(name, benches, browser, tmp_path):
    bench = benches[name]
    moments = bench.sheet.moments
    open_page(browser, bench.path)

    def rules():
        text = browser.find_element(By.ID, "toml").get_attribute("value")
        path = tmp_path / "copied.toml"
        path.write_text(text, encoding="utf-8")
        return load(str(path))

    same = rules()
    assert same.id == f"{name}_edited"
    assert same.play_sha256 == bench.sheet.variant.play_sha256
    assert same.settlement == bench.sheet.variant.settlement
    v = moments.vector() + np.arange(len(moments.payout_ids)) % 3 + 1
    browser.execute_script(
        "document.querySelectorAll('[data-payout]').forEach((field, p) => {"
        " field.value = arguments[0][p]; field.dispatchEvent(new Event('input')); })",
        v.tolist(),
    )
    type_into(browser, "fee", "5")
    changed = rules()
    assert moments.vector(changed).tolist() == v.tolist()
    assert changed.settlement.fee_rate == 0.05
    check_page(browser, bench, moments.vector(changed), 0.05)


def test_what_cannot_stand_in_a_rule_file_is_said(benches, browser):
    bench = benches["hongkong_edge"]
    open_page(browser, bench.path)
    field = payout_field(browser, "row.tail.four")
    copy = browser.find_element(By.ID, "copy")
    for typed, says in (("2.5", "whole points"), ("-5", "less than 0 in all")):
        type_into(browser, field, typed)
        v = bench.sheet.moments.vector()
        v[bench.sheet.moments.payout_ids.index("row.tail.four")] = float(typed)
        agrees(figures(browser)["edge"], bench.sheet.moments.units(v))
        copy.send_keys(Keys.ENTER)
        assert says in browser.find_element(By.ID, "status").text
        assert browser.find_element(By.ID, "toml").get_attribute("value") == ""
    # a category may pay less than the base: extras can be negative
    type_into(browser, field, "-1")
    copy.send_keys(Keys.ENTER)
    text = browser.find_element(By.ID, "toml").get_attribute("value")
    assert "four = 0" in text
    before = figures(browser)["edge"]
    type_into(browser, field, "e")
    invalid = browser.find_element(By.ID, field)
    assert invalid.get_attribute("aria-invalid") == "true"
    assert figures(browser)["edge"] == before
    assert "keep the last one" in browser.find_element(By.ID, "status").text


def test_the_keyboard_reaches_everything_in_order(benches, browser):
    open_page(browser, benches["hongkong_edge"].path)
    reached = []
    for _ in range(100):
        browser.switch_to.active_element.send_keys(Keys.TAB)
        place = browser.execute_script(
            "const e = document.activeElement; return e.id || e.dataset.language || e.tagName"
        )
        if place == "BODY":
            break
        reached.append(place)
    payouts = len(benches["hongkong_edge"].sheet.moments.payout_ids)
    fields = [f"p{place}" for place in range(payouts)]
    expected = ["en", "zh", "reset", "copy", "fee", *fields]
    assert reached == [*expected, "SUMMARY"]


def test_both_languages_and_labels(benches, browser):
    open_page(browser, benches["taiwan"].path)
    assert browser.find_element(By.CSS_SELECTOR, ".held strong").text == "Settings held fixed"
    assert "摆牌不变" not in browser.find_element(By.TAG_NAME, "main").text
    browser.find_element(By.CSS_SELECTOR, "[data-language=zh]").send_keys(Keys.SPACE)
    assert browser.find_element(By.CSS_SELECTOR, ".held strong").text == "摆牌不变"
    shown = browser.find_element(By.TAG_NAME, "main").text
    assert "Settings held fixed" not in shown
    assert "标准差" in shown
    assert browser.execute_script("return document.documentElement.lang") == "zh"
    unlabelled = browser.execute_script(
        "return [...document.querySelectorAll('input, textarea')]"
        ".filter(field => !field.labels.length || !field.labels[0].textContent.trim()).length"
    )
    assert unlabelled == 0
    live = browser.find_element(By.CSS_SELECTOR, ".results")
    assert live.get_attribute("aria-live") == "polite"


@pytest.mark.parametrize("width", [390, 320])
@pytest.mark.parametrize("name", NAMES)
def test_pages_fit_a_telephone(name, width, benches, browser):
    open_page(browser, benches[name].path, width)
    for _language in ("en", "zh"):
        browser.find_element(By.CSS_SELECTOR, f"[data-language={_language}]").send_keys(Keys.ENTER)
        assert browser.execute_script("return window.innerWidth") == width
        assert browser.execute_script("return document.documentElement.scrollWidth") <= width


def test_numbers_are_written_to_their_error(benches, browser):
    open_page(browser, benches["bidaxiao2"].path)
    written = browser.execute_script(
        "return [[0.0123412, 0.00056], [12345.6, 678], [-1.5, 0], [0.5, 0.0996]]"
        ".map(pair => written(pair))"
    )
    assert written == ["0.01234 ± 0.00056", "12350 ± 680", "−1.5", "0.50 ± 0.10"]
