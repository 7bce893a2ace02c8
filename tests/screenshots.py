"""Keep a picture of each page of a built site: `python tests/screenshots.py FOLDER INTO`.

CI keeps them as an artifact, so that a change of the look can be looked at. Wide pages are in light, those of a phone
in dark.
"""

import sys
from pathlib import Path

from playwright.sync_api import sync_playwright
from test_site_browser import CHROMIUM, FLAGS, served

LOOKS = {"wide-light": (1440, 900, "light"), "phone-dark": (360, 740, "dark")}


def main(folder: str, into: str) -> None:
    """Open each page of a folder in each look, and write its picture."""
    pages = sorted(path.parent.relative_to(folder).as_posix() for path in Path(folder).rglob("index.html"))
    with sync_playwright() as playwright, served(Path(folder)) as address:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        for look, (width, height, scheme) in LOOKS.items():
            page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
            for name in pages:
                page.goto(f"{address}{'' if name == '.' else name + '/'}")
                picture = Path(into, look, f"{'index' if name == '.' else name.replace('/', '-')}.jpg")
                page.screenshot(path=picture, full_page=True, type="jpeg", quality=60)
        browser.close()
    print(f"{len(pages) * len(LOOKS)} pictures are in {into}")


if __name__ == "__main__":
    main(*sys.argv[1:])
