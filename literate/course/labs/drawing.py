"""Draw what the labs show."""

import html
import io
import re
from typing import Any


def show(figure: Any, description: str) -> None:
    """Show a figure of Matplotlib in a notebook, in the colours of the text around it, with words for who can't see it.

    Args:
        figure: the figure, which is closed.
        description: what is to be seen in it.
    """
    import matplotlib.pyplot as plt
    from IPython.display import HTML, display

    written = io.StringIO()
    with plt.rc_context({"svg.fonttype": "none", "svg.hashsalt": description}):
        figure.savefig(written, format="svg", transparent=True, bbox_inches="tight", metadata={"Date": None})
    plt.close(figure)
    svg = written.getvalue()
    svg = re.sub(r"<metadata>.*?</metadata>| id=\"[A-Za-z0-9]+_\d+\"", "", svg[svg.index("<svg") :], flags=re.DOTALL)
    svg = svg.replace("#000000", "currentColor")
    svg = re.sub(r"<defs>\s*<style.*?</style>\s*</defs>", "", svg, count=1, flags=re.DOTALL)  # it is for the whole page
    label = html.escape(description, quote=True)
    width = float(svg.split(' width="', 1)[1].partition("pt")[0])
    size = (
        f"width: {width:.0f}pt; max-width: 100%; min-width: {0.65 * width:.0f}pt; height: auto"  # letters stay legible
    )
    style = f"{size}; color: inherit; stroke-linejoin: round; stroke-linecap: butt"
    head = f'<svg role="img" aria-label="{label}" style="{style}" fill="currentColor"'
    display(HTML(svg.replace("<svg", head, 1)))
