// What was sent to a monitor's webhook; asked for only while its table is open.

import { element } from "../dom.js";
import { countOf } from "../playground/event-list.js";
import { fillTable } from "../playground/table.js";
import { shortenMoment } from "./words.js";

/** The name of the monitor that the page shows. */
export const shownName = () => element("monitor-name").dataset.name ?? "";

export class DeliveryTable {
  /** @param {import("./monitor-view.js").Source} source */
  constructor(source) {
    this.source = source;
  }

  /** Forget those of another monitor. */
  clear() {
    element("deliveries").open = false;
    element("delivery-table").replaceChildren();
  }

  /** @returns {Promise<import("../playground/request.js").Received|null>} what went wrong, or null */
  async refresh() {
    const name = shownName();
    if (element("deliveries").hidden || !element("deliveries").open) return null;
    const response = await this.source.deliveries(name);
    if (name !== shownName()) return null;
    if (response.status !== 200) return response;
    fillTable(element("delivery-table"), tableOf(response.body.deliveries));
    return null;
  }
}

function tableOf(deliveries) {
  return {
    caption: deliveries.length > 0
      ? `The newest ${countOf(deliveries.length, "message")}`
      : "Nothing was sent yet",
    first: "Written",
    groups: [{ name: "", columns: ["Type", "State", "Attempts", "Next or done", "Last problem"] }],
    rows: deliveries.map((delivery) => [
      toTheSecond(delivery.created_at),
      delivery.type,
      delivery.state,
      String(delivery.attempts),
      toTheSecond(delivery.delivered_at ?? delivery.failed_at ?? delivery.next_attempt_at),
      delivery.last_problem ?? "–",
    ]),
  };
}

function toTheSecond(moment) {
  return moment === null ? "–" : shortenMoment(moment);
}
