// Scalar on the service's own OpenAPI document. The key that is pasted stays in its memory.
(() => {
  const viewer = document.getElementById("viewer");
  const { document: address, root } = viewer.dataset;

  /**
   * What the viewer leaves unsaid to those who do not see it.
   *
   * @type {[string, Record<string, string>][]}
   */
  const SAID = [
    [".scalar-code-copy", { "aria-label": "Copy" }],
    [".cm-content", { "aria-label": "Body" }],
    [".endpoints, .markdown pre code", { tabindex: "0" }],
    // A page has one header, and landmarks that are distinguished by name.
    [".t-doc__header", { role: "navigation", "aria-label": "Contents" }],
    [".t-doc__header header", { role: "none" }],
    [".introduction-section section, .response-card", { role: "group" }],
  ];
  const KEY_HEADERS = ["authorization", "ocp-apim-subscription-key"];
  const METHODS = ["get", "post", "put", "patch", "delete"];

  /** The document; what a request may leave out, such as an older header, is not in its example. */
  async function load() {
    const response = await fetch(address);
    if (!response.ok) return response;
    const api = await response.json();
    const resolve = ({ $ref, ...own }) =>
      $ref ? $ref.split("/").slice(1).reduce((part, name) => part[name], api) : own;
    for (const path of Object.values(api.paths)) {
      for (const operation of METHODS.map((method) => path[method]).filter(Boolean)) {
        operation.parameters = operation.parameters.map((parameter) => leftOut(resolve(parameter)));
      }
    }
    return new Response(JSON.stringify(api), { headers: { "Content-Type": "application/json" } });
  }

  /** Marks a parameter without a default as Scalar does when its box is cleared. */
  function leftOut({ example, ...parameter }) {
    if (parameter.required || "default" in parameter.schema) return { example, ...parameter };
    const off = { value: example ?? "", "x-disabled": true };
    // An example of a parameter counts in the example of the body that has the same name.
    return { ...parameter, examples: { request: off, default: off } };
  }

  const isDocument = (what) => new URL(what.url ?? what, location.href).pathname === address;

  const settings = () => ({
    url: address,
    customFetch: (what, how) => (isDocument(what) ? load() : fetch(what, how)),
    servers: [{ url: location.origin + root }],
    darkMode: document.documentElement.dataset.theme === "dark",
    forceDarkModeState: document.documentElement.dataset.theme,
    hideDarkModeToggle: true,
    theme: "none", // its variables are set in docs.css
    withDefaultFonts: false, // they come from another host
    operationTitleSource: "path",
    defaultOpenAllTags: true,
    expandAllParameters: false,
    hideModels: true,
    defaultHttpClient: { targetKey: "shell", clientKey: "curl" },
    documentDownloadType: "direct",
    hideClientButton: true,
    persistAuth: false,
    // What would send something to Scalar's makers, or leads there.
    telemetry: false,
    showDeveloperTools: "never",
    agent: { disabled: true },
    mcp: { disabled: true },
  });

  function nameParts() {
    for (const [selector, attributes] of SAID) {
      for (const element of document.querySelectorAll(selector)) {
        for (const [attribute, value] of Object.entries(attributes)) {
          if (element.getAttribute(attribute) !== value) element.setAttribute(attribute, value);
        }
      }
    }
  }

  /** Hides the key among the headers of a request that was sent. */
  function maskKey() {
    for (const row of document.querySelectorAll(".scalar-client tr")) {
      const [name, value] = row.children;
      const isKey = KEY_HEADERS.includes(name?.textContent.trim().toLowerCase());
      if (isKey && value) for (const part of value.children) part.toggleAttribute("hidden", true);
    }
  }

  new MutationObserver(() => {
    nameParts();
    maskKey();
  }).observe(document.body, { childList: true, subtree: true });
  const reference = /** @type {any} */ (window).Scalar.createApiReference(viewer, settings());
  document.addEventListener("themechange", () => reference.updateConfiguration(settings()));
})();
