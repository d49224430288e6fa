
"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const list = byId("list"), search = byId("search"), state = byId("state"), sort = byId("sort");
  const rows = Array.from(list.children, (li, at) => ({
    li, at,
    name: li.firstElementChild.textContent,
    folded: li.firstElementChild.textContent.toLowerCase(),
    is: li.dataset.is.split(" "),
    flip: Number(li.dataset.flip),
    ms: Number(li.dataset.ms),
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
  const runs = JSON.parse(byId("runs").textContent), tip = byId("tip");
  const says = { "-": "did not run", s: "skipped", p: "passed", h: "healed", x: "flaky", f: "failed" };
  const cellAt = (cells, at) => {
    for (const [, n, code] of cells.matchAll(/(\d+)([a-z-])/g)) {
      if (at < Number(n)) return code;
      at -= Number(n);
    }
    return "-";
  };
  document.addEventListener("pointermove", (e) => {
    const strip = e.target.closest && e.target.closest("svg.strip");
    tip.hidden = !strip || !runs.length;
    if (tip.hidden) return;
    const box = strip.getBoundingClientRect();
    const at = Math.max(0, Math.min(runs.length - 1, Math.floor(((e.clientX - box.left) / box.width) * runs.length)));
    const run = runs[at];
    tip.textContent = [says[cellAt(strip.dataset.cells, at)], run.when, run.branch, run.commit].filter(Boolean).join(" · ");
  });
})();
