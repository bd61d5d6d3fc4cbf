// Finds the versions of Node on this machine besides the one that runs the tests.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** Paths of Node programs: those installed, and those listed in SDK_NODES. */
export const OTHER_NODES: readonly string[] = [
  ...['/usr/bin/node', '/usr/local/bin/node'].filter(existsSync),
  ...(process.env.SDK_NODES?.split(':').filter(path => path !== '') ?? []),
];

/** The major version of the program. */
export function majorOf(node: string): number {
  return Number(/\d+/.exec(execFileSync(node, ['--version'], { encoding: 'utf8' }))?.[0]);
}
