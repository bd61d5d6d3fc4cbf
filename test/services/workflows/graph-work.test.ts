// Tests that a thread processes large graphs with the same result, and without blocking this thread.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { LintIssue } from '../../../src/graph/issues.ts';
import { AppError } from '../../../src/lib/errors.ts';
import { readSettings } from '../../../src/lib/settings.ts';
import { createNodeTypes } from '../../../src/nodes/catalog.ts';
import { type GraphTask, performGraphTask } from '../../../src/services/workflows/graph-task.ts';
import { parseStoredGraph, toGraphText } from '../../../src/services/workflows/graph-versions.ts';
import { performGraphWork, performInPlace } from '../../../src/services/workflows/graph-work.ts';

const settings = readSettings({});
const { catalog } = createNodeTypes(settings);
const deps = { catalog, settings };

const node = (index: number, nodeType = 'input:text') => ({
  id: `node${index}`,
  type: 'basedNode',
  position: { x: index * 300, y: 0 },
  data: {
    label: `Node ${index}`,
    category: 'input',
    nodeType,
    config: { value: 'a', apiKey: 'b', odd: index },
  },
});
const nodes = Array.from({ length: 1500 }, (_, index) => node(index));
const edges = Array.from({ length: 1400 }, (_, index) => ({
  id: `edge${index}`,
  source: `node${index}`,
  target: `node${index + 1}`,
}));
const stored = parseStoredGraph(toGraphText({ nodes, edges } as never));

/** Every kind of work, with a graph that is large enough for the thread. */
const TASKS: Readonly<Record<GraphTask['kind'], GraphTask>> = {
  write: { kind: 'write', input: { nodes, edges }, stored },
  lint: { kind: 'lint', nodes: [...nodes, node(9999, 'input:txt')], edges },
  restore: { kind: 'restore', stored },
  redact: { kind: 'redact', stored, readableIds: [] },
  interface: { kind: 'interface', stored },
  import: {
    kind: 'import',
    text: JSON.stringify({ nodes, edges, padding: 'x'.repeat(500_000) }),
    label: 'A',
  },
  comfyui: { kind: 'comfyui', stored, nodeId: undefined },
  config: { kind: 'config', stored, config: { node7: { value: 8, odd: 'b' } } },
};

describe('performGraphWork on a large graph', () => {
  for (const [kind, task] of Object.entries(TASKS)) {
    it(`returns the same ${kind} result as this thread, from another thread`, async () => {
      assert.equal(performInPlace(deps, task), undefined);
      const result = await performGraphWork(deps, task);
      const expected = performGraphTask(deps, task);
      const isWrite = typeof expected === 'object' && 'graph' in expected;
      assert.deepEqual(result, isWrite ? { ...expected, graph: undefined } : expected);
    });
  }

  it('rejects with the same error and issues as this thread', async () => {
    const task = { kind: 'write', input: { nodes: [...nodes, node(1)], edges } } as const;
    const catchError = async (work: () => unknown): Promise<AppError> => {
      try {
        await work();
      } catch (err) {
        if (err instanceof AppError) return err;
        throw err;
      }
      throw new Error('The task did not fail.');
    };
    const expected = await catchError(() => performGraphTask<'write'>(deps, task));
    const actual = await catchError(() => performGraphWork<'write'>(deps, task));
    assert.deepEqual(
      [actual.code, actual.message, actual.details],
      [expected.code, expected.message, expected.details],
    );
    assert.deepEqual(actual.issues, expected.issues);
    assert.equal(actual.issues?.length, 500);
    assert.deepEqual(actual.details, { truncated: true, total: 5804 });
  });

  it('transfers values that JSON cannot contain, such as Infinity', async () => {
    const task = {
      kind: 'lint',
      nodes: [...nodes, { ...node(2000), size: Number.POSITIVE_INFINITY }],
      edges,
    } as const;
    const { issues } = await performGraphWork<'lint'>(deps, task);
    assert.ok(issues.some(({ code }: LintIssue) => code === 'invalid_number'));
  });

  it('rejects with unavailable if the thread takes too long', async t => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const lint = performGraphWork(deps, TASKS.lint);
    // A task ends after five times its limit of processor time, even if it has used none.
    t.mock.timers.tick(75_000);
    await assert.rejects(
      lint,
      (err: unknown) =>
        err instanceof AppError && err.code === 'unavailable' && err.headers?.['retry-after'] === '10',
    );
  });
});

describe('performInPlace', () => {
  const runsInPlace = (config: object, savedConfig: object = {}): boolean => {
    const createNodes = (nodeConfig: object) => [
      { ...node(0), data: { ...node(0).data, config: nodeConfig } },
    ];
    const saved = parseStoredGraph(toGraphText({ nodes: createNodes(savedConfig), edges: [] } as never));
    const task = { kind: 'lint', nodes: createNodes(config), edges: [], stored: saved } as const;
    return performInPlace<'lint'>(deps, task) !== undefined;
  };
  const many = 30_000;

  it('processes long texts in this thread', () => {
    const long = { value: 'a lighthouse, on a cliff '.repeat(100_000) };
    assert.equal(runsInPlace(long, long), true);
  });

  it('leaves graphs with many values to another thread', () => {
    const keys = Object.fromEntries(Array.from({ length: many }, (_, index) => [`key${index}`, 1]));
    assert.equal(runsInPlace(keys), false);
    assert.equal(runsInPlace({}, keys), false);
    assert.equal(runsInPlace({ value: Array.from({ length: many }, () => 1) }), false);
    assert.equal(runsInPlace({}, { value: Array.from({ length: 500_000 }, () => 1) }), false);
  });

  it('leaves texts with many references to another thread', () => {
    const template = { value: '{{a}}'.repeat(many) };
    assert.equal(runsInPlace(template), false);
    assert.equal(runsInPlace({}, template), false);
  });
});
