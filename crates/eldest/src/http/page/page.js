"use strict";
// Draws the coordinator from its snapshots. Everything that comes from outside is set as text.

const SVG = "http://www.w3.org/2000/svg";
const $ = (id) => document.getElementById(id);
const whole = new Intl.NumberFormat("en");
const short = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 4 });
let current = null;

function element(name, attributes = {}, text) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

function shape(name, attributes = {}, text) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

// Replaces the rows of a table. A cell is a text, a number (to the right) or an element.
function fill(table, rows, empty) {
  const body = $(table).tBodies[0];
  const made = rows.map(({ kind, cells }) => {
    const row = element("tr", kind ? { class: kind } : {});
    for (const cell of cells) {
      const number = typeof cell === "number";
      const place = element("td", number ? { class: "number" } : {});
      if (cell instanceof Node) place.append(cell);
      else place.textContent = number ? whole.format(cell) : cell ?? "–";
      row.append(place);
    }
    return row;
  });
  if (made.length === 0) {
    const columns = $(table).tHead.rows[0].cells.length;
    const row = element("tr");
    row.append(element("td", { colspan: columns }, empty));
    made.push(row);
  }
  body.replaceChildren(...made);
}

const clip = (text, length) => (text.length > length ? text.slice(0, length - 1) + "…" : text);
// A value as it is said: = 3, ≥ 3 or ≤ 3.
const said = (value) => (value.startsWith(">=") ? ` ≥ ${value.slice(2)}` : value.startsWith("<=") ? ` ≤ ${value.slice(2)}` : ` = ${value}`);
const seconds = (value) => (value < 10 ? value.toFixed(2) : value.toFixed(1));

function showSearch(snapshot) {
  const search = snapshot.search;
  $("abort").hidden = !search;
  current = search ? search.search : null;
  $("problem").textContent = search ? `${search.game} ${search.position}` : "nothing is being searched";
  const numbers = search
    ? [
        ["depth", search.depth ?? "–"],
        ["seconds", seconds(search.seconds)],
        ["nodes", short.format(search.nodes)],
        ["nodes/s", short.format(search.nodes_per_second)],
        ["busy slots", `${search.busy_slots} of ${search.slots}`],
        ["load so far", search.load === null ? "–" : `${(100 * search.load).toFixed(1)} %`],
        ["jobs", whole.format(search.jobs)],
        ["waiting brothers", whole.format(search.waiting_brothers)],
        ["windows pushed", whole.format(search.windows_pushed)],
        ["… that cut off", whole.format(search.windows_cut)],
        ["discarded nodes", short.format(search.discarded_nodes)],
      ]
    : [];
  $("numbers").replaceChildren(
    ...numbers.map(([name, value]) => {
      const pair = element("div");
      pair.append(element("dt", {}, name), element("dd", {}, value));
      return pair;
    }),
  );
  const busy = search && search.slots > 0 ? search.busy_slots / search.slots : 0;
  $("busy").firstElementChild.style.width = `${100 * busy}%`;
  $("busy").setAttribute("aria-label", `${Math.round(100 * busy)} % of the slots are busy`);
}

function showSpeed(rates) {
  const [width, height, left] = [600, 120, 60];
  const last = rates.length > 0 ? Math.max(rates.at(-1).seconds, 1) : 1;
  const first = rates.length > 0 ? Math.max(rates[0].seconds - 0.5, 0) : 0;
  const most = Math.max(1, ...rates.map((rate) => rate.nodes_per_second));
  const slots = Math.max(1, ...rates.map((rate) => rate.busy_slots));
  const x = (at) => left + ((at - first) / (last - first)) * (width - left - 8);
  const y = (share) => height - share * (height - 14);
  const path = (of) => rates.map((rate, i) => `${i ? "L" : "M"}${x(rate.seconds).toFixed(1)} ${y(of(rate)).toFixed(1)}`).join("");
  const made = [
    shape("line", { x1: left, y1: height, x2: width - 8, y2: height }),
    shape("text", { x: left - 6, y: 18, "text-anchor": "end" }, short.format(most)),
    shape("text", { x: left - 6, y: height, "text-anchor": "end" }, "0"),
    shape("text", { x: width - 8, y: height + 16, "text-anchor": "end" }, `${seconds(last)} s`),
    shape("text", { x: left, y: height + 16 }, `${seconds(first)} s`),
  ];
  if (rates.length > 1) {
    const line = path((rate) => rate.busy_slots / slots);
    const ends = `L${x(last).toFixed(1)} ${height}L${x(rates[0].seconds).toFixed(1)} ${height}Z`;
    made.push(shape("path", { class: "area", d: line + ends }));
    made.push(shape("path", { class: "line", d: path((rate) => rate.nodes_per_second / most) }));
  }
  $("speed").replaceChildren(...made);
}

// Parents stand to the left of their children, which share their height.
function showTree(nodes) {
  const [column, row] = [150, 18];
  const root = { children: [], node: null };
  const stack = [root];
  for (const node of nodes) {
    while (stack.length > node.ply + 1) stack.pop();
    const made = { node, children: [] };
    stack.at(-1).children.push(made);
    stack.push(made);
  }
  let plies = 0;
  const shapes = [];
  const place = (part, top) => {
    let bottom = top;
    for (const child of part.children) bottom = place(child, bottom);
    bottom = Math.max(bottom, top + row);
    const { node } = part;
    plies = Math.max(plies, node.ply + 1);
    const group = shape("g", { class: node.state });
    const name = node.path.split(" ").at(-1) || "root";
    const value = node.value ? said(node.value) : "";
    const title = `${node.path || "root"}: ${node.state}${value}, ${whole.format(node.nodes)} nodes`;
    group.append(
      shape("title", {}, title),
      shape("rect", { x: node.ply * column, y: top, width: column, height: bottom - top }),
      shape("text", { x: node.ply * column + 5, y: top + 13 }, clip(`${name}${value}  ${node.nodes ? short.format(node.nodes) : ""}`, 24)),
    );
    shapes.push(group);
    return bottom;
  };
  let height = 0;
  for (const child of root.children) height = place(child, height);
  const tree = $("tree");
  tree.setAttribute("width", plies * column || 1);
  tree.setAttribute("height", height || 1);
  tree.replaceChildren(...shapes);
}

function showTables(snapshot) {
  const { updates, workers, jobs, finished } = snapshot;
  const names = new Map(workers.map((worker) => [worker.worker, worker.name]));
  const worker = (id) => `w${id} ${names.get(id) ?? ""}`;
  $("pushed").textContent = `${whole.format(snapshot.updates_pushed)} since the start`;
  fill("updates", updates.map((u) => ({
    kind: u.effect.replace(" ", "-"),
    cells: [u.number, u.at_seconds.toFixed(3), `j${u.cause}`, u.raised_by === "" ? "root" : u.raised_by, u.old, u.new,
      `j${u.job}`, worker(u.worker), u.round_trip_ms?.toFixed(2), u.effect, u.saved_nodes],
  })), "no window was narrowed yet");
  fill("workers", workers.map((w) => ({ cells: [worker(w.worker), w.slots, w.jobs, w.ended_jobs, w.nodes] })), "no worker has joined yet");
  fill("jobs", jobs.map((j) => ({
    cells: [`j${j.job}`, worker(j.worker), clip(j.path || "root", 40), j.kind, j.window, seconds(j.seconds), j.nodes],
  })), "no job is at work");
  fill("finished", finished.map((f) => {
    const percent = (share) => `${(100 * share).toFixed(1)} %`;
    return {
      cells: [`s${f.search}`, clip(`${f.game} ${f.position}`, 60), f.outcome === "solved" ? f.value : f.outcome, f.seconds.toFixed(3), f.nodes, f.slots,
        f.terms?.speed_up.toFixed(2), f.terms && percent(f.terms.search_overhead), useBar(f), `${whole.format(f.windows_pushed)} (${whole.format(f.windows_cut)})`],
    };
  }), "no search has finished yet");
}

// What the processors' time of a finished search went into. Without a sequential search to compare with, all
// that is known of overhead is what was discarded.
function useBar({ slots, seconds, busy_seconds, nodes, discarded_nodes, terms }) {
  const time = slots * seconds;
  const load = terms?.load ?? (time > 0 ? Math.min(1, busy_seconds / time) : 0);
  const parts = terms
    ? [
        ["useful", (load * terms.performance) / (1 + terms.search_overhead)],
        ["overhead", (load * terms.performance * terms.search_overhead) / (1 + terms.search_overhead)],
        ["slower", load * (1 - terms.performance)],
      ]
    : [
        ["useful", load * (1 - Math.min(1, discarded_nodes / Math.max(1, nodes)))],
        ["overhead", load * Math.min(1, discarded_nodes / Math.max(1, nodes))],
      ];
  const text = [...parts, ["idle", 1 - load]].map(([name, share]) => `${name} ${Math.round(100 * share)} %`).join(", ");
  const bar = element("div", { class: "bar", role: "img", "aria-label": text, title: text });
  for (const [name, share] of parts) {
    const made = element("span", { class: `part-${name}` });
    made.style.width = `${100 * Math.max(0, share)}%`;
    bar.append(made);
  }
  return bar;
}

// Speed-up of finished searches against slots, with the line of a perfect one.
function showSpeedUps(finished) {
  const known = finished.filter((search) => search.terms);
  $("speed-ups").parentElement.hidden = known.length === 0;
  const [width, height, left] = [600, 220, 40];
  const most = Math.max(2, ...known.map(({ slots, terms }) => Math.max(slots, terms.speed_up)));
  const x = (slots) => left + (slots / most) * (width - left - 12);
  const y = (speed) => height - (speed / most) * (height - 12);
  const made = [
    shape("line", { x1: x(0), y1: y(0), x2: x(most), y2: y(0) }),
    shape("line", { x1: x(0), y1: y(0), x2: x(0), y2: y(most) }),
    shape("line", { x1: x(0), y1: y(0), x2: x(most), y2: y(most), "stroke-dasharray": "4 4" }),
    shape("text", { x: left - 6, y: y(most) + 10, "text-anchor": "end" }, most.toFixed(1)),
    shape("text", { x: x(most), y: height + 16, "text-anchor": "end" }, `${most.toFixed(1)} slots`),
  ];
  for (const { search, slots, terms } of known) {
    const dot = shape("circle", { cx: x(slots), cy: y(terms.speed_up), r: 5 });
    dot.append(shape("title", {}, `s${search}: ${terms.speed_up.toFixed(2)} with ${slots} slots`));
    made.push(dot);
  }
  $("speed-ups").replaceChildren(...made);
}

function show(snapshot) {
  const slots = snapshot.workers.reduce((sum, worker) => sum + worker.slots, 0);
  $("status").className = "";
  $("status").textContent = `${snapshot.workers.length} workers, ${slots} slots; ${snapshot.search ? "searching" : "idle"}`;
  showSearch(snapshot);
  showSpeed(snapshot.rates);
  showTree(snapshot.tree);
  showTables(snapshot);
  showSpeedUps(snapshot.finished);
}

async function complain(response) {
  const answer = await response.json().catch(() => ({}));
  $("complaint").textContent = answer.error ?? `the coordinator answered ${response.status}`;
}

$("new").addEventListener("submit", async (event) => {
  event.preventDefault();
  $("complaint").textContent = "";
  const wanted = Object.fromEntries(new FormData(event.target));
  const headers = { "content-type": "application/json" };
  const response = await fetch("api/searches", { method: "POST", headers, body: JSON.stringify(wanted) });
  if (!response.ok) await complain(response);
});

$("abort").addEventListener("click", async () => {
  if (current === null) return;
  const response = await fetch(`api/searches/${current}`, { method: "DELETE" });
  if (!response.ok) await complain(response);
});

fetch("api/games").then((response) => response.json()).then(({ games, trace }) => {
  $("games").replaceChildren(...games.map((game) => element("option", { value: game })));
  $("trace").hidden = !trace;
});

const events = new EventSource("api/events");
events.onmessage = (event) => show(JSON.parse(event.data));
events.onerror = () => {
  $("status").className = "lost";
  $("status").textContent = "the coordinator does not answer; trying again…";
};
