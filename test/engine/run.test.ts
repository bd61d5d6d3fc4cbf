// Tests runs of small graphs: which nodes run, are skipped or fail, and which values they receive.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AppError } from '../../src/lib/errors.ts';
import { text } from '../../src/nodes/define.ts';
import { type NodeSketch, planGraph, runRecorded, sketchGraph } from '../support/engine/engine.ts';
import { listValue, numberValue, textValue } from '../support/engine/values.ts';
import { defineTestNode, NODES } from './nodes.ts';
import { run } from './run-sketch.ts';

describe('values', () => {
  it('are converted to the type of the input port', async () => {
    const { outcome, outputOf } = await run(
      {
        t: { type: 't:text', config: { value: 'hi' } },
        n: { type: 't:number', config: { value: 7 } },
        j: { type: 't:join' },
      },
      ['t.text > j.a', 'n.number > j.b'],
    );
    assert.deepEqual(outcome, { kind: 'completed' });
    assert.deepEqual(outputOf('j'), textValue('(hi,7)'));
  });

  it('come from edges before params and from params before config', async () => {
    const runWith = (isWired: boolean) =>
      run(
        {
          t: { type: 't:text', config: { value: 'wire' } },
          n: { type: 't:requires_text', config: { a: 'config', b: 'b' }, params: { a: 'params' } },
        },
        isWired ? ['t.text > n.a'] : [],
      );
    assert.deepEqual((await runWith(false)).outputOf('n'), textValue('params/b/5/fast'));
    assert.deepEqual((await runWith(true)).outputOf('n'), textValue('wire/b/5/fast'));
  });

  it('come from the overrides of the run before the settings of the node', async () => {
    const { outputOf } = await run({ t: { type: 't:text', config: { value: 'config' } } }, [], {
      overrides: new Map([['t', { value: 'override' }]]),
    });
    assert.deepEqual(outputOf('t'), textValue('override'));
  });

  it('come from the last edge with a value if several edges lead to a port', async () => {
    const { outputOf } = await run(
      {
        t: { type: 't:text', config: { value: 'x' } },
        f: { type: 't:branch', config: { to: 'no' } },
        n: { type: 't:requires_text' },
      },
      ['t.text > f.input', 'f.no > n.a', 'f.yes > n.a'],
    );
    assert.deepEqual(outputOf('n'), textValue('x/-/5/fast'));
  });

  it('are joined in order if several edges lead to a list port', async () => {
    const { outputOf } = await run(
      { t: { type: 't:text' }, l: { type: 't:list', config: { items: 'a b' } }, c: { type: 't:count' } },
      ['t.text > c.list', 'l.list > c.list'],
    );
    assert.deepEqual(outputOf('c'), numberValue(3));
  });

  it('are passed to the node unchanged if they belong to undeclared settings', async () => {
    const echo = defineTestNode({
      nodeType: 't:echo',
      inputs: { toString: text('Odd name') },
      outputs: { text: text('Text') },
      run: values => ({ text: JSON.stringify([values.extra, values.toString ?? null]) }),
    });
    const { outputOf } = await run({ e: { type: 't:echo', config: { extra: [1] } } }, [], {}, [echo]);
    assert.deepEqual(outputOf('e'), textValue('[[1],null]'));
  });
});

describe('a missing or invalid value', () => {
  const getFailure = async (config: NodeSketch['config']) =>
    (await run({ n: { type: 't:requires_text', ...(config === undefined ? {} : { config }) } }, [])).errorOf(
      'n',
    );

  it('fails the node and names the port by label and id', async () => {
    assert.deepEqual(await getFailure(undefined), {
      code: 'missing_input',
      message: '"Main text" (a) needs a value. Connect it or set it.',
    });
  });

  it('is reported with what the field accepts', async () => {
    const getMessage = async (config: NonNullable<NodeSketch['config']>) => {
      const error = await getFailure({ a: 'x', ...config });
      assert.equal(error?.code, 'invalid_config');
      return error.message;
    };
    assert.equal(await getMessage({ size: 'big' }), '"Size" (size) must be a number, not "big".');
    assert.equal(await getMessage({ size: 0 }), '"Size" (size) must be at least 1, not 0.');
    assert.equal(await getMessage({ size: 11 }), '"Size" (size) must be at most 10, not 11.');
    assert.equal(await getMessage({ mode: 'odd' }), '"Mode" (mode) must be one of fast, slow, not "odd".');
    assert.equal(await getMessage({ b: true }), '"B" (b) must be text, not true.');
  });

  it('is reported as an invalid input if it arrives along an edge', async () => {
    const { errorOf } = await run(
      { n: { type: 't:number' }, f: { type: 't:branch' }, c: { type: 't:sum' } },
      ['n.number > f', 'f.yes > c.x'],
      {},
      [
        defineTestNode({
          nodeType: 't:sum',
          inputs: { x: text('X', { enum: ['a', 'b'] }) },
          run: () => ({}),
        }),
      ],
    );
    assert.deepEqual(errorOf('c'), {
      code: 'invalid_input',
      message: '"X" (x) must be one of a, b, not "0".',
    });
  });

  it('includes a setting that is null', async () => {
    assert.equal((await getFailure({ a: null }))?.code, 'missing_input');
    assert.equal(await getFailure({ a: 'x', size: null }), undefined);
  });
});

describe('a node without a value', () => {
  it('is skipped if a required input has no value, even if another input has one', async () => {
    const { statuses, outcome } = await run(
      {
        t: { type: 't:text' },
        f: { type: 't:branch' },
        n: { type: 't:requires_text' },
        after: { type: 't:join' },
      },
      ['t.text > f.input', 'f.no > n.a', 't.text > n.b', 'n.text > after.a'],
    );
    assert.deepEqual(statuses, { t: 'COMPLETED', f: 'COMPLETED', n: 'SKIPPED', after: 'SKIPPED' });
    assert.deepEqual(outcome, { kind: 'completed' });
  });

  it('is skipped if no connected input has a value, even if all are optional', async () => {
    const { statuses } = await run({ t: { type: 't:fail' }, j: { type: 't:join' } }, [
      't.text > j.a',
      't.text > j.b',
    ]);
    assert.deepEqual(statuses, { t: 'FAILED', j: 'SKIPPED' });
  });

  it('is not skipped if only an optional input is absent', async () => {
    const { outputOf } = await run(
      {
        t: { type: 't:text', config: { value: 'x' } },
        f: { type: 't:fail' },
        n: { type: 't:requires_text' },
      },
      ['t.text > n.a', 'f.text > n.b'],
    );
    assert.deepEqual(outputOf('n'), textValue('x/-/5/fast'));
  });

  it('is not skipped if it merges branches of which one has a value', async () => {
    const { outputOf } = await run(
      {
        t: { type: 't:text', config: { value: 'x' } },
        f: { type: 't:branch', config: { to: 'no' } },
        yes: { type: 't:join', config: { name: 'yes' } },
        no: { type: 't:join', config: { name: 'no' } },
        m: { type: 't:merge' },
      },
      ['t.text > f.input', 'f.yes > yes.a', 'f.no > no.a', 'yes.text > m.a', 'no.text > m.b'],
    );
    assert.deepEqual(outputOf('m'), textValue('no(x)'));
  });
});

describe('a failed node', () => {
  it('fails the run once the other branches have finished', async () => {
    const { outcome, statuses } = await run(
      {
        f: { type: 't:fail' },
        late: { type: 't:join', config: { isAsync: 'yes' } },
        after: { type: 't:join', config: { isAsync: 'yes' } },
        n: { type: 't:requires_text' },
      },
      ['late.text > after.a'],
    );
    assert.deepEqual(outcome, {
      kind: 'failed',
      nodeId: 'f',
      error: { code: 'planned_failure', message: 'The node failed as planned.' },
    });
    assert.deepEqual(statuses, { f: 'FAILED', late: 'COMPLETED', after: 'COMPLETED', n: 'FAILED' });
  });

  it('hides the message of an unexpected error and logs the error', async () => {
    const logged: unknown[] = [];
    const { errorOf } = await run({ f: { type: 't:fail', config: { error: 'unexpected' } } }, [], {
      onError: (nodeId, err) => logged.push(nodeId, err),
    });
    assert.equal(errorOf('f')?.code, 'node_failed');
    assert.doesNotMatch(errorOf('f')?.message ?? '', /secret/);
    assert.equal(logged[0], 'f');
    assert.match(String(logged[1]), /secret path/);
  });

  it('reports the code and message of an AppError unless the error is internal', async () => {
    const runRefusingNode = (code: 'unreadable_image' | 'internal_error') =>
      run({ r: { type: 't:refuse' } }, [], {}, [
        defineTestNode({
          nodeType: 't:refuse',
          run: async () => {
            throw new AppError(code, 'No picture.');
          },
        }),
      ]);
    assert.deepEqual((await runRefusingNode('unreadable_image')).errorOf('r'), {
      code: 'unreadable_image',
      message: 'No picture.',
    });
    assert.equal((await runRefusingNode('internal_error')).errorOf('r')?.code, 'node_failed');
  });

  it('reports an unknown node type', async () => {
    const definitions = [...NODES];
    const plan = planGraph(definitions, sketchGraph({ u: { type: 't:unknown' } }, []));
    const { outcome } = await runRecorded(definitions, plan);
    assert.equal(outcome.kind === 'failed' && outcome.error.code, 'unknown_node_type');
  });

  it('names the output port that rejects the result', async () => {
    const { errorOf } = await run({ w: { type: 't:wrong' } }, [], {}, [
      defineTestNode({
        nodeType: 't:wrong',
        outputs: { text: text('Text') },
        run: () => ({ text: 5 }),
      }),
    ]);
    assert.match(errorOf('w')?.message ?? '', /^"Text" \(text\) must return text/);
  });
});

describe('branches', () => {
  /** Defines a node that returns only once `count` nodes of its type are running. */
  const defineBarrier = (count: number) => {
    const reached = Promise.withResolvers<void>();
    const running = { now: 0, max: 0 };
    const definition = defineTestNode({
      nodeType: 't:barrier',
      inputs: { a: text('A') },
      outputs: { text: text('Text') },
      run: async ({ a }) => {
        running.max = Math.max(running.max, ++running.now);
        if (running.now === count) reached.resolve();
        await reached.promise;
        running.now--;
        return { text: a ?? '' };
      },
    });
    return { definition, running };
  };

  it('run concurrently', async () => {
    const { definition } = defineBarrier(3);
    const nodes = { a: { type: 't:barrier' }, b: { type: 't:barrier' }, c: { type: 't:barrier' } };
    assert.deepEqual((await run(nodes, [], {}, [definition])).outcome, { kind: 'completed' });
  });

  it('stay within the concurrency limit together with items of lists', async () => {
    const { definition, running } = defineBarrier(2);
    const nodes = {
      l: { type: 't:list', config: { items: 'a b c d' } },
      mapped: { type: 't:barrier' },
      single: { type: 't:barrier' },
    };
    const { outcome, outputOf } = await run(nodes, ['l.list > mapped.a'], { concurrency: 2 }, [definition]);
    assert.deepEqual(outcome, { kind: 'completed' });
    assert.equal(running.max, 2);
    assert.deepEqual(outputOf('mapped'), listValue(['a', 'b', 'c', 'd'].map(textValue)));
  });
});

describe('steps', () => {
  it('are reported once for a synchronous node and twice for an asynchronous one', async () => {
    const { reported } = await run(
      { a: { type: 't:join' }, b: { type: 't:join', config: { isAsync: 'yes' } } },
      [],
    );
    assert.deepEqual(
      reported.map(step => `${step.nodeId} ${step.status} ${step.attempt}`),
      ['a COMPLETED 1', 'b RUNNING 1', 'b COMPLETED 1'],
    );
    for (const step of reported) assert.equal(typeof step.startedAtMs, 'number');
  });

  it('let timers fire during a long chain of synchronous nodes', async () => {
    const ids = Array.from({ length: 1000 }, (_, index) => `n${index}`);
    let ticks = 0;
    const ticker = setInterval(() => ticks++, 1);
    const slow = defineTestNode({
      nodeType: 't:slow',
      inputs: { a: text('A') },
      outputs: { text: text('Text') },
      run: () => {
        const untilMs = performance.now() + 0.05;
        while (performance.now() < untilMs);
        return { text: '' };
      },
    });
    const edges = ids.slice(1).map((id, index) => `n${index}.text > ${id}.a`);
    await run(Object.fromEntries(ids.map(id => [id, { type: 't:slow' }])), edges, {}, [slow]);
    clearInterval(ticker);
    assert.ok(ticks > 0);
  });

  it('report progress per node', async () => {
    const progress: [string, number][] = [];
    const half = defineTestNode({
      nodeType: 't:half',
      run: (_, ctx) => {
        ctx.progress(0.5);
        return {};
      },
    });
    await run({ h: { type: 't:half' } }, [], { onProgress: (...reported) => progress.push(reported) }, [
      half,
    ]);
    assert.deepEqual(progress, [['h', 0.5]]);
  });

  it('reject the run if onStep throws', async () => {
    const onStep = (): never => {
      throw new Error('cannot store steps');
    };
    await assert.rejects(run({ a: { type: 't:join' } }, [], { onStep }), /cannot store steps/);
    await assert.rejects(run({ a: { type: 't:join', config: { isAsync: 'yes' } } }, [], { onStep }));
  });
});
