// The thread that works on large graphs. It makes its own catalog, from what the service's catalog was made of.
import { serveTasks } from '../../lib/threads/serve.ts';
import { type CatalogOrigin, restoreCatalog } from '../../nodes/catalog.ts';
import { type GraphResults, type GraphTask, performGraphTask, type TaskDeps } from './graph-task.ts';
import { storedGraph } from './graph-versions.ts';

/** What all tasks of a service have in common. */
export interface GraphContext extends Pick<TaskDeps, 'settings'> {
  readonly origin: CatalogOrigin;
}

/** A task on its way: the stored graph is its text, which travels faster than what it says. */
export interface SentTask {
  readonly task: Omit<GraphTask, 'stored'>;
  readonly storedText: string | undefined;
}

let made: { readonly context: GraphContext; readonly deps: TaskDeps } | undefined;

serveTasks<SentTask, GraphResults[GraphTask['kind']], GraphContext>(({ task, storedText }, context) => {
  if (made?.context !== context) {
    made = { context, deps: { catalog: restoreCatalog(context.origin), settings: context.settings } };
  }
  const stored = storedText === undefined ? {} : { stored: storedGraph(storedText) };
  const result = performGraphTask(made.deps, { ...task, ...stored } as GraphTask);
  // Its text says the same.
  return typeof result === 'object' && 'graph' in result ? { ...result, graph: undefined } : result;
});
