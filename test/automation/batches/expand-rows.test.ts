// Tests the limits on what the rows of a batch expand to.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CreateBatchBody } from '../../../src/automation/batches/batch.schema.ts';
import { type ExpandedRow, expandRows, RowIssues } from '../../../src/automation/batches/expand-rows.ts';
import { workFor } from '../../../src/lib/work.ts';

type Args = Parameters<typeof expandRows>;
/** Neither rows nor a matrix need the database or the user. */
const [DEPS, USER, TX] = [{} as Args[0], {} as Args[1], {} as Parameters<RowReader>[0]];
type RowReader = Awaited<ReturnType<typeof expandRows>>['readRows'];

const expand = (body: CreateBatchBody) => expandRows(DEPS, USER, { nodes: [], edges: [] }, body);

async function readAll(body: CreateBatchBody, issues = new RowIssues()): Promise<readonly ExpandedRow[]> {
  const rows: ExpandedRow[] = [];
  for await (const row of (await expand(body)).readRows(TX, issues)) rows.push(row);
  return rows;
}

/** A matrix of one input with this many values, and others with one value each. */
const createMatrix = (count: number, others: number, value: unknown = 1) => ({
  matrix: {
    inputs: {
      varied: Array.from({ length: count }, (_, index) => index),
      ...Object.fromEntries(Array.from({ length: others }, (_, index) => [`same${index}`, [value]])),
    },
  },
});

describe('the rows of a batch', () => {
  it('share the values that they have in common', async () => {
    const rows = await readAll(createMatrix(3, 1, { a: [1] }));
    const [first, ...others] = rows.map(({ inputs }) => inputs.get('same0'));
    assert.equal(first?.text, '{"a":[1]}');
    assert.ok(others.every(value => value === first));
  });

  it('have at most 1,000,000 values of inputs in all', async () => {
    assert.equal((await readAll(createMatrix(1000, 999))).length, 1000);
    await assert.rejects(readAll(createMatrix(1001, 999)), {
      code: 'payload_too_large',
      message: /more than 1,000,000 values of inputs in all/,
    });
  });

  it('have at most 100 MB of inputs in all', async () => {
    assert.equal((await readAll(createMatrix(90, 1, 'x'.repeat(1_000_000)))).length, 90);
    await assert.rejects(readAll(createMatrix(100, 1, 'x'.repeat(1_000_000))), {
      code: 'payload_too_large',
      message: /more than 100 MB of inputs in all/,
    });
  });

  it('have inputs that fit into the request of a run', async () => {
    const issues = new RowIssues();
    await readAll(createMatrix(2, 3, 'x'.repeat(1_400_000)), issues);
    assert.equal(issues.total, 2);
    assert.match(issues.items[0]?.message ?? '', /have 4200\d{3} bytes as JSON. .* at most 4194304/);
  });

  it('are no longer read once 1,000 problems were found', async () => {
    const issues = new RowIssues();
    const rows = await readAll({ rows: Array(5000).fill({ key: 'same', inputs: {} }) }, issues);
    assert.equal(rows.length, 1001);
    assert.equal(issues.total, 1000);
    const { message, issues: listed } = issues.toError();
    assert.equal(listed?.length, 1000);
    assert.match(
      message,
      /^The key "same" is used twice\. 999 more problems were found\. Then checking stopped/,
    );
  });

  it('are no longer read once the client has disconnected', async () => {
    const reason = new Error('The client disconnected.');
    const work = { account: 'a', signal: AbortSignal.abort(reason), isAccepted: false };
    await assert.rejects(
      workFor(work, () => readAll(createMatrix(1000, 999))),
      reason,
    );
  });
});
