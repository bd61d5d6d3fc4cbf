// Our builders of schemas against those of typebox: the same members and marks.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import * as typebox from 'typebox';
import { Check } from 'typebox/schema';
import { Type } from '../../src/lib/type.ts';

type Builders = typeof Type;

/** Every property of every object, hidden ones included. */
function layBare(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(layBare);
  const facts = Object.entries(Object.getOwnPropertyDescriptors(value));
  return Object.fromEntries(facts.map(([name, fact]) => [name, { ...fact, value: layBare(fact.value) }]));
}

const described = { description: 'why', maxLength: 9 };
const CASES: Readonly<Record<keyof Builders, (type: Builders) => readonly object[]>> = {
  Array: type => [type.Array(type.String()), type.Array(type.Null(), { maxItems: 3 })],
  Boolean: type => [type.Boolean(), type.Boolean(described)],
  Enum: type => [type.Enum(['a', 'b']), type.Enum([1, 'b'], described)],
  Integer: type => [type.Integer(), type.Integer({ minimum: 1 })],
  Literal: type => [type.Literal('a'), type.Literal(1, described), type.Literal(true)],
  Null: type => [type.Null(), type.Null(described)],
  Number: type => [type.Number(), type.Number({ maximum: 1.5 })],
  Object: type => [
    type.Object({}),
    type.Object({ a: type.Null(), b: type.Optional(type.String()) }, { additionalProperties: false }),
    type.Object({ only: type.Optional(type.Null()) }),
  ],
  Optional: type => [
    type.Optional(type.String(described)),
    type.Object({ a: type.Optional(type.Unsafe<string>({ type: 'string' })) }),
  ],
  Record: type => [
    type.Record(type.String(), type.Null()),
    type.Record(type.String({ pattern: '^[a-z]$' }), type.Null(), { additionalProperties: false }),
    type.Record(type.String({ maxLength: 9 }), type.Unknown()),
  ],
  String: type => [type.String(), type.String({ ...described, format: 'date-time' })],
  Tuple: type => [
    type.Tuple([type.Null(), type.String()]),
    type.Tuple([]),
    type.Tuple([type.Null()], described),
  ],
  Union: type => [type.Union([type.Null(), type.String()]), type.Union([], described)],
  Unknown: type => [type.Unknown(), type.Unknown(described)],
  Unsafe: type => [
    type.Unsafe<string>({ type: 'string', examples: ['a'] }),
    type.Unsafe(type.String(described)),
  ],
};

for (const [name, make] of Object.entries(CASES))
  it(`${name} makes what typebox makes`, () =>
    assert.deepEqual(make(Type).map(layBare), make(typebox).map(layBare)));

it('leaves the schema alone that it marks', () => {
  const text = Type.String();
  Type.Optional(text);
  assert.deepEqual(layBare(text), layBare(typebox.String()));
});

it('makes what typebox checks by', () => {
  const schema = Type.Object({ a: Type.Optional(Type.Integer()), b: Type.Array(Type.Enum(['x', 'y'])) });
  assert.ok(Check(schema, { b: ['x'] }));
  assert.ok(!Check(schema, { a: 'x', b: ['x'] }));
  assert.ok(!Check(schema, { a: 1 }));
});
