// Returns the document as HTML with what is not shown marked, with the state of
// its controls, and with open shadow roots as templates; '' when it is too long.
// Hostile pages may answer anything.
([mark, limit, deepest]) => {
  // A document of its own runs no constructors of custom elements.
  const inert = document.implementation.createHTMLDocument('');
  const flag = (element, name, on) => (on ? element.setAttribute(name, '') : element.removeAttribute(name));
  const describe = (element, copy, depth) => {
    const { width, height } = element.getBoundingClientRect();
    const style = getComputedStyle(element);
    copy.removeAttribute(mark);
    if (style.display !== 'contents') {
      if (!element.checkVisibility() || style.visibility !== 'visible') copy.setAttribute(mark, '');
      else if (width === 0 || height === 0) copy.setAttribute(mark, 'size');
    }
    if (element instanceof HTMLInputElement && ['checkbox', 'radio'].includes(element.type)) flag(copy, 'checked', element.checked);
    if (element instanceof HTMLOptionElement) flag(copy, 'selected', element.selected);
    if (element instanceof HTMLTemplateElement) copy.removeAttribute('shadowrootmode'); // it has become none
    if (element.shadowRoot) copy.append(shadow(element.shadowRoot, depth + 1));
  };
  const below = (root, copy, depth) => {
    const copies = copy.querySelectorAll('*');
    root.querySelectorAll('*').forEach((element, i) => describe(element, copies[i], depth));
  };
  // As the last child of its host, so that no other changes its place.
  const shadow = (root, depth) => {
    const template = inert.createElement('template');
    template.setAttribute('shadowrootmode', depth > deepest ? 'closed' : 'open');
    if (depth <= deepest) {
      template.content.append(...[...root.childNodes].map((node) => inert.importNode(node, true)));
      below(root, template.content, depth);
    }
    return template;
  };
  const copy = inert.importNode(document.documentElement, true);
  below(document.documentElement, copy, 0);
  describe(document.documentElement, copy, 0);
  const html = '<!doctype html>' + copy.outerHTML;
  return html.length > limit ? '' : html;
}
