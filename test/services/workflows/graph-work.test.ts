// Tests that large graphs are processed in a thread: with the same result, and without blocking this thread.
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
const user = 'somebody';

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
  redact: { kind: 'redact', stored, readable: [] },
  interface: { kind: 'interface', stored },
};

describe('work on a large graph', () => {
  for (const [kind, task] of Object.entries(TASKS)) {
    it(`${kind} has the same result in a thread, while timers of this thread run`, async () => {
      let turns = 0;
      const timer = setInterval(() => turns++, 1);
      const result = await performGraphWork(deps, user, task);
      clearInterval(timer);
      assert.ok(turns > 0);
      const expected = performGraphTask(deps, task);
      const isWrite = typeof expected === 'object' && 'graph' in expected;
      assert.deepEqual(result, isWrite ? { ...expected, graph: undefined } : expected);
    });
  }

  it('fails with the same error and issues', async () => {
    const task = { kind: 'write', input: { nodes: [...nodes, node(1)], edges } } as const;
    const refusalOf = async (work: () => unknown): Promise<AppError> => {
      try {
        await work();
      } catch (err) {
        if (err instanceof AppError) return err;
        throw err;
      }
      throw new Error('It was not refused.');
    };
    const expected = await refusalOf(() => performGraphTask<'write'>(deps, task));
    const refused = await refusalOf(() => performGraphWork<'write'>(deps, user, task));
    assert.deepEqual(
      [refused.code, refused.message, refused.details],
      [expected.code, expected.message, expected.details],
    );
    assert.deepEqual(refused.issues, expected.issues);
    assert.equal(refused.issues?.length, 500);
    assert.deepEqual(refused.details, { truncated: true, total: 5804 });
  });

  it('keeps what JSON cannot contain: a number that was marked as too large', async () => {
    const task = {
      kind: 'lint',
      nodes: [...nodes, { ...node(2000), size: Number.POSITIVE_INFINITY }],
      edges,
    } as const;
    const { issues } = await performGraphWork<'lint'>(deps, user, task);
    assert.ok(issues.some(({ code }: LintIssue) => code === 'invalid_number'));
  });

  it('asks the caller to try again if the thread takes too long', async t => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const lint = performGraphWork(deps, user, TASKS.lint);
    // Five times the limit of processor time: by then a task ends, whatever it has used.
    t.mock.timers.tick(75_000);
    await assert.rejects(
      lint,
      (err: unknown) =>
        err instanceof AppError && err.code === 'unavailable' && err.headers?.['retry-after'] === '10',
    );
  });
});

describe('a graph is processed in this thread', () => {
  const isAtOnce = (config: object, savedConfig: object = {}): boolean => {
    const graphOf = (own: object) => [{ ...node(0), data: { ...node(0).data, config: own } }];
    const saved = parseStoredGraph(toGraphText({ nodes: graphOf(savedConfig), edges: [] } as never));
    const task = { kind: 'lint', nodes: graphOf(config), edges: [], stored: saved } as const;
    return performInPlace<'lint'>(deps, task) !== undefined;
  };
  const many = 30_000;

  it('if it has few values, however long its texts are', () => {
    const long = { value: 'a lighthouse, on a cliff '.repeat(100_000) };
    assert.equal(isAtOnce(long, long), true);
  });

  it('unless it has many values', () => {
    const keys = Object.fromEntries(Array.from({ length: many }, (_, index) => [`key${index}`, 1]));
    assert.equal(isAtOnce(keys), false);
    assert.equal(isAtOnce({}, keys), false);
    assert.equal(isAtOnce({ value: Array.from({ length: many }, () => 1) }), false);
    assert.equal(isAtOnce({}, { value: Array.from({ length: 500_000 }, () => 1) }), false);
  });

  it('unless its texts have many references', () => {
    const template = { value: '{{a}}'.repeat(many) };
    assert.equal(isAtOnce(template), false);
    assert.equal(isAtOnce({}, template), false);
  });
});
