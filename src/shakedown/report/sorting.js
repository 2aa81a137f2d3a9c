// Sorts the rows of each table by a column: a click on its head sorts from the smallest, a second
// one from the largest, and a third one puts the rows back.
(() => {
  "use strict";
  const NUMBER = /^[<>≤≥± ]*([-−]?(?:\d[\d,]*\.?\d*|\.\d+)(?:e[-−+]?\d+)?)/;
  const NEXT = { none: "ascending", ascending: "descending", descending: "none" };
  const ARROWS = { ascending: "↑", descending: "↓" };
  const MISSING = ["", "–"];

  const number = (text) => {
    const found = NUMBER.exec(text);
    return found && Number(found[1].replaceAll(",", "").replaceAll("−", "-"));
  };

  // What a cell is sorted by: what the page says, or its own text without the small text below.
  const key = (cell) => {
    if (cell.dataset.sort !== undefined) return cell.dataset.sort;
    const parts = [...cell.firstElementChild.childNodes].filter((part) => part.className !== "soft");
    const amount = parts.find((part) => part.nodeName === "DATA");
    return amount ? amount.value : parts.map((part) => part.textContent).join("").trim();
  };

  // Numbers within texts count as numbers, so that b = 9 stands before b = 10.
  const byText = (a, b) => {
    const [left, right] = [a, b].map((text) => text.toLowerCase().split(/(\d[\d,]*(?:\.\d+)?)/));
    for (let k = 0; k < Math.min(left.length, right.length); k += 1) {
      const difference = k % 2 ? number(left[k]) - number(right[k]) : left[k].localeCompare(right[k], "en");
      if (difference) return difference;
    }
    return left.length - right.length;
  };

  const compare = (a, b) => {
    const [left, right] = [number(a), number(b)];
    if (left === null && right === null) return byText(a, b);
    if (left === null || right === null) return left === null ? 1 : -1;
    return left - right;
  };

  const sorted = (rows, column, order) => {
    if (order === "none") return rows;
    const sign = order === "ascending" ? 1 : -1;
    const keyed = rows.map((row) => ({ row, own: key(row.cells[column]), then: row.cells[column].dataset.then ?? "" }));
    const there = keyed.filter(({ own }) => !MISSING.includes(own));
    const missing = keyed.filter(({ own }) => MISSING.includes(own)); // last in either order
    there.sort((a, b) => sign * (compare(a.own, b.own) || compare(a.then, b.then)));
    return [...there, ...missing].map(({ row }) => row);
  };

  // Where a table is a stack of cards, it shows no heads to click.
  const chooser = (heads, sort) => {
    const label = document.createElement("label");
    const select = document.createElement("select");
    select.add(new Option("as written", ""));
    heads.forEach((head, column) => {
      for (const [order, arrow] of Object.entries(ARROWS)) {
        select.add(new Option(`${head.textContent} ${arrow}`, `${column} ${order}`));
      }
    });
    select.addEventListener("change", () => {
      const [column, order] = select.value ? select.value.split(" ") : [0, "none"];
      sort(Number(column), order);
    });
    label.append("Sort by ", select);
    return label;
  };

  const opener = (folds) => {
    const button = document.createElement("button");
    const name = () => { button.textContent = folds.every((fold) => fold.open) ? "Fold all" : "Open all"; };
    button.type = "button";
    button.addEventListener("click", () => {
      const open = !folds.every((fold) => fold.open);
      folds.forEach((fold) => { fold.open = open; });
    });
    folds.forEach((fold) => fold.addEventListener("toggle", name));
    name();
    return button;
  };

  for (const table of document.querySelectorAll(".scroll > table")) {
    const rows = [...table.tBodies[0].rows]; // as written
    if (rows.length < 2) continue;
    const heads = [...table.tHead.rows[0].cells];
    const sort = (column, order) => {
      heads.forEach((head) => head.removeAttribute("aria-sort"));
      if (order !== "none") heads[column].setAttribute("aria-sort", order);
      table.tBodies[0].append(...sorted(rows, column, order));
    };
    if (table.classList.contains("cards")) {
      const tools = document.createElement("div");
      const folds = [...table.querySelectorAll(".fold")];
      tools.className = "tools narrow";
      tools.append(chooser(heads, sort), ...(folds.length ? [opener(folds)] : []));
      table.parentElement.before(tools);
    }
    heads.forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "sort";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => sort(column, NEXT[head.getAttribute("aria-sort") ?? "none"]));
    });
  }
})();
