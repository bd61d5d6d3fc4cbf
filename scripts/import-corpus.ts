// Reads all files of a folder as imports do, and reports those that fail, and the workflows of fal that cannot run: npm run
// import-corpus -- FOLDER. Prompts that
// ComfyUI made from the same files can be compared: npm run import-corpus -- FOLDER --prompts FOLDER.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { type ApiGraph, isApiGraph } from '../src/graph/comfyui/api-graph.ts';
import { type ComfyFile, readComfyFile } from '../src/graph/comfyui/read-file.ts';
import { createFalBoard } from '../src/graph/fal/board.ts';
import { readFalWorkflow } from '../src/graph/fal/read-workflow.ts';
import { isObject } from '../src/graph/types.ts';
import { createNodeCatalog } from '../src/nodes/catalog.ts';
import { comfyNodeTypes } from '../src/nodes/comfyui/node-types.ts';
import { createFalTypes } from '../src/nodes/models/fal-types.ts';

const { values, positionals } = parseArgs({
  options: { prompts: { type: 'string' }, verbose: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const [folder] = positionals;
if (folder === undefined) throw new Error('Name the folder: npm run import-corpus -- FOLDER');

const counts = {
  files: 0,
  graphs: 0,
  failed: 0,
  nodes: 0,
  unknownNodes: 0,
  completeGraphs: 0,
  compared: 0,
  equal: 0,
  falWorkflows: 0,
  falRunnable: 0,
};
const falTypes = createFalTypes(createNodeCatalog({ SANDBOX_MODELS: false }), []);
const unknownTypes = new Map<string, number>();
let slowestMs = 0;

for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
  if (!name.endsWith('.json')) continue;
  counts.files++;
  try {
    const value: unknown = JSON.parse(readFileSync(join(folder, name), 'utf8'));
    const start = performance.now();
    const file = readComfyFile(value, comfyNodeTypes);
    slowestMs = Math.max(slowestMs, performance.now() - start);
    if (file === undefined) {
      countFal(name, value);
      continue;
    }
    counts.graphs++;
    countTypes(file);
    comparePrompt(name, file.graph);
  } catch (err) {
    counts.failed++;
    print(`${name}: ${(err as Error).message}`);
  }
}
print({ ...counts, slowestMs: Math.round(slowestMs) });
const frequent = [...unknownTypes].sort((a, b) => b[1] - a[1]).slice(0, 20);
print(
  `Unknown types: ${unknownTypes.size}. ${frequent.map(([type, count]) => `${type} ${count}`).join(', ')}`,
);

/** Counts workflows of fal. They can run if every node has one of ours. */
function countFal(name: string, value: unknown): void {
  const workflow = readFalWorkflow(value);
  if (workflow === undefined) return;
  counts.falWorkflows++;
  const { lines } = createFalBoard(workflow, falTypes);
  const kept = lines.filter(({ outcome }) => outcome === 'kept');
  if (kept.length === 0) counts.falRunnable++;
  else print(`${name}: ${kept.map(({ sourceType }) => sourceType).join(', ')}`);
  const partial = lines.flatMap(({ message, outcome, source }) =>
    outcome === 'mapped' && message !== undefined ? [`${source}: ${message}`] : [],
  );
  if (values.verbose && partial.length > 0) print(`${name}: ${partial.join(' ')}`);
}

function countTypes({ graph }: ComfyFile): void {
  const nodes = Object.values(graph);
  counts.nodes += nodes.length;
  const unknown = nodes.filter(({ _meta }) => _meta?.widgets_values !== undefined);
  counts.unknownNodes += unknown.length;
  if (unknown.length === 0) counts.completeGraphs++;
  for (const { class_type } of unknown) unknownTypes.set(class_type, (unknownTypes.get(class_type) ?? 0) + 1);
}

/** Compares with the prompt in a file of the same name, except for values of buttons, which servers ignore. */
function comparePrompt(name: string, graph: ApiGraph): void {
  const file =
    values.prompts === undefined
      ? undefined
      : join(values.prompts, relative(folder ?? '', join(folder ?? '', name)));
  if (file === undefined || !existsSync(file)) return;
  const stored: unknown = JSON.parse(readFileSync(file, 'utf8'));
  const prompt = isObject(stored) && isApiGraph(stored.prompt) ? stored.prompt : stored;
  if (!isApiGraph(prompt) || (isObject(stored) && Array.isArray(stored.unknown) && stored.unknown.length > 0))
    return;
  counts.compared++;
  const differences = listDifferences(graph, prompt as ApiGraph);
  if (differences.length === 0) counts.equal++;
  else print(`${name}: ${differences.slice(0, values.verbose ? 20 : 3).join('; ')}`);
}

function listDifferences(graph: ApiGraph, prompt: ApiGraph): string[] {
  const ids = new Set([...Object.keys(graph), ...Object.keys(prompt)]);
  return [...ids].flatMap(id => {
    const [ours, theirs] = [graph[id], prompt[id]];
    if (ours === undefined || theirs === undefined) return [`${id} is only in ${ours ? 'ours' : 'theirs'}`];
    const names = new Set([...Object.keys(ours.inputs), ...Object.keys(theirs.inputs)]);
    return [...names].flatMap(input => {
      const [our, their] = [ours, theirs].map(node => JSON.stringify(node.inputs[input])?.slice(0, 60));
      return our === their || input === 'upload'
        ? []
        : [`${id} ${theirs.class_type}.${input}: ${our}, not ${their}`];
    });
  });
}

function print(line: unknown): void {
  process.stdout.write(`${typeof line === 'string' ? line : JSON.stringify(line)}\n`);
}
