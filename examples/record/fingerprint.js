// Runs in the page: the fingerprints of elements, in breadcrumb.heal/v1 form.

/** The fingerprint of one element; bbox in CSS pixels. */
export function describe(element) {
  const text = (s) => (s ?? "").trim().toLowerCase().replace(/\s+/g, " ").slice(0, 200);
  const path = [];
  for (let e = element; e; e = e.parentElement) path.unshift(e.tagName.toLowerCase());
  const box = element.getBoundingClientRect();
  const row = element.closest("tr");
  return {
    tag: element.tagName.toLowerCase(),
    text: text(element.innerText),
    attributes: [...element.attributes].map((a) => [a.name, a.value]).sort(),
    dom_path: path,
    siblings: [...element.parentElement.children].filter((e) => e !== element).map((e) => e.tagName.toLowerCase()),
    bbox: { x: box.x, y: box.y, width: box.width, height: box.height },
    label: text(element.labels?.[0]?.innerText),
    neighbours: row ? [...row.cells].map((c) => text(c.innerText)).filter(Boolean) : [],
  };
}

/** The fingerprints of the page's visible elements that someone could act on. */
export function describeAll(describeSource) {
  const describe = new Function(`return ${describeSource}`)();
  return [...document.body.querySelectorAll("*")]
    .filter((e) => !["SCRIPT", "STYLE"].includes(e.tagName) && e.checkVisibility())
    .map(describe);
}
