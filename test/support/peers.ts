// Locates other versions of Node, and the third-party programs and types that tests use, which `npm ci --prefix test/peers`
// installs.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

export const PEERS = join(import.meta.dirname, '../peers');
export const PEER_MODULES = join(PEERS, 'node_modules');

/** The `skip` option of tests that use peers: the reason if the peers are not installed, and otherwise false. */
export const NO_PEERS =
  !existsSync(join(PEER_MODULES, '.bin')) && 'The peers are not installed: run npm ci --prefix test/peers.';

/** Returns the path of an installed program. */
export const getPeerProgram = (name: string): string => join(PEER_MODULES, '.bin', name);

/** Paths of other versions of Node: those that are installed, and those listed in SDK_NODES. */
export const OTHER_NODES: readonly string[] = [
  ...['/usr/bin/node', '/usr/local/bin/node'].filter(existsSync),
  ...(process.env.SDK_NODES?.split(':').filter(path => path !== '') ?? []),
];

/** Returns the major version of the Node program at this path. */
export function readMajorVersion(node: string): number {
  return Number(/\d+/.exec(execFileSync(node, ['--version'], { encoding: 'utf8' }))?.[0]);
}
