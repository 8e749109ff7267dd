// A list that follows what is typed: its address is asked anew, and the part named by `data-live` takes the place of the one shown.

const form = document.querySelector("form[data-live]");
const PAUSE = 250; // ms after the last key
let waiting, asked;

function address() {
  const given = [...new FormData(form)].filter(([name, value]) => value !== "" && name !== "cursor");
  const query = new URLSearchParams(given).toString();
  return query ? `?${query}` : location.pathname;
}

async function follow() {
  asked?.abort();
  asked = new AbortController();
  const wanted = address();
  try {
    const response = await fetch(wanted, { signal: asked.signal, credentials: "same-origin" });
    if (!response.ok || response.redirected) return void form.requestSubmit(); // the page itself says what is wrong
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    for (const id of [form.dataset.live, "after-search"]) {
      const fresh = page.getElementById(id);
      if (fresh) document.getElementById(id)?.replaceWith(fresh);
    }
    history.replaceState(null, "", wanted);
  } catch (error) {
    if (error.name !== "AbortError") form.requestSubmit();
  }
}

form?.addEventListener("input", (event) => {
  if (event.target.type !== "search" || event.isComposing) return;
  clearTimeout(waiting);
  waiting = setTimeout(follow, PAUSE);
});
form?.addEventListener("compositionend", () => {
  clearTimeout(waiting);
  waiting = setTimeout(follow, PAUSE);
});
form?.addEventListener("submit", () => clearTimeout(waiting));
