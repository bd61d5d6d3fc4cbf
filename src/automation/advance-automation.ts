// Advances a schedule or trigger: settles its runs that have ended and starts what waited for them.
import type { RunDeps } from '../runs/deps.ts';
import { advanceSchedule } from './schedules/advance-schedule.ts';
import { advanceTrigger } from './triggers/advance-trigger.ts';

type Advance = (deps: RunDeps, id: string) => Promise<void>;

/** How each kind of automation advances, by the prefix of its id. */
const KINDS: readonly (readonly [prefix: string, advance: Advance])[] = [
  ['sch_', advanceSchedule],
  ['trg_', advanceTrigger],
];

/** Advances the automation with this id. Called by a job whenever one of its runs has ended. */
export async function advanceAutomation(deps: RunDeps, id: string): Promise<void> {
  const advance = KINDS.find(([prefix]) => id.startsWith(prefix))?.[1];
  await advance?.(deps, id);
}
