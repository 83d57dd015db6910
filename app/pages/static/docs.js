// Swagger UI on the service's own OpenAPI document. The key that is pasted stays in its memory.
(() => {
  const viewer = document.getElementById("viewer");

  /** What the viewer leaves unsaid to those who do not see it. */
  const SAID = [
    [".information-container", { role: "region", "aria-label": "About this API" }],
    [".body-param__text", { "aria-label": "Request body" }],
    [".microlight", { tabindex: "0" }],
    [".examples-select-element", { "aria-label": "Example" }],
    [".modal-ux", { role: "dialog", "aria-modal": "true", "aria-label": "API key" }],
    [".close-modal", { "aria-label": "Close" }],
    [".modal-ux-header h3", { role: "heading", "aria-level": "2" }],
    [".modal-ux-content h4", { role: "heading", "aria-level": "3" }],
    [".opblock-tag, section.models > h4", { role: "heading", "aria-level": "2" }],
    [".opblock-section-header h4", { role: "heading", "aria-level": "3" }],
    [".responses-inner h4, .responses-inner h5", { role: "heading", "aria-level": "4" }],
  ];

  function nameControls() {
    for (const [selector, attributes] of SAID) {
      for (const element of viewer.querySelectorAll(selector)) say(element, attributes);
    }
    for (const control of viewer.querySelectorAll("tr[data-param-name] :is(select, input)")) {
      say(control, { "aria-label": control.closest("tr").dataset.paramName });
    }
  }

  function say(element, attributes) {
    for (const [name, value] of Object.entries(attributes)) {
      if (element.getAttribute(name) !== value) element.setAttribute(name, value);
    }
  }

  function followTheme() {
    const { classList, dataset } = document.documentElement;
    classList.toggle("dark-mode", dataset.theme === "dark");
  }

  new MutationObserver(nameControls).observe(viewer, { childList: true, subtree: true });
  document.addEventListener("themechange", followTheme);
  followTheme();
  window.SwaggerUIBundle({
    domNode: viewer,
    url: viewer.dataset.document,
    validatorUrl: null, // would ask another host
    persistAuthorization: false,
    displayRequestDuration: true,
    tryItOutEnabled: true,
    syntaxHighlight: false, // its colours are too faint, and long answers take seconds
    defaultModelsExpandDepth: 0,
  });
})();
