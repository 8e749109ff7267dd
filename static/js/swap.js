// Forms of the queue answered in place. The server sends a first fragment for the row asked about, and any number with
// `hx-swap-oob` for what has their ids. The page is told `memos:asked` and `memos:answered`, whatever becomes of the form.
//
// A few are sent at a time: reads keep one of a browser's six connections. A page that is left sends the others all the
// same: one that comes twice meets the version that it was decided on, and does nothing.

const tell = (name, detail) => document.dispatchEvent(new CustomEvent(`memos:${name}`, { detail }));
const HEADERS = () => ({ "HX-Request": "true", "HX-Current-URL": location.href });

export class Refused extends Error {} // with what the server says, for people

// `whole`: the page as a reload brings it, not the fragment. Nothing when the session has ended, which the page then says.
export async function fetched(address, options = {}, whole = false) {
  const headers = whole ? {} : HEADERS();
  const response = await fetch(address, { ...options, headers, credentials: "same-origin" });
  if (response.status >= 500) throw new Error(`${response.status} from ${address}`);
  if (!response.ok && response.status !== 409) throw new Refused(await (await import("./refused.js")).words(response));
  const reload = response.headers.get("HX-Refresh");
  document.getElementById("signed-out").hidden = !(reload && response.redirected);
  if (reload) return void (response.redirected || location.reload());
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

// After a sign-in in another tab a form holds a former token, the cookie the present one.
export const token = (form) => document.cookie.match(/csrftoken=(\w+)/)?.[1] ?? form.elements.csrfmiddlewaretoken.value;

const AT_ONCE = 4;
const MOST_LEFT = 16; // that a browser sends for a page that is left
const waiting = [];
const sent = new Set();

export function send(form, button, then) {
  const body = new URLSearchParams(new FormData(form, button));
  body.set("csrfmiddlewaretoken", token(form));
  waiting.push({ address: form.action, body, then });
  tell("asked");
  next();
}

async function next() {
  if (sent.size >= AT_ONCE || !waiting.length) return;
  const one = waiting.shift();
  sent.add(one);
  try {
    const page = await fetched(one.address, { method: "POST", body: one.body });
    if (page) one.then.answered(page);
    else one.then.failed("");
  } catch (error) {
    one.then.failed(error instanceof Refused ? error.message : null);
  } finally {
    sent.delete(one);
    tell("answered");
    next();
  }
}

addEventListener("beforeunload", (event) => {
  if (waiting.length + sent.size > MOST_LEFT) event.preventDefault(); // the browser asks whether to stay
});
addEventListener("pagehide", () => {
  for (const { address, body } of [...sent, ...waiting.splice(0)]) {
    fetch(address, { method: "POST", body, headers: HEADERS(), credentials: "same-origin", keepalive: true }).catch(() => {});
  }
});
