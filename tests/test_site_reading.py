"""Reading the site in a browser: its first screen, by keyboard alone, back and forth, and from disk."""

import zipfile
from collections.abc import Iterator

import pytest
from sites import OFFLINE, ROOT, broken_links, built, foreign_requests, read_site
from sites import address as place
from test_site_browser import Watched, browser, search, served, watch

__all__ = ["browser", "watch"]  # fixtures

# What can be reached: all that is shown and not taken out of the order on purpose.
REACHABLE = """() => [...document.querySelectorAll("a[href], button, input, summary, [tabindex]")].filter(one =>
    one.tabIndex >= 0 && !one.disabled && !one.hidden && one.checkVisibility({visibilityProperty: true})
    && one.getClientRects().length && (one.type !== "radio" || one.checked))"""
# Those in view get them a moment after they have come there.
PROGRAMS_HAVE_THEIR_BUTTONS = """async () => {
    const programs = [...document.querySelectorAll(".highlight > pre:not(.literate-output *)")]
    for (let frame = 0; frame < 60; frame++) {
        await new Promise(requestAnimationFrame)
        const seen = programs.filter(program => {
            const { top, bottom } = program.getBoundingClientRect()
            return bottom > 0 && top < innerHeight
        })
        if (seen.every(program => program.querySelector("button"))) return
    }
}"""
NAMED = "one => one.outerHTML.slice(0, 160)"


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with served(built("mkdocs").folder) as found:
        yield found


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_first_screen_says_what_this_is_and_leads_to_the_first_chapter(watch, address, language):
    page = watch().page
    for width, height in ((1440, 900), (768, 1024), (360, 740)):
        page.set_viewport_size({"width": width, "height": height})
        page.goto(address + place("index", language))
        values = page.locator(".literate-figures dd").all_inner_texts()
        assert len(values) == 5 and int(values[0].split()[0]) > 200, values
        start = page.locator("a.literate-start")
        assert start.bounding_box()["y"] + start.bounding_box()["height"] <= height
    start.click()
    page.wait_for_url(address + place("registration", language))


def test_everything_that_is_shown_is_reached_by_the_tab_key_and_can_be_seen_to_be(watch, address):
    page = watch(viewport={"width": 1440, "height": 900}).page
    page.goto(address + place("registration"))
    page.locator(".literate-code button").first.wait_for()
    page.evaluate("document.querySelectorAll('details').forEach(details => details.open = true)")
    count = page.evaluate(f"(window.reached = new Set(), ({REACHABLE})().length)")
    assert count > 100
    marked = 0
    for _ in range(2 * count):  # boxes that scroll have a stop of their own, and buttons come with their programs
        page.keyboard.press("Tab")
        page.evaluate(PROGRAMS_HAVE_THEIR_BUTTONS)  # nobody presses it sooner again than they need to come
        marked += page.evaluate(
            "(reached.add(document.activeElement), getComputedStyle(document.activeElement).outlineStyle !== 'none')"
        )
        if page.evaluate("document.activeElement === document.body"):
            break
    missed = page.evaluate(f"({REACHABLE})().filter(one => !reached.has(one)).map({NAMED})")
    assert missed == []
    assert page.locator(".literate-code button").count() == page.locator(".literate-code").count()
    assert marked > count * 0.9


def test_by_keyboard_the_text_is_one_step_away_and_a_group_of_pages_opens(watch, address):
    page = watch(viewport={"width": 1440, "height": 900}).page
    page.goto(address + place("registration"))
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className").split()[0] == "md-skip"
    page.keyboard.press("Enter")
    assert page.url.endswith("/registration/#registration")
    group = page.locator(".md-nav--primary label.md-nav__link[tabindex='0']").first
    inside = page.locator(".md-nav--primary a[href*='answers/registering/']")
    assert not inside.is_visible()
    group.focus()
    page.keyboard.press("Enter")
    inside.wait_for()


def test_by_keyboard_the_menu_of_a_narrow_page_opens(watch, address):
    page = watch(viewport={"width": 360, "height": 740}).page
    page.goto(address + place("registration"))
    for _ in range(6):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.htmlFor") == "__drawer":
            break
    page.keyboard.press("Enter")
    page.locator(".md-nav--primary a[href$='/tree/']").wait_for()
    assert page.evaluate("document.querySelector('#__drawer').checked")


def test_the_back_button_leads_back_to_the_place_that_was_left(watch, address):
    page = watch(viewport={"width": 1440, "height": 900}).page
    page.goto(address)
    page.locator("a.literate-start").click()
    page.locator(".md-sidebar--secondary a[href$='#what-is-not-filed']").click()
    page.wait_for_url("**/registration/#what-is-not-filed")
    page.wait_for_timeout(400)  # the theme remembers the place a little later
    left = page.evaluate("scrollY")
    page.evaluate("document.querySelector('.md-footer__link--next').click()")  # without scrolling to it
    page.wait_for_url(address + place("tree"))
    page.go_back()
    page.wait_for_url("**/registration/#*")
    page.wait_for_function("left => Math.abs(scrollY - left) < 100", arg=left)
    assert left > 200
    while page.url != address:
        page.go_back()
    page.locator("a.literate-start").wait_for()


def test_the_search_index_is_fetched_when_the_reader_turns_to_the_search(watch, address):
    page = watch(viewport={"width": 360, "height": 740}).page
    asked = []
    page.on("request", lambda request: asked.append(request.url.rpartition("/")[2]))
    page.goto(address, wait_until="networkidle")
    assert "search_index.json" not in asked
    page.locator("label.md-header__button[for=__search]").click()
    page.locator(".md-search__input").fill("state_dict")
    page.keyboard.press("End")
    page.locator(".md-search-result__link").first.wait_for(timeout=10_000)
    assert asked.count("search_index.json") == 1


def test_the_zip_is_opened_from_disk_and_searched(browser, tmp_path):
    assert built("mkdocs").code == 0
    with zipfile.ZipFile(ROOT / f"{OFFLINE}.zip") as packed:
        packed.extractall(tmp_path)
    folder = tmp_path / "nn-module-from-scratch"
    home = f"{folder.as_uri()}/"
    watched = Watched(browser, home, viewport={"width": 1440, "height": 900})
    page = watched.page
    for part, word in (("", "register_buffer"), ("zh/", "权重")):
        page.goto(f"{home}{part}index.html")
        search(page, word)
        page.keyboard.press("End")
        result = page.locator(".md-search-result__link[href*='.html?h='][href*='#']:visible", has_text=word).first
        result.wait_for(timeout=20_000)
        result.click()
        page.locator("article mark:visible", has_text=word).first.wait_for(timeout=20_000)
        assert page.url.startswith(home + part)
    page.locator(".md-select button").hover()
    page.locator(".md-select__link[hreflang=en]").click()
    page.wait_for_url(lambda url: url.startswith(home) and not url.startswith(f"{home}zh/"))
    assert watched.problems == []
    watched.context.close()


def test_all_links_of_the_site_on_disk_lead_to_files_and_none_of_its_pages_asks_a_host():
    assert built("mkdocs").code == 0
    folder = ROOT / OFFLINE
    pages = read_site(folder)
    assert len(pages) == len(built("mkdocs").pages())
    assert broken_links(folder, pages) == []
    assert foreign_requests(folder, pages) == []
