"""The page in a browser: it opens from a file, alone, and fits screens of every size, bright and dark."""

import dataclasses
import json
import re
import shutil

import pytest

from mercer.auto import Choice
from mercer.report import render_report
from tests.report.cases import CODE, case, page

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")
NAMES = ("wine", "diabetes", "hostile")
MORE = (
    "many_classes",
    "two_classes",
    "strings",
    "graphs",
    "trees",
    "mixed",
    "images",
    "few_labels",
    "large",
    "neighbours",
    "sparse",
)
everywhere = pytest.mark.parametrize(
    "name", [*NAMES, *(pytest.param(name, marks=pytest.mark.exhaustive) for name in MORE)]
)

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
    loaded(browser)
    return path.as_uri()


def loaded(browser):
    """Wait for the end of the page: on a busy machine the driver may return while it is still being read."""
    wait = pytest.importorskip("selenium.webdriver.support.ui").WebDriverWait(browser, 60, poll_frequency=0.02)
    wait.until(lambda page: page.execute_script("return document.readyState") == "complete")


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
    script = "return [...document.querySelectorAll('figure > svg')].map(e => e.getBoundingClientRect().width)"
    widths = browser.execute_script(script)
    assert len(widths) >= 5
    assert min(widths) > 100


RAW = ("Largest weights", "Largest out-of-fold errors", "Misclassified samples")
CUT = """return [...document.querySelectorAll('.scroll, figure, dl, p, li')]
    .filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.textContent.trim().slice(0, 80))"""


@everywhere
@pytest.mark.parametrize("dark", [False, True], ids=["bright", "dark"])
def test_the_page_fits_a_telephone_and_a_desk(browser, folder, name, dark):
    for width in (390, 1280) if dark else (360, 390, 768, 1280):
        opened(browser, folder, name, width=width, dark=dark)
        assert browser.get_log("browser") == []
        assert browser.execute_script("return document.documentElement.scrollWidth") <= width
        if width != 768:  # tables of raw values with many columns scroll on a desk
            assert [text for text in browser.execute_script(CUT) if width < 400 or not text.startswith(RAW)] == []


def test_scores_of_folds_fit_a_desk(browser, folder):
    """Five scores, a baseline and choices of several words."""
    found = case("strings")
    choices = [Choice("svm", "similar weights of numbers and categories, p = 2", "k")] * len(found.evaluation.kernels)
    evaluation = dataclasses.replace(found.evaluation, choices=choices)
    path = folder / "choices.html"
    html = render_report(found.model, evaluation, found.dataset, found.X, found.y, code=CODE)
    path.write_text(html, encoding="utf-8")
    screen = {"width": 1280, "height": 800, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    browser.get(path.as_uri())
    script = "return document.querySelectorAll('#folds thead th').length"
    assert browser.execute_script(script) == 9
    box = "const box = document.querySelector('#folds').closest('.scroll'); "
    assert browser.execute_script(box + "return box.scrollWidth <= box.clientWidth")


@everywhere
def test_no_third_of_a_desk_stays_empty(browser, folder, name):
    """Head, contents and every section reach close to the right edge of the page."""
    opened(browser, folder, name, width=1280)
    script = """const right = part => Math.max(
            ...[...part.querySelectorAll('*')].map(e => e.getBoundingClientRect().right));
        return [...document.querySelectorAll('header, section')].map(right)"""
    assert min(browser.execute_script(script)) > 1280 * 0.85
    beside = browser.execute_script("return document.querySelector('nav').getBoundingClientRect().right")
    assert beside < browser.execute_script("return document.querySelector('main').getBoundingClientRect().left")


BARS = """return [...document.querySelectorAll('.bar')].map(bar => ({
    table: bar.closest('table').id, column: bar.closest('td').cellIndex, whole: bar.classList.contains('whole'),
    text: bar.parentElement.textContent, track: bar.getBoundingClientRect().width,
    length: parseFloat(getComputedStyle(bar, '::before').width)}))"""


@everywhere
@pytest.mark.parametrize("width", [390, 1280])
def test_bars_are_as_long_as_their_numbers(browser, folder, name, width):
    """Bars of shares are that share of their track; the others of a column are proportional to their numbers."""
    opened(browser, folder, name, width=width)
    bars = browser.execute_script(BARS)
    assert bars
    assert len({round(bar["track"], 2) for bar in bars}) == 1
    columns = {}
    for bar in bars:
        text = bar["text"].replace("\u202f", "").replace("−", "-").replace("%", "")
        base, _, power = text.partition("·10")
        raised = power.translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789"))
        value = abs(float(base)) * 10.0 ** int(raised or 0) / (100 if "%" in bar["text"] else 1)
        if bar["whole"]:
            assert abs(bar["length"] - bar["track"] * value) <= 0.1, bar
        else:
            columns.setdefault((bar["table"], bar["column"]), []).append((value, bar["length"], bar["track"]))
    for rows in columns.values():
        most = max(value for value, _, _ in rows)
        for value, length, track in rows:
            assert abs(length - track * value / most) <= 0.05 * track * value / most + 0.2


def test_the_contents_lead_to_every_section(browser, folder):
    opened(browser, folder, "wine")
    ids = browser.execute_script("return [...document.querySelectorAll('section')].map(e => e.id)")
    links = browser.execute_script("return [...document.querySelectorAll('nav a')].map(e => e.getAttribute('href'))")
    assert links == [f"#{id}" for id in ids]
    browser.find_elements("css selector", "nav a")[-1].click()
    assert browser.current_url.endswith(f"#{ids[-1]}")


def test_paper_is_no_wider_than_it_is(browser, folder):
    opened(browser, folder, "wine", width=700, media="print")
    assert browser.execute_script("return document.documentElement.scrollWidth") <= 700


def luminance(browser, selector, what):
    """Relative luminance of a colour as WCAG defines it."""
    script = "return getComputedStyle(document.querySelector(arguments[0]))[arguments[1]]"
    colour = browser.execute_script(script, selector, what)
    numbers = [float(v) for v in re.findall(r"[\d.]+", colour)][:3]
    rgb = numbers if colour.startswith("color(srgb") else [v / 255 for v in numbers]
    linear = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in rgb]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("dark", [False, True])
def test_text_has_contrast_in_bright_and_dark(browser, folder, dark):
    opened(browser, folder, "wine", dark=dark)
    paper = luminance(browser, "body", "backgroundColor")
    assert (paper < 0.05) == dark
    ink = luminance(browser, "figure svg text", "fill")
    assert (max(ink, paper) + 0.05) / (min(ink, paper) + 0.05) >= 4.5
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
