
"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const list = byId("list"), search = byId("search"), state = byId("state"), sort = byId("sort");
  const rows = Array.from(list.children, (li, at) => ({
    li, at,
    name: li.firstElementChild.textContent,
    folded: (li.firstElementChild.textContent + " " + (li.dataset.owner || "")).toLowerCase(),
    is: li.dataset.is.split(" "),
    flip: Number(li.dataset.flip || 0),
    ms: Number(li.dataset.ms || 0),
  }));

  const show = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let found = 0;
    for (const r of rows) {
      const fits = (!state.value || r.is.includes(state.value)) && words.every((w) => r.folded.includes(w));
      r.li.hidden = !fits;
      if (fits) found++;
    }
    byId("found").textContent = found === rows.length ? "" : found + " of " + rows.length;
  };

  const orders = {
    rank: (a, b) => a.at - b.at,
    flip: (a, b) => b.flip - a.flip || a.at - b.at,
    ms: (a, b) => b.ms - a.ms || a.at - b.at,
    name: (a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0),
  };
  const order = () => list.append(...rows.slice().sort(orders[sort.value]).map((r) => r.li));

  byId("controls").hidden = false;
  byId("controls").addEventListener("submit", (e) => e.preventDefault());
  search.addEventListener("input", show);
  state.addEventListener("change", show);
  sort.addEventListener("change", order);
  document.addEventListener("keydown", (e) => {
    if (e.key === "/" && !e.target.matches("input, select")) {
      e.preventDefault();
      search.focus();
    }
  });

  // What a column of a strip stands for.
  const runs = JSON.parse(byId("runs").textContent), errors = JSON.parse(byId("errors").textContent) || [], tip = byId("tip");
  const says = { "-": "did not run", s: "skipped", p: "passed", h: "healed", x: "flaky", f: "failed" };
  const cellAt = (cells, at) => {
    for (const [, n, code] of cells.matchAll(/(\d+)([a-z-])/g)) {
      if (at < Number(n)) return code;
      at -= Number(n);
    }
    return "-";
  };

  // The strips of tests that are green now are many, and drawn a few at a time.
  const shapes = { p: ["pass", 5], s: ["skip", 8], h: ["heal", 4], x: ["flip", 2], f: ["fail", 0] };
  const svg = (name, attributes) => {
    const e = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
    return e;
  };
  const element = (name, text) => {
    const e = document.createElement(name);
    e.append(text);
    return e;
  };
  // The runs of a test that were not green are listed when they are asked for, by error.
  const maxBadRuns = 8;
  const errorsOf = (failed) => {
    const all = [];
    for (const [, number, often] of (failed || "").matchAll(/(\d+|-)x(\d+)/g)) {
      for (let n = 0; n < Number(often); n++) all.push(errors[number] || "");
    }
    return all;
  };
  const itemOf = (run, code) => {
    const item = element("li", run.when + " " + says[code]);
    if (run.commit) item.append(" at ", element("code", run.commit));
    if (run.url) {
      const link = element("a", "run");
      link.href = run.url;
      item.append(" ", link);
    }
    return item;
  };
  const runsOf = (li, cells) => {
    const details = element("details", ""), summary = element("summary", "Runs that were not green"), of = element("span", " of " + li.firstElementChild.textContent);
    of.className = "of";
    summary.append(of);
    details.append(summary);
    details.addEventListener("toggle", () => {
      const failed = errorsOf(li.dataset.failed), groups = new Map();
      let listed = 0, more = 0;
      for (let at = runs.length - 1; at >= 0; at--) {
        const code = cellAt(cells, at);
        if (!"fxh".includes(code)) continue;
        const error = failed[listed + more] || (code === "h" ? "passed with a healed locator" : "no error is recorded"), group = groups.get(error) || { often: 0, list: element("ol", "") };
        group.often++;
        if (listed === maxBadRuns) {
          more++;
          continue;
        }
        groups.set(error, group);
        group.list.append(itemOf(runs[at], code));
        listed++;
      }
      for (const [error, group] of groups) {
        const said = element("p", error + " ");
        said.className = "error";
        said.append(element("small", "in " + (group.often === 1 ? "1 run" : group.often + " runs")));
        details.append(said, group.list);
      }
      if (more) {
        const rest = element("p", "and " + more + " more, in the strip above");
        rest.className = "key";
        details.append(rest);
      }
    }, { once: true });
    return details;
  };
  const columns = (n) => Math.max(20, n); // with few runs the older ones, on the left, are empty
  const drawStrip = (li) => {
    const cells = li.dataset.cells, paths = {}, count = {};
    let at = 0;
    for (const [, digits, code] of cells.matchAll(/(\d+)([a-z-])/g)) {
      const n = Number(digits);
      count[code] = (count[code] || 0) + n;
      if (shapes[code]) paths[code] = (paths[code] || "") + `M${at} ${shapes[code][1]}h${n}V10h-${n}z`;
      at += n;
    }
    const ran = at - (count["-"] || 0);
    const label = (ran === 1 ? "1 run" : ran + " runs") + Object.keys(shapes).reverse().filter((c) => count[c]).map((c, i) => (i ? ", " : ": ") + count[c] + " " + says[c]).join("");
    const strip = svg("svg", { class: "strip", role: "img", "aria-label": label, "data-cells": cells, viewBox: `${at - columns(at)} 0 ${columns(at)} 10`, preserveAspectRatio: "none" });
    for (const code of Object.keys(shapes)) if (paths[code]) strip.append(svg("path", { class: shapes[code][0], d: paths[code] }));
    li.children[1].after(strip);
    if (count.f || count.x || count.h) li.append(runsOf(li, cells));
  };
  const plain = rows.filter((r) => r.li.dataset.cells);
  const drawSome = (n) => {
    for (const r of plain.splice(0, n)) drawStrip(r.li);
    if (plain.length) setTimeout(drawSome, 0, 200);
  };
  drawSome(50);
  addEventListener("beforeprint", () => drawSome(plain.length));

  document.addEventListener("pointermove", (e) => {
    const strip = e.target.closest && e.target.closest("svg.strip");
    tip.hidden = !strip || !runs.length;
    if (tip.hidden) return;
    const box = strip.getBoundingClientRect();
    const room = columns(runs.length);
    const at = Math.min(runs.length - 1, Math.floor(((e.clientX - box.left) / box.width) * room) - room + runs.length);
    const run = runs[at];
    tip.hidden = !run;
    if (tip.hidden) return;
    tip.textContent = [says[cellAt(strip.dataset.cells, at)], run.when, run.branch, run.commit].filter(Boolean).join(" · ");
  });
})();
