"""axe-core on the page that is open: what breaks WCAG 2.2 A and AA, and what is wider than the window.

The script goes in as an evaluation of the debugger, which our content security policy does not concern.
"""

from typing import Any, NamedTuple

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page, ViewportSize

ALIKE = "tbody tr:nth-child(n+7), #queue > .row:nth-of-type(n+7), .queue > li:nth-child(n+7)"  # six rows tell of all
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa"]
EVERYTHING = {"preload": False, "runOnly": {"type": "tag", "values": TAGS}, "rules": {"target-size": {"enabled": True}}}
COLOURS = {"runOnly": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}}
DESKTOP: ViewportSize = {"width": 1440, "height": 900}
PHONE: ViewportSize = {"width": 390, "height": 844}
SAME_EVERYWHERE = "details.person, dialog#keys"

# Of what is folded away axe sees neither size nor colour. Menus lie over each other, so one is open at a time; of those
# that say the same, row after row, one.
RUN = """async ([options, alike, apart]) => {
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
  await check({ exclude: apart ? [apart] : [] });
  for (const menu of menus.values()) {
    if (apart && menu.matches(apart)) continue;
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
  return found;
}"""
WIDER = "Math.max(0, document.documentElement.scrollWidth - innerWidth)"


class Finding(NamedTuple):
    rule: str
    target: str
    why: str
    width: int
    scheme: str


def findings(page: Page, *, thorough: bool = False) -> list[Finding]:
    """What is wrong with the page: light on a desktop, dark on a phone. Afterwards its folded parts are open.

    thorough: dark on a desktop and light on a phone too, with the person's menu and the dialog of the keys, which are
    the same on every page.
    """
    page.evaluate(AXE_SCRIPT)
    apart = "" if thorough else SAME_EVERYWHERE
    found = []
    for size, scheme, other in ((DESKTOP, "light", "dark"), (PHONE, "dark", "light")):
        page.set_viewport_size(size)
        found += _run(page, EVERYTHING, scheme, apart)
        found += _run(page, COLOURS, other, apart) if thorough else []
        if wider := page.evaluate(WIDER):
            found.append(Finding("overflow", "html", f"{wider} px wider than the window", size["width"], scheme))
    page.set_viewport_size(DESKTOP)
    return found


def _run(page: Page, options: dict[str, Any], scheme: str, apart: str) -> list[Finding]:
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light", reduced_motion="reduce")
    width = page.viewport_size["width"] if page.viewport_size else 0
    found: list[tuple[str, str, str]] = page.evaluate(RUN, [options, ALIKE, apart])
    return [Finding(rule, target, why, width, scheme) for rule, target, why in found]
