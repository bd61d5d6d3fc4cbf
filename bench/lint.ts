// Measures lint: 250 nodes and 1,500 edges of a valid graph with every rule, and the command including its process.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { lintGraph } from '../src/graph/lint/lint.ts';
import { CATALOG, makeGraph } from './layout-graphs.ts';
import { median } from './load.ts';
import type { Row } from './row.ts';

const CLI = join(import.meta.dirname, '../bin/graphwright.js');

export async function* runLintRows(isShort: boolean): AsyncIterable<Row> {
  const { graph } = makeGraph(250, 1500, 1);
  const times = Array.from({ length: isShort ? 3 : 200 }, () => {
    const start = performance.now();
    lintGraph(graph, CATALOG);
    return performance.now() - start;
  });
  yield { figure: 'lint 250/1500', value: median(times), unit: 'ms', target: { value: 3, is: 'at most' } };
  yield {
    figure: 'graphwright lint of 250 nodes, including the process',
    value: median(await measureCommand(isShort ? 3 : 15)),
    unit: 'ms',
    target: { value: 250, is: 'at most' },
  };
}

/** Returns the times of the command in ms. The first start, which fills Node's compile cache, does not count. */
async function measureCommand(rounds: number): Promise<number[]> {
  const folder = await mkdtemp(join(tmpdir(), 'graphwright-lint-'));
  const file = join(folder, 'workflow.json');
  await writeFile(file, JSON.stringify(createWorkflowFile(250)));
  const times: number[] = [];
  try {
    for (let round = 0; round <= rounds; round++) {
      const start = performance.now();
      await promisify(execFile)(process.execPath, [CLI, 'lint', file]);
      if (round > 0) times.push(performance.now() - start);
    }
  } finally {
    await rm(folder, { recursive: true });
  }
  return times;
}

function createWorkflowFile(count: number): object {
  const nodes = Array.from({ length: count }, (_, index) => ({
    id: `n${index}`,
    type: 'basedNode',
    position: { x: index * 320, y: 0 },
    data: {
      label: `Step ${index}`,
      ...(index === 0
        ? { category: 'input', nodeType: 'input:text', config: { value: 'Lisbon' } }
        : { category: 'utility', nodeType: 'utility:text_template', config: { template: 'On' } }),
    },
  }));
  return { name: 'Bench', nodes, edges: [] };
}
