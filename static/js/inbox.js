// A stationary queue. A decided row leaves at once and the next one stands in its place with the focus; a row that stays
// (edited, somebody was faster, no answer) or that an undo brings back gets the focus back.

import { empty, forget, pane, show } from "./pane.js";
import { fetched, place, send } from "./swap.js";

const on = (event, act) => document.addEventListener(event, act);
const byId = (id) => document.getElementById(id);
const isOpen = (row) => row?.matches('[data-row]:not([hidden], [data-row="done"], [aria-busy])');
const queue = () => byId("queue");
export const rowOf = (element) => element.closest?.("[data-row]") ?? byId(element.closest?.("[data-about]")?.dataset.about);
const SOON = 24; // rows before the end of those loaded: as many as keys decide while others come on a slow line

function after(row) {
  for (let one = row.nextElementSibling; one; one = one.nextElementSibling) if (isOpen(one)) return one;
  for (let one = row.previousElementSibling; one; one = one.previousElementSibling) if (isOpen(one)) return one;
  return null;
}

// Who types into an edit of another row goes on there: letters would decide elsewhere.
export function go(row) {
  const edit = document.activeElement?.closest("form.edit");
  if (!row || (edit && !row.contains(edit))) return;
  row.focus({ preventScroll: true });
  row.scrollIntoView({ block: "nearest" });
}

// Before the server has answered: nobody waits.
function leave(row) {
  const at = document.activeElement;
  const next = after(row);
  for (const menu of document.querySelectorAll("details.menu[open]")) menu.open = false;
  row.setAttribute("aria-busy", "true");
  row.hidden = true;
  if (at === document.body || row.contains(at) || pane?.contains(at)) {
    if (next) go(next);
    else row.dataset.last = "";
  }
}

// Nothing was done. `why`: what the server said, "" where the page says it already, null for no answer.
export function failed(row, why) {
  if (row) {
    row.removeAttribute("aria-busy");
    row.hidden = false;
    go(row);
  }
  if (row && why) import("./refused.js").then(({ note }) => note(row, why));
  else if (why !== "") unanswered(why);
}

const TOLD = 8000; // ms
const noAnswer = byId("no-answer").textContent;
let told = 0;

function unanswered(why) {
  const words = byId("no-answer");
  words.textContent = why ?? noAnswer;
  words.hidden = false;
  clearTimeout(told);
  told = setTimeout(() => (words.hidden = true), TOLD);
}

let forgotten = 0;
on("memos:missed", () => {
  const words = byId("missed");
  const number = words.querySelector("[data-n]");
  number.textContent = Number(words.hidden ? 0 : number.textContent) + 1;
  words.hidden = false;
  clearTimeout(forgotten);
  forgotten = setTimeout(() => (words.hidden = true), TOLD);
});

on("submit", (event) => {
  const form = event.target;
  if (!form.matches("[data-live]")) return;
  const row = rowOf(form);
  if (form.closest("#toast") && !queue()) return; // nothing waited: the page comes anew
  event.preventDefault();
  if (row?.hasAttribute("aria-busy")) return;
  row?.querySelector("[data-refused]")?.remove();
  const leaves = row && form.dataset.live === "leaves";
  const held = row?.contains(document.activeElement);
  const sending = { answered: (page) => settle(page, row, { held, leaves }), failed: (why) => failed(row, why) };
  send(form, event.submitter, sending);
  if (leaves) leave(row);
  else row?.setAttribute("aria-busy", "true");
});

// What the server says takes its place. The focus goes to a row that is open again, else it stays.
export function settle(page, row, { held, leaves }) {
  const had = document.activeElement;
  const restored = [];
  let lost = null; // the row that had the focus is decided now
  const missing = (element) => {
    if (!element.matches("[data-row]")) return;
    if (!isOpen(element)) return void early.add(element.id);
    early.delete(element.id);
    queue().prepend(element); // it waits again, and has no place here yet
  };
  const placed = (event) => {
    const { element, old } = event.detail;
    if (old?.dataset.last === "") element.dataset.last = "";
    if (element.matches("[data-row]") && !isOpen(element) && old?.contains(had)) lost = element;
    if (element.matches("[data-row]") && isOpen(element) && (!old || old.hidden || old.contains(had))) restored.push(element);
  };
  on("memos:placed", placed);
  const main = place(page, { missing });
  document.removeEventListener("memos:placed", placed);
  const stays = main?.matches("[data-row]") && row?.isConnected;
  if (stays) {
    if (row.dataset.last === "") main.dataset.last = "";
    row.replaceWith(main);
    forget(main);
  }
  else row?.removeAttribute("aria-busy");
  if (stays && !main.hidden && (held || leaves)) go(main);
  const typing = stays && main.querySelector("form.edit textarea");
  if (typing) typing.focus();
  else if (restored.length) go(restored[0]);
  else if (lost) go(after(lost));
  else if (!had.isConnected && stays) go(isOpen(main) ? main : after(main) ?? main);
  byId("queue-end")?.remove();
  count();
  emptied();
}

// Nothing is left: the page says what comes now.
async function emptied() {
  const here = queue();
  if (!here || here.querySelector(".pager") || [...here.children].some((one) => !one.hidden)) return;
  const page = await fetched(location.href, {}, true).catch(() => null);
  const words = page?.querySelector(".empty");
  if (words && ![...here.children].some((one) => !one.hidden)) {
    words.id = "queue-end";
    here.after(words);
    empty();
  }
}

// Further rows, as the end comes into sight or the focus near it. The server may have read them before a decision that is
// answered meanwhile: `early` are the ids of those.
const early = new Set();

async function more(link) {
  const end = link.closest(".pager");
  if (end.hasAttribute("aria-busy")) return;
  end.setAttribute("aria-busy", "true");
  early.clear();
  const page = await fetched(link.href).catch(() => null);
  if (!page) return void end.removeAttribute("aria-busy");
  const at = document.activeElement;
  const last = document.querySelector("#queue > [data-last]"); // decided with nothing behind it: its focus waits for a row
  const held = end.contains(at) || (last && at === document.body) || (at.matches("[data-row]") && !isOpen(at));
  const rows = [...page.body.children].filter((one) => !one.id || !(byId(one.id) || early.has(one.id)));
  end.replaceWith(...rows);
  if (held) go(rows.find(isOpen));
  last?.removeAttribute("data-last");
  ahead(document.activeElement.closest("[data-row]"));
  watch();
  count();
  emptied();
}

const sight = new IntersectionObserver((seen) => seen.some((one) => one.isIntersecting) && more(seen[0].target.querySelector("a")), {
  rootMargin: "400px",
});

function watch() {
  sight.disconnect();
  const end = queue()?.querySelector(".pager");
  if (end) sight.observe(end);
}

on("click", (event) => {
  const link = event.target.closest?.("#queue > .pager a, [data-fetch]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  if (link.closest(".pager")) return void more(link);
  const row = rowOf(link);
  row?.setAttribute("aria-busy", "true"); // letters that come before the form are no decisions
  import("./edit.js").then(({ edit }) => edit(link, row)).catch(() => failed(row, null));
});

on("focusin", (event) => {
  const row = event.target.closest?.("#queue > [data-row]");
  if (!row) return;
  activate(row);
  ahead(row);
});

// Where few rows are left.
function ahead(row) {
  const further = document.querySelector("#queue > .pager a");
  const all = row?.parentElement.children;
  if (further && all && [...all].indexOf(row) > all.length - SOON) more(further);
}
on("click", (event) => {
  const row = event.target.closest?.("#queue > [data-row]");
  if (row && !event.target.closest("a, button, input, summary, label, textarea, form.edit")) row.focus({ preventScroll: true });
});

function activate(row) {
  mark(row);
  for (const one of document.querySelectorAll('#queue > [aria-current="true"]')) if (one !== row) one.removeAttribute("aria-current");
  row.setAttribute("aria-current", "true");
  show(row);
}

function mark(row) {
  for (const one of document.querySelectorAll("#queue > [data-active]")) if (one !== row) delete one.dataset.active;
  if (row) row.dataset.active = "";
}

on("memos:placed", (event) => forget(event.detail.element));
const first = document.querySelector("#queue > [data-row]");
mark(first);
show(first, 0);
watch();

const bulk = byId("bulk");
const part = (name) => bulk.querySelector(`[${name}]`);
const none = bulk && part("data-count").textContent;
const chosen = () => [...document.querySelectorAll("[data-row]:not([hidden]) [name=chosen]")];

// How many are selected, and which.
function count() {
  if (!bulk) return;
  const boxes = chosen();
  const ticked = boxes.filter((box) => box.checked);
  const [n, matching] = [ticked.length, Boolean(part("name=matching")?.checked)];
  const names = ticked.map((box) => `“${box.closest("[data-row]").querySelector("h2").textContent.trim()}”`).join(", ");
  part("data-all").checked = n > 0 && n === boxes.length;
  part("data-all").indeterminate = n > 0 && n < boxes.length;
  part("data-count").textContent = n ? `${n} / ${boxes.length}` : none;
  part("data-which").textContent = part("data-which").title = matching ? "" : names;
  part("data-alone").hidden = true;
  bulk.classList.toggle("on", n > 0 || matching);
}

function select(all) {
  for (const box of chosen()) box.checked = all;
  if (!all && part("name=matching")) part("name=matching").checked = false;
  count();
}

// All rows of a skill's name.
on("click", (event) => {
  const name = event.target.closest?.("[data-selects-group]")?.closest("[data-row]").dataset.group;
  if (!name) return;
  for (const box of chosen()) if (box.closest("[data-row]").dataset.group === name) box.checked = true;
  count();
});

if (bulk) {
  bulk.classList.add("quick");
  part("data-all").closest("label").hidden = part("data-none").hidden = false;
  part("data-all").addEventListener("change", (event) => select(event.target.checked));
  part("data-none").addEventListener("click", () => select(false));
  on("change", (event) => {
    if (!event.target.matches("[name=chosen], [name=matching]")) return;
    const top = event.target.getBoundingClientRect().top;
    count();
    scrollBy(0, event.target.getBoundingClientRect().top - top); // it stays under the finger where rows have become lower
  });
  bulk.addEventListener("formdata", ({ formData }) => {
    const rows = formData.getAll("chosen");
    formData.set("chosen", rows.join("\n")); // one field: the server takes a thousand
  });
  addEventListener("pageshow", () => select(false)); // a page that comes back is not what was looked at just now
}
