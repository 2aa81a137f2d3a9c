// Filters the rows of tables that belong together by what the page says of each row, and by words.
(() => {
  "use strict";

  const labelled = (words, control) => {
    const label = document.createElement("label");
    label.append(`${words} `, control);
    return label;
  };

  const matches = (row, chosen, words) =>
    chosen.every(([name, value]) => [row.facets[name]].flat().includes(value)) &&
    words.every((word) => row.text.includes(word));

  for (const place of document.querySelectorAll("[data-filtered]")) {
    const rows = [...place.querySelectorAll("tr[data-facets]")].map((element) => ({
      element,
      facets: JSON.parse(element.dataset.facets),
      text: element.textContent.toLowerCase(),
    }));
    if (rows.length < 2) continue;
    // Whatever holds rows vanishes with its last one.
    const groups = [...place.querySelectorAll("details, .group, .scroll, .tools")].filter(
      (group) => group.matches(".tools") || group.querySelector("tr[data-facets]"),
    );
    const folded = groups.filter((group) => group.matches("details"));
    let wasOpen = null; // which parts were open before anything was filtered

    const form = document.createElement("form");
    form.className = "tools";
    const selects = Object.keys(rows[0].facets).map((name) => {
      const select = document.createElement("select");
      select.add(new Option("all", ""));
      const values = [...new Set(rows.flatMap((row) => row.facets[name]))];
      values.sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
      for (const value of values) select.add(new Option(value, value));
      form.append(labelled(name, select));
      return [name, select];
    });
    const search = document.createElement("input");
    search.type = "search";
    const clears = [1, 2].map(() => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = "Clear";
      return button;
    });
    const [clear, again] = clears;
    const count = document.createElement("span");
    count.setAttribute("role", "status"); // read out when it changes
    // A heading says how many rows it holds; while they are filtered, how many are shown.
    const notes = folded.map((part) => {
      const note = document.createElement("span");
      note.className = "soft";
      part.querySelector("summary").append(note);
      return note;
    });
    form.append(labelled("Words", search), clear, count);
    // Where a table would stand, so that nobody takes the empty place for a fault.
    const nothing = document.createElement("p");
    nothing.className = "nothing";
    nothing.append("Nothing matches. ", again);
    place.prepend(form, nothing);

    const apply = () => {
      const chosen = selects.map(([name, select]) => [name, select.value]).filter(([, value]) => value);
      const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
      const isOn = chosen.length + words.length > 0;
      for (const row of rows) row.element.hidden = !matches(row, chosen, words);
      for (const group of groups) {
        const held = group.matches(".tools") ? group.nextElementSibling : group;
        group.hidden = !held.querySelector("tr[data-facets]:not([hidden])");
      }
      if (isOn && !wasOpen) wasOpen = folded.map((part) => part.open);
      if (isOn) folded.forEach((part) => { part.open = true; });
      if (!isOn && wasOpen) folded.forEach((part, k) => { part.open = wasOpen[k]; });
      if (!isOn) wasOpen = null;
      folded.forEach((part, k) => {
        const own = part.querySelectorAll("tr[data-facets]:not([hidden])").length;
        notes[k].textContent = isOn ? `, ${own} shown` : "";
      });
      const shown = rows.filter((row) => !row.element.hidden).length;
      count.textContent = `${shown} of ${rows.length} ${place.dataset.filtered} shown`;
      clear.disabled = !isOn;
      nothing.hidden = shown > 0;
    };
    for (const event of ["input", "change"]) form.addEventListener(event, apply);
    form.addEventListener("submit", (event) => event.preventDefault());
    const reset = () => {
      form.reset();
      apply();
    };
    for (const button of clears) button.addEventListener("click", reset);
    again.addEventListener("click", () => search.focus()); // the button itself is gone
    // A link to what is filtered out shows all again.
    window.addEventListener("hashchange", () => {
      const target = document.getElementById(decodeURIComponent(window.location.hash.slice(1)));
      if (!target || !place.contains(target) || !target.closest("[hidden]")) return;
      reset();
      target.closest("details").open = true;
      target.scrollIntoView();
    });
    apply();
  }
})();
