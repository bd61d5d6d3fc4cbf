// Tests the header Prefer: wait and its limit of 60 s.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { parsePrefer } from '../../../src/http/start-headers.ts';

const cases: readonly (readonly [header: string | undefined, seconds: number])[] = [
  [undefined, 0],
  ['respond-async', 0],
  ['wait=20', 20],
  ['respond-async, wait="60"', 60],
];
for (const [header, waitSeconds] of cases)
  it(`parsePrefer returns ${waitSeconds} s for ${header}`, () =>
    assert.deepEqual(parsePrefer(header), { waitSeconds }));

it('parsePrefer limits the wait to 60 s with a warning', () =>
  assert.deepEqual(parsePrefer('wait=300'), {
    waitSeconds: 60,
    warnings: ['Prefer: wait=300 exceeds the limit. The request waited 60 s.'],
  }));
