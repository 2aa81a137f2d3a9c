// Shows what a cell of a map says while the pointer or the focus is on it. A map is one stop of the
// tabulator; arrows lead from cell to cell.
(() => {
  "use strict";
  const tip = document.createElement("div");
  tip.className = "tip";
  tip.setAttribute("role", "tooltip");
  tip.hidden = true;

  let pointed = null;
  const show = (cell) => {
    pointed = cell;
    const [head, ...lines] = cell.getAttribute("aria-label").split("\n");
    const strong = document.createElement("b");
    strong.textContent = head;
    tip.replaceChildren(strong, ...lines.map((line) => {
      const part = document.createElement("div");
      part.textContent = line;
      return part;
    }));
    tip.hidden = false;
    const [place, room] = [cell.getBoundingClientRect(), document.documentElement];
    const left = place.left + place.width / 2 - tip.offsetWidth / 2;
    const below = place.bottom + 6;
    const fits = below + tip.offsetHeight <= room.clientHeight;
    tip.style.left = `${Math.max(4, Math.min(left, room.clientWidth - tip.offsetWidth - 4))}px`;
    tip.style.top = `${fits ? below : Math.max(4, place.top - tip.offsetHeight - 6)}px`;
  };
  const hide = () => {
    pointed = null;
    tip.hidden = true;
  };

  // Along one axis a step leads to the nearest cell; across it, cells must overlap.
  const STEPS = {
    ArrowRight: ["x", "y", 1], ArrowLeft: ["x", "y", -1], ArrowDown: ["y", "x", 1], ArrowUp: ["y", "x", -1],
  };
  const beside = (cells, cell, [along, across, sign]) => {
    const at = (one, axis) => Number(one.getAttribute(axis));
    const ahead = cells
      .map((one) => [sign * (at(one, along) - at(cell, along)), one])
      .filter(([step, one]) => step > 0.5 && Math.abs(at(one, across) - at(cell, across)) < 0.5);
    return ahead.sort(([a], [b]) => a - b)[0]?.[1];
  };

  for (const link of document.querySelectorAll("a.over")) {
    const map = link.querySelector(".cells");
    const cells = [...map.querySelectorAll("rect")];
    let pointer = "";
    link.replaceWith(map); // the link is for pages without scripts
    map.setAttribute("role", "group");
    map.setAttribute("aria-label", `${link.dataset.title}, cell by cell`);
    map.addEventListener("pointerdown", (event) => { pointer = event.pointerType; });
    cells.forEach((cell, k) => {
      const title = cell.querySelector("title"); // the browser would show it, too
      cell.setAttribute("aria-label", title.textContent);
      cell.setAttribute("role", "img");
      cell.setAttribute("tabindex", k ? -1 : 0);
      title.remove();
      cell.addEventListener("pointerenter", (event) => { if (event.pointerType !== "touch") show(cell); });
      cell.addEventListener("pointerleave", (event) => { if (event.pointerType !== "touch") hide(); });
      cell.addEventListener("focus", () => show(cell));
      cell.addEventListener("blur", hide);
      // A finger has no other way to point; a mouse opens the picture, as it does beside the cells.
      cell.addEventListener("click", () => {
        if (pointer === "touch") cell.focus();
        else window.location.hash = link.hash;
      });
      cell.addEventListener("keydown", (event) => {
        if (event.key === "Escape") hide();
        const next = event.key in STEPS && beside(cells, cell, STEPS[event.key]);
        if (!next) return;
        event.preventDefault();
        cell.setAttribute("tabindex", -1);
        next.setAttribute("tabindex", 0);
        next.focus();
      });
    });
  }
  document.body.append(tip);
  for (const event of ["scroll", "resize"]) {
    window.addEventListener(event, () => { if (pointed) show(pointed); }, { passive: true, capture: true });
  }
})();
