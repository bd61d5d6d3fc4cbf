// Tests findSchemaErrors, which reports every error of a small value and the first error of a large value.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Type } from 'typebox';
import { findSchemaErrors, matchesSchema } from '../../src/lib/schema-check.ts';

const LIST_SCHEMA = Type.Object({ items: Type.Array(Type.Object({ name: Type.String() })) });

describe('findSchemaErrors', () => {
  it('reports every error of a value', () => {
    const value = { items: [{}, { name: 'a' }, { name: 1 }] };
    assert.deepEqual(
      findSchemaErrors(LIST_SCHEMA, value).map(({ instancePath, keyword }) => `${instancePath} ${keyword}`),
      ['/items/0 required', '/items/2/name type'],
    );
    assert.equal(matchesSchema(LIST_SCHEMA, value), false);
    assert.deepEqual(findSchemaErrors(LIST_SCHEMA, { items: [{ name: 'a' }] }), []);
  });

  it('reports only the first error of a large value', () => {
    const value = { items: Array.from({ length: 100_000 }, () => ({})) };
    assert.deepEqual(
      findSchemaErrors(LIST_SCHEMA, value).map(({ instancePath }) => instancePath),
      ['/items/0'],
    );
  });
});
