// Reads the nodes and edges of dropped files: workflows, exported images of workflows, and files of ComfyUI. Loaded when a
// file is dropped.
import { api } from '../lib/api.ts';
import { readForeignFile, toWorkflowName } from '../lib/foreign-file.ts';
import { parsePastedText, type Subgraph } from './clipboard.ts';
import { getMediaKind } from './import-files.ts';
import { readText } from './png-text.ts';

/** Larger files are not read as workflows. */
const MAX_GRAPH_FILE_BYTES = 20_000_000;

/** Returns undefined for other files, such as media. Throws the error of the service for a malformed file of ComfyUI. */
export async function readDroppedGraph(file: File): Promise<Subgraph | undefined> {
  const own = await readGraphFile(file);
  if (own !== undefined) return own;
  const source = await readForeignFile(file);
  if (source === undefined) return undefined;
  const imported = await api.post('/workflows/import', { source, name: toWorkflowName(file), dryRun: true });
  return parsePastedText(JSON.stringify(imported));
}

/** Reads the graph from a workflow file or an exported PNG. Returns undefined for other files, such as media. */
async function readGraphFile(file: File): Promise<Subgraph | undefined> {
  if (file.size > MAX_GRAPH_FILE_BYTES) return undefined;
  if (file.type === 'image/png') {
    const text = readText(new Uint8Array(await file.arrayBuffer()));
    return text === undefined ? undefined : parsePastedText(text);
  }
  return getMediaKind(file) === undefined ? parsePastedText(await file.text()) : undefined;
}
