// The lint row: 250 nodes and 1,500 edges, a sound graph, every rule of the tables.
import { lintGraph } from '../src/graph/lint/lint.ts';
import { CATALOG, makeGraph } from './layout-graphs.ts';
import type { Row } from './row.ts';

export async function* runLintRows(isShort: boolean): AsyncIterable<Row> {
  const { graph } = makeGraph(250, 1500, 1);
  const times = Array.from({ length: isShort ? 3 : 200 }, () => {
    const start = performance.now();
    lintGraph(graph, CATALOG);
    return performance.now() - start;
  });
  const median = times.sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
  yield { figure: 'lint 250/1500', value: median, unit: 'ms', reach: { value: 3, is: 'at most' } };
}
