// A little script: every page works as plain forms; this makes it live. No library, no outside request.
"use strict";
const $ = (query, root = document) => root.querySelector(query);
const all = (query, root = document) => [...root.querySelectorAll(query)];
let known = document.body.dataset.version || "";
let newest = known;
const compare = () => { const note = $("#behind"); if (note && known) note.classList.toggle("hidden", newest === known); };
const say = (text) => { const place = $("#said"); if (place) place.textContent = text; };

// -- waiting: every click is answered at once, and who waits is told what is done -----------------------------
const doing = $("#doing");
let waits = 0, work = "";
const told = () => { if (doing) { doing.classList.toggle("hidden", waits < 1); if (waits > 0) doing.textContent = `${work || "Working"} …`; } };
// a moment later, so that what ends at once does not flicker; not faded in: a busy machine paints few pictures
const waiting = () => { waits += 1; setTimeout(told, 80); };
const answered = () => { waits = Math.max(0, waits - 1); told(); };
// a page that comes back from the browser's memory waits for nothing any more
addEventListener("pageshow", (e) => { if (e.persisted) { waits = 0; told(); } });
const leads = (address) => !/\/download\//.test(address) && address.split("#")[0] !== location.href.split("#")[0];
document.addEventListener("click", (e) => {
  const link = e.target.closest("a[href]");
  if (link && !e.ctrlKey && !e.metaKey && !e.shiftKey && leads(link.href)) waiting();
});
document.addEventListener("submit", (e) => { if (!/\/download\//.test(e.target.action)) waiting(); });

// -- what scrolls can be reached by keyboard: which parts do depends on the width of the screen -----------------
const reachable = () => { for (const box of all(".scroll, pre")) if (!box.hasAttribute("tabindex") && box.scrollWidth > box.clientWidth + 1) box.tabIndex = 0; };
addEventListener("resize", reachable);
new MutationObserver(reachable).observe($("#main"), { childList: true, subtree: true });
reachable();

// -- files: drop or choose ------------------------------------------------------------------------------
for (const zone of all("[data-drop]")) {
  const input = $("input[type=file]", zone);
  const send = () => { if (input.files.length) { say("Reading the file"); zone.requestSubmit(); } };
  input.addEventListener("change", send);
  for (const name of ["dragenter", "dragover"]) zone.addEventListener(name, (e) => { e.preventDefault(); zone.classList.add("over"); });
  for (const name of ["dragleave", "drop"]) zone.addEventListener(name, () => zone.classList.remove("over"));
  zone.addEventListener("drop", (e) => { e.preventDefault(); if (e.dataTransfer.files.length) { input.files = e.dataTransfer.files; send(); } });
}

// -- the file as it is: asked for again when a role has changed; the newest answer wins --------------------
const exposed = $("[data-look]");
let looks = 0;
// the main figures stay in view while roles are chosen, and are there long before the whole look
const strip = $("#strip");
const counted = async (mine) => {
  const answer = await fetch(strip.dataset.counts);
  const text = await answer.text();
  if (mine !== looks || answer.status === 204) return;
  strip.innerHTML = text;
  strip.classList.toggle("hidden", !strip.children.length);
};
const lookAgain = async () => {
  if (!exposed) return;
  const mine = ++looks;
  exposed.classList.add("stale");
  waiting();
  try {
    if (strip) await counted(mine);
    if (mine !== looks) return;
    const answer = await fetch(exposed.dataset.look);
    const text = await answer.text();
    if (mine !== looks || answer.status === 204) return;
    exposed.innerHTML = text;
  } catch { if (mine === looks) exposed.innerHTML = "<p class='soft'>The page cannot reach tacit. Is it still running?</p>"; }
  finally { answered(); }
  if (mine === looks) exposed.classList.remove("stale");
};
lookAgain();

// -- forms that save themselves --------------------------------------------------------------------------
// One field at a time, in the background: the focus stays where it is, and two tabs do not overwrite each other.
for (const form of all("form[data-auto]")) form.addEventListener("change", async (e) => {
  const field = e.target;
  const answer = await fetch(form.getAttribute("action"), { method: "POST", keepalive: true, body: new URLSearchParams({ [field.name]: field.value }) });
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  known = newest = page.body.dataset.version || known;
  for (const hidden of all("[name=version]")) hidden.value = known;
  for (const name of ["undo", "redo"]) { const old = $(`#${name}`), now = $(`#${name}`, page); if (old && now) old.disabled = now.disabled; }
  for (const old of all("[data-fresh]")) { const now = old.id && $(`#${old.id}`, page); if (now) old.replaceWith(now); }
  lookAgain();
  say(answer.ok ? `Saved: ${field.getAttribute("aria-label")} is ${field.value}` : "This could not be saved");
});
for (const item of all("[data-submits]")) item.addEventListener("change", () => { item.form.requestSubmit($(`[value="${item.dataset.submits}"]`, item.form)); });

const knob = $("#knob");
if (knob) knob.addEventListener("change", () => { $("#values").value = knob.selectedOptions[0].dataset.tries; });

// -- live preview: the newest answer wins ------------------------------------------------------------------
const plan = $("#plan");
if (plan) {
  let timer = 0, round = 0;
  const target = $("#preview");
  const refresh = async () => {
    const mine = ++round;
    target.classList.add("stale");
    waiting();
    const slow = setTimeout(() => say("Still working on the preview"), 2500);
    try {
      const answer = await fetch(plan.dataset.preview, { method: "POST", body: new URLSearchParams(new FormData(plan)) });
      const text = await answer.text();
      if (mine !== round || answer.status === 204) return;
      target.innerHTML = text;
      const version = answer.headers.get("X-Version");
      if (version) { for (const field of all("[name=version]")) field.value = version; known = newest = version; compare(); }
      for (const name of ["undo", "redo"]) { const button = $(`#${name}`); const flag = answer.headers.get(`X-${name}`); if (button && flag) button.disabled = flag === "no"; }
      const short = $("[data-say]", target);
      if (short) say(short.dataset.say);
    } catch { if (mine === round) target.innerHTML = "<p class='soft'>The page cannot reach tacit. Is it still running?</p>"; }
    finally { answered(); clearTimeout(slow); }
    if (mine === round) target.classList.remove("stale");
  };
  plan.addEventListener("input", (e) => { if (e.target.dataset.submits) return; clearTimeout(timer); timer = setTimeout(refresh, 180); });
  refresh();
}

// -- progress and news from the server ----------------------------------------------------------------------
const feed = document.body.dataset.events;
if (feed) {
  let source = null;
  const hear = (event) => {
    const news = JSON.parse(event.data);
    const job = news.job;
    work = news.doing || "";
    told();
    for (const place of all("[data-doing]")) if (work) place.textContent = `${work} …`;
    const line = $(".working i");
    if (line) line.style.width = job && job.busy ? `${Math.max(2, 100 * job.share)}%` : "0";
    const panel = $("#progress");
    if (job && job.busy) {
      if (panel) {
        panel.classList.remove("hidden");
        $("progress", panel).value = job.share;
        $("[data-text]", panel).textContent = job.text;
        $("[data-left]", panel).textContent = job.left;
      }
    } else if (panel && !panel.classList.contains("hidden")) {
      panel.classList.add("hidden");
      location.reload();
      return;
    }
    newest = news.version;
    setTimeout(compare, 1000); // our own change may be known here before its answer arrives
    const live = $("#live");
    if (live && news.live !== undefined && news.live !== live.dataset.seen) {
      live.dataset.seen = news.live;
      fetch(live.dataset.source).then((a) => a.text()).then((text) => {
        live.innerHTML = text;
        // what has ended cannot be stopped
        const [running, stop] = [$("[data-running]", live), $("#stop")];
        if (running && stop) stop.disabled = running.dataset.running !== "yes";
      });
    }
    if (news.over && document.body.dataset.reloads && !document.body.dataset.done) { document.body.dataset.done = "1"; location.reload(); }
  };
  const open = () => { if (!source) { source = new EventSource(feed); source.onmessage = hear; } };
  const close = () => { if (source) { source.close(); source = null; } };
  document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
  addEventListener("pagehide", close);
  open();
}

// -- the map: a point is a button ------------------------------------------------------------------------------
const pick = (event) => {
  const point = event.target.closest("[data-choose]");
  // a node of the lattice leads to its row, which says why it will do or not
  const row = point && all("[data-node]").find((one) => one.dataset.node === point.dataset.choose);
  if (row) {
    event.preventDefault();
    for (const other of all("tr.shown")) other.classList.remove("shown");
    row.classList.add("shown");
    row.scrollIntoView({ block: "center" });
    ($("button", row) || row.closest("[tabindex]")).focus({ preventScroll: true });
    return;
  }
  const form = $("#choose");
  if (!point || !form) return;
  event.preventDefault();
  form.elements.run.value = point.dataset.choose;
  form.requestSubmit();
};
document.addEventListener("click", pick);
document.addEventListener("keydown", (e) => {
  if ((e.key === "Enter" || e.key === " ") && e.target.closest("[data-choose]")) pick(e);
  if ((e.ctrlKey || e.metaKey) && !e.altKey && e.key.toLowerCase() === "z" && !/^(INPUT|TEXTAREA)$/.test(e.target.tagName)) {
    const button = $(e.shiftKey ? "#redo" : "#undo");
    if (button && !button.disabled) { e.preventDefault(); button.click(); }
  }
});
document.addEventListener("click", async (e) => {
  const button = e.target.closest("[data-copy]");
  if (!button) return;
  await navigator.clipboard.writeText($(button.dataset.copy).textContent);
  say("Copied"); button.textContent = "Copied";
  setTimeout(() => { button.textContent = "Copy"; }, 1500);
});
