// Tests which output types can connect to which input types.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { canFeed } from '../../src/graph/catalog.ts';
import { PORT_TYPES } from '../../src/graph/types.ts';

// ANY accepts and provides any type; the content of a LIST is known only during a run.
const OPEN = ['ANY', 'LIST'];
/** In addition to equal types, and anything into JSON. */
const JOINED = ['NUMBER TEXT', 'JSON TEXT'];

for (const from of PORT_TYPES) {
  it(`${from} connects to its own type, JSON, and what it can be written as`, () => {
    for (const to of PORT_TYPES) {
      const expected =
        from === to ||
        to === 'JSON' ||
        OPEN.includes(from) ||
        OPEN.includes(to) ||
        JOINED.includes(`${from} ${to}`);
      assert.equal(canFeed(from, to), expected, `${from} → ${to}`);
    }
  });
}
