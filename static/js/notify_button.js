// The button on the page of the profile that turns notifications of this browser on and off.

import { NOTIFY, wanted } from "./unread.js";

const button = document.querySelector("[data-notify]");

function word() {
  const refused = globalThis.Notification?.permission === "denied";
  button.textContent = button.dataset[wanted() ? "off" : "on"];
  button.disabled = refused || !globalThis.Notification;
  button.nextElementSibling.textContent = button.disabled ? button.dataset.refused : "";
}

button.addEventListener("click", async () => {
  if (wanted()) localStorage.removeItem(NOTIFY);
  else if ((await Notification.requestPermission()) === "granted") localStorage.setItem(NOTIFY, "1");
  word();
});
button.hidden = false;
word();
