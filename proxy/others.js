(found, use) => {
  // Returns the CSS paths of elements that are like the first one found and no part of it,
  // the likest first, as JSON.
  const most = 3;
  const target = found[0];
  if (!target) return "[]";

  const kindOf = (e) => {
    const role = e.getAttribute("role");
    if (e.localName === "input") {
      if (["checkbox", "radio"].includes(e.type)) return "check";
      if (["button", "submit", "reset", "image"].includes(e.type)) return "press";
      return ["file", "range", "color"].includes(e.type) ? e.type : "text";
    }
    if (e.localName === "textarea" || e.isContentEditable) return "text";
    if (e.localName === "select") return "select";
    if (["checkbox", "radio", "switch"].includes(role)) return "check";
    if (["button", "summary"].includes(e.localName) || e.localName === "a" && e.hasAttribute("href")) return "press";
    if (["button", "link", "tab", "menuitem", "option"].includes(role)) return "press";
    return e.localName;
  };
  const isShown = (e) => {
    const box = e.getBoundingClientRect();
    return box.width > 0 && box.height > 0 && getComputedStyle(e).visibility === "visible";
  };
  const labelled = (e) => e.closest("label")?.control;
  // A label does what its control does, and a link what another to the same address does.
  const doesTheSame = (e) =>
    e.contains(target) || target.contains(e) || labelled(e) === target || labelled(target) === e ||
    labelled(e) && labelled(e) === labelled(target) || e.localName === "a" && target.localName === "a" && e.href === target.href;

  const all = [];
  const collect = (root) => {
    for (const e of root.querySelectorAll("*")) {
      all.push(e);
      if (e.shadowRoot) collect(e.shadowRoot);
    }
  };
  collect(target.ownerDocument);
  const kind = kindOf(target);
  const own = all.indexOf(target);
  const likeness = (e) =>
    4 * (e.localName === target.localName) + 2 * (e.type === target.type) + 2 * (e.getAttribute("role") === target.getAttribute("role")) +
    2 * (e.parentElement === target.parentElement) + 3 * (e.className === target.className);
  const candidates = all
    .map((element, index) => ({ element, distance: Math.abs(index - own) }))
    .filter(({ element: e }) => e !== target && kindOf(e) === kind && isShown(e) && !doesTheSame(e) && (use === "read" || !e.disabled && !e.readOnly))
    .sort((a, b) => likeness(b.element) - likeness(a.element) || a.distance - b.distance);

  const pathOf = (element) => {
    let path = "";
    while (element && element.localName !== "html") {
      let n = 1;
      for (let left = element.previousElementSibling; left; left = left.previousElementSibling) n += left.localName === element.localName;
      const above = element.parentNode, shadow = above instanceof ShadowRoot;
      path = CSS.escape(element.localName) + ":nth-of-type(" + n + ")" + path;
      element = shadow ? above.host : element.parentElement;
      if (element && element.localName !== "html") path = (shadow ? " " : " > ") + path;
    }
    return path;
  };
  return JSON.stringify(candidates.slice(0, most).map((c) => pathOf(c.element)));
}
