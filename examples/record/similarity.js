// How alike two fingerprints are: a ratio in [0,1]. A small scorer for this
// example only; signals that neither side has do not count.

const weights = { tag: 0.15, text: 0.2, context: 0.25, attributes: 0.25, class: 0.05, path: 0.05, siblings: 0.05 };

export function similarity(a, b) {
  const signals = {
    tag: Number(a.tag === b.tag),
    text: textual(a.text, b.text),
    context: textual([a.label, ...a.neighbours].join(" ").trim(), [b.label, ...b.neighbours].join(" ").trim()),
    attributes: jaccard(pairs(a), pairs(b)),
    class: jaccard(classes(a), classes(b)),
    path: jaccard(a.dom_path, b.dom_path),
    siblings: jaccard(a.siblings, b.siblings),
  };
  let sum = 0;
  let total = 0;
  for (const [name, value] of Object.entries(signals)) {
    if (value === undefined) continue;
    sum += weights[name] * value;
    total += weights[name];
  }
  return sum / total;
}

const pairs = (f) => f.attributes.filter(([name]) => name !== "class").map((pair) => pair.join("="));
const classes = (f) => (f.attributes.find(([name]) => name === "class")?.[1] ?? "").split(" ").filter(Boolean);

function jaccard(a, b) {
  const union = new Set([...a, ...b]);
  if (union.size === 0) return undefined;
  return [...union].filter((x) => a.includes(x) && b.includes(x)).length / union.size;
}

function textual(a, b) {
  if (!a && !b) return undefined;
  return 1 - distance(a, b) / Math.max(a.length, b.length);
}

function distance(a, b) {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + Number(a[i - 1] !== b[j - 1]));
    }
    row = next;
  }
  return row[b.length];
}
