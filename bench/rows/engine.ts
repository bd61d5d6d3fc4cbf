// Measures the engine alone, without checkpoints, services or a database.
import { engineChain } from '../engine.ts';
import type { Row } from '../row.ts';

export async function* runEngineRows(): AsyncGenerator<Row> {
  const { usPerNode } = await engineChain();
  yield {
    figure: 'engine alone, chain of 1,000 free nodes, per node',
    value: usPerNode,
    unit: 'µs',
    target: { value: 20, is: 'at most' },
  };
}
