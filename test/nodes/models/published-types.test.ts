// The shipped models of fal against the types that fal publishes: every name, choice and list that is sent is theirs.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readFalTypes } from '../../../scripts/fal-types.ts';
import type { Model, ModelField } from '../../../src/nodes/models/model.ts';
import { readShippedModels } from '../../../src/nodes/models/shipped.ts';

const types = readFalTypes();
const models = readShippedModels().filter(({ provider }) => provider === 'fal');
/** Shipped, and not in the types of the pinned version: held against fal's own pages alone. */
const UNTYPED = new Set(['fal-ai/flux-1/dev']);

interface Published {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly items?: Published;
}

function faultsOf(model: Model): readonly string[] {
  const published = types.get(model.endpoint);
  if (published === undefined) return UNTYPED.has(model.endpoint) ? [] : ['is not among the endpoints'];
  const properties = published.input.properties as Readonly<Record<string, Published>>;
  const sent = [...model.fields.map(({ id, as = id }) => as), ...Object.keys(model.fixed ?? {})];
  const unknown = sent
    .filter(name => !Object.hasOwn(properties, name))
    .map(name => `sends ${name}, which is unknown`);
  const needed = published.input.required as readonly string[];
  const missing = needed
    .filter(name => !sent.includes(name))
    .map(name => `does not send ${name}, which is required`);
  return [...unknown, ...missing, ...model.fields.flatMap(field => fieldFaults(field, properties))];
}

function fieldFaults(field: ModelField, properties: Readonly<Record<string, Published>>): readonly string[] {
  const { id, as = id, type, enum: options = [], inList } = field;
  const published = properties[as];
  if (published === undefined) return [];
  const wrong = options.filter(option => published.enum !== undefined && !published.enum.includes(option));
  const isList = published.type === 'array';
  const shape =
    type === 'JSON' || isList === (type === 'LIST' || inList === true) ? [] : [`${id}: list or not`];
  const isNumber = published.type === 'number' || published.type === 'integer';
  const kind = isNumber === (type === 'NUMBER') || type === 'JSON' ? [] : [`${id}: number or not`];
  return [...wrong.map(option => `${id}: ${option} is no choice`), ...shape, ...kind];
}

describe('the shipped models', () => {
  it('are at least 150, over every kind of work', () => {
    const all = readShippedModels();
    assert.ok(all.length >= 150, String(all.length));
    const families = new Set(all.map(({ nodeType }) => nodeType.split(':')[0]));
    assert.deepEqual([...families].sort(), ['audio', 'edit', 'generate', 'talking', 'text', 'video']);
  });

  it('of fal send what its published types know, and all that they require', () => {
    const faults = models.flatMap(model => faultsOf(model).map(fault => `${model.endpoint} ${fault}`));
    assert.deepEqual(faults, []);
  });

  it('find their result where the published types have it', () => {
    for (const { endpoint, output } of models) {
      const published = types.get(endpoint)?.output.properties;
      if (published === undefined || output.path === undefined) continue;
      assert.ok(Object.hasOwn(published as object, output.path), `${endpoint} ${output.path}`);
    }
  });
});
