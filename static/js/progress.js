// What a run decides about many rows, above the queue: asked about until it has ended. Then the queue comes anew, unless
// somebody is at something that this would take away.

import { Refused, fetched } from "./swap.js";

const PAUSE = 2000; // ms between two questions
const BUSY = "form.edit, details.menu[open], #bulk.on, dialog[open], [aria-busy]";

async function follow(line) {
  const page = await fetched(line.dataset.poll).catch((error) => (error instanceof Refused ? null : void soon(line)));
  const fresh = page?.querySelector(".under-way");
  if (!fresh) return; // no answer, a refusal, or the session has ended
  if (!fresh.dataset.poll && !document.querySelector(BUSY)) return void location.reload();
  line.replaceWith(fresh);
  if (fresh.dataset.poll) soon(fresh);
}

const soon = (line) => setTimeout(follow, PAUSE, line);
for (const line of document.querySelectorAll("[data-poll]")) soon(line);
