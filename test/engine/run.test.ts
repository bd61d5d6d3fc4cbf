// Tests runs of small plans: which nodes run, are skipped or fail, and with which values.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AppError } from '../../src/lib/errors.ts';
import { defineNode, text } from '../../src/nodes/define.ts';
import { type NodeSketch, planGraph, runRecorded, sketchGraph } from '../support/engine/engine.ts';
import { listValue, numberValue, textValue } from '../support/engine/values.ts';
import { NODES } from './nodes.ts';
import { run } from './run-sketch.ts';

describe('values', () => {
  it('flow along the edges, converted to the type of the port', async () => {
    const { outcome, outputOf } = await run(
      {
        t: { type: 't:give', config: { value: 'hi' } },
        n: { type: 't:number', config: { value: 7 } },
        j: { type: 't:join' },
      },
      ['t.text > j.a', 'n.number > j.b'],
    );
    assert.deepEqual(outcome, { kind: 'completed' });
    assert.deepEqual(outputOf('j'), textValue('(hi,7)'));
  });

  it('come from config, then params, then wires', async () => {
    const nodes = (wired: boolean) =>
      run(
        {
          t: { type: 't:give', config: { value: 'wire' } },
          n: { type: 't:need', config: { a: 'config', b: 'b' }, params: { a: 'params' } },
        },
        wired ? ['t.text > n.a'] : [],
      );
    assert.deepEqual((await nodes(false)).outputOf('n'), textValue('params/b/5/fast'));
    assert.deepEqual((await nodes(true)).outputOf('n'), textValue('wire/b/5/fast'));
  });

  it('of the run override the settings of a node', async () => {
    const { outputOf } = await run({ t: { type: 't:give', config: { value: 'config' } } }, [], {
      overrides: new Map([['t', { value: 'given' }]]),
    });
    assert.deepEqual(outputOf('t'), textValue('given'));
  });

  it('of several edges into one port: the last one present wins', async () => {
    const { outputOf } = await run(
      {
        t: { type: 't:give', config: { value: 'x' } },
        f: { type: 't:fork', config: { way: 'no' } },
        n: { type: 't:need' },
      },
      ['t.text > f.input', 'f.no > n.a', 'f.yes > n.a'],
    );
    assert.deepEqual(outputOf('n'), textValue('x/-/5/fast'));
  });

  it('of several edges into a list port are gathered in order', async () => {
    const { outputOf } = await run(
      { t: { type: 't:give' }, l: { type: 't:list', config: { items: 'a b' } }, c: { type: 't:count' } },
      ['t.text > c.list', 'l.list > c.list'],
    );
    assert.deepEqual(outputOf('c'), numberValue(3));
  });

  it('of undeclared settings reach the node unchanged', async () => {
    const echo = defineNode({
      nodeType: 't:echo',
      label: 'Echo',
      category: 'utility',
      inputs: { toString: text('Odd name') },
      config: {},
      outputs: { text: text('Text') },
      run: values => ({ text: JSON.stringify([values.extra, values.toString ?? null]) }),
    });
    const { outputOf } = await run({ e: { type: 't:echo', config: { extra: [1] } } }, [], {}, [echo]);
    assert.deepEqual(outputOf('e'), textValue('[[1],null]'));
  });
});

describe('a missing or invalid value', () => {
  const failureOf = async (config: NodeSketch['config']) =>
    (await run({ n: { type: 't:need', ...(config === undefined ? {} : { config }) } }, [])).errorOf('n');

  it('fails the node and names the port by label and id', async () => {
    assert.deepEqual(await failureOf(undefined), {
      code: 'missing_input',
      message: '"Main text" (a) needs a value. Connect it or set it.',
    });
  });

  it('is reported with what the field accepts', async () => {
    const messageOf = async (config: NonNullable<NodeSketch['config']>) => {
      const error = await failureOf({ a: 'x', ...config });
      assert.equal(error?.code, 'invalid_config');
      return error.message;
    };
    assert.equal(await messageOf({ size: 'big' }), '"Size" (size) must be a number, not "big".');
    assert.equal(await messageOf({ size: 0 }), '"Size" (size) must be at least 1, not 0.');
    assert.equal(await messageOf({ size: 11 }), '"Size" (size) must be at most 10, not 11.');
    assert.equal(await messageOf({ mode: 'odd' }), '"Mode" (mode) must be one of fast, slow, not "odd".');
    assert.equal(await messageOf({ b: true }), '"B" (b) must be text, not true.');
  });

  it("that arrives by wire is reported as the input's fault", async () => {
    const { errorOf } = await run(
      { n: { type: 't:number' }, f: { type: 't:fork' }, c: { type: 't:sum' } },
      ['n.number > f', 'f.yes > c.x'],
      {},
      [
        defineNode({
          nodeType: 't:sum',
          label: 'Sum',
          category: 'utility',
          inputs: { x: text('X', { enum: ['a', 'b'] }) },
          config: {},
          outputs: {},
          run: () => ({}),
        }),
      ],
    );
    assert.deepEqual(errorOf('c'), {
      code: 'invalid_input',
      message: '"X" (x) must be one of a, b, not "0".',
    });
  });

  it('counts null in a setting as unset', async () => {
    assert.equal((await failureOf({ a: null }))?.code, 'missing_input');
    assert.equal(await failureOf({ a: 'x', size: null }), undefined);
  });
});

describe('a node is skipped', () => {
  it('if its required input has no value, even if another arrived', async () => {
    const { statuses, outcome } = await run(
      { t: { type: 't:give' }, f: { type: 't:fork' }, n: { type: 't:need' }, after: { type: 't:join' } },
      ['t.text > f.input', 'f.no > n.a', 't.text > n.b', 'n.text > after.a'],
    );
    assert.deepEqual(statuses, { t: 'COMPLETED', f: 'COMPLETED', n: 'SKIPPED', after: 'SKIPPED' });
    assert.deepEqual(outcome, { kind: 'completed' });
  });

  it('if none of its wired inputs has a value, even if none is required', async () => {
    const { statuses } = await run({ t: { type: 't:fail' }, j: { type: 't:join' } }, [
      't.text > j.a',
      't.text > j.b',
    ]);
    assert.deepEqual(statuses, { t: 'FAILED', j: 'SKIPPED' });
  });

  it('but not if only an optional input is absent', async () => {
    const { outputOf } = await run(
      { t: { type: 't:give', config: { value: 'x' } }, f: { type: 't:fail' }, n: { type: 't:need' } },
      ['t.text > n.a', 'f.text > n.b'],
    );
    assert.deepEqual(outputOf('n'), textValue('x/-/5/fast'));
  });

  it('but not if it merges branches and one arrived', async () => {
    const { outputOf } = await run(
      {
        t: { type: 't:give', config: { value: 'x' } },
        f: { type: 't:fork', config: { way: 'no' } },
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
  it('fails the run once the other branches have finished, with the first failure', async () => {
    const { outcome, statuses } = await run(
      {
        f: { type: 't:fail' },
        late: { type: 't:join', config: { late: 'yes' } },
        after: { type: 't:join', config: { late: 'yes' } },
        n: { type: 't:need' },
      },
      ['late.text > after.a'],
    );
    assert.deepEqual(outcome, {
      kind: 'failed',
      nodeId: 'f',
      error: { code: 'as_asked', message: 'It failed as asked.' },
    });
    assert.deepEqual(statuses, { f: 'FAILED', late: 'COMPLETED', after: 'COMPLETED', n: 'FAILED' });
  });

  it('hides an error that is not meant for people and logs it', async () => {
    const logged: unknown[] = [];
    const { errorOf } = await run({ f: { type: 't:fail', config: { with: 'bug' } } }, [], {
      onError: (nodeId, err) => logged.push(nodeId, err),
    });
    assert.equal(errorOf('f')?.code, 'node_failed');
    assert.doesNotMatch(errorOf('f')?.message ?? '', /secret/);
    assert.equal(logged[0], 'f');
    assert.match(String(logged[1]), /secret path/);
  });

  it('keeps the code and message of an AppError, except an internal one', async () => {
    const refuse = (code: 'unreadable_image' | 'internal_error') =>
      run({ r: { type: 't:refuse' } }, [], {}, [
        defineNode({
          nodeType: 't:refuse',
          label: 'Refuse',
          category: 'utility',
          inputs: {},
          config: {},
          outputs: {},
          run: async () => {
            throw new AppError(code, 'No picture.');
          },
        }),
      ]);
    assert.deepEqual((await refuse('unreadable_image')).errorOf('r'), {
      code: 'unreadable_image',
      message: 'No picture.',
    });
    assert.equal((await refuse('internal_error')).errorOf('r')?.code, 'node_failed');
  });

  it('has a type that this service does not know', async () => {
    const definitions = [...NODES];
    const plan = planGraph(definitions, sketchGraph({ u: { type: 't:unknown' } }, []));
    const { outcome } = await runRecorded(definitions, plan);
    assert.equal(outcome.kind === 'failed' && outcome.error.code, 'unknown_node_type');
  });

  it('returns a value that its port does not accept', async () => {
    const { errorOf } = await run({ w: { type: 't:wrong' } }, [], {}, [
      defineNode({
        nodeType: 't:wrong',
        label: 'Wrong',
        category: 'utility',
        inputs: {},
        config: {},
        outputs: { text: text('Text') },
        run: () => ({ text: 5 }),
      }),
    ]);
    assert.match(errorOf('w')?.message ?? '', /^"Text" \(text\) must return text/);
  });
});

describe('branches', () => {
  /** A node that answers only when `together` nodes of its kind run at once. */
  const meeting = (together: number) => {
    const met = Promise.withResolvers<void>();
    const seen = { now: 0, most: 0 };
    const definition = defineNode({
      nodeType: 't:meet',
      label: 'Meet',
      category: 'utility',
      inputs: { a: text('A') },
      config: {},
      outputs: { text: text('Text') },
      run: async ({ a }) => {
        seen.most = Math.max(seen.most, ++seen.now);
        if (seen.now === together) met.resolve();
        await met.promise;
        seen.now--;
        return { text: a ?? '' };
      },
    });
    return { definition, seen };
  };

  it('that do not depend on each other run concurrently', async () => {
    const { definition } = meeting(3);
    const nodes = { a: { type: 't:meet' }, b: { type: 't:meet' }, c: { type: 't:meet' } };
    assert.deepEqual((await run(nodes, [], {}, [definition])).outcome, { kind: 'completed' });
  });

  it('stay within the concurrency limit, including items of lists', async () => {
    const { definition, seen } = meeting(2);
    const nodes = {
      l: { type: 't:list', config: { items: 'a b c d' } },
      mapped: { type: 't:meet' },
      single: { type: 't:meet' },
    };
    const { outcome, outputOf } = await run(nodes, ['l.list > mapped.a'], { concurrency: 2 }, [definition]);
    assert.deepEqual(outcome, { kind: 'completed' });
    assert.equal(seen.most, 2);
    assert.deepEqual(outputOf('mapped'), listValue(['a', 'b', 'c', 'd'].map(textValue)));
  });
});

describe('steps', () => {
  it('of a synchronous node are one, of an asynchronous node two', async () => {
    const { reported } = await run(
      { a: { type: 't:join' }, b: { type: 't:join', config: { late: 'yes' } } },
      [],
    );
    assert.deepEqual(
      reported.map(step => `${step.nodeId} ${step.status} ${step.attempt}`),
      ['a COMPLETED 1', 'b RUNNING 1', 'b COMPLETED 1'],
    );
    for (const step of reported) assert.equal(typeof step.startedAtMs, 'number');
  });

  it('yield to the rest of the process in a long chain of free nodes', async () => {
    const ids = Array.from({ length: 1000 }, (_, index) => `n${index}`);
    let turns = 0;
    const ticker = setInterval(() => turns++, 1);
    const slow = defineNode({
      nodeType: 't:slow',
      label: 'Slow',
      category: 'utility',
      inputs: { a: text('A') },
      config: {},
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
    assert.ok(turns > 0);
  });

  it('report progress per node', async () => {
    const seen: [string, number][] = [];
    const half = defineNode({
      nodeType: 't:half',
      label: 'Half',
      category: 'utility',
      inputs: {},
      config: {},
      outputs: {},
      run: (_, ctx) => {
        ctx.progress(0.5);
        return {};
      },
    });
    await run({ h: { type: 't:half' } }, [], { onProgress: (...reported) => seen.push(reported) }, [half]);
    assert.deepEqual(seen, [['h', 0.5]]);
  });

  it('reject the run if the function that receives them throws', async () => {
    const onStep = (): never => {
      throw new Error('no room for steps');
    };
    await assert.rejects(run({ a: { type: 't:join' } }, [], { onStep }), /no room for steps/);
    await assert.rejects(run({ a: { type: 't:join', config: { late: 'yes' } } }, [], { onStep }));
  });
});
