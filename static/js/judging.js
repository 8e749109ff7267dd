// One run a screen. A verdict is taken at once and sent behind; keys that come before the next runs do are kept for them.

import { token } from "./swap.js";

const runs = document.getElementById("runs");
const form = document.getElementById("judge");
const none = document.getElementById("none");
const LOW = 5; // runs left at which more are asked for
const AT_ONCE = 50; // in one request
const AGAIN = 2_000; // milliseconds after which what was not answered is asked again
const SIGNED_OUT = 30_000; // as long as nobody is signed in; sooner when the person comes back to this tab
const at = (name) => form.querySelector(`[data-${name}]`);

const queue = [...runs.querySelectorAll("[data-run]")]; // the first one is shown
const trail = []; // what was judged here, the latest last: {run, outcome, batch, state: "held", "sent", "saved" or "refused"}
const kept = []; // outcomes of keys that came while no run was there
let judged = 0;
let loading = false;
let exhausted = queue.length === 0;

function show() {
  for (const run of runs.children) run.hidden = run !== queue[0];
  none.hidden = Boolean(queue.length) || !exhausted;
  const open = form.querySelector('[data-key="i"]');
  open.hidden = !queue.length;
  form.querySelector('[data-key="z"]').hidden = !trail.length;
  at("judged").textContent = String(judged);
  document.getElementById("judged").hidden = !judged;
  at("saving").hidden = !trail.some((one) => ["held", "sent"].includes(one.state));
  for (const button of form.querySelectorAll("[name=said]")) {
    button.value = `${queue[0]?.dataset.run ?? ""}:${button.value.split(":")[1]}`;
  }
  queue[0]?.focus({ preventScroll: true });
}

function judge(outcome) {
  const run = queue.shift();
  if (!run) {
    if (!exhausted) kept.push(outcome);
    return;
  }
  trail.push({ run, outcome, batch: null, state: "held" });
  judged += 1;
  scrollTo(0, 0);
  show();
  send();
  if (queue.length < LOW) load();
}

// Requests go one after the other, in the order of the keys; one takes along all that was judged while it waited.
let line = Promise.resolve();
const inLine = (work) => (line = line.then(work));
const send = () => inLine(save);

async function save() {
  const part = trail.filter((one) => one.state === "held").slice(0, AT_ONCE);
  if (!part.length) return;
  for (const one of part) one.state = "sent";
  const answer = await post(form.action, part.map((one) => `${one.run.dataset.run}:${one.outcome}`));
  at("unsaved").hidden = Boolean(answer);
  for (const one of part) {
    const why = answer?.why ?? answer?.refused[one.run.dataset.run];
    one.state = !answer ? "held" : why ? "refused" : "saved";
    one.batch = answer?.batches?.[one.run.dataset.run] ?? null;
    if (why) tell(why);
  }
  if (answer?.waiting) waiting(answer.waiting);
  again(send, answer ? 0 : undefined);
  show();
}

const timers = new Map();

function again(work, pause = at("signed-out").hidden ? AGAIN : SIGNED_OUT) {
  clearTimeout(timers.get(work));
  timers.set(work, setTimeout(work, pause));
}
addEventListener("focus", () => at("signed-out").hidden || timers.forEach((_, work) => again(work, 0)));

// Without a session the sign-in answers: it has stored nothing, and has no runs.
function ofSession(answer) {
  at("signed-out").hidden = !answer.redirected;
  return answer.redirected ? null : answer;
}

function undo() {
  const one = trail.pop();
  if (!one) return;
  judged -= 1;
  queue.unshift(one.run);
  kept.length = 0;
  show();
  if (one.state !== "held") inLine(() => takeBack(one));
}

async function takeBack(one) {
  if (!one.batch) return;
  const answer = await post(form.dataset.back.replace(/[0-9a-f-]{36}/, one.batch), []);
  if (answer?.why ?? answer?.refused) tell(answer.why ?? answer.refused);
  if (answer?.waiting) waiting(answer.waiting);
}

async function post(address, said) {
  const body = new URLSearchParams();
  body.set("csrfmiddlewaretoken", token(form));
  for (const one of said) body.append("said", one);
  const headers = { Accept: "application/json" };
  try {
    const answer = ofSession(await fetch(address, { method: "POST", body, headers, keepalive: true }));
    if (!answer || answer.status >= 500) return null;
    if (answer.ok || answer.status === 409) return await answer.json();
    return { why: await (await import("./refused.js")).words(answer) };
  } catch {
    return null;
  }
}

async function load() {
  if (loading || exhausted) return;
  loading = true;
  const known = [...queue, ...trail.filter((one) => one.state !== "saved").map((one) => one.run)];
  const asked = known.map((run) => `&without=${run.dataset.run}`).join("");
  const answer = await fetch(`${runs.dataset.more}${asked}`).then(ofSession).catch(() => null);
  const html = answer?.ok ? await answer.text().catch(() => null) : null;
  loading = false;
  if (html === null) return void again(load);
  take(html);
  show();
  while (kept.length && queue.length) judge(kept.shift());
  if (exhausted) kept.length = 0;
  else if (queue.length < LOW) load();
}

function take(html) {
  const part = document.createElement("template");
  part.innerHTML = html;
  const fresh = [...part.content.querySelectorAll("[data-run]")].filter((run) => !document.getElementById(run.id));
  exhausted = !fresh.length;
  for (const run of fresh) run.hidden = true;
  runs.append(...fresh);
  queue.push(...fresh);
}

function tell(why) {
  at("refused").textContent = `· ${why}`;
  at("refused").hidden = false;
}

function waiting(text) {
  const count = document.getElementById("to-judge");
  if (count) count.textContent = text;
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (event.submitter) judge(event.submitter.value.split(":")[1]);
});
form.querySelector('[data-key="z"]').addEventListener("click", undo);
form.querySelector('[data-key="i"]').addEventListener("click", () => queue[0]?.querySelector('[data-does="open"]').click());
addEventListener("pagehide", () => {
  const left = trail.filter((one) => one.state === "held");
  if (left.length) post(form.action, left.map((one) => `${one.run.dataset.run}:${one.outcome}`));
});
show();
if (queue.length && queue.length < LOW + 1) load();
