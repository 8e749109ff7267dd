// The pane beside the queue shows the grounds of the row in hand, where there is room for it.

import { fetched } from "./swap.js";

const SLOW = 300; // ms without an answer, after which the pane says that it loads
export const pane = document.getElementById("pane");
let shown = null; // the address of what it shows, or is about to
let soon = 0;
let slow = 0;
let asking = null;

export function show(row, wait = 60) {
  if (!pane || !row?.dataset.pane || !pane.checkVisibility() || shown === row.dataset.pane) return;
  shown = row.dataset.pane;
  pane.setAttribute("aria-busy", "true"); // it still shows those of another row
  clearTimeout(soon);
  clearTimeout(slow);
  soon = setTimeout(() => load(row), wait);
  slow = setTimeout(() => say("loading"), SLOW);
}

async function load(row) {
  asking?.abort();
  asking = new AbortController();
  try {
    const page = await fetched(row.dataset.pane, { signal: asking.signal });
    if (!page) throw new Error("the session has ended");
    if (shown !== row.dataset.pane) return;
    pane.replaceChildren(...page.body.children);
    pane.dataset.about = row.id;
    pane.scrollTop = 0;
    say("");
  } catch (error) {
    if (error.name === "AbortError") return;
    shown = null;
    pane.replaceChildren(); // not the grounds of another row
    say("failed");
  }
}

// What stands above the pane: nothing after a quick answer, and while a slow one is awaited that it loads.
function say(state) {
  clearTimeout(slow);
  pane.toggleAttribute("aria-busy", state === "loading");
  for (const one of document.querySelectorAll("[data-pane-is]")) one.hidden = one.dataset.paneIs !== state;
}

// What it shows of this row may have changed.
export function forget(row) {
  if (row.dataset.pane && row.dataset.pane === shown) shown = null;
}

export function empty() {
  pane?.replaceChildren();
  shown = null;
}
