// Contains what nodes that run models on this machine share.
import type { ModelTask } from '../../graph/catalog.ts';
import { createLimiter } from '../../lib/limiter.ts';
import type { LocalFeature } from '../../local/packages.ts';
import { LocalError, runLocal } from '../../local/run-local.ts';
import type { LocalTaskKind, LocalTasks } from '../../local/tasks.ts';
import { type NodeContext, NodeError } from '../define.ts';

/** The pixels of a large image and of its result take 500 MB together. */
const limiter = createLimiter({ concurrency: 2, isCostly: true });

/**
 * The properties of a node that needs this feature. `license` and `origin` are those of its model or library. With a task,
 * the node is offered with the models of that task.
 */
export const createLocalNode = (feature: LocalFeature, license: string, origin: string, task?: ModelTask) =>
  ({
    category: 'utility',
    cache: true,
    limiter,
    requires: `local-${feature}`,
    local: { license, origin, ...(task === undefined ? {} : { task }) },
  }) as const;

/** The pixels of an image of 50 megapixels take 150 MB. */
export const MAX_LOCAL_PIXELS = 50_000_000;

/** Runs a task. Throws NodeError if its model fails. */
export async function runLocalTask<K extends LocalTaskKind>(
  kind: K,
  input: LocalTasks[K]['input'],
  ctx: NodeContext,
): Promise<LocalTasks[K]['output']> {
  try {
    return await runLocal(kind, input, ctx);
  } catch (err) {
    if (err instanceof LocalError) throw new NodeError(err.code, err.message, { cause: err });
    throw err;
  }
}
