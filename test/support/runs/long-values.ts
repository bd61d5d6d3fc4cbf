// Gives stored runs long JSON results, and watches that the process does not parse them.
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Tx } from '../../../src/store/db.ts';

const START = '[{"a":1},{"a":1}';

/** Replaces the steps of all runs, so that each of these nodes has one output: a list of `count` objects. */
export async function replaceOutputs(tx: Tx, nodeIds: readonly string[], count: number): Promise<void> {
  const json = Array.from({ length: count }, () => ({ a: 1 }));
  const steps = nodeIds.map(nodeId => ({
    nodeId,
    status: 'COMPLETED',
    attempt: 1,
    outputs: { output: { type: 'JSON', json } },
  }));
  await tx.query(
    `with newest as (select execution_id, max(seq) as seq from execution_steps group by execution_id),
       others as (
         delete from execution_steps s using newest n where s.execution_id = n.execution_id and s.seq < n.seq)
     update execution_steps s set steps = $1 from newest n where s.execution_id = n.execution_id and s.seq = n.seq`,
    [JSON.stringify(steps)],
  );
}

/** Fails the request if this thread parses or writes such a list as a value, which blocks other requests. */
export function forbidLongValues({ mock }: TestContext): void {
  const { parse, stringify } = JSON;
  const check = (text: string | undefined): void =>
    assert.ok(text === undefined || text.length < 250_000 || !text.includes(START));
  mock.method(JSON, 'parse', ((text: string) => {
    check(text);
    return parse(text) as unknown;
  }) as typeof JSON.parse);
  mock.method(JSON, 'stringify', ((...args: Parameters<typeof stringify>) => {
    const text = stringify(...args);
    check(text);
    return text;
  }) as typeof JSON.stringify);
}
