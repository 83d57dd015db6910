// Light or dark: the system's choice, unless the user has chosen, which the browser remembers.
// A classic script in the head, so that the page is never first drawn in the wrong colours.
(() => {
  const NAME = "theme";
  const root = document.documentElement;
  const system = window.matchMedia("(prefers-color-scheme: dark)");

  /** If storage is forbidden, the choice is kept only for this page. */
  function remembered() {
    try {
      return localStorage.getItem(NAME);
    } catch {
      return null;
    }
  }

  function remember(theme) {
    try {
      localStorage.setItem(NAME, theme);
    } catch {
      // As above.
    }
  }

  function apply(theme) {
    root.dataset.theme = theme;
    const button = document.getElementById(NAME);
    const other = theme === "dark" ? "light" : "dark";
    if (button) {
      button.textContent = `Switch to ${other}`;
      button.setAttribute("aria-label", `Switch to ${other} theme`);
    }
    document.dispatchEvent(new Event("themechange"));
  }

  const fromSystem = () => (system.matches ? "dark" : "light");

  apply(remembered() === null ? fromSystem() : remembered());
  system.addEventListener("change", () => remembered() === null && apply(fromSystem()));
  document.addEventListener("DOMContentLoaded", () => {
    apply(root.dataset.theme);
    document.getElementById(NAME).addEventListener("click", () => {
      apply(root.dataset.theme === "dark" ? "light" : "dark");
      remember(root.dataset.theme);
    });
  });
})();
