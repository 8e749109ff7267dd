// Forms of the queue answered in place. The server sends fragments: a first one that takes the place of the row asked about, and
// any number with `hx-swap-oob` that take the places of those with their ids. What is under way is told to the page as
// `memos:asked` and `memos:answered`, whatever has become of the form meanwhile.

const tell = (name, detail) => document.dispatchEvent(new CustomEvent(`memos:${name}`, { detail }));
const HEADERS = () => ({ "HX-Request": "true", "HX-Current-URL": location.href });

// `whole`: the page as a reload brings it, not the fragment.
export async function fetched(address, options = {}, whole = false) {
  const headers = whole ? {} : HEADERS();
  const response = await fetch(address, { ...options, headers, credentials: "same-origin" });
  if (!response.ok && response.status !== 409) throw new RangeError(`${response.status} from ${address}`);
  if (response.headers.get("HX-Refresh")) return void location.reload();
  return new DOMParser().parseFromString(await response.text(), "text/html");
}

// Puts each fragment in its place; answers the one for the row, or null.
export function place(page, { missing }) {
  for (const one of page.querySelectorAll("[hx-swap-oob]")) {
    const inner = one.getAttribute("hx-swap-oob") === "innerHTML";
    const old = document.getElementById(one.id);
    one.remove();
    one.removeAttribute("hx-swap-oob");
    if (!old) missing(one);
    else if (inner) old.replaceChildren(...one.childNodes);
    else old.replaceWith(one);
    tell("placed", { element: one, old });
  }
  return page.body.firstElementChild;
}

export async function send(form, button, { answered, failed }) {
  const body = new URLSearchParams(new FormData(form, button));
  tell("asked");
  try {
    const page = await fetched(form.action, { method: "POST", body });
    if (page) answered(page);
  } catch (error) {
    if (error instanceof RangeError) location.reload(); // it was refused: the page shows how things stand
    else failed();
  } finally {
    tell("answered");
  }
}
