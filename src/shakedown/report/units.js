// Shows the numbers of tables as shares or in the metric's unit; a line above each table says in which.
(() => {
  "use strict";
  const numbers = [...document.querySelectorAll("data[data-shares]")];
  const lines = [...document.querySelectorAll(".unit[data-shares]")];
  const selects = [];
  const choose = (way) => {
    for (const number of numbers) number.textContent = number.dataset[way];
    for (const line of lines) line.querySelector("span").textContent = line.dataset[way];
    for (const select of selects) select.value = way;
  };
  for (const line of lines) {
    const select = document.createElement("select"); // in place of the words, but not on paper
    for (const way of ["shares", "units"]) select.add(new Option(line.dataset[way], way));
    select.setAttribute("aria-label", "Scores in");
    select.addEventListener("change", () => choose(select.value));
    line.querySelector("span").before(select);
    selects.push(select);
  }
})();
