// Shows the numbers of tables in the metric's unit, as shares, or as they are written.
(() => {
  "use strict";
  const words = document.getElementById("scale")?.dataset;
  const numbers = [...document.querySelectorAll("data[data-shares]")].map((element) => ({
    element,
    ...element.dataset,
    written: element.textContent,
  }));
  if (!words || !numbers.length) return;

  // Where all is written in one of the two already, there is no third way.
  const written = ["units", "shares"].find((way) => numbers.every((number) => number[way] === number.written));
  const ways = { units: words.units, shares: words.shares, ...(written ? {} : { written: "both" }) };
  const first = written ?? "written";
  const selects = [];
  const choose = (way) => {
    for (const number of numbers) number.element.textContent = number[way];
    for (const select of selects) select.value = way;
  };

  // A switch above each table, or above the filter of several.
  const tables = numbers.map(({ element }) => element.closest("[data-filtered]") ?? element.closest(".scroll"));
  for (const table of new Set(tables.filter(Boolean))) {
    const label = document.createElement("label");
    const select = document.createElement("select");
    for (const [way, name] of Object.entries(ways)) select.add(new Option(name, way));
    select.value = first;
    select.addEventListener("change", () => choose(select.value));
    label.className = "tools";
    label.append("Scores in ", select);
    table.before(label);
    selects.push(select);
  }
})();
