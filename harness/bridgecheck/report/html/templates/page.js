"use strict";
// Without this the page has every finding with its simplest case. This filters, copies, opens what a link leads to,
// unpacks the further cases, and notices that time has passed.
(() => {
  const all = (selector, from = document) => [...from.querySelectorAll(selector)];
  const first = (selector, from = document) => from.querySelector(selector);
  const announcement = first("#announcement");

  // Filters: each card names its status and, by number, its topics and directions.
  const form = first(".filters");
  const cards = all(".finding"); // none on the page over several reports
  const has = (card, name, selected) => !selected || card.dataset[name].split(" ").includes(selected);

  function filter() {
    const boxes = all("[name=label]", form);
    const labels = new Set(boxes.filter((box) => box.checked).map((box) => box.value));
    const text = form.elements.text.value.trim().toLowerCase();
    let shown = 0;
    for (const card of cards) {
      const fits =
        (!boxes.length || labels.has(card.dataset.label)) &&
        has(card, "topic", form.elements.topic.value) &&
        has(card, "column", form.elements.column.value) &&
        (!text || card.textContent.toLowerCase().includes(text));
      card.hidden = !fits;
      shown += fits;
    }
    first(".shown-count").textContent = `${shown} of ${cards.length} finding${cards.length === 1 ? "" : "s"} shown`;
    first(".nothing").hidden = shown > 0;
  }

  function unfold(button) {
    const open = button.textContent === "Open all";
    for (const card of cards.filter((card) => !card.hidden)) {
      for (const details of all("details:not(.more-cases .panel)", card)) details.open = open;
    }
    button.textContent = open ? "Close all" : "Open all";
  }

  // A cell of the table shows the findings of its topic and direction.
  function choose(cell) {
    const heads = all("thead th", cell.closest("table"));
    const column = first("[aria-hidden]", heads[cell.cellIndex]).textContent;
    const topic = first("th", cell.parentElement).textContent.trim();
    form.reset();
    pick(form.elements.topic, topic);
    pick(form.elements.column, column);
    filter();
  }

  function pick(select, text) {
    const option = all("option", select).find((each) => each.textContent === text);
    select.value = option ? option.value : "";
  }

  if (form) {
    form.hidden = false;
    form.addEventListener("input", filter);
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("reset", () => setTimeout(filter));
    first("[data-unfold]", form).addEventListener("click", (event) => unfold(event.target));
    for (const link of all("#table td a")) link.addEventListener("click", () => choose(link.closest("td")));
    filter(); // a browser may have kept what was chosen before
  }

  // What a link leads to is opened, and shown even where a filter hid it.
  function lead() {
    const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    const card = target.closest(".finding");
    if (card && card.hidden) {
      form.reset();
      filter();
      card.scrollIntoView();
    }
    for (let at = target; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
    if (card) card.focus({ preventScroll: true });
  }
  addEventListener("hashchange", lead);
  lead();

  // Further cases are packed until somebody opens them: a zlib stream in base64 that holds markup of the same templates.
  const canUnpack = "DecompressionStream" in window;
  for (const note of all(".packed-note")) note.hidden = canUnpack;

  async function unpack(details) {
    const template = first(".packed", details);
    if (!template || !canUnpack) return;
    template.remove(); // so that they are unpacked once
    const bytes = Uint8Array.from(atob(template.content.textContent), (letter) => letter.charCodeAt(0));
    const text = await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).text();
    const list = first(".packed-list", details);
    list.insertAdjacentHTML("beforebegin", text);
    list.remove();
    for (const button of all(".copy", details)) button.hidden = false;
  }

  // A long document begins at the first line that differs.
  function scrollToMarks(panel) {
    for (const pre of all("pre", panel)) {
      const mark = first("mark", pre);
      if (mark) pre.scrollTop = mark.offsetTop - 48;
    }
  }

  let printing = false;
  const onToggle = (event) => {
    if (!event.target.open || printing) return;
    if (event.target.matches(".more-cases")) unpack(event.target);
    if (event.target.matches(".panel")) scrollToMarks(event.target);
  };
  addEventListener("toggle", onToggle, true); // it does not bubble

  // Commands.
  async function copy(button) {
    let done = false;
    try {
      await navigator.clipboard.writeText(button.dataset.copy);
      done = true;
    } catch {
      getSelection().selectAllChildren(first("code", button.parentElement));
      done = document.execCommand("copy");
    }
    announcement.textContent = done ? "Copied" : "Selected; press Ctrl and C";
    button.firstChild.data = done ? "Copied" : "Selected";
    setTimeout(() => { button.firstChild.data = "Copy"; announcement.textContent = ""; }, 2000);
  }
  for (const button of all(".copy")) button.hidden = false;
  addEventListener("click", (event) => {
    const button = event.target.closest(".copy");
    if (button) copy(button);
  });

  // Escape closes what is open around the focus, and gives its summary the focus.
  addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || event.target.matches("input, select")) return;
    const details = event.target.closest("details[open]");
    if (!details) return;
    details.open = false;
    first("summary", details).focus();
  });

  // On paper nothing can be opened; of further cases of a finding the addresses do.
  let closed = [];
  addEventListener("beforeprint", () => {
    printing = true;
    closed = all("details:not([open], .more-cases .panel, .screen)");
    for (const details of closed) details.open = true;
  });
  addEventListener("afterprint", () => {
    for (const details of closed) details.open = false;
    setTimeout(() => { printing = false; }); // after the toggles of the above
  });

  // The page may be read long after it was written.
  const today = new Date().toISOString().slice(0, 10);
  for (const mark of all("[data-expires]")) if (mark.dataset.expires && mark.dataset.expires < today) mark.hidden = false;
})();
