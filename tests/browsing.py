"""A real browser for the tests of pages."""

import shutil

import pytest
from selenium.webdriver import Chrome, ChromeOptions, ChromeService

BROWSER, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
needs_browser = pytest.mark.skipif(
    not (BROWSER and DRIVER),
    reason="no chromium; install Debian's packages chromium and chromium-driver",
)
_OPTIONS = ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu")


def started(**logs: str) -> Chrome:
    """A browser without a window; `logs` are levels of its logs, such as performance="ALL"."""
    options = ChromeOptions()
    options.binary_location = BROWSER
    for option in _OPTIONS:
        options.add_argument(option)
    if logs:
        options.set_capability("goog:loggingPrefs", logs)
    return Chrome(options=options, service=ChromeService(DRIVER))


def wide(browser: Chrome, width: int) -> None:
    """Give the browser a screen of so many pixels, which is a phone's below 600."""
    # A window has a least width; the emulated screen has none.
    size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 600}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
