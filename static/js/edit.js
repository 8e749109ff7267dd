// An edit in a row of the queue: its form takes the place of its link; what waits no more says who was faster.

import { failed, go, rowOf, settle } from "./inbox.js";
import { Refused, fetched } from "./swap.js";
import "./unsaved.js";

const links = new WeakMap(); // form -> its link

export async function edit(link, row) {
  const page = await fetched(link.dataset.fetch).catch((error) => failed(row, error instanceof Refused ? error.message : null));
  row?.removeAttribute("aria-busy");
  if (!page || !link.isConnected) return;
  const form = page.querySelector("form.edit");
  if (!form) return settle(page, row, { held: true });
  link.replaceWith(form);
  links.set(form, link);
  form.querySelector("textarea").focus();
  form.scrollIntoView({ block: "nearest" });
}

// An edit that is left gives the row back as it was, with what is loaded and what can be undone.
document.addEventListener("click", (event) => {
  const form = event.target.closest?.('[data-does="cancel"]')?.closest("form");
  if (!links.has(form)) return;
  event.preventDefault();
  const row = rowOf(form);
  form.replaceWith(links.get(form));
  go(row);
});
