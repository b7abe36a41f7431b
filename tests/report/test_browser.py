"""The page in a browser: it opens from a file, alone, and fits screens of every size, bright and dark."""

import json
import shutil

import pytest

from tests.report.cases import page

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")
NAMES = ("wine", "diabetes", "hostile", "many_classes")
everywhere = pytest.mark.parametrize("name", NAMES)

pytestmark = pytest.mark.skipif(not (CHROMIUM and DRIVER), reason="needs Chromium and its driver")


@pytest.fixture(scope="module")
def browser():
    webdriver = pytest.importorskip("selenium.webdriver")
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--hide-scrollbars"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
    yield driver
    driver.quit()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("pages")


def opened(browser, folder, name, *, width=1200, dark=False, media=""):
    path = folder / f"{name}.html"
    path.write_text(page(name), encoding="utf-8")
    for log in ("browser", "performance"):
        browser.get_log(log)
    screen = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    feature = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": media, "features": [feature]})
    browser.get(path.as_uri())
    return path.as_uri()


@everywhere
def test_it_opens_without_errors_and_asks_for_nothing_else(browser, folder, name):
    address = opened(browser, folder, name)
    assert browser.get_log("browser") == []
    messages = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    asked = [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]
    assert address in asked
    assert [url for url in asked if url != address and not url.startswith("data:")] == []


@everywhere
def test_all_pictures_are_seen(browser, folder, name):
    opened(browser, folder, name)
    widths = browser.execute_script("return [...document.images].map(i => i.complete ? i.naturalWidth : 0)")
    assert len(widths) >= 5
    assert min(widths) > 0


@everywhere
@pytest.mark.parametrize("width", [360, 768, 1200])
def test_the_page_is_no_wider_than_the_screen(browser, folder, name, width):
    opened(browser, folder, name, width=width)
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width


def test_paper_is_no_wider_than_it_is(browser, folder):
    opened(browser, folder, "wine", width=700, media="print")
    assert browser.execute_script("return document.documentElement.scrollWidth") <= 700


def luminance(browser, selector, what):
    """Relative luminance of a colour as WCAG defines it."""
    script = "return getComputedStyle(document.querySelector(arguments[0]))[arguments[1]]"
    rgb = [float(v) / 255 for v in browser.execute_script(script, selector, what).strip("rgba()").split(",")[:3]]
    linear = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in rgb]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("dark", [False, True])
def test_text_has_contrast_in_bright_and_dark(browser, folder, dark):
    opened(browser, folder, "wine", dark=dark)
    paper = luminance(browser, "body", "backgroundColor")
    assert (paper < 0.05) == dark
    for selector in ("body", ".lead", ".eyebrow", "figcaption", "nav a"):
        ink = luminance(browser, selector, "color")
        assert (max(ink, paper) + 0.05) / (min(ink, paper) + 0.05) >= 4.5, selector
    head, ink = (luminance(browser, "thead th", what) for what in ("backgroundColor", "color"))
    assert (max(ink, head) + 0.05) / (min(ink, head) + 0.05) >= 4.5


def test_scripts_in_names_do_not_run(browser, folder):
    opened(browser, folder, "hostile")
    assert browser.title == '<img src=x onerror="alert(1)">: prediction of </title><b>'
    assert browser.find_elements("css selector", "script, b") == []


def test_boxes_that_scroll_can_be_reached_by_keyboard(browser, folder):
    opened(browser, folder, "wine", width=360)
    script = """return [...document.querySelectorAll('*')].filter(e => e.scrollWidth > e.clientWidth + 1
        && ['auto', 'scroll'].includes(getComputedStyle(e).overflowX) && e.tabIndex < 0).map(e => e.outerHTML)"""
    assert browser.execute_script(script) == []
