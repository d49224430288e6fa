// A selector engine for Playwright that reads the page. It takes two questions, as JSON:
// [n] notes an element that was found for question n and finds nothing itself, and
// [n, testAttribute, whole, frames] finds one new element that is in no document. What it says
// is the engine's name and a line with, for whole, the page, else the page with the only
// element that was noted for n; nothing more when that was not one. For a list of numbers the
// page's first line says as targets which element was the only one for each, null for none.
// It also says which document it is of, by a name that no other has, and for frames how many
// other documents of the page follow, each with two lines: none where one may not be looked into.
(() => {
  const collect = COLLECT;
  const thisDocument = Math.random().toString(36).slice(2) + Math.random().toString(36).slice(2);
  const noted = new Map(); // what was found since the last answer: by n the only element, null for several
  const readOthers = (testAttribute) => {
    const texts = [];
    const visit = (view) => {
      if (view !== window) texts.push(collect(testAttribute, null, view.document).text);
      for (let i = 0; i < view.length; i++) visit(view[i]);
    };
    try {
      visit(top);
    } catch {
      return []; // one is of another site
    }
    return texts;
  };
  const read = (testAttribute, found, frames) => {
    const others = frames ? readOthers(testAttribute) : [];
    const { nodes, text } = collect(testAttribute, found[0]);
    const targets = found.map((element) => String(element ? nodes.indexOf(element) : null));
    const about = '{"document":"' + thisDocument + '",' + (frames ? '"frames":' + others.length + "," : "") + (found.length > 1 ? '"targets":[' + targets + "]," : "");
    return [about + text.slice(1), ...others].join("\n");
  };
  const queryAll = (root, body) => {
    const [n, testAttribute, whole, frames] = JSON.parse(body);
    if (testAttribute === undefined) {
      noted.set(n, noted.has(n) ? null : root);
      return [];
    }
    const found = [n].flat().map((number) => noted.get(number) || null);
    noted.clear();
    const answer = document.createElement("p");
    answer.textContent = NAME + "\n" + (whole || found.some(Boolean) ? read(testAttribute, found, frames) : "");
    return [answer];
  };
  return { queryAll, query: (root, body) => queryAll(root, body)[0] };
})()
