"use strict";
(() => {
  const root = document.documentElement;
  const find = (selector) => document.querySelector(selector);
  const all = (selector) => [...document.querySelectorAll(selector)];

  // ---- light and dark -------------------------------------------------------------------------------------------

  const prefersDark = matchMedia("(prefers-color-scheme: dark)");
  const themeButton = find("#theme");
  let printing = false;

  const isDark = () => !printing && (root.dataset.theme ? root.dataset.theme === "dark" : prefersDark.matches);

  function followTheme() {
    themeButton.setAttribute("aria-checked", String(isDark()));
    for (const chart of drawn.keys()) draw(chart);
  }

  themeButton.hidden = false;
  themeButton.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    followTheme();
  });
  prefersDark.addEventListener("change", followTheme);

  // ---- charts ---------------------------------------------------------------------------------------------------

  const PRINT_WIDTH = 660; // px, of A4 or Letter without margins
  const CONFIG = { displayModeBar: false, typesetMath: false };
  const waiting = new Set(all(".chart"));
  const drawn = new Map(); // chart: width at which it was drawn

  // Small multiples have one layout per number of columns; other charts one for narrow pages, where names are shorter.
  function arranged(layout, width) {
    const { columns, cell_width: cellWidth, printed_width: printedWidth, narrow, narrow_below: limit } = layout.meta ?? {};
    const least = printing ? printedWidth : cellWidth;
    const n = columns && Math.max(1, Math.min(Object.keys(columns).length, Math.floor(width / least)));
    const changes = columns ? columns[n] : width < limit ? narrow : {};
    const merged = ([key, value]) => [key, typeof value === "object" ? { ...layout[key], ...value } : value];
    return Object.fromEntries(Object.entries(changes).map(merged));
  }

  function draw(chart) {
    const figure = JSON.parse(document.getElementById(chart.dataset.figure).textContent)[isDark() ? "dark" : "light"];
    const width = printing ? PRINT_WIDTH : chart.clientWidth;
    const layout = { ...figure.layout, ...arranged(figure.layout, width), width, autosize: false };
    waiting.delete(chart);
    drawn.set(chart, width);
    chart.style.minHeight = `${layout.height}px`;
    const data = figure.data.filter((trace) => trace.mode !== "text" || width >= (layout.meta?.text_from ?? 0));
    window.Plotly.react(chart, data, layout, CONFIG);
  }

  // The security policy holds the digest of the library; any other script would not run.
  async function unpackLibrary() {
    const compressed = Uint8Array.from(atob(find("#library").textContent), (letter) => letter.charCodeAt(0));
    const stream = new Blob([compressed]).stream().pipeThrough(new DecompressionStream("gzip"));
    const script = document.createElement("script");
    script.textContent = await new Response(stream).text();
    document.head.append(script);
    if (!window.Plotly) throw new Error("The chart library did not start; the tables replace the charts.");
  }

  // Charts in view are drawn first, the others when the browser is idle, so that all can be printed.
  async function drawCharts() {
    await unpackLibrary();
    for (const line of all(".save")) line.hidden = false;
    const nearby = new IntersectionObserver(
      (entries) => {
        for (const { isIntersecting, target } of entries) if (isIntersecting && waiting.has(target)) draw(target);
      },
      { rootMargin: "400px" },
    );
    for (const chart of waiting) nearby.observe(chart);
    const later = window.requestIdleCallback
      ? (work) => requestIdleCallback(work, { timeout: 500 })
      : (work) => setTimeout(work, 50);
    const next = () => {
      const chart = [...waiting].find((it) => it.clientWidth); // the others are folded
      if (chart) {
        draw(chart);
        later(next);
      }
    };
    later(next);
    new ResizeObserver(() => {
      if (printing) return;
      for (const [chart, width] of drawn) if (chart.clientWidth !== width) draw(chart);
    }).observe(find("main"));
  }

  const dataTables = all("details.data");
  if (waiting.size) {
    for (const details of dataTables) details.open = false;
    requestAnimationFrame(() =>
      setTimeout(() =>
        drawCharts().catch((error) => {
          for (const chart of all(".chart")) chart.hidden = true;
          for (const details of dataTables) details.open = true;
          throw error;
        }),
      ),
    );
  }

  // ---- table of all features ------------------------------------------------------------------------------------

  const ROWS_SHOWN = 200;
  const MOST_PRINTED = 100; // dropped features
  const table = find("#table");
  const body = table.tBodies[0];
  const rows = [...table.querySelectorAll("tbody tr")]; // in the initial order
  const search = find("#search");
  const more = find("#more");
  const count = (n) => n.toLocaleString("en");
  let limit = ROWS_SHOWN;
  let order = null; // { column, numeric, descending }
  let texts = null; // of the rows, in lower case; made at the first search

  function matching() {
    const show = find("input[name=show]:checked").value;
    const wanted = search.value.trim().toLowerCase();
    if (wanted) texts ??= new Map(rows.map((row) => [row, row.textContent.toLowerCase()]));
    const found = rows.filter(
      (row) => (show === "all" || row.classList.contains(show)) && (!wanted || texts.get(row).includes(wanted)),
    );
    return order ? sorted(found) : found;
  }

  function sorted(found) {
    const { column, numeric, descending } = order;
    const key = (row) => {
      const text = row.cells[column].firstChild?.textContent ?? "";
      return numeric ? parseFloat(text.replaceAll(",", "")) : text.toLowerCase();
    };
    const missing = (value) => value === "" || Number.isNaN(value);
    const compare = numeric ? (a, b) => a - b : new Intl.Collator("en", { numeric: true }).compare;
    return found
      .map((row) => [key(row), row])
      .sort(([a], [b]) => missing(a) - missing(b) || (missing(a) ? 0 : descending ? compare(b, a) : compare(a, b)))
      .map(([, row]) => row);
  }

  function fill() {
    const found = matching();
    body.replaceChildren(...found.slice(0, limit));
    const shown = Math.min(limit, found.length);
    const part = shown < found.length ? `, the first ${count(shown)} shown` : "";
    find("#count").textContent =
      found.length === rows.length
        ? `${count(rows.length)} ${rows.length === 1 ? "feature" : "features"}${part}`
        : `${count(found.length)} of ${count(rows.length)} features${part}`;
    more.textContent = `Show all ${count(found.length)}`;
    more.parentElement.hidden = shown === found.length;
  }

  function sortBy(heading) {
    const numeric = "numeric" in heading.dataset;
    const same = order?.column === heading.cellIndex;
    order = { column: heading.cellIndex, numeric, descending: same ? !order.descending : numeric };
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", order.descending ? "descending" : "ascending");
    fill();
  }

  for (const heading of table.tHead.rows[0].cells) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...heading.childNodes);
    button.addEventListener("click", () => sortBy(heading));
    heading.append(button);
  }
  find("#rest")?.remove();
  find(".controls").hidden = false;
  find(".controls").addEventListener("input", fill);
  find(".controls").addEventListener("submit", (event) => event.preventDefault());
  more.addEventListener("click", () => {
    const first = body.rows.length;
    limit = Infinity;
    fill();
    const row = body.rows[first]; // the button is hidden, so the focus moves to the first new row
    row.tabIndex = -1;
    row.focus();
  });
  fill();

  // ---- copy and save --------------------------------------------------------------------------------------------

  async function copyText(text) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      const area = document.createElement("textarea"); // where a page on disk may not use the clipboard
      area.value = text;
      document.body.append(area);
      area.select();
      const copied = document.execCommand("copy");
      area.remove();
      return copied;
    }
  }

  function save(name, url) {
    const link = document.createElement("a");
    link.href = url;
    link.download = name;
    link.click();
  }

  const copy = find("#copy");
  if (copy) {
    copy.parentElement.hidden = false;
    copy.addEventListener("click", async () => {
      const copied = await copyText(copy.dataset.text);
      copy.nextElementSibling.textContent = copied ? "Copied" : copy.dataset.text;
      copy.focus();
    });
  }

  const CSV_NAMES = { contribution: "contribution_nats", marginal: "marginal_nats" };
  // A spreadsheet would compute a text that starts like a formula.
  const inert = (text) => (/^[=+\-@\t\r\n]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text);
  const quoted = (text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

  // One field per value: an interval has its own two columns, and so has the role.
  function fields(column, cell) {
    const small = cell?.querySelector("small")?.textContent ?? "";
    const text = cell ? cell.textContent.slice(0, cell.textContent.length - small.length).trim() : "";
    if (column === "feature") return [["feature", cell?.querySelector("bdi")?.textContent ?? ""]];
    if (column === "role") return [["selected", String(text === "kept")], ["role", small]];
    const name = CSV_NAMES[column] ?? column;
    const value = "numeric" in headingOf[column].dataset ? text.replaceAll(",", "") : text;
    if (!(column in CSV_NAMES)) return [[name, value]];
    const [low = "", high = ""] = small ? small.replaceAll(",", "").split(" to ") : [];
    return [[name, value], [name.replace("_nats", "_low"), low], [name.replace("_nats", "_high"), high]];
  }

  const headingOf = Object.fromEntries([...table.tHead.rows[0].cells].map((cell) => [cell.classList[0], cell]));

  find("#csv").addEventListener("click", () => {
    const columns = Object.keys(headingOf);
    const names = columns.flatMap((column) => fields(column).map(([name]) => name));
    const lines = rows.map((row) => columns.flatMap((column, k) => fields(column, row.cells[k]).map(([, value]) => value)));
    const text = [names, ...lines].map((line) => `${line.map(inert).map(quoted).join(",")}\r\n`).join("");
    const url = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
    save("features.csv", url);
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
  });

  async function saveChart(chart, kind, format) {
    if (!drawn.has(chart)) draw(chart);
    const layout = { ...chart.layout, paper_bgcolor: getComputedStyle(chart).backgroundColor };
    const size = { width: chart.layout.width, height: chart.layout.height, scale: format === "png" ? 2 : 1 };
    save(`${kind}.${format}`, await window.Plotly.toImage({ data: chart.data, layout }, { format, ...size }));
  }

  for (const button of all(".save button")) {
    const { chart: kind } = button.parentElement.dataset;
    const chart = find(`[data-figure="${kind}-figure"]`);
    button.addEventListener("click", () => saveChart(chart, kind, button.value));
  }

  // ---- print ----------------------------------------------------------------------------------------------------

  let closed = [];

  addEventListener("beforeprint", () => {
    printing = true;
    closed = all("details:not([open])");
    for (const details of closed) details.open = true;
    if (window.Plotly) for (const chart of [...drawn.keys(), ...waiting]) draw(chart);
    const found = matching();
    const dropped = found.filter((row) => row.classList.contains("dropped"));
    if (dropped.length > 2 * MOST_PRINTED) {
      const left = new Set(dropped.slice(MOST_PRINTED));
      body.replaceChildren(...found.filter((row) => !left.has(row)));
      find("#printed").textContent = `The first ${MOST_PRINTED} of ${count(dropped.length)} dropped features are printed.`;
      find("#printed").hidden = false;
    } else {
      body.replaceChildren(...found);
    }
  });

  addEventListener("afterprint", () => {
    printing = false;
    for (const details of closed) details.open = false;
    find("#printed").hidden = true;
    fill();
    followTheme();
  });

  // ---- current section in the navigation ------------------------------------------------------------------------

  const links = new Map(all("nav a").map((link) => [link.hash.slice(1), link]));
  const seen = new Set();
  const position = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) seen[isIntersecting ? "add" : "delete"](target.id);
      const current = [...links.keys()].find((id) => seen.has(id));
      if (!current) return;
      for (const [id, link] of links) {
        if (id === current) link.setAttribute("aria-current", "true");
        else link.removeAttribute("aria-current");
      }
    },
    { rootMargin: "-15% 0px -60% 0px" },
  );
  for (const id of links.keys()) position.observe(document.getElementById(id));
  followTheme();
})();
