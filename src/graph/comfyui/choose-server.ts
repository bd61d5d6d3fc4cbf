// Chooses the server of a ComfyUI graph: one that is up and has the node types and model files that the graph names.
import { isModelFile, normalizeFile, type ServerFacts, toInputKey } from './server-facts.ts';

/** What a graph needs of a server. */
export interface ServerNeeds {
  readonly types: readonly string[];
  /** Model files with the type and the input that name them. */
  readonly files: readonly (readonly [type: string, input: string, file: string])[];
}

export interface ServerCandidate {
  readonly id: string;
  /** Whether the last check succeeded. */
  readonly isUp: boolean;
  readonly isDraining: boolean;
  /** The calls of the service that the server has, and the most that it gets. */
  readonly calls: number;
  readonly maxConcurrent: number;
  /** All prompts that the server had at the last check. */
  readonly prompts: number;
  /** Identifies the model files of the last graph that the service gave to the server. */
  readonly lastFiles: string | null;
  /** Undefined if they are not known. */
  readonly facts: ServerFacts | undefined;
}

export interface MissingParts {
  readonly nodeTypes: readonly string[];
  readonly files: readonly string[];
}

interface NeedyNode {
  readonly class_type?: unknown;
  readonly inputs?: Readonly<Record<string, unknown>>;
}

/** Lists each type and file once, in the order of the names, so that equal needs are equal as text. */
export function listNeeds(graph: Readonly<Record<string, NeedyNode>>): ServerNeeds {
  const types = new Set<string>();
  const files = new Map<string, readonly [string, string, string]>();
  for (const { class_type: type, inputs = {} } of Object.values(graph)) {
    if (typeof type !== 'string') continue;
    types.add(type);
    for (const [input, value] of Object.entries(inputs)) {
      if (!isModelFile(input, value)) continue;
      const file = normalizeFile(value);
      files.set(`${toInputKey(type, input)}\n${file}`, [type, input, file]);
    }
  }
  const sorted = [...files].sort(([a], [b]) => (a < b ? -1 : 1));
  return { types: [...types].sort(), files: sorted.map(([, file]) => file) };
}

/** Returns what the server lacks, or undefined if it lacks nothing. An input without a list accepts every file. */
export function findMissing(needs: ServerNeeds, facts: ServerFacts): MissingParts | undefined {
  const nodeTypes = needs.types.filter(type => !facts.types.has(type));
  const files = new Set<string>();
  for (const [type, input, file] of needs.files)
    if (facts.files.get(toInputKey(type, input))?.has(file) === false) files.add(file);
  return nodeTypes.length + files.size === 0 ? undefined : { nodeTypes, files: [...files] };
}

/** Returns whether the graph has nodes that call external models, which bill. */
export const hasPartnerNode = ({ types }: ServerNeeds, facts: ServerFacts | undefined): boolean =>
  facts !== undefined && types.some(type => facts.partnerTypes.has(type));

/**
 * Returns the server for a call, or undefined if none can take it now. Prefers an idle server that last ran a graph with the
 * same model files, then the one with the fewest calls. A server whose types are not known is the last choice.
 */
export function chooseServer(
  needs: ServerNeeds,
  files: string,
  candidates: readonly ServerCandidate[],
): ServerCandidate | undefined {
  let best: ServerCandidate | undefined;
  for (const candidate of candidates) {
    const { isUp, isDraining, calls, maxConcurrent, facts } = candidate;
    if (!isUp || isDraining || calls >= maxConcurrent) continue;
    if (facts !== undefined && findMissing(needs, facts) !== undefined) continue;
    if (best === undefined || compare(candidate, best, files) < 0) best = candidate;
  }
  return best;
}

function compare(a: ServerCandidate, b: ServerCandidate, files: string): number {
  const isUnknown = (server: ServerCandidate): number => (server.facts === undefined ? 1 : 0);
  const isWarm = (server: ServerCandidate): number => (server.lastFiles === files ? 0 : 1);
  const isIdleAndWarm = (server: ServerCandidate): number =>
    server.calls === 0 && isWarm(server) === 0 ? 0 : 1;
  return (
    isUnknown(a) - isUnknown(b) ||
    isIdleAndWarm(a) - isIdleAndWarm(b) ||
    a.calls - b.calls ||
    isWarm(a) - isWarm(b) ||
    a.prompts - b.prompts ||
    (a.id < b.id ? -1 : 1)
  );
}
