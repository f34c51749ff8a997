"""Headless Chromium for tests of pages: no network, a console and a log of requests."""

import json
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

CHROMIUM = shutil.which("chromium")
DRIVER = shutil.which("chromedriver")


@pytest.fixture(scope="module")
def browser() -> Iterator[webdriver.Chrome]:
    """Headless Chromium that resolves no host, keeps its console and its network log."""
    if not (CHROMIUM and DRIVER):
        pytest.skip("chromium and chromedriver are not installed")
    options = Options()
    options.binary_location = str(CHROMIUM)
    with tempfile.TemporaryDirectory() as profile:
        for argument in (
            "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic",
            "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking",
            "--disable-component-update", "--disable-sync", "--disable-extensions",
            "--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={profile}",
        ):  # fmt: skip
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        driver = webdriver.Chrome(options=options, service=Service(str(DRIVER)))
        try:
            driver.execute_cdp_cmd("Network.enable", {})
            yield driver
        finally:
            driver.quit()


def open_page(browser: webdriver.Chrome, path: Path, width: int = 1280) -> None:
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600},
    )
    browser.get_log("browser")
    browser.get_log("performance")
    browser.get(path.as_uri())
    browser.execute_async_script("document.fonts.ready.then(() => arguments[0]())")


def requested_urls(browser: webdriver.Chrome) -> list[str]:
    events = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    return [
        event["params"]["request"]["url"]
        for event in events
        if event["method"] == "Network.requestWillBeSent"
    ]
