"""The page in a real browser, at the width of a phone and of a desk."""

import pytest
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

from shakedown.live.web import Server, app
from tests.browsing import needs_browser, started, wide
from tests.live.surfing import FREE, csv, made

pytestmark = needs_browser
HOSTILE = ["<script>document.title='bad'</script>", "=cmd|' /C calc'!A0", "שלום (עליכם)", "W" * 200]


@pytest.fixture(scope="module")
def browser():
    with started() as driver:
        yield driver


def fits(browser):
    """Whether nothing is wider than the screen, and no script has run."""
    script = "return [document.documentElement.scrollWidth, document.documentElement.clientWidth]"
    needed, there = browser.execute_script(script)
    return needed <= there and browser.title != "bad"


def click(browser, selector):
    """Click, and wait for the next page."""
    browser.execute_script("window.left = true")
    browser.find_element(By.CSS_SELECTOR, selector).click()
    next_page = "return !window.left && document.readyState === 'complete'"
    # While it changes, the browser may answer with errors.
    waiting = WebDriverWait(browser, 30, ignored_exceptions=[WebDriverException])
    waiting.until(lambda _: browser.execute_script(next_page))


def sign_in(browser, url, token):
    browser.delete_all_cookies()
    browser.get(f"{url}/login")
    browser.find_element(By.ID, "token").send_keys(token)
    click(browser, ".panel button")


@pytest.mark.parametrize("width", [390, 1200])
def test_a_team_submits_and_sees_its_score(browser, width, tmp_path):
    board, tokens = made(tmp_path, per_team=20)
    for k, name in enumerate(HOSTILE):
        board.submit(name, board.truth.values * 0.2 * k)
    file = tmp_path / "predictions.csv"
    file.write_bytes(csv(0))
    wide(browser, width)
    with Server(app(board, limits=FREE)) as url:
        sign_in(browser, url, tokens["team"])
        assert browser.current_url == f"{url}/team"
        browser.find_element(By.ID, "file").send_keys(str(file))
        assert fits(browser)
        click(browser, ".panel button")
        shown = browser.find_element(By.ID, "done").text
        assert "Submission 1 was received" in shown
        score = browser.find_element(By.CSS_SELECTOR, "#done b").text
        assert fits(browser)
        browser.get(url)
        names = [element.text for element in browser.find_elements(By.CSS_SELECTOR, "td bdi")]
        assert sorted(names) == sorted([*HOSTILE, "ours"])
        assert score in browser.find_element(By.CSS_SELECTOR, "tr.own").text
        assert fits(browser)
        file.write_bytes(csv(0).replace(b"\nr0,", b"\nr0,nan #"))
        browser.get(f"{url}/rules")
        assert fits(browser)
        click(browser, "nav button")  # sign out
        browser.get(f"{url}/team")
        assert "Sign in with your team" in browser.find_element(By.ID, "error").text


@pytest.mark.parametrize("width", [390, 1200])
def test_the_organiser_registers_and_closes(browser, width, tmp_path):
    board, tokens = made(tmp_path, per_team=20)
    for k in range(12):
        board.submit(HOSTILE[k % 4], board.truth.values * 0.1 * k)
    wide(browser, width)
    with Server(app(board, limits=FREE)) as url:
        sign_in(browser, url, tokens["organiser"])
        assert fits(browser)
        browser.find_element(By.ID, "team").send_keys("<b>new</b>")
        click(browser, "form[action='/organiser/teams'] button")
        token = browser.find_element(By.ID, "token").text
        assert fits(browser)
        for page in ("alerts", "log"):
            browser.get(f"{url}/organiser/{page}")
            assert fits(browser)
        browser.get(f"{url}/organiser")
        click(browser, "form[action='/organiser/audit'] button")
        assert "the board is the same" in browser.page_source
        browser.find_element(By.NAME, "sure").click()
        click(browser, "form[action='/organiser/close'] button")
        assert "Closed 20" in browser.page_source
        assert fits(browser)
        sign_in(browser, url, token)
        assert browser.find_element(By.CSS_SELECTOR, "h1 bdi").text == "<b>new</b>"
        assert not [
            entry for entry in browser.get_log("browser") if "script" in entry["message"].lower()
        ]
