// Checks the ComfyUI servers, each by one worker at a time. Slow servers hold neither the checks of others nor those of
// other owners.
import { setTimeout as sleep } from 'node:timers/promises';
import { checkServer } from '../../nodes/comfyui/check-server.ts';
import { readFacts } from '../../nodes/comfyui/read-facts.ts';
import type { ProviderCredential } from '../../providers/credential.ts';
import {
  claimDueServers,
  type DueServer,
  findNextDueTime,
  insertServers,
  recordAnswer,
  recordFacts,
  recordFactsFailure,
  recordFailure,
} from '../../store/comfyui-servers.ts';
import { readComfyEnvironment } from '../credentials/provider-credential.ts';
import { usesStoredCredentials } from '../credentials/run-credentials.ts';
import type { Deps } from '../deps.ts';

/** The most checks of a process at the same time, and of the servers of one owner. */
const MAX_CHECKS = 40;
const MAX_CHECKS_PER_OWNER = 20;
/** Longer than a check may take. */
const LEASE_MS = 60_000;

type WatchDeps = Pick<Deps, 'db' | 'log' | 'settings' | 'timing' | 'credentialOpener' | 'now'>;

/** Called with what the checks find. */
export interface ServerEvents {
  /** The server answers. `isBack`: it did not answer the check before. */
  onUp(server: DueServer, isBack: boolean): Promise<void>;
  /** The server is down. Called after each failed check. */
  onDown(server: DueServer, error: string): Promise<void>;
}

/** Checks servers until the signal fires. Resolves when the last check has ended. */
export async function watchServers(
  deps: WatchDeps,
  events: ServerEvents,
  signal: AbortSignal,
): Promise<void> {
  const environmentIds = readComfyEnvironment(deps.settings).map(({ id }) => id);
  const warn = (err: unknown): void => {
    if (!signal.aborted) deps.log.warn({ err }, 'ComfyUI servers could not be checked');
  };
  const checks = new Map<Promise<void>, DueServer>();
  const startChecks = async (): Promise<number> => {
    const limit = MAX_CHECKS - checks.size;
    if (limit > 0) {
      const due = await claimDueServers(deps.db, {
        limit,
        perOwner: MAX_CHECKS_PER_OWNER,
        environmentIds,
        leaseMs: LEASE_MS,
      });
      for (const server of due) {
        const check = runCheck(deps, server, events, signal)
          .catch(warn)
          .finally(() => checks.delete(check));
        checks.set(check, server);
      }
    }
    const nextDue = await findNextDueTime(deps.db, environmentIds);
    return Math.max(0, (nextDue?.getTime() ?? Number.POSITIVE_INFINITY) - deps.now());
  };
  await insertServers(deps.db, environmentIds).catch(warn);
  const { serverReadMs } = deps.timing;
  while (!signal.aborted) {
    const nextMs = await startChecks().catch((err: unknown) => {
      warn(err);
      return serverReadMs;
    });
    const delayMs = Math.min(serverReadMs, Math.max(nextMs, serverReadMs / 10));
    await sleep(delayMs, undefined, { signal }).catch(() => undefined);
  }
  await Promise.all(checks.keys());
}

async function runCheck(
  deps: WatchDeps,
  server: DueServer,
  events: ServerEvents,
  signal: AbortSignal,
): Promise<void> {
  const { db, timing } = deps;
  const { id } = server;
  const credential = await openServer(deps, server);
  if (credential === undefined) return;
  const startedMs = performance.now();
  const report = await checkServer(credential, timing.serverTimeoutMs, signal);
  if (typeof report === 'string') {
    const sinceMs = performance.now() - startedMs;
    const limits = { sinceMs, nextMs: timing.serverCheckMs, downMs: timing.serverDownMs };
    const status = await recordFailure(db, id, report, limits);
    if (status === 'down') await events.onDown(server, report);
    return;
  }
  const isBack = server.failing_since !== null;
  // Calls that moved away are canceled before the server gets new ones.
  await events.onUp(server, isBack);
  await recordAnswer(db, id, report, timing.serverCheckMs);
  if (server.is_facts_due) await updateFacts(deps, id, credential, signal);
}

async function openServer(
  { credentialOpener, settings }: WatchDeps,
  { id, value_id, workspace }: DueServer,
): Promise<ProviderCredential | undefined> {
  if (value_id !== null) {
    if (!usesStoredCredentials({ settings })) return undefined;
    return credentialOpener.open('comfyui', value_id);
  }
  return workspace === null ? credentialOpener.open('comfyui', id) : undefined;
}

async function updateFacts(
  { db, timing }: WatchDeps,
  id: string,
  credential: ProviderCredential,
  signal: AbortSignal,
): Promise<void> {
  const facts = await readFacts(credential, signal);
  if ('problem' in facts) return recordFactsFailure(db, id, facts.problem, timing.serverFactsRetryMs);
  const stored = { ...facts, compressed: Buffer.from(facts.compressed) };
  await recordFacts(db, id, stored, timing.serverFactsMs);
}
