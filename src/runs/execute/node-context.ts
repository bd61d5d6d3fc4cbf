// Builds the context of a node: access to media, the guarded HTTP clients and the clock.
import type { RunOptions } from '../../engine/types.ts';
import type { Plan } from '../../graph/plan.ts';
import type { GuardedFetch } from '../../lib/fetch.ts';
import { SVG_TYPE } from '../../media/accepted-types.ts';
import { rasterizeSvg } from '../../media/svg/rasterize.ts';
import type { NodeContext } from '../../nodes/define.ts';
import type { CredentialContext } from '../../services/credentials/run-credentials.ts';
import { resolveMedia, storeMedia } from '../../services/media/media.ts';
import { readMedia } from '../../services/media/stored-media.ts';
import { createSourceReader } from '../../services/renders/render-files.ts';
import { createSegmentStore } from '../../services/renders/segment-store.ts';
import type { RunRow } from '../../store/runs.ts';
import { createCallbackUrlBuilder } from '../calls/callbacks.ts';
import type { RunDeps } from '../deps.ts';

const MAX_READ_BYTES = 104_857_600;
const FETCH_TIMEOUT_MS = 30_000;
const MAX_FETCH_BYTES = 26_214_400;

export function createNodeContext(
  deps: RunDeps,
  { row: run, plan }: { readonly row: RunRow; readonly plan: Plan },
  credentials: CredentialContext,
): RunOptions['createContext'] {
  const owner = { userId: run.user_id, workspace: run.workspace, executionId: run.id };
  const openMedia = createSourceReader(deps, owner);
  const callbackUrl = createCallbackUrlBuilder(deps);
  const nodeTypes = new Map(plan.nodes.map(({ id, nodeType }) => [id, nodeType]));
  return (nodeId, _attempt, signal, values) => ({
    ...credentials,
    settings: deps.settings,
    callbackUrl,
    executionId: run.id,
    now: deps.now,
    media: {
      put: (source, file) =>
        storeMedia(
          deps,
          { ...owner, prompt: findPrompt(values), nodeType: nodeTypes.get(nodeId), seed: findSeed(values) },
          { source, ...file },
          signal,
        ),
      read: (ref, maxBytes = MAX_READ_BYTES) => readMedia(deps, ref, maxBytes),
      readRaster: async ref => {
        const bytes = await readMedia(deps, ref, MAX_READ_BYTES);
        if (ref.contentType !== SVG_TYPE) return { bytes, contentType: ref.contentType };
        return { bytes: await rasterizeSvg(bytes, signal), contentType: 'image/png' };
      },
      resolve: (source, kind) => resolveMedia(deps, owner, source, kind, signal),
      open: openMedia,
    },
    openSegments: () => createSegmentStore(deps, `${run.id}/${nodeId}`),
    fetch: bindFetch(deps.fetch, signal),
  });
}

/** Returns the text from which the node makes its result: a prompt, or the words to show or say. */
function findPrompt({ prompt, text }: Readonly<Record<string, unknown>>): string | undefined {
  return [prompt, text].find(words => typeof words === 'string');
}

const findSeed = ({ seed }: Readonly<Record<string, unknown>>): number | undefined =>
  Number.isSafeInteger(seed) ? (seed as number) : undefined;

function bindFetch(client: GuardedFetch, signal: AbortSignal): NodeContext['fetch'] {
  return async (url, init = {}) => {
    const { timeoutMs = FETCH_TIMEOUT_MS, maxBytes = MAX_FETCH_BYTES, ...request } = init;
    return client.fetch(url, { signal, ...request, timeoutMs, maxBytes });
  };
}
