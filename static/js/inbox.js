// While a decision is on its way the next row has the focus already, so that nobody waits for the server. A row that stays
// (its words were edited, or the server did not answer) gets it back, and so does one that an undo brings back.

const on = (event, act) => document.addEventListener(event, act);
const open = (row) => row?.matches('[data-row]:not([data-row="done"], [aria-busy])');
const byId = (id) => document.getElementById(id);
const chosen = () => [...document.querySelectorAll("[name=chosen]")];
const SOON = 8; // rows before the end of what is loaded
let next = null;
let stays = null;

function after(row) {
  for (let one = row.nextElementSibling; one; one = one.nextElementSibling) if (open(one)) return one;
  for (let one = row.previousElementSibling; one; one = one.previousElementSibling) if (open(one)) return one;
  return null;
}

function go(row) {
  row.focus({ preventScroll: true });
  row.scrollIntoView({ block: "nearest" });
}

on("htmx:beforeRequest", (event) => {
  const row = event.detail.elt.matches("form.does") && event.detail.elt.closest("[data-row]");
  if (!row) return;
  const following = after(row);
  for (const menu of row.querySelectorAll("details[open]")) menu.open = false;
  row.setAttribute("aria-busy", "true");
  const at = document.activeElement;
  if (following && (at === document.body || row.contains(at))) go(following); // nowhere: its row has just been replaced
});

on("htmx:beforeSwap", (event) => {
  const row = event.detail.target?.closest?.("[data-row]");
  if (!row?.contains(document.activeElement)) return;
  stays = row.id;
  if (event.detail.target === row) next = after(row)?.id ?? row.id;
});

// Rows that an undo or redo has moved take their place here, and those that wait again without one come first.
function placed(answer) {
  const page = new DOMParser().parseFromString(answer, "text/html");
  const queue = byId("queue");
  const first = queue.firstElementChild;
  for (const row of page.querySelectorAll("li[hx-swap-oob]")) {
    if (byId(row.id)) continue;
    if (!open(row)) {
      row.remove();
      continue;
    }
    const place = document.createElement("li");
    place.id = row.id;
    queue.insertBefore(place, first);
  }
  return page.body.innerHTML;
}

on("htmx:beforeSwap", (event) => {
  if (!event.detail.requestConfig.path.startsWith("/undo/")) return;
  if (byId("queue")) event.detail.serverResponse = placed(event.detail.serverResponse);
  else location.reload(); // nothing waited
  if (event.detail.requestConfig.elt.isConnected) return;
  event.detail.shouldSwap = false; // its button is gone, and htmx looks for rows beside it
  htmx.swap("#toast", event.detail.serverResponse, { swapStyle: "none", swapDelay: 0, settleDelay: 0 });
});

on("htmx:oobBeforeSwap", (event) => {
  const row = event.detail.target;
  if (row?.matches?.("[data-row]") && row.contains(document.activeElement)) next = after(row)?.id ?? row.id;
});

on("htmx:oobAfterSwap", (event) => {
  const row = event.detail.target;
  if (row?.matches?.("[data-row]")) stays = row.id;
});

on("htmx:afterSettle", () => {
  const same = stays && byId(stays);
  const typing = same?.querySelector("form.edit textarea");
  const following = next && byId(next);
  (typing ?? [same, following, following && after(following)].find(open) ?? following)?.focus();
  next = stays = null;
  count();
});

on("htmx:sendError", (event) => {
  const row = event.detail.elt.closest?.("[aria-busy]");
  row?.removeAttribute("aria-busy");
  if (row) go(row);
  const words = byId("no-answer");
  words.hidden = false;
  setTimeout(() => (words.hidden = true), 8000);
});

on("htmx:responseError", () => location.reload());

on("focusin", (event) => {
  const further = document.querySelector("#queue > .pager a");
  const row = further && event.target.closest("#queue > [data-row]");
  if (row && [...row.parentElement.children].indexOf(row) > row.parentElement.children.length - SOON) htmx.trigger(further, "revealed");
});

const bulk = byId("bulk");
const part = (name) => bulk.querySelector(`[${name}]`);
const none = bulk && part("data-count").textContent;

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

if (bulk) {
  bulk.classList.add("quick");
  part("data-all").closest("label").hidden = part("data-none").hidden = false;
  part("data-all").addEventListener("change", (event) => select(event.target.checked));
  part("data-none").addEventListener("click", () => select(false));
  on("change", (event) => event.target.matches("[name=chosen], [name=matching]") && count());
  bulk.addEventListener("formdata", ({ formData }) => {
    const rows = formData.getAll("chosen");
    formData.set("chosen", rows.join("\n")); // one field: the server takes a thousand
  });
  addEventListener("pageshow", () => select(false)); // a page that comes back is not what was looked at just now
}
