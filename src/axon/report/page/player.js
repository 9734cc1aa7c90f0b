"use strict";
// Steps through two traced runs of one problem. Texts come from a model: they are only ever set as text.
(() => {
  const data = JSON.parse(document.getElementById("replay-data").textContent);
  const find = (id) => document.getElementById(id);
  const sides = ["left", "right"];
  const pace = 350; // milliseconds between two evaluations when playing
  let at = 0;
  let timer = null;

  const task = () => data[find("task").selectedIndex];
  const problem = () => task().problems[find("problem").selectedIndex];
  const run = (side) => problem().runs[find(side).value];
  const longest = () => Math.max(...sides.map((side) => run(side).steps.length));

  function fill(select, names, chosen) {
    select.replaceChildren(...names.map((name) => {
      const option = document.createElement("option");
      option.value = option.textContent = name;
      return option;
    }));
    if (names.includes(chosen)) select.value = chosen;
  }

  function takeTask() {
    fill(find("problem"), task().problems.map((one) => one.name));
    takeProblem(task().pair);
  }

  function takeProblem(pair) {
    const names = Object.keys(problem().runs);
    sides.forEach((side, index) => fill(find(side), names, pair ? pair[index] : find(side).value));
    takeRuns();
  }

  function takeRuns() {
    find("prompt").textContent = run("left").prompt;
    find("slider").max = longest();
    go(Math.min(at, longest()));
  }

  function token(text, kind, past) {
    const cell = document.createElement("span");
    cell.className = "token" + (kind ? " " + kind : "") + (past ? " past" : "");
    if (kind === "m") return cell;
    // A token may have no text, such as the one that ends an answer.
    if (text === "") cell.classList.add("end");
    cell.textContent = text === "" ? "∎" : text.replaceAll("\n", "⏎\n");
    return cell;
  }

  function draw(side) {
    const own = run(side);
    const texts = own.cells.slice();
    const kinds = own.cells.map((text) => (text === null ? "m" : ""));
    const past = own.cells.map(() => false);
    own.steps.slice(0, at).forEach((step, number) => {
      step.places.forEach((place, index) => {
        const now = number === at - 1;
        texts[place] = step.texts[index];
        // What was new is plain a step later; anchors and what they brought stay visible.
        kinds[place] = step.kinds[index] === "n" && !now ? "" : step.kinds[index];
        past[place] = !now;
      });
    });
    find(side + "-canvas").replaceChildren(...texts.map((text, place) => token(text, kinds[place], past[place])));
    say(find(side + "-status"), own);
  }

  function say(line, own) {
    const done = at >= own.steps.length;
    const step = own.steps[Math.min(at, own.steps.length) - 1];
    const parts = [];
    if (done) parts.push(`done after ${own.steps.length} evaluations`);
    else if (step) parts.push(`evaluation ${at} of ${own.steps.length}`);
    else parts.push(`${own.steps.length} evaluations to come`);
    if (step && !done) parts.push(`block ${step.block}, step ${step.step}`, `revealed ${step.places.length}`);
    if (step && step.gate && at <= own.steps.length) parts.push(gate(step.gate));
    line.textContent = parts.join(" · ");
    if (done && own.right !== null) {
      const verdict = document.createElement("span");
      verdict.className = own.right ? "right" : "wrong";
      verdict.textContent = own.right ? " · right ✓" : " · wrong ✗";
      line.append(verdict);
    }
  }

  function gate(reading) {
    if (reading.support === undefined) return `gate ${reading.state}`;
    const numbers = ["support", "pace", "doubt"].map((name) => `${name} ${reading[name].toFixed(2)}`).join(", ");
    const anchors = reading.anchors ? `, ${reading.anchors} anchor${reading.anchors > 1 ? "s" : ""}` : "";
    return `gate ${reading.state} (${numbers}${anchors})`;
  }

  function go(step) {
    at = Math.max(0, Math.min(step, longest()));
    find("slider").value = at;
    find("count").textContent = `evaluation ${at} of ${longest()}`;
    sides.forEach(draw);
    if (at === longest()) pause();
  }

  function pause() {
    clearInterval(timer);
    timer = null;
    find("play").textContent = "▶ play";
  }

  function play() {
    if (timer !== null) return pause();
    if (at === longest()) go(0);
    find("play").textContent = "❚❚ pause";
    timer = setInterval(() => go(at + 1), pace);
  }

  function step(by) {
    pause();
    go(at + by);
  }

  fill(find("task"), data.map((one) => one.task));
  find("task").addEventListener("change", () => { pause(); at = 0; takeTask(); });
  find("problem").addEventListener("change", () => { pause(); at = 0; takeProblem(); });
  sides.forEach((side) => find(side).addEventListener("change", takeRuns));
  find("first").addEventListener("click", () => step(-Infinity));
  find("back").addEventListener("click", () => step(-1));
  find("forward").addEventListener("click", () => step(1));
  find("last").addEventListener("click", () => step(Infinity));
  find("play").addEventListener("click", play);
  find("slider").addEventListener("input", (event) => { pause(); go(Number(event.target.value)); });
  document.addEventListener("keydown", (event) => {
    // Lists and the slider have their own use for these keys.
    if (event.target.closest("select, input, summary, a") || event.ctrlKey || event.metaKey || event.altKey) return;
    const away = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (away) step(away);
    else if (event.key === " " && !event.target.closest("button") && seen()) play();
    else return;
    event.preventDefault();
  });

  function seen() {
    // Elsewhere on the page the space bar scrolls.
    const box = find("player").getBoundingClientRect();
    return box.top < window.innerHeight && box.bottom > 0;
  }

  // A link may name the step to show, so that it can be sent around: #step=7
  const wanted = /step=(\d+)/.exec(location.hash);
  if (wanted) at = Number(wanted[1]);
  takeTask();
})();
