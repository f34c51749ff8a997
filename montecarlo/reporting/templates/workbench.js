// The workbench of a payout table: figures that follow from counted payments, settings held fixed.
// The formulas are those of montecarlo/studies/moments.py and montecarlo/studies/winnings.py.
"use strict";

// ---- what was counted ------------------------------------------------------------------------

function prepare(given) {
  const size = given.lineOf.length;
  const batches = given.batches.deals.map((deals, b) => ({
    plays: deals * given.seats,
    sums: numbers(given.batches.sums[b]),
    products: unpack(numbers(given.batches.products[b]), size),
  }));
  const all = { plays: 0, sums: new Float64Array(size), products: new Float64Array(size * size) };
  for (const batch of batches) {
    all.plays += batch.plays;
    batch.sums.forEach((sum, i) => { all.sums[i] += sum; });
    batch.products.forEach((sum, i) => { all.products[i] += sum; });
  }
  const deals = given.batches.deals.reduce((sum, n) => sum + n, 0);
  const flow = {
    sums: numbers(given.flow.sums),
    products: unpack(numbers(given.flow.products), size),
  };
  const prepared = { ...given, size, deals, batches, all, flow };
  const squares = second(prepared, all).map((x) => x / all.plays);
  const seen = new Set(given.winnings.counts.flat().flatMap((row) => row.filter((_, i) => i % 2 === 0)));
  prepared.unseen = squares.map((square, p) => (seen.has(p) ? 0 : square));
  prepared.played = given.payouts.map((payout) => payout.points);
  return prepared;
}

// Integers to the base 36, nothing for 0 (exact: they are below 2^53).
function numbers(text) {
  return Float64Array.from(text === "" ? [0] : text.split(","), (digits) => parseInt(digits || "0", 36));
}

function unpack(packed, size) {
  const square = new Float64Array(size * size);
  let place = 0;
  for (let i = 0; i < size; i++)
    for (let j = i; j < size; j++) square[i * size + j] = square[j * size + i] = packed[place++];
  return square;
}

// Σ x_p² of each payout p.
function second(given, batch) {
  return given.payouts.map((_, p) => {
    const column = given.matrix.map((row) => sparseEntry(row, p));
    return dot(column, times(batch.products, column));
  });
}

function sparseEntry(row, place) {
  for (let i = 0; i < row.length; i += 2) if (row[i] === place) return row[i + 1];
  return 0;
}

function sparseDot(row, v) {
  let sum = 0;
  for (let i = 0; i < row.length; i += 2) sum += row[i + 1] * v[row[i]];
  return sum;
}

function dot(a, b) {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}

function times(square, weights) {
  const size = weights.length, found = new Float64Array(size);
  for (let i = 0; i < size; i++) {
    let sum = 0;
    for (let j = 0; j < size; j++) sum += square[i * size + j] * weights[j];
    found[i] = sum;
  }
  return found;
}

// ---- figures of a payout table ---------------------------------------------------------------

// All figures under payouts v and a fee on winnings: each a pair [value, standard error].
function figures(given, v, fee) {
  const weights = given.matrix.map((row) => sparseDot(row, v));
  const parts = given.lines.map((_, line) =>
    weights.map((weight, i) => (given.lineOf[i] === line ? weight : 0)));
  const units = netOf(given, weights, weights);
  const won = winnings(given, v);
  const flowTimes = times(given.flow.products, weights);
  const flow = flowOf(given, weights, dot(weights, flowTimes));
  const spread = jackknife(given, weights, parts);
  const lines = parts.map((part, line) => ({
    flow: flowOf(given, part, dot(part, times(given.flow.products, part))),
    net: netOf(given, part, part),
    shareOfVariance: spread.shares[line],
  }));
  const left = [units[0] - fee * won[0], Math.hypot(units[1], fee * won[1])];
  return { units, sd: spread.sd, flow, won, left, lines };
}

function meanError(given, mean, square) {
  return Math.sqrt(Math.max(square - mean * mean, 0) / (given.deals - 1));
}

function flowOf(given, part, square) {
  const mean = dot(part, given.flow.sums) / given.deals;
  return [mean, meanError(given, mean, square / given.deals)];
}

// Where all seats are alike a seat expects 0, without error.
function netOf(given, part) {
  if (given.seats > 1) return [0, 0];
  const { plays, sums, products } = given.all;
  const mean = dot(part, sums) / plays;
  return [mean, meanError(given, mean, dot(part, times(products, part)) / plays)];
}

// SD and shares of variance, with delete-one-batch errors.
function jackknife(given, weights, parts) {
  const totals = (batch) => {
    const row = times(batch.products, weights);
    return {
      plays: batch.plays,
      sum: dot(weights, batch.sums),
      square: dot(weights, row),
      partSums: parts.map((part) => dot(part, batch.sums)),
      partSquares: parts.map((part) => dot(part, row)),
    };
  };
  const statistic = (t) => {
    const mean = t.sum / t.plays, variance = t.square / t.plays - mean * mean;
    const deals = t.plays / given.seats;
    return [
      Math.sqrt((Math.max(variance, 0) * deals) / Math.max(deals - 1, 1)),
      ...parts.map((_, k) => variance > 0
        ? (t.partSquares[k] / t.plays - (t.partSums[k] / t.plays) * mean) / variance : 0),
    ];
  };
  const all = totals(given.all), value = statistic(all), number = given.batches.length;
  const without = given.batches.map(totals).map((t) => statistic({
    plays: all.plays - t.plays,
    sum: all.sum - t.sum,
    square: all.square - t.square,
    partSums: all.partSums.map((sum, k) => sum - t.partSums[k]),
    partSquares: all.partSquares.map((sum, k) => sum - t.partSquares[k]),
  }));
  const pairs = value.map((one, k) => {
    if (number < 2) return [one, Infinity];
    const mean = without.reduce((sum, row) => sum + row[k], 0) / number;
    const square = without.reduce((sum, row) => sum + (row[k] - mean) ** 2, 0);
    return [one, Math.sqrt((square * (number - 1)) / number)];
  });
  return { sd: pairs[0], shares: pairs.slice(1) };
}

// E[max(units, 0)] of seat 0, by double sampling with the table played as the control.
function winnings(given, v) {
  const { known, sizes, counts } = given.winnings;
  const won = given.seats > 1 ? (x) => Math.abs(x) / 2 : (x) => Math.max(x, 0);
  const mean = (values) => values.reduce((sum, x) => sum + x, 0) / values.length;
  const total = sizes.reduce((sum, n) => sum + n, 0);
  const strata = sizes.map((size, h) => ({
    size,
    weight: size / total,
    target: counts[h].map((row) => won(sparseDot(row, v))),
    control: counts[h].map((row) => won(sparseDot(row, given.played))),
  }));
  let cross = 0, square = 0;
  for (const { weight, target, control } of strata) {
    const scale = (weight * weight) / control.length, t = mean(target), c = mean(control);
    control.forEach((x, i) => {
      cross += scale * (x - c) * (target[i] - t);
      square += scale * (x - c) ** 2;
    });
  }
  const slope = square > 0 ? cross / square : 0;
  let first = 0, secondMoment = 0, within = 0;
  for (const { size, weight, target, control } of strata) {
    const rest = target.map((t, i) => t - slope * control[i]), centre = mean(rest);
    first += weight * centre;
    secondMoment += weight * mean(rest.map((r) => r * r));
    if (rest.length > 1) {
      const spread = rest.reduce((sum, r) => sum + (r - centre) ** 2, 0) / (rest.length - 1);
      within += weight * weight * spread * (1 / rest.length - 1 / size);
    }
  }
  const variance = Math.max(secondMoment - first * first, 0) / total + within;
  let moved = 0;
  v.forEach((units, p) => { moved += Math.abs(units - given.played[p]) * given.unseen[p]; });
  const error = Math.hypot(Math.sqrt(Math.max(variance, 0)), slope * known[1], moved);
  return [first + slope * known[0], error];
}

// ---- the table as a rule file ----------------------------------------------------------------

// The rule file of the variant with the payouts v and the fee put in.
function ruleFile(given, v, fee) {
  const points = new Map(given.payouts.map((payout, p) => [payout.id, v[p]]));
  const row = (name) => {
    const base = points.get(`row.${name}.base`) ?? points.get(name) ?? 0, totals = [];
    for (const [id, extra] of points)
      if (id.startsWith(`row.${name}.`) && !id.endsWith(".base") && extra !== 0)
        totals.push(`${id.slice(`row.${name}.`.length)} = ${base + extra}`);
    return [`base = ${base}`, ...(totals.length ? [`units = { ${totals.join(", ")} }`] : [])];
  };
  const paid = (name) => points.has(`row.${name}.base`) || (name === "tail" && points.has("tail"));
  const special = (id) => points.get(`special.${id}`) ?? points.get(`tier.${given.tierOf[id]}`);
  let block = "", entry = "", rewritten = false;
  const lines = given.rules.split("\n").flatMap((line) => {
    if (line.startsWith("[")) {
      block = line.replace(/[[\]]/g, "");
      rewritten = block.startsWith("rows.") && paid(block.slice(5));
      return rewritten ? [line, ...row(block.slice(5))] : [line];
    }
    const [, key] = /^(\w+) = /.exec(line) ?? [];
    if (rewritten) return key ? [] : [line];
    if (block === "specials" && key === "id") entry = JSON.parse(line.slice(5));
    if (block === "specials" && key === "points") return [`points = ${special(entry)}`];
    if (block === "sweep" && points.has(key)) return [`${key} = ${points.get(key)}`];
    if (block === "settlement" && key === "fee_rate") return [`fee_rate = ${fee}`];
    if (block === "" && key === "majority" && points.has(key)) return [`majority = ${points.get(key)}`];
    if (block === "" && key === "id") return [`id = "${given.id}_edited"`];
    return [line];
  });
  return lines.join("\n");
}

// Why points cannot stand in a rule file, or "" if they can: [Chinese, English].
function refusal(given, v) {
  for (let p = 0; p < v.length; p++) {
    const { id, zh, en } = given.payouts[p];
    if (!Number.isInteger(v[p])) return [`${zh}：规则文件只收整数分`, `${en}: rule files hold whole points`];
    const base = id.startsWith("row.") && !id.endsWith(".base")
      ? v[given.payouts.findIndex((q) => q.id === `${id.slice(0, id.lastIndexOf("."))}.base`)]
        ?? v[given.payouts.findIndex((q) => q.id === "tail")] : 0;
    if (v[p] + base < 0) return [`${zh}：合计不得为负`, `${en}: less than 0 in all`];
    if (v[p] + base > 1000000) return [`${zh}：至多一百万`, `${en}: a million at most`];
  }
  return null;
}

// ---- numbers as people read them -------------------------------------------------------------

function written([value, error], scale = 1, signed = false) {
  value *= scale; error *= scale;
  const sign = (text) => (signed && value > 0 ? "+" : "") + text.replace(/-/g, "−");
  if (!(error > 1e-12)) return sign(String(Number(value.toPrecision(6))));
  if (!Number.isFinite(error)) return sign(`${value.toPrecision(3)} ± ?`);
  const place = Math.floor(Math.log10(Number(error.toPrecision(2)))) - 1;
  const digits = Math.min(Math.max(-place, 0), 12);
  const rounded = (x) => (place > 0 ? Math.round(x / 10 ** place) * 10 ** place : x).toFixed(digits);
  return sign(`${rounded(value)} ± ${rounded(error)}`);
}

// ---- the page --------------------------------------------------------------------------------

function start() {
  const given = prepare(JSON.parse(document.getElementById("content").textContent));
  const inputs = [...document.querySelectorAll("input[data-payout]")];
  const fee = document.getElementById("fee");
  const state = { v: given.played.slice(), fee: given.fee };
  const say = (zh, en) => {
    document.querySelector("#status [lang=zh]").textContent = zh;
    document.querySelector("#status [lang=en]").textContent = en;
  };
  const before = figures(given, given.played, given.fee);

  const show = (name, pair, scale, signed) => {
    const cell = document.querySelector(`[data-figure="${name}"]`);
    if (!cell) return;
    cell.textContent = written(pair, scale, signed);
    cell.dataset.value = pair[0];
    cell.dataset.error = pair[1];
  };

  const update = () => {
    const found = figures(given, state.v, state.fee);
    show("edge", found.units, 1, true);
    show("left", found.left, 1, true);
    for (const name of ["sd", "flow", "won"]) show(name, found[name]);
    const most = Math.max(...found.lines.map((line) => line.flow[0] / (found.flow[0] || 1)), 1e-9);
    found.lines.forEach((line, k) => {
      const id = given.lines[k].id;
      if (!given.lines[k].met) return;
      show(`${id}:flow`, line.flow);
      show(`${id}:net`, line.net, 1, true);
      show(`${id}:variance`, line.shareOfVariance, 100);
      const bar = document.querySelector(`[data-bar="${id}"]`);
      bar.style.width = `${(100 * line.flow[0]) / (found.flow[0] || 1) / most}%`;
    });
    for (const [name, key] of [["edge", "units"], ["left", "left"], ["sd", "sd"], ["flow", "flow"], ["won", "won"]]) {
      const cell = document.querySelector(`[data-change="${name}"]`);
      if (!cell) continue;
      const change = found[key][0] - before[key][0];
      cell.textContent = Math.abs(change) < 1e-12 ? "" : `${change > 0 ? "+" : "−"}${Math.abs(change).toPrecision(3)}`;
    }
    inputs.forEach((input, p) => input.classList.toggle("changed", state.v[p] !== given.played[p]));
    document.getElementById("toml").value = refusal(given, state.v) ? "" : ruleFile(given, state.v, state.fee);
  };

  const read = (input, accept) => {
    const number = Number(input.value);
    const right = input.value.trim() !== "" && Number.isFinite(number) && accept(number);
    input.setAttribute("aria-invalid", String(!right));
    if (!right) say("此格不是可用的数，结果仍按上一个数。", "Not a number that can be used: the figures keep the last one.");
    else say("", "");
    return right ? number : null;
  };

  inputs.forEach((input, p) => input.addEventListener("input", () => {
    const number = read(input, (x) => Math.abs(x) <= 1000000);
    if (number === null) return;
    state.v[p] = number;
    update();
  }));
  fee.addEventListener("input", () => {
    const number = read(fee, (x) => x >= 0 && x <= 100);
    if (number === null) return;
    state.fee = number / 100;
    update();
  });
  document.getElementById("reset").addEventListener("click", () => {
    state.v = given.played.slice();
    state.fee = given.fee;
    inputs.forEach((input, p) => { input.value = given.played[p]; input.setAttribute("aria-invalid", "false"); });
    fee.value = 100 * given.fee;
    fee.setAttribute("aria-invalid", "false");
    update();
    say("已还原。", "Back to the table that was played.");
  });
  document.getElementById("copy").addEventListener("click", async () => {
    const why = refusal(given, state.v), field = document.getElementById("toml");
    if (why) return say(...why);
    document.getElementById("file").open = true;
    try {
      await navigator.clipboard.writeText(field.value);
    } catch {
      field.focus();
      field.select();
      if (!document.execCommand("copy"))
        return say("浏览器不许复制：文字已选定，请按 Ctrl+C。", "The browser does not allow it: the text is selected, press Ctrl+C.");
    }
    return say("规则文件已复制。", "The rule file is copied.");
  });
  for (const button of document.querySelectorAll("[data-language]"))
    button.addEventListener("click", () => speak(button.dataset.language));
  speak("en");
  update();
  window.workbench = { given, state, figures, ruleFile };
}

function speak(language) {
  document.documentElement.lang = language;
  for (const button of document.querySelectorAll("[data-language]"))
    button.setAttribute("aria-pressed", String(button.dataset.language === language));
}

start();
