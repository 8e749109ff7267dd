// An edit whose words are not saved: the browser asks whether to stay. `data-unsaved`: it holds what was typed before, and was
// refused or shown as a preview.

const isChanged = ({ type, value, defaultValue }) => ["textarea", "text"].includes(type) && value !== defaultValue;
const FORMS = "form:is(.edit, .editing, .teaching):not([aria-busy] *)";
let sends = false;
addEventListener("submit", (event) => (sends = !event.defaultPrevented));
addEventListener("pageshow", () => (sends = false));
addEventListener("beforeunload", (event) => {
  const forms = [...document.querySelectorAll(FORMS)];
  if (!sends && forms.some((one) => "unsaved" in one.dataset || [...one.elements].some(isChanged))) event.preventDefault();
});
