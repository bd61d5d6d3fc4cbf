// How much there is to do, for whoever watches the service.
import type { JobCount } from '../store/workload.ts';
import { countJobs, countLeasedRuns } from '../store/workload.ts';
import type { Deps } from './deps.ts';

export interface Workload {
  readonly running: number;
  readonly jobs: readonly JobCount[];
}

const TIMEOUT_MS = 1000;

/** undefined where the database does not answer in time; the log says why. */
export async function countWork(deps: Deps): Promise<Workload | undefined> {
  const { promise: tooLate, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), TIMEOUT_MS);
  const count = async (): Promise<Workload> => {
    const [running, jobs] = await Promise.all([countLeasedRuns(deps.db), countJobs(deps.db)]);
    return { running, jobs };
  };
  const counted = count().catch((err: unknown) => {
    deps.log.warn({ err }, 'the work to do could not be counted');
    return undefined;
  });
  return await Promise.race([counted, tooLate]).finally(() => clearTimeout(timer));
}
