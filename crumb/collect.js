// Runs in the page and returns its elements, and a text of two lines: what was
// looked at, and the elements as engine.ReadElements takes them. Derived signals
// only: markup, styles and what people typed stay in the page.
(testAttribute, target) => {
  const maxElements = 20000, maxDepth = 400, maxText = 300, maxValue = 300, maxAttributes = 48;
  const skipped = new Set(["head", "script", "style", "template", "noscript", "meta", "link", "title", "base"]);
  const inline = new Set(["a", "abbr", "b", "bdi", "bdo", "cite", "code", "em", "font", "i", "kbd", "mark", "q", "s", "small", "span", "strong", "sub", "sup", "u", "var"]);
  const roles = {
    button: "button", select: "combobox", textarea: "textbox", option: "option", summary: "button",
    h1: "heading", h2: "heading", h3: "heading", h4: "heading", h5: "heading", h6: "heading",
    nav: "navigation", main: "main", header: "banner", footer: "contentinfo", aside: "complementary", form: "form",
    ul: "list", ol: "list", li: "listitem", table: "table", tr: "row", td: "cell", th: "columnheader", thead: "rowgroup", tbody: "rowgroup",
    img: "image", p: "paragraph", hr: "separator", dialog: "dialog", progress: "progressbar", article: "article", fieldset: "group",
    label: "LabelText", code: "code", strong: "strong", em: "emphasis", blockquote: "blockquote",
  };
  const inputRoles = {
    button: "button", submit: "button", reset: "button", image: "button", file: "button", checkbox: "checkbox",
    radio: "radio", range: "slider", number: "spinbutton", search: "searchbox", hidden: "",
  };
  const namedByContent = new Set(["button", "link", "heading", "option", "tab", "menuitem", "checkbox", "radio", "switch", "cell",
    "columnheader", "rowheader", "treeitem", "tooltip"]);
  const labelled = new Set(["input", "select", "textarea", "button", "meter", "progress", "output"]);
  const valued = new Set(["button", "option", "li", "data", "meter", "progress"]);
  const buttons = new Set(["button", "submit", "reset", "image", "checkbox", "radio"]);
  const urls = new Set(["href", "src", "action", "formaction", "poster", "cite", "xlink:href"]);
  const secretName = /token|csrf|xsrf|nonce|secret|passw|session|signature|api-?key|value/i;

  const passwords = [];
  for (const field of document.querySelectorAll("input[type=password]")) {
    if (field.value.length > 3) passwords.push(field.value);
  }
  const quote = JSON.stringify; // of strings only, which no toJSON of the page can change
  const clean = (text) => {
    for (const password of passwords) text = text.split(password).join("");
    return text;
  };
  const tidy = (text) => clean(text.length > 4 * maxText ? text.slice(0, 4 * maxText) : text).replace(/\s+/g, " ").trim().slice(0, maxText);

  // value returns what may be kept of an attribute, null for nothing.
  const value = (element, tag, name, raw) => {
    if (name === "style" || name === "srcdoc" || name === "integrity" || name.startsWith("on")) return null;
    if (name === "value") {
      const type = (element.getAttribute("type") || "").toLowerCase();
      if (!(valued.has(tag) || tag === "input" && buttons.has(type))) return null;
    } else if (secretName.test(name) && name !== testAttribute) {
      return null;
    }
    if (urls.has(name)) {
      if (/^\s*(data|blob|javascript):/i.test(raw)) return raw.trim().split(":")[0] + ":";
      raw = raw.replace(/^([a-z]+:\/\/)[^/?#]*@/i, "$1").replace(/\?[^#]*/, (query) => query.replace(/=[^&;]*/g, "="));
    }
    return clean(raw.length > maxValue ? raw.slice(0, maxValue) : raw);
  };
  const attributesOf = (element, tag) => {
    const pairs = [];
    for (const attribute of element.attributes) {
      if (pairs.length === maxAttributes) break;
      if (attribute.name.length > 100) continue;
      const kept = value(element, tag, attribute.name, attribute.value);
      if (kept !== null) pairs.push("[" + quote(attribute.name) + "," + quote(kept) + "]");
    }
    return "[" + pairs.join(",") + "]";
  };

  const roleOf = (element, tag) => {
    const explicit = (element.getAttribute("role") || "").trim().split(/\s+/)[0];
    if (explicit) return explicit;
    if (tag === "a" || tag === "area") return element.hasAttribute("href") ? "link" : "generic";
    if (tag === "input") return inputRoles[(element.getAttribute("type") || "").toLowerCase()] ?? "textbox";
    return Object.hasOwn(roles, tag) ? roles[tag] : "";
  };
  const labelOf = (element, tag) => {
    if (!labelled.has(tag)) return "";
    const label = element.labels && element.labels[0];
    if (!label) return "";
    let text = ""; // without what is typed into a control inside
    const gather = (node) => {
      if (node.nodeType === Node.TEXT_NODE) text += node.data;
      else if (node.nodeType === Node.ELEMENT_NODE && !labelled.has(node.localName)) node.childNodes.forEach(gather);
    };
    gather(label);
    return tidy(text);
  };
  const nameOf = (element, tag, role, label, text) => {
    const ids = (element.getAttribute("aria-labelledby") || "").split(/\s+/).filter(Boolean).slice(0, 8);
    if (ids.length > 0) {
      const root = element.getRootNode();
      const parts = ids.map((id) => root.getElementById && root.getElementById(id)).filter(Boolean).map((other) => tidy(other.textContent));
      if (parts.join("")) return parts.join(" ");
    }
    const attribute = (name) => tidy(element.getAttribute(name) || "");
    const own = attribute("aria-label") || label;
    if (own) return own;
    if (tag === "input" && role === "button" && attribute("value")) return attribute("value");
    if (attribute("alt")) return attribute("alt");
    if (namedByContent.has(role)) {
      if (text) return text;
      const image = element.querySelector(":scope > img[alt]");
      if (image) return tidy(image.alt);
    }
    return attribute("title") || attribute("placeholder");
  };
  const shown = (element) => element.checkVisibility
    ? element.checkVisibility({ visibilityProperty: true, checkVisibilityCSS: true })
    : element.getClientRects().length > 0;

  const nodes = [], records = [];
  const field = (key, text) => (text ? ',"' + key + '":' + quote(text) : "");
  // walk adds a subtree and returns the text in it that shows.
  const walk = (element, parent, depth, typed) => {
    const tag = element.localName;
    if (skipped.has(tag) || nodes.length >= maxElements || depth > maxDepth) return "";
    const index = nodes.length;
    nodes.push(element);
    records.push("");
    typed = typed || tag === "textarea" || element.isContentEditable === true;
    let own = "", text = "";
    const visit = (child) => {
      if (child.nodeType === Node.TEXT_NODE) {
        if (typed) return;
        if (own.length < 4 * maxText) own += child.data;
        if (text.length < 4 * maxText) text += child.data;
      } else if (child.nodeType === Node.ELEMENT_NODE) {
        const inside = walk(child, index, depth + 1, typed);
        if (inside && text.length < 4 * maxText) text += inline.has(child.localName) ? inside : " " + inside + " ";
      }
    };
    if (element.shadowRoot) element.shadowRoot.childNodes.forEach(visit);
    element.childNodes.forEach(visit);

    const seen = shown(element), box = element.getBoundingClientRect();
    const visible = seen && box.width > 0 && box.height > 0;
    const role = roleOf(element, tag), label = labelOf(element, tag), content = tidy(text);
    records[index] = '{"p":' + parent + ',"t":' + quote(tag) + ',"a":' + attributesOf(element, tag) + field("x", content) + field("o", tidy(own)) +
      ',"b":[' + [box.x + scrollX, box.y + scrollY, box.width, box.height].map((n) => Math.round(n) || 0).join(",") + '],"v":' + (visible ? 1 : 0) +
      field("r", role) + field("n", nameOf(element, tag, role, label, content)) + field("l", label) + "}";
    return seen ? text : "";
  };
  walk(document.body || document.documentElement, -1, 0, false);
  return {
    nodes,
    text: '{"target":' + (target ? nodes.indexOf(target) : -1) + "}\n[" + records.join(",") + "]",
  };
}
