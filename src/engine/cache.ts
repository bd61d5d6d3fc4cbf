// Computes the key of a call in the node cache. Equal keys mean equal results.
import type { PlanNode } from '../graph/plan.ts';
import type { FieldType, MediaRef, Value } from '../graph/types.ts';
import { isMediaType } from '../graph/values.ts';
import { toCanonicalJson } from '../lib/canonical-json.ts';
import { sha256Hex } from '../lib/crypto.ts';
import type { NodeContext, NodeDefinition } from '../nodes/define.ts';

/**
 * Returns the cache key for these values (64 hex digits), or undefined if the result must not be cached: the definition
 * forbids caching, a setting uses a secret, or a paid model has no fixed seed. The hash covers the node type and version,
 * the provider's address, and the values passed to `run`, with media identified by the hash of their bytes.
 */
export function computeCacheKey(
  definition: NodeDefinition,
  node: PlanNode,
  values: Readonly<Record<string, unknown>>,
  { providers, settings }: Pick<NodeContext, 'providers' | 'settings'>,
): string | undefined {
  if (!definition.cache(values, settings)) return undefined;
  const isPaid = definition.entry.executionCost === 'paid';
  if (isPaid && (values.seed === undefined || values.seed === null)) return undefined;
  const types = new Map(node.inputDefs.map(def => [def.id, def.type]));
  const hashableValues = Object.entries(values).map(([id, value]) => [id, toHashable(value, types.get(id))]);
  const text = toCanonicalJson({
    nodeType: node.nodeType,
    version: definition.version,
    provider: findBaseUrl(definition.requires(values), providers),
    values: Object.fromEntries(hashableValues),
  });
  return SECRET.test(text) ? undefined : sha256Hex(text);
}

/**
 * Returns the address of the provider. Another server with the same protocol may serve a different model under the same
 * name.
 */
function findBaseUrl(
  requirement: string | undefined,
  providers: NodeContext['providers'],
): string | undefined {
  const endpoint = Object.entries(providers).find(([name]) => name === requirement)?.[1];
  return typeof endpoint === 'object' ? endpoint.baseUrl : undefined;
}

const SECRET = /\{\{\s*secrets\./;

/** Returns the value with each media reference replaced by the hash of its bytes. */
function toHashable(value: unknown, type: FieldType | undefined): unknown {
  if (value === undefined || type === undefined) return value;
  if (isMediaType(type)) return (value as MediaRef).sha256;
  if (type === 'ANY') return toHashableValue(value as Value);
  return type === 'LIST' ? (value as readonly Value[]).map(toHashableValue) : value;
}

function toHashableValue(value: Value): unknown {
  if (value.type === 'LIST') return { type: value.type, items: value.items.map(toHashableValue) };
  return 'media' in value ? { type: value.type, sha256: value.media.sha256 } : value;
}
