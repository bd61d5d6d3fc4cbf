// Runs a short soak: kills processes of every kind during runs that call every provider, and checks every guarantee.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { describeReport } from './report.ts';
import { soak } from './soak.ts';

// With this seed, the faults include kills of workers, the API and PostgreSQL.
const OPTIONS = { seed: 16, runs: 40, faults: 8, loadMs: 12_000, workers: 2 } as const;
const TIME_LIMIT_MS = 240_000;

describe('forty runs during eight faults', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'graphwright-soak-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('violate no guarantee', {
    timeout: TIME_LIMIT_MS,
  }, async t => {
    const report = await soak({ ...OPTIONS, folder }, () => undefined);
    for (const line of describeReport(report)) t.diagnostic(line);
    assert.deepEqual(report.violations, {});
    for (const kind of ['worker kill', 'api kill', 'postgres kill'])
      assert.ok((report.faults[kind] ?? 0) > 0, kind);
    assert.ok(report.accepted > 30);
  });
});
