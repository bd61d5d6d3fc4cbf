// Checks which mutants are chosen, and which tests run for them in which order.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { chooseMutants } from '../../scripts/mutants/choose-mutants.ts';
import { planTests } from '../../scripts/mutants/plan-tests.ts';
import type { TestGraph } from '../../scripts/tests/touched-tests.ts';

describe('chooseMutants', () => {
  const root = mkdtempSync(join(tmpdir(), 'graphwright-tree-'));
  after(() => rmSync(root, { recursive: true, force: true }));
  mkdirSync(join(root, 'src/engine'), { recursive: true });
  const choose = (text: string, seed: number, folders = ['src']): readonly string[] => {
    writeFileSync(join(root, 'src/engine/run.ts'), text);
    return chooseMutants(root, { count: 5, seed, folders }).map(({ before, after }) => `${before} ${after}`);
  };
  const line = 'x = a < 1 && b === 2 || c > 3;\n';

  it('chooses the same mutants of a line wherever it is', () => {
    assert.deepEqual(choose(`const y: string | true = z;\n\n${line}`, 1), choose(line, 1));
  });

  it('chooses others with another seed', () => {
    assert.notDeepEqual(choose(line, 2), choose(line, 1));
  });

  it('chooses only in the folders', () => {
    assert.equal(choose(line, 1, ['src/engine']).length, 5);
    assert.deepEqual(choose(line, 1, ['src/eng', 'src/store']), []);
  });
});

describe('planTests', () => {
  const graph: TestGraph = {
    tests: [
      'test/architecture.test.ts',
      'test/http/browser.slow.test.ts',
      'test/http/credits/credits.test.ts',
      'test/runs/paid-runs.slow.test.ts',
      'test/runs/paid-runs.nightly.test.ts',
      'test/runs/waiting.slow.test.ts',
      'test/store/credits.test.ts',
      'test/store/queue.test.ts',
    ],
    importers: new Map([
      ['src/store/credits.ts', new Set(['src/runs/payments/pay.ts', 'test/store/credits.test.ts'])],
      ['src/runs/payments/pay.ts', new Set(['test/http/browser.slow.test.ts'])],
      ['test/support/browser.ts', new Set(['test/http/browser.slow.test.ts'])],
    ]),
  };
  const getSeconds = (test: string): number => (test.includes('.slow.') ? 5 : 1);
  const listBatches = (budget: number): readonly (readonly string[])[] =>
    planTests(graph, 'src/store/credits.ts', getSeconds, budget).batches.map(({ files }) => files);

  it('runs the closest tests first, without those of browsers, nightly ones and checks of sources', () => {
    assert.deepEqual(listBatches(60), [
      ['test/store/credits.test.ts', 'test/http/credits/credits.test.ts', 'test/store/queue.test.ts'],
      ['test/runs/paid-runs.slow.test.ts'],
    ]);
  });

  it('keeps to the budget, but runs at least one test', () => {
    assert.deepEqual(listBatches(2), [['test/store/credits.test.ts', 'test/http/credits/credits.test.ts']]);
    assert.deepEqual(listBatches(0), [['test/store/credits.test.ts']]);
  });
});
