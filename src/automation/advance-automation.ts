// Advances a schedule or trigger: settles its runs that have ended and starts what waited for them.
import type { RunDeps } from '../runs/deps.ts';

/** How each kind of automation advances, by the prefix of its id. */
const KINDS: readonly (readonly [prefix: string, advance: (deps: RunDeps, id: string) => Promise<void>])[] =
  [];

/** Advances the automation with this id. Called by a job whenever one of its runs has ended. */
export async function advanceAutomation(deps: RunDeps, id: string): Promise<void> {
  const advance = KINDS.find(([prefix]) => id.startsWith(prefix))?.[1];
  await advance?.(deps, id);
}
