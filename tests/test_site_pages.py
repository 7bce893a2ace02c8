"""The built site, as MkDocs and as Zensical build it from the same pages."""

import json
import os
import re
import struct
import subprocess
import sys
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urljoin

import pytest
from sites import PAGES, ROOT, TOOLS, Node, address, broken_links, built, foreign_requests, name_of, read, read_site

from literate.reading.cells import read_lab
from literate.reading.files import digest
from literate.reading.headings import headings
from literate.reading.pages import Snippet, parse, snippets
from literate.reading.pages import read_site as read_all_pages
from literate.reading.repository import LANGUAGES, language_of
from literate.running import record
from literate.site import share_cards as cards

ARTICLE = "https://daiw.org/manual/pytorch-internals/nn-module"
SNIPPETS = snippets(read_all_pages(ROOT))
HAN = r"[\u3000-\u303f\u4e00-\u9fff\uff00-\uffef]"  # and the punctuation that goes with it
LABS = [path.stem for path in sorted((ROOT / "docs" / "en" / "labs").glob("*.py"))]


@pytest.fixture(params=TOOLS)
def site(request):
    return built(request.param)


@pytest.fixture(params=LANGUAGES)
def language(request):
    return request.param


def page_of(site, stem: str, language: str = "en") -> Node:
    return site.pages()[address(stem, language)]


@cache
def cards_of(site, page: Path) -> list[Node]:
    """Return all parts of the cards on a page, in their order."""
    return page_of(site, name_of(page), language_of(page)).find(css_class="literate")


def card_of(site, snippet: Snippet) -> Node:
    """Return the parts of a snippet's card as one node: a program in several fences has several."""
    cards = cards_of(site, snippet.page)
    first = next(at for at, card in enumerate(cards) if card.attributes.get("id") == f"snippet-{snippet.name}")
    return Node("", {}, cards[first : first + len(snippet.fences)])


def named(snippet: Snippet) -> str:
    return f"{language_of(snippet.page)}-{snippet.name}"


def code_in(card: Node, css_class: str) -> str:
    return "".join(code.text for part in card.find(css_class=css_class) for code in part.find("code"))


def test_the_site_builds_without_a_warning(site):
    assert site.code == 0, site.printed


def test_every_page_is_built(site):
    pages = set()
    for part in ("", "zh/"):
        pages |= {f"{part}404.html", f"{part}", *(part + address(name) for name in PAGES)}
        if site is built("mkdocs"):  # Zensical runs no notebooks, and gives their files
            pages |= {f"{part}labs/{stem}/" for stem in LABS}
        else:
            assert all((site.folder / part / "labs" / f"{stem}.py").is_file() for stem in LABS)
    assert set(site.pages()) == pages


def test_every_link_leads_somewhere(site):
    assert broken_links(site.folder, site.pages()) == []


def test_no_page_asks_another_host(site):
    assert foreign_requests(site.folder, site.pages()) == []


def test_a_broken_link_and_a_foreign_request_are_found(tmp_path):
    (tmp_path / "page").mkdir()
    (tmp_path / "index.html").write_text(
        '<a href="page/#here">yes</a> <a href="page/#there">no</a> <a href="gone/">no</a>'
        '<script src="https://cdn.example.org/x.js"></script><a href="https://example.org">a link is no request</a>',
        encoding="utf-8",
    )
    (tmp_path / "page" / "index.html").write_text('<p id="here"><a href="../">up</a></p>', encoding="utf-8")
    (tmp_path / "style.css").write_text("@import url(//fonts.example.org/x.css);", encoding="utf-8")
    pages = read_site(tmp_path)
    assert broken_links(tmp_path, pages) == [
        "index: page/#there leads to no place on that page",
        "index: gone/ leads to no file",
    ]
    assert foreign_requests(tmp_path, pages) == [
        "index: <script src='https://cdn.example.org/x.js'>",
        "style.css: //fonts.example.org/x.css",
    ]


def test_each_page_has_its_own_title_and_description(site, language):
    titles, descriptions = {}, {}
    names = PAGES + [f"labs/{stem}" for stem in LABS if site is built("mkdocs")]
    for stem in names:
        page = page_of(site, stem, language)
        titles[stem] = page.find("title")[0].text.strip()
        descriptions[stem] = [
            node.attributes["content"] for node in page.find("meta") if node.attributes.get("name") == "description"
        ]
    assert len(set(titles.values())) == len(names), titles
    assert all(len(texts) == 1 and 15 <= len(texts[0]) < 160 for texts in descriptions.values()), descriptions
    assert len({texts[0] for texts in descriptions.values()}) == len(names), descriptions


def test_each_page_leads_to_the_previous_and_the_next_one(site, language):
    navigation = [
        re.findall(r"^ +- .*: ([\w/-]+)\.md$", (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE)
        for name in ("mkdocs.yml", "mkdocs.zh.yml")
    ]
    assert navigation[0] == navigation[1] and sorted(navigation[0]) == PAGES
    for number, stem in enumerate(navigation := navigation[0]):
        page = page_of(site, stem, language)
        assert len(page.find("a", "md-footer__link--prev")) == (number > 0), stem
        assert len(page.find("a", "md-footer__link--next")) == (number < len(navigation) - 1), stem


def test_each_page_can_be_edited_and_names_the_article(site, language):
    for stem in PAGES:
        page = page_of(site, stem, language)
        edit = page.find("a", "md-content__button")
        assert any(node.attributes["href"].endswith(f"/docs/{language}/{stem}.md") for node in edit)
        foot = page.find(css_class="md-footer")[0]
        assert "道雾轩" in foot.text
        assert ARTICLE in [node.attributes.get("href") for node in foot.find("a")]


@pytest.mark.parametrize("stem", LABS)
def test_each_lab_is_shown_as_it_ran(stem, language):
    page = page_of(built("mkdocs"), f"labs/{stem}", language)
    cells = [cell for cell in read_lab(ROOT / "docs" / language / "labs" / f"{stem}.py") if cell.kind == "code"]
    shown = [code.text.strip() for block in page.find("div", "highlight") for code in block.find("code")]
    assert shown == [cell.text for cell in cells]
    assert not any("JupyterLab" in style.text or ".jupyter-wrapper" in style.text for style in page.find("style"))
    assert all("headerlink" in a.attributes["class"] for heading in page.find("h2") for a in heading.find("a"))
    assert page.find("h1")[0].text.strip("¶ \n") == page.find("title")[0].text.partition(" - ")[0]
    assert len(page.find(css_class="jp-OutputArea-output")) >= 5
    pictures = [svg for svg in page.find("svg") if svg.attributes.get("role") == "img"]
    assert pictures and all(len(svg.attributes["aria-label"]) > 40 for svg in pictures)
    assert "Traceback" not in page.text
    links = [a.attributes["href"] for a in page.find("a") if a.attributes.get("href", "").endswith(f"{stem}.ipynb")]
    assert links[0] == f"../../downloads/{stem}.ipynb"
    assert links[1].startswith("https://colab.research.google.com/github/")
    assert links[1].endswith(f"/blob/main/docs/{language}/downloads/{stem}.ipynb")


@pytest.mark.parametrize("stem", LABS)
def test_what_comes_of_a_lab_is_the_same_in_both_languages(stem):
    shown = [
        [
            cell.text
            for cell in page_of(built("mkdocs"), f"labs/{stem}", language).find(css_class="jp-OutputArea-output")
        ]
        for language in LANGUAGES
    ]
    assert shown[0] == shown[1]


def test_a_page_of_a_lab_with_its_plots_styles_and_scripts_weighs_well_under_a_megabyte():
    folder = built("mkdocs").folder
    for name in (address(f"labs/{stem}", language) for stem in LABS for language in LANGUAGES):
        page, here = built("mkdocs").pages()[name], folder / name
        links = [a.attributes["src"] for a in page.find("script") if a.attributes.get("src")]
        links += [a.attributes["href"] for a in page.find("link") if "stylesheet" in a.attributes.get("rel", "")]
        loaded = [here / "index.html", *(here / link for link in links)]
        assert len(loaded) >= 5, loaded
        assert (here / "index.html").stat().st_size <= 250_000, name
        assert sum(path.stat().st_size for path in loaded) <= 600_000, name


def test_a_cell_that_raises_fails_the_build_and_is_named(tmp_path):
    (tmp_path / "docs" / "labs").mkdir(parents=True)
    (tmp_path / "docs" / "index.md").write_text("# Home\n", encoding="utf-8")
    (tmp_path / "docs" / "labs" / "a-lab.py").write_text("# %%\nx = 1\n\n# %%\n1 / 0\n", encoding="utf-8")
    own = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    plugin = own[own.index("  mkdocs-jupyter:") : own.index("markdown_extensions:")]
    (tmp_path / "mkdocs.yml").write_text(f"site_name: A site\nplugins:\n{plugin}", encoding="utf-8")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet"]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, encoding="utf-8")
    assert done.returncode != 0
    assert "labs/a-lab.py" in done.stderr
    assert "1 / 0" in done.stderr and "x = 1" not in done.stderr.partition("following cell")[2]


def test_an_unknown_address_shows_a_page_that_helps(site):
    for name, heading in (("404.html", "Page not found"), ("zh/404.html", "找不到页面")):
        page = site.pages()[name]
        assert page.find("h1")[0].text == heading
        assert len(page.find("a", "md-nav__link")) >= len(PAGES)


@pytest.mark.parametrize("snippet", SNIPPETS, ids=named)
@pytest.mark.parametrize("tool", TOOLS)
def test_each_snippet_is_shown_whole(tool, snippet):
    card = card_of(built(tool), snippet)
    copies = {node.attributes["data-copy"] for node in card.walk() if "data-copy" in node.attributes}
    assert copies == {snippet.code}
    assert code_in(card, "literate-code") == snippet.code
    assert code_in(card, "literate-output") == (snippet.output or "")


@pytest.mark.parametrize("snippet", SNIPPETS, ids=named)
def test_each_snippet_can_be_taken_away_and_run(snippet):
    card = card_of(built("mkdocs"), snippet)
    (download,) = card.find("a", "literate-download")
    kind, _, code = download.attributes["href"].partition(",")
    assert kind == "data:text/x-python;charset=utf-8"
    assert unquote(code) == snippet.code
    assert download.attributes["download"] == f"{snippet.name}.py"
    (name,) = card.find(css_class="literate-name")
    assert name.find("a")[0].attributes["href"].endswith(f"/blob/main/{snippet.path().as_posix()}")
    (command,) = card.find(css_class="literate-command")
    assert command.text == f"python -m scratch {snippet.path().as_posix()}"
    assert snippet.path(ROOT).read_text(encoding="utf-8") == snippet.code


@pytest.fixture(scope="module")
def recorded():
    """Return the record of runs, and the digest of the Module that they are to be of."""
    of_module = digest((ROOT / "scratch" / "module.py").read_bytes())
    return record.load(ROOT / "snippets" / "record.json"), of_module


@pytest.mark.parametrize("snippet", SNIPPETS, ids=named)
def test_each_snippet_has_the_badges_of_its_record(snippet, recorded):
    runs, digest = recorded
    entries = runs.entries_for(snippet.digest, digest)
    done = {(entry["module"], entry["device"]) for entry in entries}
    expected = []
    if done:
        assert {("torch", "cpu"), ("scratch", "cpu")} <= done
        expected = ["torch.nn ✓", "scratch ✓", "CPU ✓"]
        expected += ["CUDA ✓"] if {("torch", "cuda"), ("scratch", "cuda")} <= done else []
    card = card_of(built("mkdocs"), snippet)
    assert [badge.text for badge in card.find(css_class="literate-badge")] == expected
    for tip in card.find(css_class="literate-tip"):
        for entry in entries:
            assert all(entry[what] in tip.text for what in ("date", "device_name", "torch"))


def test_each_chapter_offers_the_module_as_of_itself(site, language):
    for path in (ROOT / "docs" / language).glob("*.md"):  # answers offer none
        if "<!-- literate: module-so-far -->" in path.read_text(encoding="utf-8"):
            (line,) = page_of(site, path.stem, language).find(css_class="literate-so-far")
            assert line.find("a")[0].attributes["href"] == f"../downloads/module-{path.stem}.py"
            assert (site.folder / address("downloads", language) / f"module-{path.stem}.py").is_file()


def test_each_page_with_programs_offers_them_as_one_notebook(site, language):
    with_programs = {name_of(snippet.page) for snippet in SNIPPETS if language_of(snippet.page) == language}
    for stem in PAGES:
        lines = page_of(site, stem, language).find("p", "literate-notebook")
        assert len(lines) == (stem in with_programs), stem
        for download, colab in (line.find("a") for line in lines):
            file = f"programs-{stem.replace('/', '-')}.ipynb"
            target = urljoin(f"/{address(stem, language)}", download.attributes["href"])
            assert target == f"/{address('downloads', language)}{file}" and (site.folder / target[1:]).is_file()
            assert download.attributes["download"] == file
            assert colab.attributes["href"].startswith("https://colab.research.google.com/github/")
            assert colab.attributes["href"].endswith(f"/blob/main/docs/{language}/downloads/{file}")


def test_the_search_holds_programs_and_outputs_and_none_of_what_stands_around_them():
    index = json.loads(Path(built("mkdocs").folder, "search", "search_index.json").read_text(encoding="utf-8"))
    assert index["config"]["separator"]
    (section,) = (one for one in index["docs"] if one["location"] == "registration/#the-idea-in-a-few-lines")
    assert 'self.register_buffer("mask"' in section["text"] and "[[1.0, 0.0], [1.0, 1.0]]" in section["text"]
    around = ["python -m scratch snippets/", "Download", "a module files what you assign#", ">Output", "CPU"]
    assert [words for words in around if words in section["text"]] == []


def test_names_within_code_are_words_to_the_search():
    index = json.loads(Path(built("mkdocs").folder, "search", "search_index.json").read_text(encoding="utf-8"))
    words = re.split(index["config"]["separator"], 'self.register_buffer("mask", torch.ones(2.5)) model[0].fc')
    assert {"register_buffer", "mask", "torch", "ones", "2.5", "model", "fc"} <= set(words)


def test_pages_show_no_leftover_of_the_markup(site, language):
    for stem in PAGES:
        (article,) = page_of(site, stem, language).find("article")
        prose = re.sub(
            r"\s+", " ", Node("", {}, [node.text for node in article.find() if node.tag in ("p", "li")]).text
        )
        for leftover in ("```", "@@literate", "pytest-codeblocks:", "--8<--", "wzxhzdk", "{ #"):
            assert leftover not in prose, f"{stem}: {leftover}"
        # Markdown leaves some bold words beside full-width punctuation as they are.
        assert not re.search(rf"{HAN}\*\*|\*\*{HAN}", prose), stem


# The two languages


def test_each_page_leads_to_itself_in_the_other_language(site):
    for stem in PAGES:
        for language in LANGUAGES:
            page, here = page_of(site, stem, language), f"/{address(stem, language)}"
            links = {a.attributes["hreflang"]: a.attributes["href"] for a in page.find("a", "md-select__link")}
            assert {name: urljoin(here, link) for name, link in links.items()} == {
                name: f"/{address(stem, name)}" for name in LANGUAGES
            }
            told = {
                link.attributes["hreflang"]: link.attributes["href"]
                for link in page.find("link")
                if "alternate" in link.attributes.get("rel", "").split()
            }
            home = told["en"].removesuffix(address(stem))
            assert home.startswith("https://") and told == {name: home + address(stem, name) for name in LANGUAGES}


def test_each_page_and_the_sitemap_name_its_own_address(language):
    site, addresses = built("mkdocs"), set()
    for stem in [*PAGES, *(f"labs/{stem}" for stem in LABS)]:
        links = page_of(site, stem, language).find("link")
        (own,) = [link.attributes["href"] for link in links if link.attributes.get("rel") == "canonical"]
        assert own.startswith("https://") and own.endswith(f"/nn-module-from-scratch/{address(stem, language)}")
        addresses.add(own)
    sitemap = (site.folder / address("index", language) / "sitemap.xml").read_text(encoding="utf-8")
    assert set(re.findall(r"<loc>(.*?)</loc>", sitemap)) == addresses


def test_each_page_has_a_card_of_its_own_for_those_who_share_it(language):
    site, drawn = built("mkdocs"), set()
    for stem in [*PAGES, *(f"labs/{stem}" for stem in LABS)]:
        page = page_of(site, stem, language)
        said = {node.attributes.get("property", ""): node.attributes["content"] for node in page.find("meta")[3:]}
        assert said["og:image"] == f"{said['og:url']}card.png"
        assert said["og:title"] and said["og:title"] == said["og:image:alt"]
        assert 15 <= len(said["og:description"]) < 160
        card = (site.folder / address(stem, language) / "card.png").read_bytes()
        assert card[:8] == b"\x89PNG\r\n\x1a\n" and struct.unpack(">II", card[16:24]) == (1200, 630)
        assert len(card) < 40_000
        drawn.add(card)
    assert len(drawn) == len(PAGES) + len(LABS)


def test_a_card_breaks_lines_between_words_and_between_chinese_characters():
    letters = cards.font(60)
    text = "a Parameter is filed by its name and found by it"
    lines = cards.wrapped(text, letters)
    assert len(lines) == 2 and " ".join(lines) == text
    text = "每次赋值都由它登记，登记之后，遍历才找得到这些参数和缓冲区。"
    lines = cards.wrapped(text, letters)
    assert len(lines) == 2 and "".join(lines) == text
    assert all(letters.getlength(line) <= 1040 + 60 and line[0] not in cards.NEVER_FIRST for line in lines)


def test_the_page_for_unknown_addresses_leads_to_the_home_of_the_other_language(site):
    for name in ("404.html", "zh/404.html"):
        links = [urljoin("/", a.attributes["href"]) for a in site.pages()[name].find("a", "md-select__link")]
        assert [link.removeprefix("/nn-module-from-scratch/") for link in links] == ["", "zh/"], links


def test_each_page_says_which_language_it_is_in(site):
    for name, page in site.pages().items():
        (html,) = page.find("html")
        assert html.attributes["lang"] == ("zh" if name.startswith("zh/") else "en"), name


def test_a_section_has_the_same_anchor_in_both_languages(site):
    for stem in PAGES:
        anchors = [
            [(node.tag, node.attributes.get("id")) for node in page_of(site, stem, language).find("article")[0].walk()]
            for language in LANGUAGES
        ]
        ours, theirs = ([one for one in found if re.fullmatch("h[1-6]", one[0])] for found in anchors)
        assert ours == theirs
    assert all(id for _, id in ours)


def test_anchors_are_found_in_english_headings_as_the_site_makes_them():
    for stem in PAGES:
        path = ROOT / "docs" / "en" / f"{stem}.md"
        found = [anchor for _, _, _, anchor, _ in headings(parse(path.read_text(encoding="utf-8"), path))]
        (article,) = page_of(built("mkdocs"), stem).find("article")
        assert found == [node.attributes["id"] for node in article.walk() if re.fullmatch("h[1-6]", node.tag)]


def test_no_line_end_makes_a_gap_between_chinese_characters(site):
    for stem in PAGES:
        (article,) = page_of(site, stem, "zh").find("article")
        for node in article.walk():
            if node.tag in ("p", "li", "td", "figcaption", "summary"):
                assert not re.search(rf"{HAN}\s*\n\s*{HAN}", node.text), f"{stem}: {node.text}"


def test_the_search_knows_chinese_words_within_a_sentence():
    index = json.loads(Path(built("mkdocs").folder, "zh", "search", "search_index.json").read_text(encoding="utf-8"))
    words = set()
    for section in index["docs"]:
        words |= set(re.split(index["config"]["separator"], re.sub("<[^>]*>", " ", section["text"])))
    assert {"张量", "权重", "前向", "钩子", "注册表", "缓冲区", "register_buffer"} <= words


def test_our_style_sheet_stays_small():
    assert os.path.getsize(ROOT / "overrides" / "assets" / "extra.css") < 15_000


def test_pages_are_read_as_a_browser_reads_them():
    page = read("<div class='a b'><p>one<br>two</p><p>&lt;three&gt;</p></div>")
    assert [node.text for node in page.find("p")] == ["onetwo", "<three>"]
    assert len(page.find("div", "b")) == 1


def test_pages_live_at_the_root_of_the_folder_of_their_language_and_answers_in_one_below():
    assert {path.parent.name for path in Path(ROOT / "docs").glob("*/*/**/*.md")} == {"answers"}


def test_the_readme_lists_every_chapter_and_its_links_lead_to_files():
    for name in ("README.md", "README.zh.md", "CONTRIBUTING.md"):
        text = (ROOT / name).read_text(encoding="utf-8")
        links = re.findall(r"\]\((?!https?:)([^)#]+)", text)
        assert [link for link in links if not (ROOT / link).is_file()] == []
        if name != "CONTRIBUTING.md":
            folder = "docs/zh/" if name == "README.zh.md" else "docs/en/"
            listed = {name_of(Path(link)) for link in links if link.startswith(folder) and link.endswith(".md")}
            assert listed == {name for name in PAGES if name != "about" and not re.match("answers/(?!index)", name)}
