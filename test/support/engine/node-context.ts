// Runs one node as the engine does, with default values and with media in memory.
import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { resolveValues } from '../../../src/engine/inputs.ts';
import type { PlanNode } from '../../../src/graph/plan.ts';
import type { JsonObject, MediaRef } from '../../../src/graph/types.ts';
import { AppError } from '../../../src/lib/errors.ts';
import { readSettings } from '../../../src/lib/settings.ts';
import { inspectImage } from '../../../src/media/images.ts';
import { findNode } from '../../../src/nodes/catalog.ts';
import {
  type NodeContext,
  type NodeFetchInit,
  type NodeFetchResponse,
  Suspend,
} from '../../../src/nodes/define.ts';
import type { Providers } from '../../../src/nodes/models/providers.ts';
import { findServerName, toProviderName } from '../../../src/providers/names.ts';
import { ProviderError } from '../../../src/providers/provider-error.ts';
import { redactKeys } from '../../../src/providers/send.ts';

export interface TestContext extends NodeContext {
  /** Stores bytes like an upload, with the size of an image. */
  upload(bytes: Uint8Array, contentType: string, name?: string): Promise<MediaRef>;
  bytesOf(ref: MediaRef): Buffer;
  /** The node's log. */
  readonly logLines: readonly string[];
}

export interface ContextOptions {
  readonly suspended?: NonNullable<NodeContext['suspended']>;
  readonly signal?: AbortSignal;
  readonly providers?: Providers;
  /** Network access of the nodes. */
  readonly fetch?: (url: string, init: NodeFetchInit) => Promise<NodeFetchResponse>;
}

export const NOW_MS = 1_700_000_000_000;

export function makeContext(options: ContextOptions = {}): TestContext {
  const stored = new Map<string, { readonly ref: MediaRef; readonly bytes: Buffer }>();
  const signal = options.signal ?? new AbortController().signal;
  const logLines: string[] = [];

  const upload = async (bytes: Uint8Array, contentType: string, name = 'file'): Promise<MediaRef> => {
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const mediaId = `med_${sha256.slice(0, 26)}`;
    const isImage = contentType.startsWith('image/') && contentType !== 'image/svg+xml';
    const { width, height } = isImage ? await inspectImage(bytes, signal) : { width: null, height: null };
    const url = `http://localhost/cdn/${mediaId}/${name}`;
    const ref = { mediaId, url, contentType, sha256, bytes: bytes.length, width, height, duration: null };
    stored.set(mediaId, { ref, bytes: Buffer.from(bytes) });
    return ref;
  };

  const getMedia = (mediaId: string) => {
    const media = stored.get(mediaId);
    if (media === undefined) throw new AppError('not_found', `There is no media ${mediaId}.`);
    return media;
  };

  const fetch: NodeContext['fetch'] = async (url, init = {}) => {
    if (options.fetch === undefined) throw new Error('This test has no network.');
    return options.fetch(url, init);
  };

  return {
    settings: readSettings(),
    executionId: 'ex_test',
    nodeId: 'node',
    signal,
    media: {
      put: async (source, { contentType, name, width = null, height = null, duration = null }) => {
        const bytes = source instanceof Uint8Array ? source : await buffer(source);
        const ref = await upload(bytes, contentType, name);
        return { ...ref, width: ref.width ?? width, height: ref.height ?? height, duration };
      },
      read: async ref => getMedia(ref.mediaId).bytes,
      readRaster: async ref => ({ bytes: getMedia(ref.mediaId).bytes, contentType: ref.contentType }),
      resolve: async ({ mediaId, url }) => {
        const id = mediaId ?? [...stored.values()].find(({ ref }) => ref.url === url)?.ref.mediaId;
        return getMedia(id ?? String(url)).ref;
      },
      open: async source => {
        const isWanted = ({ ref }: { ref: MediaRef }) =>
          'src' in source ? ref.url === source.src : ref.mediaId === source.mediaId;
        const media = [...stored.values()].find(isWanted);
        if (media === undefined) throw new AppError('not_found', 'there is no such file');
        return { body: media.bytes, declaredContentType: media.ref.contentType };
      },
    },
    openSegments: () => ({
      restore: async () => undefined,
      store: () => undefined,
      drop: async () => undefined,
    }),
    fetch,
    progress: () => undefined,
    providers: options.providers ?? {},
    openCredential: async key => {
      const endpoint = options.providers?.[key];
      const kind = toProviderName(key);
      if (endpoint === undefined)
        throw new ProviderError(kind, 'not_configured', { server: findServerName(key) });
      const id = `cred_environment_${kind}`;
      return {
        id,
        kind,
        name: kind,
        valueId: null,
        paidBy: 'credits',
        endpoint,
        fetch: redactKeys(fetch, endpoint),
      };
    },
    task: {
      save: async () => undefined,
      use: () => undefined,
      warn: () => undefined,
      log: text => logLines.push(text),
    },
    now: () => NOW_MS,
    ...(options.suspended === undefined ? {} : { suspended: options.suspended }),
    upload,
    logLines,
    bytesOf: ref => getMedia(ref.mediaId).bytes,
  };
}

/** Runs the node with default values for missing fields, and returns the outputs. Throws if the node suspends. */
export async function runNode(
  nodeType: string,
  values: Readonly<Record<string, unknown>>,
  ctx: NodeContext = makeContext(),
): Promise<Readonly<Record<string, unknown>>> {
  const result = await startNode(nodeType, values, ctx);
  if (result instanceof Suspend) throw new Error(`${nodeType} suspended`);
  return result;
}

/** Validates the fields and adds default values as the engine does. Values of ports are not validated. */
export async function startNode(
  nodeType: string,
  values: Readonly<Record<string, unknown>>,
  ctx: NodeContext,
) {
  const definition = findNode(nodeType);
  if (definition === undefined) throw new Error(`There is no node ${nodeType}`);
  const ports = definition.ports(values as JsonObject);
  const fields = { inputDefs: ports.inputs.filter(input => !input.isPort) } as unknown as PlanNode;
  return definition.run(resolveValues(fields, values as JsonObject, new Map()), ctx);
}
