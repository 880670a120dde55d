// SPDX-License-Identifier: BSL-1.0
// What the page does with the kernels and tests of lkt-verify.
function addRow(kernel) {
  const row = document.createElement('tr');
  kernel.cells = {};
  for (const name of ['file', 'tests', 'verdict', 'time', 'gain']) {
    kernel.cells[name] = row.appendChild(document.createElement('td'));
  }
  kernel.cells.file.textContent = kernel.file + (kernel.original ? ' (the original)' : '') + (kernel.configuration ? `\n${kernel.configuration}` : '');
  document.getElementById('kernels').append(row);
  const details = document.createElement('details'), summary = document.createElement('summary'), pre = document.createElement('pre');
  summary.textContent = kernel.file;
  pre.textContent = kernel.text;
  details.append(summary, pre);
  document.getElementById('texts').append(details);
}
function verdict(kernel, text, right) {
  kernel.over = !right;
  kernel.cells.verdict.className = right ? 'right' : 'wrong';
  const pre = document.createElement('pre');
  pre.textContent = text;
  kernel.cells.verdict.replaceChildren(pre);
}
/** Tells lkt-verify of what `kernel` did; a device that is lost is opened anew. */
async function report(job, kernel, e, test) {
  if (!(e instanceof Trouble)) throw e;
  await say(`${job.run}/trouble/${kernel.index}`, {kind: e.kind, message: e.message.slice(0, 8000), test: test?.number});
  if (e.kind === 'too-large' && test) return;
  verdict(kernel, e.kind === 'unsupported' ? `not judged: ${e.message}` : `${e.kind}: ${e.message}`, false);
  if (e.kind !== 'crashed' && e.kind !== 'timeout') return;
  device.destroy();
  await openDevice();
}
async function judge(job, kernel, launch, test, data, place) {
  await launch.once();
  await launch.checkInputs(data, test);
  const answer = await post(`${job.run}/outputs/${kernel.index}/${place}`, await launch.outputs());
  if (!answer.right) verdict(kernel, `${answer.verdict}: ${answer.why}`, false);
  return answer.right;
}
async function inputsOf(test) {
  return Promise.all(test.arguments.map(async (a, k) => {
    if (!a || a.flow === 'out') return null;
    const answer = await fetch(`data/${test.number}/${k}`);
    if (!answer.ok) throw new Error('lkt-verify does not answer');
    return new Uint8Array(await answer.arrayBuffer());
  }));
}
async function runTests(job) {
  let count = 0;
  for (const number of job.order) {
    const test = job.tests[number];
    show('now', `Test ${++count} of ${job.tests.length}: ${test.name}, ${test.size}`);
    if (job.kernels.every((k) => k.over)) return;
    const data = await inputsOf(test);
    for (const kernel of job.kernels) {
      if (kernel.over) continue;
      let launch;
      try {
        launch = await Launch.of(kernel, test, data);
        if (await judge(job, kernel, launch, test, data, number)) {
          kernel.right = (kernel.right ?? 0) + 1;
          kernel.cells.tests.textContent = `${kernel.right} of ${job.tests.length}`;
          if (number === 0) kernel.timeable = true;
        }
      } catch (e) { await report(job, kernel, e, test); } finally { launch?.free(); }
    }
  }
}
/** Those that are right, in turns, on the timed test; what they computed meanwhile is judged, too. */
async function runTimes(job) {
  const test = job.tests[0], launches = job.kernels.map(() => null), data = await inputsOf(test);
  let now;
  try {
    for (now of job.kernels) if (now.timeable && !now.over) launches[now.index] = await Launch.of(now, test, data);
    if (!launches.some(Boolean)) return null;
    now = undefined;
    const made = await times(job, launches);
    for (now of job.kernels) {
      const launch = launches[now.index];
      if (!launch) continue;
      const answer = await post(`${job.run}/outputs/${now.index}/0/timed`, await launch.outputs());
      if (!answer.right) { verdict(now, `${answer.verdict}: ${answer.why}`, false); made[now.index] = null; }
    }
    return made;
  } finally { for (const l of launches) l?.free(); }
}
async function run() {
  const answer = await fetch('job');
  if (!answer.ok) throw new Error('lkt-verify does not answer: load the page again, or start it again');
  const job = await answer.json();
  job.tests.forEach((t, number) => { t.number = number; });
  job.kernels.forEach((k, index) => { k.index = index; addRow(k); });
  for (const k of job.kernels) if (k.refused) verdict(k, k.refused, false);
  let remark = '', made = null, clock = '';
  try {
    await openDevice();
  } catch (e) {
    await say(`${job.run}/page`, {message: e.message});
    throw e;
  }
  const name = adapterText(), software = isSoftware();
  show('device', `GPU: ${name}${software ? ' (software: these are not the times of a GPU)' : ''}`);
  try {
    await runTests(job);
    for (const k of job.kernels) if (!k.over) verdict(k, k.right ? `right on ${k.right} of ${job.tests.length} tests` : 'not judged', Boolean(k.right));
    made = await runTimes(job);
    if (made) clock = clockText();
    for (const k of job.kernels) {
      if (!made?.[k.index] || made[k.index].seconds.every((s) => s > 0)) continue;
      made[k.index] = null;
      remark = 'launches are too short for the steps of the clock: there are kernels without a time';
    }
  } catch (e) {
    if (!(e instanceof Trouble || e instanceof NoGpu)) throw e;
    remark = `it ended early: ${e.message}`;
  }
  const original = made && job.kernels.findIndex((k) => k.original);
  for (const k of job.kernels) {
    const mine = made?.[k.index];
    if (!mine) continue;
    k.cells.time.textContent = timeText(median(mine.seconds));
    if (!k.original && made[original]) k.cells.gain.textContent = (median(made[original].seconds) / median(mine.seconds)).toPrecision(3);
  }
  const last = await say(`${job.run}/result`, {adapter: name, software, clock, remark, times: made ?? job.kernels.map(() => null)});
  show('now', 'Done. lkt-verify has the result and has ended.');
  show('report', last.report);
}
run().catch((e) => { show('trouble', e.message); show('now', ''); });
