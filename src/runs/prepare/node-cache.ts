// Implements the engine's node cache for one workspace.
import { measureSize } from '../../engine/output-size.ts';
import type { NodeCache } from '../../engine/types.ts';
import type { Value, Values } from '../../graph/types.ts';
import { findCachedOutputs, saveCachedOutputs } from '../../store/node-cache.ts';
import type { RunDeps } from '../deps.ts';

const MAX_OUTPUT_BYTES = 1_000_000;

export function createNodeCache(deps: RunDeps, workspace: string): NodeCache {
  return {
    async find(key) {
      try {
        const text = await findCachedOutputs(deps.db, workspace, key);
        return text === undefined ? undefined : (JSON.parse(text) as Values);
      } catch (err) {
        deps.log.warn({ err }, 'a node result could not be looked up');
        return undefined;
      }
    },
    store(key, outputs) {
      if (measureSize(outputs, MAX_OUTPUT_BYTES).bytes > MAX_OUTPUT_BYTES) return;
      const text = JSON.stringify(outputs);
      const mediaIds = Object.values(outputs).flatMap(listMediaIds);
      saveCachedOutputs(deps.db, { workspace, key, outputs: text, mediaIds }).catch((err: unknown) => {
        deps.log.warn({ err }, 'a node result could not be cached');
      });
    },
  };
}

function listMediaIds(value: Value): string[] {
  if (value.type === 'LIST') return value.items.flatMap(listMediaIds);
  if (!('media' in value)) return [];
  const { mediaId, render } = value.media;
  return render === undefined ? [mediaId] : [mediaId, render.posterId];
}
