// Locates older versions of Node, and third-party programs and types that tests compare the service against. They are
// installed separately because they are many files.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

export const PEERS = join(import.meta.dirname, '../peers');
export const PEER_MODULES = join(PEERS, 'node_modules');

/** Why a test that needs them is skipped; false if they are installed. */
export const NO_PEERS =
  !existsSync(join(PEER_MODULES, '.bin')) && 'The peers are not installed: run npm ci --prefix test/peers.';

/** The path of one of the installed programs. */
export const peerProgram = (name: string): string => join(PEER_MODULES, '.bin', name);

/** Paths of Node programs: those installed, and those listed in SDK_NODES. */
export const OTHER_NODES: readonly string[] = [
  ...['/usr/bin/node', '/usr/local/bin/node'].filter(existsSync),
  ...(process.env.SDK_NODES?.split(':').filter(path => path !== '') ?? []),
];

/** The major version of the program. */
export function readMajor(node: string): number {
  return Number(/\d+/.exec(execFileSync(node, ['--version'], { encoding: 'utf8' }))?.[0]);
}
