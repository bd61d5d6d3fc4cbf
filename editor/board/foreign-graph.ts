// Converts a file of ComfyUI to nodes and edges of a board. Loaded when a file is dropped.
import { api } from '../lib/api.ts';
import { readForeignFile, toWorkflowName } from '../lib/foreign-file.ts';
import { parsePastedText, type Subgraph } from './clipboard.ts';

/** Returns the nodes and edges, or undefined for other files. Throws the error of the service for a malformed file. */
export async function readForeignGraph(file: File): Promise<Subgraph | undefined> {
  const source = await readForeignFile(file);
  if (source === undefined) return undefined;
  const imported = await api.post('/workflows/import', { source, name: toWorkflowName(file), dryRun: true });
  return parsePastedText(JSON.stringify(imported));
}
