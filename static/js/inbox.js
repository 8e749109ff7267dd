// After a decision the focus moves on to the next row that waits; a row that stays keeps it, after an undo it goes back.

const open = (row) => row?.matches('[data-row]:not([data-row="done"])');
const chosen = () => [...document.querySelectorAll("[name=chosen]")];
let next = null;
let stays = null;

function after(row) {
  for (let one = row.nextElementSibling; one; one = one.nextElementSibling) if (open(one)) return one;
  for (let one = row.previousElementSibling; one; one = one.previousElementSibling) if (open(one)) return one;
  return null;
}

document.addEventListener("htmx:beforeSwap", (event) => {
  const row = event.detail.target?.closest?.("[data-row]");
  if (!row) return;
  if (event.detail.target !== row) return void (stays = row.id);
  stays = row.id;
  next = after(row)?.id ?? row.id;
});

document.addEventListener("htmx:oobAfterSwap", (event) => {
  const row = event.detail.target;
  if (row?.matches?.("[data-row]")) stays = row.id;
});

document.addEventListener("htmx:afterSettle", () => {
  const same = stays && document.getElementById(stays);
  const typing = same?.querySelector("form.edit textarea");
  (typing ?? (open(same) ? same : next && document.getElementById(next)))?.focus();
  next = stays = null;
  count();
});

document.addEventListener("htmx:sendError", () => {
  const words = document.getElementById("no-answer");
  words.hidden = false;
  setTimeout(() => (words.hidden = true), 8000);
});

document.addEventListener("htmx:responseError", () => location.reload());

const bulk = document.getElementById("bulk");
const all = bulk?.querySelector("[data-all]");
const words = bulk?.querySelector("[data-chosen]");
const none = words?.textContent;

function count() {
  if (!bulk) return;
  const boxes = chosen();
  const n = boxes.filter((box) => box.checked).length;
  all.checked = n > 0 && n === boxes.length;
  all.indeterminate = n > 0 && n < boxes.length;
  words.textContent = n ? `${n} / ${boxes.length}` : none;
  bulk.classList.toggle("on", n > 0 || Boolean(bulk.querySelector("[name=matching]:checked")));
}

if (bulk) {
  all.closest("label").hidden = false;
  all.addEventListener("change", () => {
    for (const box of chosen()) box.checked = all.checked;
    count();
  });
  document.addEventListener("change", (event) => event.target.matches("[name=chosen], [name=matching]") && count());
  count();
}
