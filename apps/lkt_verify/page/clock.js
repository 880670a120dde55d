// SPDX-License-Identifier: BSL-1.0
// How long launches take, as far as a browser tells.
let stamps, flush, step = 0n; // `step`: nanoseconds that all differences of timestamps are multiples of
function gcd(a, b) { while (b) [a, b] = [b, a % b]; return a; }
/** Mean seconds of `n` launches, each after its arguments were restored and caches emptied. */
async function timed(launch, n) {
  launch.poison();
  const encoder = device.createCommandEncoder();
  if (!device.features.has('timestamp-query')) {
    for (let k = 0; k < n; ++k) { launch.restore(encoder); launch.dispatch(encoder); }
    const work = encoder.finish();
    await inTime(device.queue.onSubmittedWorkDone());
    const begin = performance.now();
    device.queue.submit([work]);
    await inTime(device.queue.onSubmittedWorkDone());
    return (performance.now() - begin) / 1e3 / n;
  }
  for (let k = 0; k < n; ++k) {
    launch.restore(encoder);
    encoder.clearBuffer(flush);
    launch.dispatch(encoder, {querySet: stamps.set, beginningOfPassWriteIndex: 2 * k, endOfPassWriteIndex: 2 * k + 1});
  }
  encoder.resolveQuerySet(stamps.set, 0, 2 * n, stamps.buffer, 0);
  device.queue.submit([encoder.finish()]);
  const ticks = new BigUint64Array((await fetched(stamps.buffer)).buffer, 0, 2 * n);
  let sum = 0n;
  for (let k = 0; k < n; ++k) {
    const took = ticks[2 * k + 1] - ticks[2 * k];
    if (took > 0n) sum += took;
    for (const d of [took, ticks[2 * k] - ticks[0]]) if (d > 0n) step = gcd(step, d);
  }
  return Number(sum) / 1e9 / n;
}
const MOST = 1000; // launches of a round
function openClock() {
  step = 0n;
  if (!device.features.has('timestamp-query')) return;
  stamps = {set: device.createQuerySet({type: 'timestamp', count: 2 * MOST}), buffer: device.createBuffer({size: 16 * MOST, usage: QUERY_RESOLVE | COPY_SRC})};
  flush = device.createBuffer({size: (isSoftware() ? 16 : 128) << 20, usage: COPY_DST | STORAGE});
}
/** So many launches that a round's mean is worth something, and takes a third of a second at most. */
async function launchesFor(launch) {
  await timed(launch, 1); // some drivers compile now
  const begin = performance.now();
  let time = 0;
  for (let k = 0; k < 3; ++k) time += await timed(launch, 1) / 3;
  const wall = Math.max(1e-4, (performance.now() - begin) / 3e3);
  const most = Math.max(1, Math.min(MOST, Math.floor(0.3 / wall)));
  if (!device.features.has('timestamp-query')) return Math.max(1, Math.min(MOST, Math.ceil(0.05 / Math.max(1e-6, wall))));
  const wanted = (25 * Number(step) / 1e9 / Math.max(time, 1e-9)) ** 2; // so that a step of the clock is 2 % of the mean
  return Math.max(1, Math.min(most, Math.max(3, Math.ceil(wanted))));
}
async function times(job, launches) {
  openClock();
  for (const l of launches) if (l) l.count = await launchesFor(l);
  const seconds = launches.map(() => []);
  for (let round = 0; round < job.rounds; ++round) {
    show('now', `Timing: round ${round + 1} of ${job.rounds}`);
    const order = launches.map((_, k) => k);
    if (round % 2) order.reverse();
    for (const k of order) if (launches[k]) seconds[k].push(await timed(launches[k], launches[k].count));
    await pause(0);
  }
  return launches.map((l, k) => l && {launches: l.count, seconds: seconds[k]});
}
function clockText() {
  if (device.features.has('timestamp-query'))
    return `timestamps of the GPU, in steps of ${Number(step) / 1e3} us; caches emptied before each launch`;
  return 'the browser\'s, from submission to onSubmittedWorkDone, over launches in a row: queue and copies of what a kernel ' +
    `overwrites are in it, caches are warm${crossOriginIsolated ? '' : ', and its steps are coarse'}`;
}
const median = (values) => { const v = [...values].sort((a, b) => a - b), m = v.length >> 1; return v.length % 2 ? v[m] : (v[m - 1] + v[m]) / 2; };
function timeText(s) { return s >= 1 ? `${s.toPrecision(4)} s` : s >= 1e-3 ? `${(s * 1e3).toPrecision(4)} ms` : `${(s * 1e6).toPrecision(4)} us`; }
