// Returns the document as HTML with what is not shown marked, and with the state
// of its controls; '' when it is too long. Hostile pages may answer anything.
([mark, limit]) => {
  const all = (root) => [root, ...root.querySelectorAll('*')];
  const copy = document.documentElement.cloneNode(true);
  const copies = all(copy);
  const flag = (element, name, on) => (on ? element.setAttribute(name, '') : element.removeAttribute(name));
  all(document.documentElement).forEach((element, i) => {
    const { width, height } = element.getBoundingClientRect();
    const style = getComputedStyle(element);
    copies[i].removeAttribute(mark);
    if (style.display !== 'contents') {
      if (!element.checkVisibility() || style.visibility !== 'visible') copies[i].setAttribute(mark, '');
      else if (width === 0 || height === 0) copies[i].setAttribute(mark, 'size');
    }
    if (element instanceof HTMLInputElement && ['checkbox', 'radio'].includes(element.type)) flag(copies[i], 'checked', element.checked);
    // As the last child, so that no other changes its place.
    if (element.shadowRoot) copies[i].append(Object.assign(document.createElement('template'), { shadowRootMode: 'open' }));
    if (element instanceof HTMLOptionElement) flag(copies[i], 'selected', element.selected);
  });
  const html = '<!doctype html>' + copy.outerHTML;
  return html.length > limit ? '' : html;
}
