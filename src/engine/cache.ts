// The key of the node cache: equal keys promise equal results.
import type { PlanNode } from '../graph/plan.ts';
import type { FieldType, MediaRef, Value } from '../graph/types.ts';
import { isMediaType } from '../graph/values.ts';
import { canonicalJson } from '../lib/canonical-json.ts';
import { sha256Hex } from '../lib/crypto.ts';
import type { NodeContext, NodeDefinition } from '../nodes/define.ts';

/**
 * The key under which the result of these values may be kept, 64 hex digits; undefined where it may not: the
 * definition does not ask for it, a setting used a secret, or a paid model has no fixed seed.
 * Hashed are the node type, its version, the address of its provider, and the very values that `run` gets, media by the hash of their bytes.
 */
export function cacheKey(
  definition: NodeDefinition,
  node: PlanNode,
  values: Readonly<Record<string, unknown>>,
  providers: NodeContext['providers'] = {},
): string | undefined {
  if (!definition.cache(values)) return undefined;
  const isPaid = definition.entry.executionCost === 'paid';
  if (isPaid && (values.seed === undefined || values.seed === null)) return undefined;
  const types = new Map(node.inputDefs.map(def => [def.id, def.type]));
  const hashed = Object.entries(values).map(([id, value]) => [id, hashable(value, types.get(id))]);
  const text = canonicalJson({
    nodeType: node.nodeType,
    version: definition.version,
    provider: addressOf(definition.requires(values), providers),
    values: Object.fromEntries(hashed),
  });
  return SECRET.test(text) ? undefined : sha256Hex(text);
}

/** Another server at the same protocol may have another model under the same name. */
function addressOf(requirement: string | undefined, providers: NodeContext['providers']): string | undefined {
  const place = Object.entries(providers).find(([name]) => name === requirement)?.[1];
  return typeof place === 'object' ? place.baseUrl : undefined;
}

const SECRET = /\{\{\s*secrets\./;

/** The value with each media reference in it replaced by the hash of its bytes. */
function hashable(value: unknown, type: FieldType | undefined): unknown {
  if (value === undefined || type === undefined) return value;
  if (isMediaType(type)) return (value as MediaRef).sha256;
  if (type === 'ANY') return hashableValue(value as Value);
  return type === 'LIST' ? (value as readonly Value[]).map(hashableValue) : value;
}

function hashableValue(value: Value): unknown {
  if (value.type === 'LIST') return { type: value.type, items: value.items.map(hashableValue) };
  return 'media' in value ? { type: value.type, sha256: value.media.sha256 } : value;
}
