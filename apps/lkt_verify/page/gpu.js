// SPDX-License-Identifier: BSL-1.0
// The device, and kernels with their arguments on it.
const LIMITS = ['maxBufferSize', 'maxStorageBufferBindingSize', 'maxUniformBufferBindingSize', 'maxStorageBuffersPerShaderStage',
  'maxUniformBuffersPerShaderStage', 'maxBindGroups', 'maxBindingsPerBindGroup', 'maxComputeWorkgroupStorageSize',
  'maxComputeInvocationsPerWorkgroup', 'maxComputeWorkgroupSizeX', 'maxComputeWorkgroupSizeY', 'maxComputeWorkgroupSizeZ',
  'maxComputeWorkgroupsPerDimension'];
const LAUNCH_LIMIT = 30e3; // milliseconds
const {COPY_SRC, COPY_DST, STORAGE, UNIFORM, MAP_READ, QUERY_RESOLVE} = globalThis.GPUBufferUsage ?? {};
const show = (id, text) => { document.getElementById(id).textContent = text; };
/** What `what` comes to, or `late` thrown after so many milliseconds. */
async function within(ms, what, late) {
  let timer;
  const limit = new Promise((_, no) => { timer = setTimeout(() => no(late), ms); });
  try { return await Promise.race([what, limit]); } finally { clearTimeout(timer); }
}
const pause = (ms) => new Promise((go) => setTimeout(go, ms));

/** What a kernel did, for lkt-verify; `kind` is one of those that it knows. */
class Trouble extends Error {
  constructor(kind, message, test) { super(message); Object.assign(this, {kind, test}); }
}
/** Nothing runs here. */
class NoGpu extends Error {}

async function post(path, body) {
  const answer = await fetch(path, {method: 'POST', body});
  if (!answer.ok) throw new Error((await answer.text()).trim());
  return answer.json();
}
const say = (path, what) => post(path, JSON.stringify(what));

let adapter, device, gone; // `gone` is rejected when the device is lost
async function openDevice() {
  if (!navigator.gpu)
    throw new NoGpu(isSecureContext
      ? 'This browser offers no WebGPU. Use a current Chrome, Edge, Safari or Firefox; on Linux, Chromium may need ' +
        '--enable-unsafe-webgpu --enable-features=Vulkan.'
      : 'A browser offers WebGPU to pages of https and of the loopback interface alone. Open this page as 127.0.0.1 or localhost, ' +
        'through a tunnel (ssh -L) if lkt-verify runs elsewhere.');
  const stuck = new NoGpu('The GPU does not answer: a kernel may still be running. Start the browser again.');
  const again = Boolean(adapter); // the process of a GPU that crashed needs a moment
  for (let attempt = 0; attempt < (again ? 10 : 1); ++attempt) {
    if (attempt) await pause(500);
    adapter = await within(LAUNCH_LIMIT, navigator.gpu.requestAdapter({powerPreference: 'high-performance'}), stuck);
    if (adapter) break;
  }
  if (!adapter)
    throw new NoGpu('WebGPU is there, but no adapter: the browser blocks this GPU or its driver, or lost it too often. ' +
      'See chrome://gpu or about:support, or start the browser again.');
  const requiredFeatures = ['timestamp-query', 'shader-f16', 'subgroups'].filter((f) => adapter.features.has(f));
  const requiredLimits = {};
  for (const name of LIMITS) if (adapter.limits[name] !== undefined) requiredLimits[name] = adapter.limits[name];
  device = await within(LAUNCH_LIMIT, adapter.requestDevice({requiredFeatures, requiredLimits}), stuck)
    .catch((e) => { throw e instanceof NoGpu ? e : new NoGpu(`The GPU cannot be opened: ${e.message}`); });
  gone = device.lost.then((why) => { throw new Trouble('crashed', `the device was lost: ${why.message || why.reason}`); });
  gone.catch(() => {});
}
const isSoftware = () => Boolean(adapter.info?.isFallbackAdapter ?? adapter.isFallbackAdapter) ||
  /swiftshader|llvmpipe|lavapipe|basic render/i.test(adapterText());
function adapterText() {
  const i = adapter.info ?? {};
  const words = [i.vendor, i.architecture, i.device, i.description].filter(Boolean);
  return words.join(', ') || 'unnamed';
}
async function inTime(what) {
  try {
    return await within(LAUNCH_LIMIT, Promise.race([what, gone]), new Trouble('timeout', `a launch took longer than ${LAUNCH_LIMIT / 1e3} s`));
  } catch (e) {
    if (e instanceof Trouble || e instanceof GPUPipelineError) throw e;
    throw new Trouble('crashed', e.message); // a device that is lost ends all that waits for it
  }
}
/** What `make` returns; errors of the device meanwhile are thrown as `kind`. */
async function checked(kind, make) {
  device.pushErrorScope('out-of-memory');
  device.pushErrorScope('validation');
  device.pushErrorScope('internal');
  let made, thrown;
  try { made = await make(); } catch (e) { thrown = e; }
  if (thrown instanceof Trouble && /timeout|crashed/.test(thrown.kind)) throw thrown; // this device says nothing more
  const found = (await inTime(Promise.all([device.popErrorScope(), device.popErrorScope(), device.popErrorScope()])));
  if (thrown instanceof Trouble) throw thrown;
  if (found[2]) throw new Trouble('too-large', 'the GPU has no memory for it');
  const error = found[0] ?? found[1] ?? thrown;
  if (error) throw new Trouble(kind, error.message);
  return made;
}

// --- Kernels ------------------------------------------------------------------------------------
function demand(name, wanted, what) {
  const most = device.limits[name];
  if (wanted > most) throw new Trouble('unsupported', `${what} ${wanted}, and this adapter allows ${most} (${name})`);
}
async function build(kernel) {
  const p = kernel.program;
  const lacking = p.features.filter((f) => !device.features.has(f));
  if (lacking.length) throw new Trouble('unsupported', `the kernel needs ${lacking.join(', ')}, which this adapter does not have`);
  demand('maxComputeInvocationsPerWorkgroup', p.block[0] * p.block[1] * p.block[2], 'the invocations of a workgroup are');
  p.block.forEach((n, k) => demand('maxComputeWorkgroupSize' + 'XYZ'[k], n, `the extent of a workgroup in ${'xyz'[k]} is`));
  demand('maxComputeWorkgroupStorageSize', p.workgroup_bytes, 'the bytes of workgroup variables are');
  demand('maxStorageBuffersPerShaderStage', p.bindings.filter((b) => b.type !== 'uniform').length, 'the storage buffers are');
  for (const b of p.bindings) demand('maxBindGroups', b.group + 1, 'the bind groups are');
  return checked('compile-error', async () => {
    const module = device.createShaderModule({code: kernel.text});
    const errors = (await inTime(module.getCompilationInfo())).messages.filter((m) => m.type === 'error');
    if (errors.length)
      throw new Trouble('compile-error', errors.map((m) => `line ${m.lineNum}:${m.linePos}: ${m.message}`).join('\n'));
    const count = Math.max(0, ...p.bindings.map((b) => b.group + 1));
    const layouts = Array.from({length: count}, (_, group) => device.createBindGroupLayout({
      entries: p.bindings.filter((b) => b.group === group)
        .map((b) => ({binding: b.binding, visibility: GPUShaderStage.COMPUTE, buffer: {type: b.type}})),
    }));
    const pipeline = await inTime(device.createComputePipelineAsync({
      layout: device.createPipelineLayout({bindGroupLayouts: layouts}),
      compute: {module, entryPoint: p.entry, constants: p.constants},
    }));
    return {pipeline, layouts, device};
  });
}
const built = async (kernel) => kernel.built?.device === device ? kernel.built : (kernel.built = await build(kernel));

/** Elements as the device has them: vectors of three are apart. */
function spread(data, {packed, stride}) {
  if (packed === stride) return data;
  const count = data.length / packed, made = new Uint8Array(count * stride);
  for (let k = 0; k < count; ++k) made.set(data.subarray(k * packed, (k + 1) * packed), k * stride);
  return made;
}
function gather(data, {packed, stride}, bytes) {
  if (packed === stride) return data.subarray(0, bytes);
  const made = new Uint8Array(bytes);
  for (let k = 0; k * packed < bytes; ++k) made.set(data.subarray(k * stride, k * stride + packed), k * packed);
  return made;
}
function write(buffer, data) {
  const whole = data.length & ~3;
  if (whole) device.queue.writeBuffer(buffer, 0, data, 0, whole);
  if (whole === data.length) return;
  const rest = new Uint8Array(4);
  rest.set(data.subarray(whole));
  device.queue.writeBuffer(buffer, whole, rest);
}
/** Noise in a buffer that a kernel has to write. */
function poison(buffer) {
  const noise = new Uint8Array(Math.min(buffer.size, 1 << 20));
  for (let at = 0; at < noise.length; at += 65536) crypto.getRandomValues(noise.subarray(at, Math.min(at + 65536, noise.length)));
  for (let at = 0; at < buffer.size; at += noise.length)
    device.queue.writeBuffer(buffer, at, noise, 0, Math.min(noise.length, buffer.size - at));
}
const fromHex = (text) => Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));

/** A kernel with the arguments of a test on the device. */
class Launch {
  static async of(kernel, test, data) {
    const made = new Launch();
    made.kernel = kernel;
    Object.assign(made, await built(kernel));
    made.all = [];
    made.arguments = []; // with their buffers
    const program = kernel.program, launch = program.launches[test.number];
    const most = device.limits.maxComputeWorkgroupsPerDimension;
    let [x, y, z] = launch.grid;
    if (x > most && y === 1 && z === 1 && program.folds) [x, y] = [most, Math.ceil(x / most)];
    for (const n of [x, y, z]) if (n > most) throw new Trouble('too-large', `the grid has ${n} workgroups in a dimension, and this adapter allows ${most}`);
    made.grid = [x, y, z];
    try {
      await checked('launch-error', () => made.allocate(test, launch, data));
    } catch (e) { made.free(); throw e; }
    return made;
  }
  make(size, usage) {
    const buffer = device.createBuffer({size, usage: usage | COPY_DST | COPY_SRC});
    this.all.push(buffer);
    return buffer;
  }
  allocate(test, launch, data) {
    const entries = this.layouts.map(() => []);
    this.kernel.program.bindings.forEach((b, k) => {
      const uniform = b.type === 'uniform';
      let buffer;
      if (b.argument === undefined) {
        const value = fromHex(launch.values[k]);
        buffer = this.make(value.length, uniform ? UNIFORM : STORAGE);
        write(buffer, value);
      } else {
        const {flow, bytes} = test.arguments[b.argument];
        const unit = uniform ? 16 : 4, size = Math.ceil(bytes / b.packed * b.stride / unit) * unit;
        const limit = uniform ? 'maxUniformBufferBindingSize' : 'maxStorageBufferBindingSize';
        for (const name of [limit, 'maxBufferSize'])
          if (size > device.limits[name])
            throw new Trouble('too-large', `the buffer ${b.name} takes ${size} bytes, and this adapter allows ${device.limits[name]} (${name})`);
        buffer = this.make(size, uniform ? UNIFORM : STORAGE);
        const one = {...b, flow, bytes, buffer};
        if (flow === 'inout') write(one.pristine = this.make(size, STORAGE), spread(data[b.argument], b));
        else if (flow === 'in') write(buffer, spread(data[b.argument], b));
        this.arguments.push(one);
      }
      entries[b.group].push({binding: b.binding, resource: {buffer}});
    });
    this.arguments.sort((a, b) => a.argument - b.argument);
    this.groups = entries.map((of, k) => device.createBindGroup({layout: this.layouts[k], entries: of}));
  }
  poison() { for (const a of this.arguments) if (a.flow === 'out') poison(a.buffer); }
  restore(encoder) {
    for (const a of this.arguments) if (a.pristine) encoder.copyBufferToBuffer(a.pristine, 0, a.buffer, 0, a.buffer.size);
  }
  dispatch(encoder, timestampWrites) {
    const pass = encoder.beginComputePass(timestampWrites ? {timestampWrites} : {});
    pass.setPipeline(this.pipeline);
    this.groups.forEach((group, k) => pass.setBindGroup(k, group));
    pass.dispatchWorkgroups(...this.grid);
    pass.end();
  }
  async once() {
    this.poison();
    await checked('launch-error', async () => {
      const encoder = device.createCommandEncoder();
      this.restore(encoder);
      this.dispatch(encoder);
      device.queue.submit([encoder.finish()]);
      await inTime(device.queue.onSubmittedWorkDone());
    });
  }
  async outputs() {
    const parts = [];
    for (const a of this.arguments) if (a.flow !== 'in') parts.push(gather(await fetched(a.buffer), a, a.bytes));
    return new Blob(parts);
  }
  /** Inputs that the text may write are still what they were. */
  async checkInputs(data, test) {
    for (const a of this.arguments) {
      if (a.flow !== 'in' || a.type !== 'storage') continue;
      const now = gather(await fetched(a.buffer), a, a.bytes), before = data[a.argument];
      if (now.some((byte, k) => byte !== before[k])) throw new Trouble('input-mutated', `${a.name}, an input, was written`, test.number);
    }
  }
  free() { for (const b of this.all) b.destroy(); }
}
async function fetched(buffer) {
  const copy = device.createBuffer({size: buffer.size, usage: MAP_READ | COPY_DST});
  try {
    const encoder = device.createCommandEncoder();
    encoder.copyBufferToBuffer(buffer, 0, copy, 0, buffer.size);
    device.queue.submit([encoder.finish()]);
    await inTime(copy.mapAsync(GPUMapMode.READ));
    return new Uint8Array(copy.getMappedRange()).slice();
  } finally { copy.destroy(); }
}
