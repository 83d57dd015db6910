// Buttons that copy what stands beside them. Without scripts or clipboard they stay away.

const SAID_MS = 2000;

if (navigator.clipboard) {
  for (const button of document.querySelectorAll("[data-copies]")) {
    const said = button.firstChild;
    const usual = said.data;
    button.hidden = false;
    button.addEventListener("click", async () => {
      const source = document.getElementById(button.dataset.copies);
      try {
        await navigator.clipboard.writeText(source.textContent);
        said.data = "Copied ";
      } catch {
        getSelection().selectAllChildren(source); // for the reader's own copy command
        said.data = "Selected ";
      }
      setTimeout(() => {
        said.data = usual;
      }, SAID_MS);
    });
  }
}
