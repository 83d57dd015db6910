// Buttons that copy the text beside them; without scripts or clipboard they stay hidden.

import { element, findAll } from "../dom.js";

const SHOWN_MS = 2000;

if (navigator.clipboard) {
  for (const button of findAll("[data-copies]")) {
    const label = button.firstChild;
    const usual = label.data;
    button.hidden = false;
    button.addEventListener("click", async () => {
      const source = element(button.dataset.copies);
      try {
        await navigator.clipboard.writeText(source.textContent);
        label.data = "Copied ";
      } catch {
        getSelection().selectAllChildren(source); // for the reader's own copy command
        label.data = "Selected ";
      }
      setTimeout(() => {
        label.data = usual;
      }, SHOWN_MS);
    });
  }
}
