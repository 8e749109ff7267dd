// How many decisions began to wait since the inbox was last looked at in this browser: in the title and the icon of the tab,
// and as a notification where the person has asked for these on the page of the profile. It tells a number, no content.

export const NOTIFY = "memos.notify";
const [LOOKED, TOLD] = ["memos.looked", "memos.told"];
const [START, PAUSE] = [15_000, 60_000]; // ms until it is asked first, and between two questions
const icon = document.querySelector("link[data-unread]");
const [title, plain] = [document.title, icon.href];

function show({ n, shown, text }) {
  document.title = n ? `(${shown}) ${title}` : title;
  icon.href = n ? icon.dataset.dot : plain;
  if (n > Number(localStorage.getItem(TOLD)) && wanted() && document.hidden) tell(text);
  localStorage.setItem(TOLD, n);
}

function tell(text) {
  const notice = new Notification("Memos", { body: text, icon: plain, tag: "memos" });
  notice.onclick = () => {
    focus();
    location.assign(icon.dataset.inbox);
  };
}

export const wanted = () => localStorage.getItem(NOTIFY) && globalThis.Notification?.permission === "granted";

async function ask() {
  const since = localStorage.getItem(LOOKED) ?? "";
  const address = `${icon.dataset.unread}?since=${encodeURIComponent(since)}`;
  const response = await fetch(address, { credentials: "same-origin" }).catch(() => null);
  if (response?.redirected || [401, 403].includes(response?.status)) return; // the session has ended
  if (response?.ok) {
    const found = await response.json();
    if (!since) localStorage.setItem(LOOKED, found.at);
    show(found);
  }
  setTimeout(ask, PAUSE);
}

if (icon.dataset.at) {
  localStorage.setItem(LOOKED, icon.dataset.at);
  localStorage.setItem(TOLD, 0);
}
setTimeout(ask, START);
