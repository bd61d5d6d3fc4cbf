// Performs tasks on large graphs in a thread, which builds its catalog from the same sources as the service.
import { serveTasks } from '../../lib/threads/serve.ts';
import { type CatalogOrigin, restoreCatalog } from '../../nodes/catalog.ts';
import { type GraphResults, type GraphTask, performGraphTask, type TaskDeps } from './graph-task.ts';
import { parseStoredGraph, type StoredGraph } from './graph-versions.ts';

/** The data that all tasks of a service share. */
export interface GraphContext extends Pick<TaskDeps, 'settings'> {
  readonly origin: CatalogOrigin;
}

/** A task as it is sent to the thread. The stored graph is sent as text, which is faster than sending the object. */
export interface SentTask {
  readonly task: Omit<GraphTask, 'stored'>;
  readonly storedText: string | undefined;
}

// Many tasks about one graph may follow each other, for example one for each config of a batch.
let cachedGraph: StoredGraph | undefined;

function parseCached(text: string): StoredGraph {
  if (cachedGraph?.text !== text) cachedGraph = parseStoredGraph(text);
  return cachedGraph;
}

let cached: { readonly context: GraphContext; readonly deps: TaskDeps } | undefined;

serveTasks<SentTask, GraphResults[GraphTask['kind']], GraphContext>(({ task, storedText }, context) => {
  if (cached?.context !== context) {
    cached = { context, deps: { catalog: restoreCatalog(context.origin), settings: context.settings } };
  }
  const stored = storedText === undefined ? {} : { stored: parseCached(storedText) };
  const result = performGraphTask(cached.deps, { ...task, ...stored } as GraphTask);
  // The stored graph is sent as text only.
  return typeof result === 'object' && 'graph' in result ? { ...result, graph: undefined } : result;
});
