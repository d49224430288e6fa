// Runs in the page and returns its elements, and a text of two lines: what was
// looked at and, in a main frame, at which address, and the elements as engine.ReadElements takes them. Derived signals
// only: markup, styles and what people typed stay in the page.
(testAttribute, target, doc = document) => {
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
  for (const field of doc.querySelectorAll("input[type=password]")) {
    if (field.value.length > 3) passwords.push(field.value);
  }
  const quote = JSON.stringify; // of strings only, which no toJSON of the page can change
  const clean = (text) => {
    for (const password of passwords) text = text.split(password).join("");
    return text;
  };
  const tidy = (text) => {
    if (text === "") return "";
    return clean(text.length > 4 * maxText ? text.slice(0, 4 * maxText) : text).replace(/\s+/g, " ").trim().slice(0, maxText);
  };

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
  const attributesIn = Object.getOwnPropertyDescriptor(Element.prototype, "attributes").get; // a form's may be a field of that name
  const attributesOf = (element, tag) => {
    if (!element.hasAttributes()) return "[]";
    const attributes = attributesIn.call(element);
    let pairs = "", count = 0;
    for (let i = 0; i < attributes.length && count < maxAttributes; i++) {
      const { name, value: raw } = attributes[i];
      if (name.length > 100) continue;
      const kept = value(element, tag, name, raw);
      if (kept !== null) pairs += (count++ ? ",[" : "[") + quote(name) + "," + quote(kept) + "]";
    }
    return "[" + pairs + "]";
  };

  const roleOf = (element, tag) => {
    const explicit = element.getAttribute("role");
    if (explicit && explicit.trim()) return explicit.trim().split(/\s+/)[0];
    if (tag === "a" || tag === "area") return element.hasAttribute("href") ? "link" : "generic";
    if (tag === "input") return inputRoles[(element.getAttribute("type") || "").toLowerCase()] ?? "textbox";
    return Object.hasOwn(roles, tag) ? roles[tag] : "";
  };
  // labels are the first of each control, by the tree it is in: element.labels
  // would look through the whole tree for every control.
  const labels = new Map();
  const labelIn = (root, element) => {
    let known = labels.get(root);
    if (!known) {
      labels.set(root, known = new Map());
      for (const label of root.querySelectorAll("label")) {
        if (label.control && !known.has(label.control)) known.set(label.control, label);
      }
    }
    return known.get(element);
  };
  const labelOf = (element, tag) => {
    if (!labelled.has(tag)) return "";
    const label = labelIn(element.getRootNode(), element);
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
    const labelledBy = element.getAttribute("aria-labelledby");
    if (labelledBy) {
      const ids = labelledBy.split(/\s+/).filter(Boolean).slice(0, 8);
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

  const nodes = [], records = [], view = doc.defaultView, left = view.scrollX, top = view.scrollY;
  const field = (key, text) => (text ? ',"' + key + '":' + quote(text) : "");
  const round = (n) => Math.round(n) || 0;
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
    for (let child = element.shadowRoot && element.shadowRoot.firstChild; child; child = child.nextSibling) visit(child);
    for (let child = element.firstChild; child; child = child.nextSibling) visit(child);

    const seen = shown(element), box = element.getBoundingClientRect();
    const visible = seen && box.width > 0 && box.height > 0;
    const role = roleOf(element, tag), label = labelOf(element, tag), content = tidy(text);
    records[index] = '{"p":' + parent + ',"t":' + quote(tag) + ',"a":' + attributesOf(element, tag) + field("x", content) + field("o", own === text ? content : tidy(own)) +
      ',"b":[' + round(box.x + left) + "," + round(box.y + top) + "," + round(box.width) + "," + round(box.height) + '],"v":' + (visible ? 1 : 0) +
      field("r", role) + field("n", nameOf(element, tag, role, label, content)) + field("l", label) + "}";
    return seen ? text : "";
  };
  walk(doc.body || doc.documentElement, -1, 0, false);
  records.push('{"p":-1,"t":"title","a":[]' + field("x", tidy(doc.title)) + ',"v":0}'); // behind all elements: it has no node
  return {
    nodes,
    text: '{"target":' + (target ? nodes.indexOf(target) : -1) + (view === view.top && view.location.href.length < 8192 ? ',"at":' + quote(view.location.href) : "") + "}\n[" + records.join(",") + "]",
  };
}
