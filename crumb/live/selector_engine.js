// A selector engine for Playwright that reads the page. It takes two questions, as JSON:
// [n] notes an element that was found for question n and finds nothing itself, and
// [n, testAttribute, whole] finds one new element that is in no document. What it says is
// the engine's name and a line with, for whole, the page, else the page with the only
// element that was noted for n; nothing more when that was not one.
(() => {
  const collect = COLLECT;
  let question = 0, count = 0, target = null;
  const turnTo = (n) => {
    if (n !== question) [question, count, target] = [n, 0, null];
  };
  const queryAll = (root, body) => {
    const [n, testAttribute, whole] = JSON.parse(body);
    turnTo(n);
    if (testAttribute === undefined) {
      count++;
      target = root;
      return [];
    }
    const found = count === 1 && target;
    turnTo(0);
    const answer = document.createElement("p");
    answer.textContent = NAME + "\n" + (whole || found ? collect(testAttribute, found || null).text : "");
    return [answer];
  };
  return { queryAll, query: (root, body) => queryAll(root, body)[0] };
})()
