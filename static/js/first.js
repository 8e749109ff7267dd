// An empty store: a file is sent as soon as it is chosen, or dropped anywhere on the page; and the line that says whether an
// agent has reported is asked for anew until one has.

import { Refused, fetched } from "./swap.js";

const form = document.querySelector("[data-drop]");
const field = form?.querySelector("[type=file]");
const PAUSE = 2000; // ms between two questions

function over(is) {
  form.classList.toggle("over", is);
}

function drop(event) {
  event.preventDefault();
  over(false);
  if (!event.dataTransfer.files.length) return;
  field.files = event.dataTransfer.files;
  read();
}

function read() {
  form.querySelector("[data-reading]").hidden = false;
  form.requestSubmit();
}

if (form) {
  form.classList.add("live");
  field.addEventListener("change", () => field.files.length && read());
  addEventListener("dragover", (event) => {
    event.preventDefault();
    over(true);
  });
  addEventListener("dragleave", (event) => event.relatedTarget ?? over(false));
  addEventListener("drop", drop);
  addEventListener("pageshow", () => {
    form.reset();
    form.querySelector("[data-reading]").hidden = true;
  });
}

async function ask() {
  const line = document.querySelector("[data-first-report]");
  if (!line) return;
  const page = await fetched(line.dataset.firstReport).catch((error) => (error instanceof Refused ? null : error));
  if (!page) return; // it was refused, or the session has ended
  const fresh = page instanceof Error ? null : page.getElementById("connected");
  if (fresh && !fresh.dataset.firstReport) return void line.replaceChildren(...fresh.childNodes);
  setTimeout(ask, PAUSE);
}
setTimeout(ask, PAUSE);
