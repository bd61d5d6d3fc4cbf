// What the functions of this module are handed first: the parts that every service gets, and the writes of runs.
import type { Deps } from '../services/deps.ts';
import type { RunWrites } from './run-writes.ts';

export interface RunDeps extends Deps {
  readonly runs: RunWrites;
}
