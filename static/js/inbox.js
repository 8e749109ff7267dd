// After a decision the focus moves on to the next row that waits; after an undo it goes back.

const open = (row) => row?.matches('[data-row]:not([data-row="done"])');
let next = null;

function after(row) {
  for (let one = row.nextElementSibling; one; one = one.nextElementSibling) if (open(one)) return one;
  for (let one = row.previousElementSibling; one; one = one.previousElementSibling) if (open(one)) return one;
  return null;
}

document.addEventListener("htmx:beforeSwap", (event) => {
  const row = event.detail.target?.closest?.("[data-row]");
  if (row) next = after(row)?.id ?? row.id;
});

document.addEventListener("htmx:oobAfterSwap", (event) => {
  const row = event.detail.target;
  if (row?.matches?.("[data-row]")) next = row.id;
});

document.addEventListener("htmx:afterSettle", () => {
  if (next) document.getElementById(next)?.focus();
  next = null;
});

document.addEventListener("htmx:sendError", () => {
  const words = document.getElementById("no-answer");
  words.hidden = false;
  setTimeout(() => (words.hidden = true), 8000);
});

document.addEventListener("htmx:responseError", () => location.reload());
