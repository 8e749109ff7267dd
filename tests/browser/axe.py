"""axe-core on the page that is open: what breaks WCAG 2.2 A and AA, and what is wider than the window.

The script goes in as an evaluation of the debugger, which our content security policy does not concern.
"""

from collections.abc import Collection
from typing import Any, NamedTuple

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page, ViewportSize

ALIKE = "tbody tr:nth-child(n+5), #queue > .row:nth-of-type(n+5), .queue > li:nth-child(n+5)"  # four rows tell of all
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa"]
EVERYTHING = {"preload": False, "runOnly": {"type": "tag", "values": TAGS}, "rules": {"target-size": {"enabled": True}}}
COLOURS = {"runOnly": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}}
Look = tuple[ViewportSize, str, str]
DESKTOP: ViewportSize = {"width": 1440, "height": 900}
PHONE: ViewportSize = {"width": 390, "height": 844}
LOOKS: tuple[Look, ...] = ((DESKTOP, "light", "dark"), (PHONE, "dark", "light"))  # width, scheme, and the other one
SAME_EVERYWHERE = ".rail, dialog#keys"

# Of what is folded away axe sees neither size nor colour. Menus lie over each other, so one is open at a time; of those
# that say the same, row after row and page after page, one.
RUN = """async ([options, alike, apart, known]) => {
  const found = [];
  const check = async (context) => {
    const { violations } = await axe.run(context, { ...options, resultTypes: ["violations"] });
    for (const { id, nodes } of violations) {
      for (const { target, failureSummary } of nodes) {
        found.push([id, target.flat().join(" "), failureSummary.split("\\n").slice(1).join(";").trim()]);
      }
    }
  };
  for (const one of document.querySelectorAll(alike)) one.remove();
  scrollTo({ top: 0, behavior: "instant" }); // from elsewhere the window follows what opens, while axe measures
  document.documentElement.style.overflowAnchor = "none";
  const menus = new Map();
  for (const one of document.querySelectorAll("details")) {
    if (!one.matches(".menu, [name]")) one.open = true;
    else if (one.checkVisibility()) menus.set(one.querySelector("summary").textContent.trim(), one);
  }
  const markup = (menu) => menu.outerHTML.replace(/\\s+|[0-9a-f]{8}-[0-9a-f-]{27}/g, " ");
  await check({ exclude: apart ? [apart] : [] });
  for (const menu of menus.values()) {
    if (apart && (menu.closest(apart) || known.includes(markup(menu)))) continue;
    known.push(markup(menu));
    menu.open = true;
    await check(menu);
    menu.open = false;
  }
  const keys = document.querySelector("dialog#keys");
  if (keys && !apart) {
    keys.showModal();
    await check(keys);
    keys.close();
  }
  return [found, known];
}"""
WIDER = "Math.max(0, document.documentElement.scrollWidth - innerWidth)"


class Finding(NamedTuple):
    rule: str
    target: str
    why: str
    width: int
    scheme: str


Menus = dict[tuple[int, str], list[str]]  # by width and scheme


def findings(
    page: Page, *, thorough: bool = False, known: Menus | None = None, looks: Collection[Look] = LOOKS
) -> list[Finding]:
    """What is wrong with the page: light on a desktop, dark on a phone. Afterwards its folded parts are open.

    thorough: dark on a desktop and light on a phone too, with the rail and the dialog of the keys, which are the same
    on every page. known: the menus of other pages, which are left out of one that is not thorough; its own are added.
    looks: what axe looks at; the width is measured at both.
    """
    page.evaluate(AXE_SCRIPT)
    apart, known = "" if thorough else SAME_EVERYWHERE, {} if known is None else known
    found = []
    for look in LOOKS:
        size, scheme, other = look
        page.set_viewport_size(size)
        found += _run(page, EVERYTHING, scheme, apart, known) if look in looks else []
        found += _run(page, COLOURS, other, apart, known) if thorough else []
        if wider := page.evaluate(WIDER):
            found.append(Finding("overflow", "html", f"{wider} px wider than the window", size["width"], scheme))
    page.set_viewport_size(DESKTOP)
    return found


def _run(page: Page, options: dict[str, Any], scheme: str, apart: str, known: Menus) -> list[Finding]:
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light", reduced_motion="reduce")
    width = page.viewport_size["width"] if page.viewport_size else 0
    found, known[width, scheme] = page.evaluate(RUN, [options, ALIKE, apart, known.get((width, scheme), [])])
    return [Finding(rule, target, why, width, scheme) for rule, target, why in found]
