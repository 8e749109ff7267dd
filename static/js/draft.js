// The preview of a draft follows what is typed: the form is sent as its button Preview sends it, and the answer takes the
// place of the preview that is shown.

const form = document.querySelector("#draft");
const PAUSE = 500; // ms after the last key
let waiting, asked;

async function follow() {
  asked?.abort();
  asked = new AbortController();
  const sent = { method: "POST", body: new FormData(form), headers: { "HX-Request": "true" }, signal: asked.signal };
  const response = await fetch(form.action, { ...sent, credentials: "same-origin" }).catch(() => null);
  if (!response?.ok) return; // the button says what is wrong
  const fresh = new DOMParser().parseFromString(await response.text(), "text/html").querySelector("#preview");
  if (!fresh) return;
  const shown = document.querySelector("#preview");
  const isOpen = shown.querySelector("details")?.open;
  if (isOpen && fresh.querySelector("details")) fresh.querySelector("details").open = true;
  shown.replaceWith(fresh);
}

form.addEventListener("input", (event) => {
  if (event.isComposing) return;
  clearTimeout(waiting);
  waiting = setTimeout(follow, PAUSE);
});
form.addEventListener("compositionend", () => {
  clearTimeout(waiting);
  waiting = setTimeout(follow, PAUSE);
});
form.addEventListener("submit", () => {
  clearTimeout(waiting);
  asked?.abort();
});
