// A selector engine for Playwright that reads the page. It takes two questions, as JSON:
// [n] notes an element that was found for question n and finds nothing itself, and
// [n, testAttribute, whole, frames] finds one new element that is in no document. What it says
// is the engine's name and a line with, for whole, the page, else the page with the only
// element that was noted for n; nothing more when that was not one. The page's first line
// says which document it is of, by a name that no other has, and for frames how many other
// documents of the page follow, each with two lines: none where one may not be looked into.
(() => {
  const collect = COLLECT;
  const thisDocument = Math.random().toString(36).slice(2) + Math.random().toString(36).slice(2);
  let question = 0, count = 0, target = null;
  const turnTo = (n) => {
    if (n !== question) [question, count, target] = [n, 0, null];
  };
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
    const about = '{"document":"' + thisDocument + '",' + (frames ? '"frames":' + others.length + "," : "");
    return [about + collect(testAttribute, found).text.slice(1), ...others].join("\n");
  };
  const queryAll = (root, body) => {
    const [n, testAttribute, whole, frames] = JSON.parse(body);
    turnTo(n);
    if (testAttribute === undefined) {
      count++;
      target = root;
      return [];
    }
    const found = count === 1 && target;
    turnTo(0);
    const answer = document.createElement("p");
    answer.textContent = NAME + "\n" + (whole || found ? read(testAttribute, found || null, frames) : "");
    return [answer];
  };
  return { queryAll, query: (root, body) => queryAll(root, body)[0] };
})()
