// Tests that the record of a followed run is mapped outside of the event loop if it is large.
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { mapRecord } from '../../../src/automation/triggers/map-record.ts';
import { JsonText } from '../../../src/lib/json-text.ts';
import type { ExecutionRecord } from '../../../src/runs/read/present-execution.ts';

const MEGABYTE = 1_000_000;

/** Creates a record with one JSON output of this size. */
const createRecord = (bytes: number): ExecutionRecord =>
  ({
    id: 'run_1',
    outputs: [
      {
        value: JsonText.trust(
          `[${Array(Math.floor(bytes / 3))
            .fill('{}')
            .join()}]`,
        ),
      },
    ],
  }) as unknown as ExecutionRecord;

/** Fails if this thread parses a long text. */
function forbidLongTexts(t: TestContext): void {
  const { parse } = JSON;
  t.mock.method(JSON, 'parse', (text: string, ...rest: readonly []) => {
    assert.ok(text.length < MEGABYTE, `JSON.parse of ${text.length} characters`);
    return parse(text, ...rest);
  });
}

it('selects values of small and large records', async t => {
  forbidLongTexts(t);
  const pointers = JSON.stringify({ a: '/outputs/0/value/1', b: '/id', c: '/none' });
  for (const bytes of [3000, 12 * MEGABYTE])
    assert.equal(await mapRecord(pointers, createRecord(bytes)), '{"a":{},"b":"run_1"}');
});

it('refuses inputs of more than 4 MB of a large record', async t => {
  forbidLongTexts(t);
  await assert.rejects(mapRecord('{"a":"/outputs"}', createRecord(5 * MEGABYTE)), {
    code: 'payload_too_large',
    message: /more than 4194304 bytes in all/,
  });
});
