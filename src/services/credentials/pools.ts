// Names the pools of ComfyUI servers. The name is stored with runs and calls.

/** The pool of servers that name none, and of workflows that choose none. */
export const DEFAULT_POOL = 'default';

/**
 * The servers for which a call waits: a pool of an owner, one server of an owner, or the servers of the environment. The
 * owner is a workspace, or null for the instance.
 */
export type ServerPool =
  | { readonly kind: 'pool' | 'server'; readonly owner: string | null; readonly name: string }
  | { readonly kind: 'environment' };

export const ENVIRONMENT_POOL = 'environment/';

/** Returns the key of the pool, or of a server alone. */
export const toPoolKey = (kind: 'pool' | 'server', owner: string | null, name: string): string =>
  `${kind}/${owner ?? ''}/${name}`;

export function parsePoolKey(key: string): ServerPool {
  if (key === ENVIRONMENT_POOL) return { kind: 'environment' };
  const [kind, owner = '', ...rest] = key.split('/');
  return {
    kind: kind === 'server' ? 'server' : 'pool',
    owner: owner === '' ? null : owner,
    name: rest.join('/'),
  };
}
