// Tells in the page's status what was used last.
const say = (text) => { for (const p of document.querySelectorAll("[role=status]")) p.textContent = text; };
document.addEventListener("click", (event) => {
  const at = event.composedPath()[0].closest?.("button, a");
  if (!at) return;
  event.preventDefault();
  say("Used: " + (at.getAttribute("aria-label") || at.textContent));
});
document.addEventListener("change", (event) => {
  say("Set: " + (event.target.type === "password" ? "a password" : event.target.type === "checkbox" ? event.target.checked : event.target.value));
});
