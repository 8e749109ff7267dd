// Draws the charts of a page with Chart.js, from the JSON beside each, in the colours of tokens.css; its table folds away.

const DASHES = [[], [6, 3], [2, 3], [8, 3, 2, 3], [1, 2]];
const POINTS = ["circle", "triangle", "rect", "rectRot", "crossRot"];
const MOST_POINTS = 45; // of a line with marks; above it they would touch
const drawn = new Map(); // figure -> its chart

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

// Bars are told apart by more than their colour: full, hatched one way, hatched the other, dotted, framed.
function fill(tone, number) {
  if (number === 0) return tone;
  const tile = Object.assign(document.createElement("canvas"), { width: 8, height: 8 });
  const brush = tile.getContext("2d");
  brush.globalAlpha = 0.3;
  brush.fillStyle = brush.strokeStyle = tone;
  brush.fillRect(0, 0, 8, 8);
  brush.globalAlpha = 1;
  brush.lineWidth = 2;
  const strokes = [null, [[-2, 10, 10, -2], [-2, 2, 2, -2], [6, 10, 10, 6]], [[-2, -2, 10, 10], [-2, 6, 2, 10], [6, -2, 10, 2]]];
  for (const [fromX, fromY, toX, toY] of strokes[number] ?? []) {
    brush.beginPath();
    brush.moveTo(fromX, fromY);
    brush.lineTo(toX, toY);
    brush.stroke();
  }
  if (number === 3) brush.fillRect(2, 2, 3, 3);
  return brush.createPattern(tile, "repeat");
}

function dataset(series, number, data) {
  const tone = colour(series.tone);
  const common = { label: series.name, data: series.values, borderColor: tone };
  if (data.form !== "line") return { ...common, backgroundColor: fill(tone, number), borderWidth: 1, maxBarThickness: 28 };
  const marked = data.labels.length <= MOST_POINTS;
  return {
    ...common, backgroundColor: tone, borderWidth: 2, borderDash: DASHES[number % DASHES.length], tension: 0.2, spanGaps: true,
    pointStyle: POINTS[number % POINTS.length], pointRadius: marked ? 3 : 0, pointHoverRadius: 5, pointHitRadius: 12,
  };
}

function options(data) {
  const ink = colour("ink-2");
  const grid = colour("line");
  const stacked = data.form === "stack";
  const ticks = { color: ink, font: { size: 11 } };
  const locale = document.documentElement.lang || undefined;
  return {
    animation: false, responsive: true, maintainAspectRatio: false, locale,
    interaction: { mode: "index", intersect: false },
    scales: {
      x: { stacked, grid: { display: false }, border: { color: grid }, ticks: { ...ticks, maxRotation: 0, autoSkipPadding: 16 } },
      y: {
        stacked, beginAtZero: true, max: data.most ?? undefined, grid: { color: grid }, border: { display: false },
        ticks: { ...ticks, precision: 0, maxTicksLimit: 6 },
        title: { display: Boolean(data.unit), text: data.unit, color: ink, font: { size: 11 } },
      },
    },
    plugins: {
      legend: {
        display: data.series.length > 1, position: "bottom", align: "start",
        labels: { color: ink, usePointStyle: data.form === "line", boxWidth: 16, boxHeight: 8, padding: 12, font: { size: 12 } },
      },
    },
  };
}

function draw(figure) {
  const json = figure.querySelector('script[type="application/json"]');
  if (!json || !window.Chart) return;
  const data = JSON.parse(json.textContent);
  const plot = figure.querySelector(".plot");
  const datasets = data.series.map((series, number) => dataset(series, number, data));
  drawn.get(figure)?.destroy();
  if (plot.hidden) figure.querySelector("details.numbers").open = false;
  plot.hidden = false;
  const type = data.form === "line" ? "line" : "bar";
  const config = { type, data: { labels: data.labels, datasets }, options: options(data) };
  drawn.set(figure, new Chart(plot.querySelector("canvas"), config));
}

function drawAll() {
  for (const figure of drawn.keys()) {
    if (figure.isConnected) continue;
    drawn.get(figure).destroy();
    drawn.delete(figure);
  }
  for (const figure of document.querySelectorAll("[data-chart]")) draw(figure);
}

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
new MutationObserver(drawAll).observe(document.documentElement, { attributeFilter: ["data-theme"] });
document.addEventListener("htmx:afterSettle", drawAll);
drawAll();
