// The editor of hierarchies: what is typed, picked or dragged is tried at once; buttons keep it in the plan.
"use strict";
const rule = $("#rule");
if (rule) {
  const place = $("#tried");
  const field = (name) => $(`#${name}`, rule);
  let timer = 0, round = 0, grabbed = null;

  // -- fields of the chosen sort only --------------------------------------------------------------------
  const sorted = () => {
    for (const part of all("[data-for]", rule)) part.classList.toggle("hidden", !part.dataset.for.split(" ").includes(field("sort").value));
    const listed = $("#listed");
    if (listed && ["groups", "table"].includes(field("sort").value) && !field("rows").value) field("rows").value = listed.value;
  };

  // -- the list of values with their classes, where somebody was reading in it -----------------------------
  const listed_anew = (fresh) => {
    const [old, now] = [$("#bars", place), $("#bars", fresh)];
    if (!old || !now) return;
    const read = all("*", old).map((one) => one.scrollTop);
    old.replaceWith(now);
    all("*", now).forEach((one, i) => { if (read[i]) one.scrollTop = read[i]; });
  };

  // -- ask what the rule does; the chart stays where it is while somebody holds a part of it ---------------
  const attempt = async (keepShape) => {
    const mine = ++round;
    const form = new FormData(rule);
    form.delete("file");
    if (!form.has("publish")) form.set("publish", form.get("published"));
    place.classList.add("stale");
    waiting();
    try {
      const answer = await fetch(rule.dataset.try, { method: "POST", body: new URLSearchParams(form) });
      const text = await answer.text();
      if (mine !== round || answer.status === 204) return;
      const fresh = new DOMParser().parseFromString(`<div>${text}</div>`, "text/html").body.firstChild;
      const stays = keepShape && $("[data-part=shape]", place);
      if (!$("[data-part=standing]", fresh) && $("[data-part=standing]", place)) {
        // a mistake while typing: what was counted before stays in view, below the sentence
        $("[data-part=wrong]", place).replaceWith($("[data-part=wrong]", fresh));
      } else if (stays) {
        for (const part of ["wrong", "standing", "tree"]) $(`[data-part=${part}]`, place).replaceWith($(`[data-part=${part}]`, fresh));
        if (keepShape === "chart") listed_anew(fresh);
      } else place.replaceChildren(...fresh.childNodes);
      sorted();
    } catch { if (mine === round) say("The page cannot reach tacit. Is it still running?"); }
    finally { answered(); }
    if (mine === round) place.classList.remove("stale");
  };
  // while somebody drags: one question at a time, and the next at once; so the counts follow the hand
  let asking = false, again = false;
  const live = async () => {
    if (asking) { again = true; return; }
    asking = true;
    do { again = false; await attempt("chart"); } while (again);
    asking = false;
  };
  const soon = (keepShape, after = 150) => { clearTimeout(timer); timer = setTimeout(() => attempt(keepShape), after); };

  rule.addEventListener("input", (event) => {
    const name = event.target.name;
    if (name === "file" || name === "label") return;
    if (name === "publish") { rule.elements.published.value = event.target.value; return; }
    if (name === "sort") sorted();
    soon(name === "pick");
  });

  // -- cut points: sliders for pointers and keys -----------------------------------------------------------
  const chart = () => $("#cut-chart", place);
  const sliders = () => all(".cut", place);
  const range = (one) => [Number(one.getAttribute("aria-valuemin")), Number(one.getAttribute("aria-valuemax"))];
  const LEFT = 14; // the margin of the drawing, on both sides
  const round_to = (value, step) => Number((Math.round(value / step) * step).toPrecision(12));
  // what is typed counts more than a chart that is about to be drawn anew
  const first = () => (field("sort").value === "cuts" && field("cuts").value.trim() ? field("cuts").value.split(";")[0] : chart().dataset.cuts);
  const current = () => first().split(",").map((one) => one.trim()).filter(Boolean).map(Number);
  const further = () => (field("sort").value === "cuts" ? field("cuts").value.split(";").slice(1) : chart().dataset.further.split(";"));
  const write = (cuts, levels) => {
    chart().dataset.cuts = cuts.join(", ");
    field("cuts").value = [cuts.join(", "), ...levels.map((one) => one.trim()).filter(Boolean)].join("; ");
    field("sort").value = "cuts";
    sorted();
  };
  const move = (slider, value) => {
    const [low, high] = range(slider);
    const step = Number(chart().dataset.step);
    const old = Number(slider.dataset.cut);
    const others = current().filter((one) => one !== old);
    const now = round_to(Math.min(Math.max(value, low), high), step);
    // two cut points never meet: the class between them would be empty
    if (now === old || others.includes(now) || others.some((one) => (one - old) * (one - now) < 0)) return;
    const width = slider.ownerSVGElement.viewBox.baseVal.width;
    slider.setAttribute("transform", `translate(${LEFT + ((now - low) / (high - low)) * (width - 2 * LEFT)} 0)`);
    slider.dataset.cut = String(now);
    slider.setAttribute("aria-valuenow", String(now));
    $("text", slider).textContent = String(now);
    // the same cut point on higher levels moves with it
    const levels = further().map((one) => one.split(",").map((n) => (Number(n) === old ? String(now) : n.trim())).join(", "));
    write([...others, now].sort((a, b) => a - b), levels);
    live();
  };
  const drop = (slider) => {
    const old = Number(slider.dataset.cut);
    const rest = current().filter((one) => one !== old);
    if (!rest.length) { say("One cut point must stay"); return; }
    write(rest, further().map((one) => one.split(",").filter((n) => Number(n) !== old).join(", ")));
    attempt(false);
  };
  const add = (value) => {
    const cuts = current();
    if (cuts.includes(value)) return;
    write([...cuts, value].sort((a, b) => a - b), further());
    attempt(false);
  };
  const at = (svg, event) => {
    const box = svg.getBoundingClientRect();
    const width = svg.viewBox.baseVal.width;
    return ((event.clientX - box.left) / box.width) * width;
  };
  const value_at = (svg, slider, event) => {
    const [low, high] = range(slider);
    return low + ((at(svg, event) - LEFT) / (svg.viewBox.baseVal.width - 2 * LEFT)) * (high - low);
  };
  place.addEventListener("pointerdown", (event) => {
    const slider = event.target.closest(".cut");
    if (!slider) return;
    event.preventDefault();
    grabbed = slider;
    slider.focus();
    slider.setPointerCapture(event.pointerId);
  });
  place.addEventListener("pointermove", (event) => { if (grabbed) move(grabbed, value_at(grabbed.ownerSVGElement, grabbed, event)); });
  for (const name of ["pointerup", "pointercancel"]) place.addEventListener(name, () => { grabbed = null; });
  place.addEventListener("keydown", (event) => {
    if (event.target.id === "label" && event.key === "Enter") { event.preventDefault(); $("#merge").click(); return; }
    const slider = event.target.closest(".cut");
    if (!slider) return;
    const [low, high] = range(slider);
    const step = Number(chart().dataset.step) * (event.shiftKey ? 10 : 1);
    const now = Number(slider.dataset.cut);
    const to = { ArrowRight: now + step, ArrowUp: now + step, ArrowLeft: now - step, ArrowDown: now - step, PageUp: now + 10 * step, PageDown: now - 10 * step, Home: low, End: high }[event.key];
    if (to !== undefined) { event.preventDefault(); move(slider, to); }
    if (event.key === "Delete" || event.key === "Backspace") { event.preventDefault(); drop(slider); }
  });
  place.addEventListener("click", (event) => {
    if (event.target.id === "remove-cut") { const last = sliders().at(-1); if (last) drop(last); }
    if (event.target.id === "add-cut") {
      const [low, high] = chart().dataset.range.split(" ").map(Number);
      // the middle of the widest class
      const points = [low, ...current(), high].sort((a, b) => a - b);
      let best = 0;
      for (let i = 1; i + 1 < points.length; i += 1) if (points[i + 1] - points[i] > points[best + 1] - points[best]) best = i;
      add(round_to((points[best] + points[best + 1]) / 2, Number(chart().dataset.step)));
    }
  });

  sorted();
  attempt(false);
}
