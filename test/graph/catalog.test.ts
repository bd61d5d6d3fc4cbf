// Which output may feed which input.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { canJoin } from '../../src/graph/catalog.ts';
import { PORT_TYPES } from '../../src/graph/types.ts';

// ANY takes and gives whatever comes; what a LIST contains shows when it is run.
const OPEN = ['ANY', 'LIST'];
/** Besides equal types, and anything into JSON. */
const JOINED = ['NUMBER TEXT', 'JSON TEXT'];

for (const from of PORT_TYPES) {
  it(`${from} feeds its own type, JSON, and what it can be written as`, () => {
    for (const to of PORT_TYPES) {
      const expected =
        from === to ||
        to === 'JSON' ||
        OPEN.includes(from) ||
        OPEN.includes(to) ||
        JOINED.includes(`${from} ${to}`);
      assert.equal(canJoin(from, to), expected, `${from} → ${to}`);
    }
  });
}
