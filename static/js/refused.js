// What the server would not do, as its page says it to people, and the note in the row that was asked about.

export async function words(response) {
  const text = await response.text();
  if (response.headers.get("Content-Type")?.startsWith("text/plain")) return text;
  const main = new DOMParser().parseFromString(text, "text/html").querySelector("main");
  const parts = [...(main?.querySelectorAll("h1, h1 + p") ?? [])].map((one) => one.textContent.trim().replace(/\s+/g, " "));
  return parts.join(" · ") || String(response.status);
}

export function note(row, why) {
  const line = Object.assign(document.createElement("p"), { className: "errors", role: "alert", textContent: why });
  line.dataset.refused = "";
  (row.querySelector(".what") ?? row).append(line);
}
