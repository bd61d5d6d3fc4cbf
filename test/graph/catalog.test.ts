// Tests which output types can connect to which input types.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { canFeed } from '../../src/graph/catalog.ts';
import { PORT_TYPES } from '../../src/graph/types.ts';

// ANY accepts and provides any type; the content of a LIST is known only during a run.
const UNCHECKED = ['ANY', 'LIST'];
/** Conversions besides equal types and JSON. */
const CONVERTIBLE = ['NUMBER TEXT', 'JSON TEXT'];

for (const from of PORT_TYPES) {
  it(`connects ${from} outputs to inputs of the same type, of JSON, and of types with a conversion`, () => {
    for (const to of PORT_TYPES) {
      const expected =
        from === to ||
        to === 'JSON' ||
        UNCHECKED.includes(from) ||
        UNCHECKED.includes(to) ||
        CONVERTIBLE.includes(`${from} ${to}`);
      assert.equal(canFeed(from, to), expected, `${from} → ${to}`);
    }
  });
}
