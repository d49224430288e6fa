// What the pages of both releases share. Each control is registered under a name that both
// releases have in common, and whatever is done to a control is told to the server, so that
// tests of Breadcrumb can see that nothing but the right control was used.
const controls = [];

function tell(text) {
  const request = new XMLHttpRequest();
  request.open("POST", "/acted", false); // arrives before the click is over
  request.send(text);
}

function nameOf(event) {
  for (const node of event.composedPath()) {
    if (!(node instanceof Element)) continue;
    const known = controls.find((control) => node.matches(control.selector));
    if (known) return known.name + (known.key ? " of " + known.key(node) : "");
    if (node.matches("button, a, input, select, textarea, summary, [role]:not([role=row])")) return "a stranger: " + node.outerHTML;
  }
}

for (const type of ["click", "dblclick", "change"]) {
  document.addEventListener(type, (event) => {
    const name = nameOf(event);
    const field = event.composedPath()[0];
    if (name) tell(type + " " + name + (type === "change" ? " = " + (field.type === "checkbox" ? field.checked : field.type === "file" ? field.files[0]?.name : field.value) : ""));
  }, true);
}

/** Registers a control, and what it does when it is clicked. */
function on(selector, name, does, key) {
  controls.push({ selector, name, key });
  if (does) document.addEventListener("click", (event) => {
    const at = event.composedPath().find((node) => node instanceof Element && node.matches(selector));
    if (at) does(at, event);
  });
}

function say(text) {
  document.querySelector("[role=status]").textContent = text;
}

function warn(text) {
  document.querySelector("[role=alert]").textContent = text;
}

const find = (selector) => document.querySelector(selector);
const rowOf = (node) => node.closest("tr, .ticket").querySelector(".subject").textContent;
