// Tests that long bodies that arrive together are parsed in different turns of the event loop.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type ApiUser, openTestApp, type TestApp } from '../../support/app.ts';

let app: TestApp;
let user: ApiUser;
before(async () => {
  app = await openTestApp();
  user = await app.createUser();
});
after(() => app.close());

const COUNT = 5;
/** Checking and parsing it takes much longer than the 10 ms after which a computation pauses. */
const BODY = JSON.stringify({ nodes: Array.from({ length: 180_000 }, (_, id) => ({ id })), edges: [] });

it('long bodies that arrive together are parsed in different turns of the event loop', async t => {
  let turn = 0;
  let isDone = false;
  const turnsOfParses: number[] = [];
  const parse = JSON.parse;
  t.mock.method(JSON, 'parse', (text: string, ...rest: [never]) => {
    if (text.length === BODY.length) turnsOfParses.push(turn);
    return parse(text, ...rest);
  });
  const counting = (async () => {
    for (; !isDone; turn++) await nextTurn();
  })();
  const send = () =>
    app.app.inject({
      method: 'POST',
      url: '/api/v1/keys',
      headers: { authorization: `Bearer ${user.key}`, 'content-type': 'application/json' },
      payload: BODY,
    });
  const responses = await Promise.all(Array.from({ length: COUNT }, send)).finally(() => {
    isDone = true;
  });
  await counting;
  assert.deepEqual(
    responses.map(({ statusCode }) => statusCode),
    Array(COUNT).fill(400),
  );
  assert.equal(turnsOfParses.length, COUNT);
  assert.equal(new Set(turnsOfParses).size, COUNT, String(turnsOfParses));
});
