// Tests how the inputs of runs are read.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Json } from '../../../src/graph/types.ts';
import { AppError } from '../../../src/lib/errors.ts';
import { JsonText } from '../../../src/lib/json-text.ts';
import { createInputReader } from '../../../src/runs/prepare/run-request.ts';
import { node } from '../../support/workflows.ts';

type Deps = Parameters<typeof createInputReader>[0];
type Graph = Parameters<typeof createInputReader>[1];

/** Finds definitions whose inputs record the values that they read. */
function createDeps(readValues: Json[]): Deps {
  const runInput = (value: Json) => {
    readValues.push(value);
    return { value };
  };
  return { findNode: () => ({ runInput }) } as object as Deps;
}

const createGraph = (ids: readonly string[]): Graph => ({
  nodes: ids.map(id => node(id, 'input:text')) as object as Graph['nodes'],
  edges: [],
});

describe('the inputs of many runs', () => {
  it('are read once if runs or nodes share them', () => {
    const readValues: Json[] = [];
    const read = createInputReader(createDeps(readValues), createGraph(['a', 'b']));
    const [shared, other] = [new JsonText<Json>('"shared"'), new JsonText<Json>('"other"')];
    assert.deepEqual(
      Object.fromEntries(
        read(
          new Map([
            ['a', shared],
            ['b', shared],
          ]),
        ),
      ),
      {
        a: { value: 'shared' },
        b: { value: 'shared' },
      },
    );
    read(
      new Map([
        ['a', other],
        ['b', shared],
      ]),
    );
    assert.deepEqual(readValues, ['shared', 'other']);
  });

  it('are refused with at most 100 unknown nodes, whose ids are cut', () => {
    const read = createInputReader(createDeps([]), createGraph(['first']));
    const value = new JsonText<Json>('1');
    const inputs = new Map<string, JsonText<Json>>();
    for (let index = 0; index < 500; index++) inputs.set(`first${index}`, value);
    inputs.set('x'.repeat(100_000), value);
    assert.throws(
      () => read(inputs),
      (err: unknown) => {
        assert.ok(err instanceof AppError);
        assert.match(err.message, /no input "first0"\. Did you mean "first"\?/);
        return err.code === 'invalid_inputs' && err.issues?.length === 100;
      },
    );
    assert.throws(
      () => read(new Map([['x'.repeat(100_000), value]])),
      (err: unknown) => err instanceof AppError && err.message.length < 2000,
    );
  });
});
