// One-letter keys. They act on the focused row, else on the page's only subject, and can be switched off (WCAG 2.1.4).

const OFF = "memos.keys.off";
const dialog = document.getElementById("keys");
const GONE = '[data-row="done"], [aria-busy]'; // decided, or about to be
const rows = () => [...document.querySelectorAll("[data-row]:not([hidden])")];
const focused = () => document.activeElement?.closest("[data-row]");
const here = () => focused() ?? document.querySelector('[data-row][aria-current="true"]:not([hidden])');
const DECISIONS = [...dialog.querySelectorAll("[data-presses]")]; // the verbs of review, each with its keys
const REPEATED = ["j", "k", "J", "K", "ArrowDown", "ArrowUp"]; // by a key that is held; nobody sees what others would decide
let chord = "";
let leaving = false; // a page is on its way: what is typed now is not meant for this one

// With rows selected a decision is about these, wherever the focus is.
function many(what) {
  const bulk = document.querySelector("#bulk.on");
  if (!bulk || !DECISIONS.some((one) => one.dataset.presses === what)) return undefined;
  if (what !== "edit") return bulk.querySelector(`[data-many="${what}"]`); // null where many have no such decision
  const rows = document.querySelectorAll("[data-row]:has(:checked)");
  if (rows.length === 1 && !bulk.querySelector("[name=matching]:checked")) return rows[0].querySelector('[data-does="edit"]');
  bulk.querySelector("[data-alone]").hidden = false;
  return null;
}

function press(what) {
  if (leaving) return null;
  const all = many(what);
  if (all !== undefined) {
    all?.click();
    return all;
  }
  const row = here() ?? rows().find((row) => !row.matches(GONE)) ?? (document.getElementById("queue") ? null : document);
  if (!row || (row.matches?.(GONE) && what !== "open")) return missed(what);
  const found = row.querySelector(`[data-does="${what}"]`) ?? beside(row, what);
  found?.click();
  if (!found && what === "promote") (beside(row, "pick-1") ?? row.querySelector('[data-does="pick-1"]'))?.focus(); // one of two
  return found;
}

// A decision without a row in hand that waits: it is never kept for the next one, which nobody has seen, and never lost in
// silence.
function missed(what) {
  if (DECISIONS.some((one) => one.dataset.presses === what)) document.dispatchEvent(new CustomEvent("memos:missed"));
  return null;
}

// The pane beside the queue may offer what the row itself has no room for.
function beside(row, what) {
  return row.id && document.querySelector(`[data-about="${row.id}"] [data-does="${what}"]`);
}

function unfold(what) {
  const menu = press(what)?.closest("details");
  if (menu) requestAnimationFrame(() => menu.querySelector("textarea, input:not([type=hidden]), button")?.focus());
}

function select(step) {
  if (step) move(step);
  if (!step || !here()?.querySelector('[data-does="select"]:checked')) press("select"); // at the end it stays where it is
}

// Undo and redo go one step at a time: the toast's answer says what the next one is.
function step(what) {
  if (leaving) return;
  if (underWay) return void steps.push(what);
  const button = document.querySelector(`#toast [data-does="${what}"]`);
  if (!button) steps.length = 0;
  button?.click();
}

let underWay = 0;
const steps = [];
document.addEventListener("memos:asked", () => (underWay += 1));
document.addEventListener("memos:answered", () => {
  underWay -= 1;
  if (!underWay && steps.length) step(steps.shift());
});

// Over everything, from any page; on that page its field.
function search() {
  const field = document.querySelector(".search input[type=search]");
  if (field) field.select();
  else document.querySelector('[data-go="/"]')?.click();
}

function filter() {
  const field = document.querySelector("input[type=search]");
  const folded = field?.closest("details");
  if (folded) folded.open = true;
  field?.focus();
}

function move(step) {
  const all = rows();
  if (!all.length) return void press(step > 0 ? "next" : "previous");
  const now = all.indexOf(here());
  const next = now < 0 ? 0 : Math.min(all.length - 1, Math.max(0, now + step));
  all[next].focus();
  all[next].scrollIntoView({ block: "nearest" });
}

// A digit chooses in the menu that is open, else among the memories that stand against each other.
function digit(number) {
  if (leaving) return;
  const menu = document.querySelector("details.menu[open]");
  const choices = "button[name=decision]:not(.plain *), .plain button[value^=snooze]"; // of "More" those that a key is for
  if (menu) return void menu.querySelectorAll(choices)[number - 1]?.click();
  if (!document.querySelector("#bulk.on")) press(`pick-${number}`);
}

// First the rows that are loaded, then all that match, then none.
function all() {
  const [loaded, matching] = ["[data-all]", "#bulk [name=matching]"].map((one) => document.querySelector(one));
  if (!loaded?.checked) loaded?.click();
  else if (matching && !matching.checked) matching.click();
  else document.querySelector("#bulk [data-none]")?.click();
}

// The rows of the skill in hand that waits in several scopes.
function group() {
  const name = here()?.dataset.group;
  document.querySelector(`[data-group="${CSS.escape(name ?? "")}"] [data-selects-group]`)?.click();
}

function close() {
  const open = document.querySelector("details.menu[open], details.edit[open], form.edit");
  if (!open) return void document.querySelector('#bulk.on [data-none], [data-does="cancel"]')?.click();
  if (open.matches("form")) return void open.querySelector('[data-does="cancel"]').click();
  open.open = false;
  (open.closest("[data-row]") ?? open.querySelector("summary")).focus();
}

const KEYS = {
  j: () => move(1),
  k: () => move(-1),
  u: () => press("back"),
  x: () => select(0),
  J: () => select(1),
  K: () => select(-1),
  "/": search,
  f: filter,
  o: () => press("open"),
  z: () => step("undo"),
  Z: () => step("redo"),
  "?": () => dialog.showModal(),
  Escape: close,
};
for (const { dataset: verb } of DECISIONS) {
  for (const key of verb.keys.split(" ")) KEYS[key] = () => unfold(verb.presses);
}

function arrow(event) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step || !here() || event.target.closest(".menu")) return false;
  move(step);
  return true;
}

function typed(event) {
  const target = event.target;
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || dialog.open) return;
  if (target.closest("input:not([type=checkbox], [type=radio]), select, textarea, [contenteditable]")) {
    if (event.key === "Escape") target.closest(".edit, .menu") ? close() : target.value || target.blur(); // then keys are keys again
    if (event.key === "ArrowDown" && target.matches("[type=search]") && rows().length) {
      move(1);
      event.preventDefault();
    }
    return;
  }
  if (event.key !== "Escape" && localStorage.getItem(OFF)) return;
  if (event.repeat && !REPEATED.includes(event.key)) return;
  const before = chord;
  chord = "";
  const own = before ? null : document.querySelector(`[data-keys] [data-key="${CSS.escape(event.key)}"]`);
  if (own) {
    own.click();
    return void event.preventDefault();
  }
  if (before === "*" && event.key === "a") return void all();
  if (before === "*" && event.key === "g") return void group();
  if (event.key === "*") return void (chord = "*");
  if (before === "g") return void document.querySelector(`[data-go="${CSS.escape(event.key)}"]`)?.click();
  if (event.key === "g") return void (chord = "g");
  if (event.key === "Enter" && target.matches("[data-row]")) press("open");
  else if (/^[1-6]$/.test(event.key)) digit(Number(event.key));
  else if (!arrow(event)) {
    if (!Object.hasOwn(KEYS, event.key)) return;
    KEYS[event.key]();
  }
  event.preventDefault();
}

document.addEventListener("keydown", typed);

// From the moment a link or a plain form leads away until the page is there (or comes back from the cache).
const leave = (event) => {
  leaving = true;
  setTimeout(() => (leaving &&= !event?.defaultPrevented), 0); // asked whether to stay, the person stayed
  setTimeout(() => (leaving = false), 10_000); // it never came
};
addEventListener("beforeunload", leave);
addEventListener("pageshow", () => (leaving = false));
addEventListener("click", (event) => { // after the page's own listeners, which may keep the link from leading away
  const link = event.target.closest?.("a[href]");
  const here = link && link.pathname === location.pathname && link.search === location.search && link.hash;
  const away = link && !here && !link.hasAttribute("download") && link.origin === location.origin;
  const plain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.defaultPrevented;
  if (away && plain && link.target !== "_blank") leave();
});

document.addEventListener("click", (event) => {
  const opener = event.target.closest("[data-opens]");
  if (opener) document.getElementById(opener.dataset.opens).showModal();
  for (const menu of document.querySelectorAll("details.menu[open]")) if (!menu.contains(event.target)) menu.open = false;
});

const switches = document.querySelectorAll("[data-keys-on]");
const shown = () => switches.forEach((on) => (on.checked = !localStorage.getItem(OFF)));
for (const on of switches) {
  on.addEventListener("change", () => {
    on.checked ? localStorage.removeItem(OFF) : localStorage.setItem(OFF, "1");
    shown();
  });
}
shown();

for (const label of document.querySelectorAll("[data-needs-scripts]")) label.hidden = false;
for (const opener of document.querySelectorAll("[data-opens]")) opener.hidden = false;
document.querySelector(".tabs [aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
for (const select of document.querySelectorAll("form.filter select")) select.addEventListener("change", () => select.form.requestSubmit());
