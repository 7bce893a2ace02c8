"""The built site in a real browser: Chromium, found as $CHROMIUM or by its usual names, driven by Playwright."""

import contextlib
import functools
import http.server
import io
import os
import re
import shutil
import threading
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from urllib.parse import quote

import pytest
from sites import PAGES, ROOT, TOOLS, built, name_of
from sites import address as place

from literate.course.answers import is_answers, read_answers
from literate.reading.pages import read_pages, snippets

CHROMIUM = os.environ.get("CHROMIUM") or next(
    filter(None, map(shutil.which, ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"))), None
)
if CHROMIUM is None:
    pytest.skip("no Chromium: install it, or name it in CHROMIUM", allow_module_level=True)
sync_api = pytest.importorskip("playwright.sync_api", reason="no Playwright: it drives the browser")
AXE = files(pytest.importorskip("axe_playwright_python", reason="no axe: it looks for barriers")) / "axe.min.js"

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
LABS = [f"labs/{path.stem}" for path in sorted((ROOT / "docs" / "en" / "labs").glob("*.py"))]
SNIPPETS = snippets(read_pages(ROOT / "docs" / "en"))


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serve a folder as the host of the site does: the sitemap, by which the theme navigates, names its own address."""

    def send_head(self):
        if not self.path.endswith("/sitemap.xml"):
            return super().send_head()
        text = Path(self.translate_path(self.path)).read_text(encoding="utf-8")
        here = "http://{}:{}/".format(*self.server.server_address)
        content = re.sub(r"https://[^/]+/nn-module-from-scratch/", here, text).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/xml")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        return io.BytesIO(content)

    def log_message(self, *arguments):
        pass


@pytest.fixture(scope="module")
def browser() -> Iterator:
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="module", params=TOOLS)
def address(request) -> Iterator[str]:
    """Serve a built site and return its address."""
    with served(built(request.param).folder) as found:
        yield found


@contextlib.contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve a folder and give its address."""
    handler = functools.partial(Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


class Watched:
    """A browser page that keeps a list of what went wrong on it."""

    def __init__(self, browser, address: str, **settings) -> None:
        self.problems: list[str] = []
        self.context = browser.new_context(**settings)
        self.page = self.context.new_page()
        self.page.on("console", lambda message: message.type in ("error", "warning") and self.note(message.text))
        self.page.on("pageerror", lambda error: self.note(str(error)))
        # What the browser gives up because the page is left is no failure.
        self.page.on(
            "requestfailed", lambda request: "ABORTED" in request.failure or self.note(f"failed: {request.url}")
        )
        self.page.on(
            "response", lambda response: response.status >= 400 and self.note(f"{response.status}: {response.url}")
        )
        self.page.on("request", lambda request: self.own(request.url, address) or self.note(f"foreign: {request.url}"))

    def own(self, url: str, address: str) -> bool:
        return url.startswith((address, "data:", "blob:"))

    def note(self, problem: str) -> None:
        self.problems.append(f"{self.page.url}: {problem}")


@pytest.fixture
def watch(browser, address):
    """Return a function that opens a watched page; all are closed in the end, and must have had no problem."""
    opened = []

    def open_page(**settings) -> Watched:
        opened.append(Watched(browser, address, **settings))
        return opened[-1]

    yield open_page
    for watched in opened:
        watched.context.close()
    assert [problem for watched in opened for problem in watched.problems] == []


def unfold(page) -> None:
    """Open all folded answers."""
    page.evaluate("document.querySelectorAll('details').forEach(details => details.open = true)")


def search(page, words: str) -> None:
    """Turn to the search by its key, once it listens to that, and type."""
    key = "/" if page.locator(".md-search__input").count() else "Control+k"
    for _ in range(30):
        page.keyboard.press(key)
        with contextlib.suppress(sync_api.TimeoutError):
            page.wait_for_function("document.activeElement !== document.body", timeout=1000)
            break
    page.keyboard.type(words, delay=20)


def looked_at(page, address: str) -> list[str]:
    """Return the pages to look at: all of the site that readers get, and some of that which Zensical builds."""
    return PAGES + LABS if page.request.get(address + place(LABS[0])).ok else PAGES[::4]


# axe takes seconds for the thousands of coloured names in programs. One of each kind is left in its <span>, with the
# first words of what stands between.
ONE_OF_EACH_NAME = """() => {
    const seen = new Set()
    for (const span of document.querySelectorAll("pre code span")) {
        const box = span.closest("[class^=literate], [class^=jp-], .highlight")
        const kind = [box?.className, span.parentElement.tagName, span.className].join()
        if (seen.has(kind)) span.replaceWith(...span.childNodes)
        seen.add(kind)
    }
    for (const code of document.querySelectorAll("pre code")) {
        code.normalize()
        for (const part of code.childNodes) if (part.nodeType === Node.TEXT_NODE) part.data = part.data.slice(0, 40)
    }
}"""
# Programs that are not near are looked at as well, and no colour is on its way to another.
ALL_AT_ONCE = "* { content-visibility: visible !important; transition: none !important }"
COME_TO_EACH_PROGRAM = """async () => {
    for (let top = 0; top < document.body.scrollHeight; top += innerHeight) {
        scrollTo(0, top)
        await new Promise(requestAnimationFrame)
    }
    await new Promise(done => setTimeout(done, 50))
}"""
# It looks up what is behind every text, for seconds. Of texts in the same colours, size and weight, some are enough.
MARK_SOME_OF_EACH_LOOK = """() => {
    const behind = element => {
        for (; element; element = element.parentElement) {
            const colour = getComputedStyle(element).backgroundColor
            if (!colour.endsWith(", 0)")) return colour
        }
    }
    const known = {}
    for (const element of document.body.querySelectorAll("*")) {
        if (![...element.childNodes].some(node => node.nodeType === Node.TEXT_NODE && node.data.trim())) continue
        const { left, right } = element.getBoundingClientRect()
        if (!element.checkVisibility({ visibilityProperty: true }) || right <= 0 || left >= innerWidth) continue
        const style = getComputedStyle(element)
        const look = [style.color, behind(element), style.fontSize, style.fontWeight].join()
        known[look] = (known[look] ?? 0) + 1
        if (known[look] <= 3) element.dataset.looked = ""
    }
    return Object.keys(known).length
}"""
TAKE_OUT_THE_OTHERS = """() => {
    for (const element of document.body.querySelectorAll(":not(style, form, form *, svg *)"))
        if (!element.closest("[data-looked]") && !element.querySelector("[data-looked]")) element.remove()
}"""
VIOLATIONS = """async rules =>
    (await axe.run({ ...rules, resultTypes: ["violations"] })).violations.flatMap(
        violation => violation.nodes.map(node => `${violation.id}: ${node.target} ${node.html.slice(0, 120)}`)
    )"""
COLOURS = {"runOnly": ["color-contrast"]}
ALL_ELSE = {"rules": {"color-contrast": {"enabled": False}}}
LOADED = """() => performance.getEntriesByType("navigation").concat(performance.getEntriesByType("resource"))
    .map(loaded => loaded.name)"""
PRINTED_BADLY = """() => [
    ...[...document.querySelectorAll("header, nav, footer.md-footer, .md-sidebar, .md-top, .literate-download")]
        .filter(part => part.checkVisibility()),
    ...[...document.querySelectorAll("pre > code, table")].filter(part => part.scrollWidth > part.clientWidth + 1),
    ...[...document.querySelectorAll("details > :not(summary)")].filter(part => !part.getBoundingClientRect().height),
].map(part => part.outerHTML.slice(0, 200))"""


def wait_for_scheme(page, scheme: str) -> None:
    """Wait until the page has followed its reader's wish, as its script does a moment later."""
    page.wait_for_function(
        "dark => getComputedStyle(document.body).backgroundColor.match(/\\d+/)[0] < 100 === dark", arg=scheme == "dark"
    )


def check_weight(page, address: str) -> None:
    """Hold what a first view moves, as it is when unpacked, and what of it is ours."""
    names = {name.removeprefix(address) for name in page.evaluate(LOADED)}
    paths = [
        built("mkdocs").folder / (f"{name}index.html" if name.endswith("/") else name or "index.html") for name in names
    ]
    loaded = {path: path.stat().st_size for path in paths}  # a browser that knows a file already doesn't say its size
    ours = [size for path, size in loaded.items() if (ROOT / "overrides" / "assets" / path.name).is_file()]
    assert len(ours) >= 4 and sum(ours) <= 40_000, loaded
    assert len(loaded) >= 9 and sum(loaded.values()) <= 600_000, loaded


def check_print(page) -> None:
    """Hold that what is printed is the text alone, in dark ink, and that programs are whole."""
    page.set_viewport_size({"width": 700, "height": 900})  # A4 within its margins
    page.emulate_media(media="print")
    assert page.evaluate(PRINTED_BADLY) == []
    ink = page.evaluate("getComputedStyle(document.querySelector('article')).color")
    assert int(re.findall(r"\d+", ink)[0]) < 100, ink
    page.emulate_media(media="screen")


def check_barriers(page, scheme: str) -> None:
    """Hold that axe finds none: in the whole page, and in the colours of both schemes, on a phone and on a screen."""
    phone, screen = (360, scheme), (1440, "light" if scheme == "dark" else "dark")

    def show(width: int, wanted: str) -> None:
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=wanted)
        wait_for_scheme(page, wanted)

    page.evaluate(COME_TO_EACH_PROGRAM)  # then it has its button
    page.evaluate(ONE_OF_EACH_NAME)
    page.add_style_tag(content=ALL_AT_ONCE)
    page.evaluate(AXE.read_text(encoding="utf-8"))
    show(*phone)
    assert page.evaluate(MARK_SOME_OF_EACH_LOOK) >= 10
    show(*screen)
    assert page.evaluate(MARK_SOME_OF_EACH_LOOK) >= 10
    assert page.evaluate(VIOLATIONS, ALL_ELSE) == [], page.url
    page.evaluate(TAKE_OUT_THE_OTHERS)
    for way in (screen, phone):
        show(*way)
        assert page.evaluate(VIOLATIONS, COLOURS) == [], f"{page.url}, {way}"


@pytest.mark.parametrize(("scheme", "language"), [("light", "en"), ("dark", "zh")])
def test_each_page_is_seen_by_everyone_at_every_width_and_on_paper(watch, address, scheme, language):
    """No error, no sideways scroll, no barrier that axe finds in either scheme, no heavy page, and a clean print."""
    page = watch(viewport={"width": 1440, "height": 900}, color_scheme=scheme).page
    stems = looked_at(page, address)
    ours = LABS[0] in stems  # what Zensical builds is for another day
    for stem in stems:
        name = place(stem, language)
        page.emulate_media(color_scheme=scheme)
        page.goto(address + name)
        unfold(page)
        for width in (1440, 768, 360):
            page.set_viewport_size({"width": width, "height": 900})
            reach = page.evaluate("document.documentElement.scrollWidth")
            assert reach <= width, f"{name or 'the home page'} reaches to {reach} px"
        wait_for_scheme(page, scheme)
        if ours:
            check_weight(page, address)
            check_print(page)
            check_barriers(page, scheme)


def test_copying_gives_exactly_the_program(watch, address):
    watched = watch(viewport={"width": 1440, "height": 900}, permissions=["clipboard-read", "clipboard-write"])
    page = watched.page
    with_snippets = {name_of(snippet.page) for snippet in SNIPPETS}
    for name in [name for name in looked_at(page, address) if name in with_snippets]:
        page.goto(address + place(name))
        unfold(page)
        for snippet in [snippet for snippet in SNIPPETS if name_of(snippet.page) == name][-2:]:
            card = page.locator(f"#snippet-{snippet.name}")
            card.scroll_into_view_if_needed()  # then it gets its buttons
            # The first button of a card is the program's, the last in the card the command's; the output has none.
            card.locator(".literate-code button[data-md-type=copy], .literate-code button.md-clipboard").first.click()
            copied = page.evaluate("navigator.clipboard.readText()")
            assert copied.rstrip("\n") == snippet.code.rstrip("\n")
            assert card.locator(".literate-output button").count() == 0


def test_search_finds_a_word_and_opens_its_place(watch, address):
    page = watch(viewport={"width": 1440, "height": 900}).page
    page.goto(address)
    search(page, "running_mean")
    result = page.locator("a[href*='parameters-and-buffers/']:visible", has_text=re.compile("running.mean", re.I)).first
    result.click(timeout=30_000)
    page.wait_for_url("**/parameters-and-buffers/**")
    mark = page.locator("article mark:visible", has_text=re.compile("running.mean", re.I)).first
    mark.wait_for(timeout=30_000)
    if "#" in page.url:
        page.wait_for_function("Math.abs(document.querySelector(location.hash).getBoundingClientRect().top) < 300")


def test_the_pasted_text_of_an_exception_leads_to_its_answer(watch, address):
    """Each message that the answers print is pasted; an answer that prints it is among the first ten."""
    page = watch(viewport={"width": 1440, "height": 900}).page
    page.goto(address)
    if not page.locator(".md-search__input").count():
        pytest.skip("the search of Zensical is its own")
    page.keyboard.press("/")
    known = [one for page in read_pages(ROOT / "docs" / "en") if is_answers(page.path) for one in read_answers(page)]
    places: dict[str, set[str]] = {}
    for answer in known:
        outputs = "\n\n".join(snippet.output or "" for snippet in answer.snippets)
        for message in answer.messages:
            whole = " ".join(outputs[outputs.index(message) :].partition("\n\n")[0][:300].split())
            places.setdefault(whole, set()).add(f"{place(name_of(answer.page))}#{answer.anchor}")
    assert len(places) >= 40
    for message, wanted in places.items():
        page.fill(".md-search__input", "")
        page.keyboard.press("End")
        page.wait_for_function("document.querySelectorAll('.md-search-result__item').length === 0")
        page.fill(".md-search__input", message)
        page.keyboard.press("End")
        page.locator(".md-search-result__item").first.wait_for(timeout=30_000)
        links = page.evaluate(
            "[...document.querySelectorAll('.md-search-result__link')].map(link => link.pathname.slice(1) + link.hash)"
        )
        first = [link for link in links if "#" in link][:10]
        assert wanted & set(first), f"{message!r} leads to {first}"


@pytest.mark.parametrize("word", ["权重", "梯度", "register_buffer"])
def test_search_finds_a_chinese_word_within_a_sentence(watch, address, word):
    page = watch(viewport={"width": 1440, "height": 900}).page
    page.goto(address + "zh/")
    search(page, word)
    # Not the results of what was typed so far: those of the whole word.
    result = page.locator(f"a[href*='/zh/'][href*='h={quote(word)}']:visible").first
    result.wait_for(timeout=30_000)
    result.click()
    page.locator("article mark:visible", has_text=re.compile(word[:8])).first.wait_for(timeout=30_000)
    assert page.url.startswith(address + "zh/") and "?h=" in page.url


def test_the_selector_leads_to_the_same_place_in_the_other_language_and_back(watch, address):
    page = watch(viewport={"width": 1440, "height": 900}).page
    page.goto(f"{address}registration/#what-is-not-filed")
    for language, heading in (("zh", "注册"), ("en", "Registration")):
        page.locator(".md-select button").hover()
        page.locator(f".md-select__link[hreflang={language}]").click()
        page.wait_for_url(f"{address}{place('registration', language)}#what-is-not-filed")
        assert page.locator("h1").inner_text().strip("¶ \n") == heading


def test_the_reader_chooses_light_or_dark_and_each_page_keeps_to_it(watch, address):
    page = watch(viewport={"width": 1440, "height": 900}, color_scheme="light").page
    scheme = "document.body.getAttribute('data-md-color-scheme')"
    page.goto(address)
    schemes = []
    for _ in range(3):
        page.locator("label[for^=__palette_]:visible").click()
        schemes.append(page.evaluate(scheme))
    assert schemes == ["default", "slate", "default"]
    for system, shown in (("dark", "slate"), ("light", "default")):  # which the third choice follows
        page.emulate_media(color_scheme=system)
        page.wait_for_function(f"{scheme} === '{shown}'")
    page.locator("[name=__palette]:checked").press("Enter")
    page.keyboard.press("Enter")
    assert page.evaluate(scheme) == "slate"
    page.locator(".md-nav--primary a[href$='registration/']").first.click()
    page.wait_for_url("**/registration/")
    assert page.evaluate(scheme) == "slate"
    early = "document.onreadystatechange = () => (window.early ??= document.body.dataset.mdColorScheme)"
    page.add_init_script(early)
    page.reload()
    assert page.evaluate("[window.early, document.querySelector('[name=color-scheme]').content]") == ["slate", "dark"]


@pytest.mark.parametrize("width", [1440, 360])
def test_a_link_to_a_section_leads_to_it_past_programs_that_are_not_drawn_yet_and_back(watch, address, width):
    page = watch(viewport={"width": width, "height": 900}).page

    def check(anchor: str) -> None:
        top = "document.getElementById(anchor)?.getBoundingClientRect().top"
        page.wait_for_function(f"anchor => Math.abs({top} - 68) < 25", arg=anchor)

    page.goto(f"{address}registration/#a-tie-by-data")  # from elsewhere
    check("a-tie-by-data")
    page.locator("pre button").first.wait_for(state="attached")  # the theme's script is there
    if width > 1220:
        page.locator(".md-sidebar--secondary a[href$='#what-is-not-filed']").click()
        check("what-is-not-filed")
        active = page.locator(".md-sidebar--secondary .md-nav__link--active")
        assert active.get_attribute("href").endswith("#what-is-not-filed")
    page.evaluate("scrollTo(0, 3000)")
    page.wait_for_timeout(400)  # the theme remembers the place a little later
    left = page.evaluate("scrollY")
    page.evaluate("document.querySelector('.md-footer__link--next').click()")
    page.wait_for_url("**/tree/")
    page.go_back()
    page.wait_for_function(
        "left => location.pathname.endsWith('/registration/') && Math.abs(scrollY - left) < 25", arg=left
    )
    page.goto(f"{address}tree/")
    page.wait_for_timeout(400)  # it does so on this page, too
    page.evaluate(
        "(link => (link.hash = 'a-tie-by-data', link.click()))(document.querySelector('.md-footer__link--prev'))"
    )
    check("a-tie-by-data")


def test_what_a_program_ran_on_shows_on_hover_and_on_focus_and_escape_hides_it(watch, address):
    page = watch(viewport={"width": 360, "height": 900}).page
    page.goto(f"{address}registration/")
    badges, tip = page.locator(".literate-badges").first, page.locator(".literate-tip").first
    assert not tip.is_visible()
    badges.hover()
    assert re.search(r"scratch on CPU: torch 2\.\d+\.\d+.*, .+, \d{4}-\d\d-\d\d", tip.inner_text())
    box = tip.bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= 360
    page.mouse.move(box["x"] + 5, box["y"] + 5)
    assert tip.is_visible(), "the pointer can go over it"
    page.keyboard.press("Escape")
    assert not tip.is_visible()
    page.mouse.move(0, 0)
    page.locator(".literate-download").first.focus()
    while not page.evaluate("document.activeElement.matches('.literate-badges')"):
        page.keyboard.press("Tab")
    assert tip.is_visible()
    page.keyboard.press("Escape")
    assert not tip.is_visible()
    described = page.evaluate(
        "document.getElementById(document.activeElement.getAttribute('aria-describedby')).textContent"
    )
    assert "scratch on CPU" in described


# The interactive pieces

CHAPTERS_WITH_PIECES = ("registration", "calling-and-hooks", "saving-and-loading")


def shown_rows(page) -> list[str]:
    """Return the rows that a piece shows, each as one line."""
    return [" ".join(row.split()) for row in page.locator(".piece-shown tbody tr").all_inner_texts()]


def test_the_stepper_goes_by_the_arrow_keys_and_by_its_buttons(watch, address):
    page = watch(viewport={"width": 1440, "height": 900}).page
    page.goto(f"{address}registration/")
    assert shown_rows(page)[2] == "_modules new fc"
    page.locator(".literate-piece input:checked").focus()
    page.keyboard.press("ArrowDown")
    assert page.locator(".literate-piece label:has(:checked)").inner_text().startswith("self.scale = nn.Parameter")
    assert shown_rows(page)[0].endswith("scale") and "fc.weight" in shown_rows(page)[4]
    assert "Filed in self._parameters." in page.locator(".piece-note").inner_text()
    previous, following = page.locator("[data-step='-1']"), page.locator("[data-step='1']")
    following.focus()
    for _ in range(8):
        page.keyboard.press("Enter")
    assert page.locator(".literate-piece label:has(:checked)").inner_text() == "self.scale = None"
    assert following.is_disabled() and page.evaluate("document.activeElement.dataset.step") == "-1"
    previous.click()
    assert "gone head.weight" in shown_rows(page)[5]
    assert page.locator(".piece-note").get_attribute("role") == "status"


def test_the_timeline_follows_its_switches(watch, address):
    page = watch(viewport={"width": 1440, "height": 900}).page
    page.goto(f"{address}calling-and-hooks/")
    assert shown_rows(page)[0] == "pre-hook args=(2.0,)"
    page.get_by_label("with_kwargs=True on these two").focus()
    page.keyboard.press("Space")
    assert shown_rows(page)[0] == "pre-hook args=(2.0,), kwargs={'by': 3.0}"
    page.get_by_label("a global hook of each kind").check()
    page.get_by_label("a forward that raises").check()
    assert [row.partition(" args")[0] for row in shown_rows(page)] == [
        *["global pre-hook", "pre-hook", "forward x=2.0, by=3.0", "the call raises"]
    ]
    page.get_by_label("always_call=True on the forward hook").check()
    assert shown_rows(page)[3] == "forward hook args=(2.0,), kwargs={'by': 3.0}, result=None"
    assert page.locator(".piece-note").inner_text() == "Hooks that run: 3; the call raises."


def test_the_tree_follows_model_strict_and_assign(watch, address):
    page = watch(viewport={"width": 1440, "height": 900}).page
    page.goto(f"{address}saving-and-loading/")
    note = page.locator(".piece-note")
    assert "Missing key(s)" in note.inner_text() and shown_rows(page)[0] == "body"
    assert [row for row in shown_rows(page) if "unexpected" in row] == [
        "head. weight - [3, 4] unexpected -",
        "head. bias - [3] unexpected -",
    ]
    page.get_by_label("strict=True").uncheck()
    assert note.inner_text().startswith("_IncompatibleKeys(")
    page.get_by_label("is the one that was saved").check()
    assert note.inner_text() == "<All keys matched successfully>"
    assert shown_rows(page)[1].endswith("matches loaded, float32, same Parameter")
    page.get_by_label("assign=True").check()
    assert shown_rows(page)[1].endswith("matches loaded, bfloat16, new Parameter")


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", CHAPTERS_WITH_PIECES)
def test_without_scripts_and_in_print_a_piece_is_its_tables(watch, address, name, language):
    page = watch(viewport={"width": 360, "height": 900}, java_script_enabled=False).page
    page.goto(address + place(name, language))
    assert page.locator(".piece-printed table").first.is_visible()
    assert page.locator(".piece-printed tbody tr").count() > 8 and not page.locator(".piece-live").is_visible()
    with_scripts = watch(viewport={"width": 360, "height": 900}).page
    with_scripts.goto(address + place(name, language))
    assert with_scripts.locator(".piece-live").is_visible()
    assert not with_scripts.locator(".piece-printed").is_visible()
    for piece in (page.locator(".literate-piece"), with_scripts.locator(".literate-piece")):
        assert piece.evaluate("piece => piece.scrollWidth <= piece.clientWidth")
    assert with_scripts.evaluate(
        "[...document.querySelectorAll('.piece-shown .piece-table')].every(box => box.scrollWidth <= box.clientWidth)"
    ), "the table that a reader plays with is seen whole on a phone"
    with_scripts.emulate_media(media="print")
    assert with_scripts.locator(".piece-printed table").first.is_visible()
    assert not with_scripts.locator(".piece-live").is_visible()


@pytest.mark.parametrize("name", CHAPTERS_WITH_PIECES)
def test_every_switch_of_a_piece_is_reached_by_keyboard_and_has_a_name(watch, address, name):
    page = watch(viewport={"width": 1440, "height": 900}).page
    page.goto(address + place(name))
    groups = page.locator(".literate-piece input[type=checkbox], .literate-piece input:checked")
    wanted = set(groups.evaluate_all("all => all.map(one => one.labels[0].textContent)"))
    assert all(wanted)
    page.locator(".literate-piece input").first.focus()
    reached = set()
    for _ in range(12):
        reached.add(page.evaluate("document.activeElement.labels?.[0]?.textContent"))
        page.keyboard.press("Tab")
    assert wanted <= reached
    assert page.locator(".literate-piece fieldset > legend").first.inner_text()


def test_pieces_live_on_when_another_page_is_put_into_this_one(watch, address):
    """Instant navigation: the theme takes the content of the next page and keeps the scripts of the first."""
    watched = watch(viewport={"width": 1440, "height": 900}, permissions=["clipboard-read", "clipboard-write"])
    page = watched.page
    page.goto(f"{address}registration/")
    page.evaluate("window.kept = true")
    page.locator(".md-nav--primary a[href$='saving-and-loading/']").first.click()
    page.wait_for_url("**/saving-and-loading/")
    page.get_by_label("is the one that was saved").check()
    assert page.locator(".piece-note").inner_text() == "<All keys matched successfully>"
    page.go_back()
    page.wait_for_url("**/registration/")
    page.locator("[data-step='1']").click()
    assert "Filed in self._parameters." in page.locator(".piece-note").inner_text()
    page.locator(".md-nav--primary a[href$='a-gpt-on-it/']").first.click()
    page.wait_for_url("**/a-gpt-on-it/")
    (several, *_) = [one for one in SNIPPETS if name_of(one.page) == "a-gpt-on-it" and len(one.fences) > 1]
    page.locator("[data-copy-of]").first.scroll_into_view_if_needed()  # then it gets its button
    page.locator("[data-copy-of]").first.locator("button").first.click()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.rstrip("\n") == several.code.rstrip("\n")
    assert page.evaluate("window.kept"), "the pages were loaded anew"
