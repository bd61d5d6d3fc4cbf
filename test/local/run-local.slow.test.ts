// Tests the processes that run models: their limits, that nothing survives a cancelled task, and what they may access.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { readSettings } from '../../src/lib/settings.ts';
import { runAccepted } from '../../src/lib/work.ts';
import { listMissing } from '../../src/local/packages.ts';
import { type LocalSettings, runLocal } from '../../src/local/run-local.ts';
import type { Pixels } from '../../src/local/tasks.ts';
import { buildEndless, buildHog, buildUpscaler, writeModel } from '../support/local/models.ts';

const skip = listMissing('model').length > 0 && 'ONNX Runtime is not installed';
const folder = await mkdtemp(join(tmpdir(), 'graphwright-local-'));
const image: Pixels = { width: 2, height: 1, bytes: Uint8Array.of(255, 0, 0, 0, 0, 255) };
const UNIT = { mean: [0, 0, 0], std: [1, 1, 1] };
let paths: Readonly<Record<'upscaler' | 'hog' | 'endless' | 'broken', string>>;

before(async () => {
  paths = {
    upscaler: await writeModel(join(folder, 'local/upscaler.onnx'), buildUpscaler()),
    hog: await writeModel(join(folder, 'local/hog.onnx'), buildHog()),
    endless: await writeModel(join(folder, 'local/endless.onnx'), buildEndless()),
    broken: await writeModel(join(folder, 'local/broken.onnx'), Buffer.from('no model')),
  };
});
after(() => rm(folder, { recursive: true }));

const withSettings = (changes: Partial<LocalSettings> = {}): LocalSettings => ({
  ...readSettings({ DATA_DIR: folder }),
  ...changes,
});

function run(model: string, settings = withSettings(), signal: AbortSignal = new AbortController().signal) {
  return runAccepted('test', () => runLocal('model', { model, image, ...UNIT }, { settings, signal }));
}

/** Lists the child processes of this process that run models. */
async function listProcesses(): Promise<readonly number[]> {
  const children = await readFile(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8');
  const pids = children.split(' ').map(Number).filter(Boolean);
  const commands = await Promise.all(
    pids.map(pid => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')),
  );
  return pids.filter((_, index) => commands[index]?.includes('local/process/process'));
}

async function waitForEnd(pid: number): Promise<void> {
  while ((await listProcesses()).includes(pid)) await wait(5);
}

describe('a process that runs models', { skip }, () => {
  it('enlarges a tile', async () => {
    const input = { model: paths.upscaler, tile: image, modelFactor: 2, factor: 2, ...UNIT };
    const signal = AbortSignal.timeout(30_000);
    const result = await runLocal('upscale', input, { settings: withSettings(), signal });
    assert.deepEqual([result.width, result.height], [4, 2]);
    assert.deepEqual([...result.bytes.subarray(0, 12)], [255, 0, 0, 255, 0, 0, 0, 0, 255, 0, 0, 255]);
  });

  it('has a lower priority, no environment and no permission to write', async () => {
    await run(paths.upscaler);
    const [pid = 0] = await listProcesses();
    const [stat, environment, command] = await Promise.all(
      ['stat', 'environ', 'cmdline'].map(name => readFile(`/proc/${pid}/${name}`, 'utf8')),
    );
    assert.equal(stat?.slice(stat.lastIndexOf(')')).split(' ')[17], '10');
    assert.doesNotMatch(String(environment), /PATH|HOME|KEY/);
    assert.match(String(command), /--permission/);
    assert.doesNotMatch(String(command), /allow-fs-write|allow-child|allow-worker/);
  });

  it('is used again for the next task', async () => {
    await run(paths.upscaler);
    const pids = await listProcesses();
    await run(paths.upscaler);
    assert.deepEqual(await listProcesses(), pids);
  });

  it('ends at once when its task is cancelled, and the next task runs', async () => {
    const settings = withSettings({ LOCAL_TIMEOUT_MS: 90_000, LOCAL_PROCESSES: 1 });
    await run(paths.upscaler, settings);
    const before = await listProcesses();
    const abort = new AbortController();
    const task = run(paths.endless, settings, abort.signal);
    const pid = before.at(-1) ?? 0;
    // The matrices take memory as soon as the native call runs.
    const readMb = async () =>
      Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
    const idleMb = await readMb();
    while ((await readMb()) < idleMb + 60) await wait(10);
    const startMs = performance.now();
    abort.abort('cancelled');
    await assert.rejects(task, thrown => thrown === 'cancelled');
    await waitForEnd(pid);
    const tookMs = performance.now() - startMs;
    assert.ok(tookMs < 2000, `It took ${tookMs} ms.`);
    assert.equal((await run(paths.upscaler, settings)).dims[3], 4);
  });

  it('ends when a task takes too much time', async () => {
    const settings = withSettings({ LOCAL_TIMEOUT_MS: 1000 });
    await assert.rejects(run(paths.endless, settings), {
      code: 'local_timed_out',
      message: /more than 1 s.*LOCAL_TIMEOUT_MS/,
    });
  });

  it('ends when a task takes too much memory', async () => {
    const settings = withSettings({ LOCAL_MEMORY_MB: 400 });
    await assert.rejects(run(paths.hog, settings), {
      code: 'local_out_of_memory',
      message: /more than 400 MB.*LOCAL_MEMORY_MB/,
    });
    assert.equal((await run(paths.upscaler, settings)).dims[3], 4);
  });

  it('is replaced once when the system kills it', async () => {
    const settings = withSettings({ LOCAL_TIMEOUT_MS: 91_000, LOCAL_PROCESSES: 1 });
    const others = await listProcesses();
    const task = run(paths.endless, settings);
    const killed: number[] = [];
    const killNext = async (): Promise<void> => {
      for (;;) {
        const pid = (await listProcesses()).find(found => !others.includes(found) && !killed.includes(found));
        if (pid === undefined) await wait(5);
        else {
          killed.push(pid);
          process.kill(pid, 'SIGKILL');
          return;
        }
      }
    };
    await Promise.all([assert.rejects(task, { code: 'local_process_ended' }), killNext().then(killNext)]);
    assert.equal(killed.length, 2);
  });

  it('says that a file is no model', async () => {
    await assert.rejects(run(paths.broken), { code: 'local_model_invalid', message: /cannot be loaded/ });
    await assert.rejects(run(join(folder, 'local/missing.onnx')), { code: 'local_model_invalid' });
    const input = { model: paths.upscaler, tile: image, modelFactor: 4, factor: 4, ...UNIT };
    const signal = AbortSignal.timeout(30_000);
    await assert.rejects(runLocal('upscale', input, { settings: withSettings(), signal }), {
      code: 'local_model_invalid',
      message: /size 1 × 3 × 2 × 4 instead of 1 × 3 × 4 × 8/,
    });
  });
});
