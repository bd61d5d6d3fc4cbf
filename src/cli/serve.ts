// `graphwright serve` and `graphwright worker`: runs the service in the foreground, from start to graceful shutdown.
import { once } from 'node:events';
import { Session } from 'node:inspector/promises';
import { flushCompileCache } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Service } from '../app.ts';
import { toError } from '../lib/errors.ts';
import { readSettings, type Settings, SettingsError } from '../lib/settings.ts';
import type { Command, CommandInput } from './command.ts';
import { explainListenError, requirePort } from './port.ts';
import { formatMs } from './terminal/progress.ts';
import type { Terminal } from './terminal/terminal.ts';
import { describeUnknownSettings } from './unknown-settings.ts';

export const serve: Command = input => runService(readSettings(), input);

export const runWorker: Command = input => {
  const settings = readSettings();
  if (settings.DATABASE_URL === undefined) {
    throw new SettingsError('DATABASE_URL is not set. A worker uses the same database as its API servers.');
  }
  return runService({ ...settings, ROLE: 'worker' }, input);
};

async function runService(settings: Settings, { terminal, signal }: CommandInput): Promise<void> {
  // The port is checked first, because creating the database in a new folder takes seconds and 42 MB.
  await requirePort(settings);
  const { startService } = await import('../app.ts');
  const fatal = Promise.withResolvers<never>();
  // The promise may reject before the race below, which handles the rejection.
  fatal.promise.catch(() => undefined);
  const service = await startService(settings, { onFatal: fatal.reject }).catch((err: unknown) => {
    throw explainListenError(toError(err), settings);
  });
  try {
    announce(service, terminal);
    for (const warning of describeUnknownSettings()) terminal.note(warning);
    void shrinkHeapWhenIdle(service.settled, signal);
    await Promise.race([fatal.promise, signal.aborted ? undefined : once(signal, 'abort')]);
    terminal.note('Stopping after work in progress. Press Ctrl-C again to stop immediately.');
  } finally {
    await service.close();
  }
}

const SETTLE_MS = 1000;
/** The share of the time during which an idle process may be busy. */
const MAX_IDLE_UTILIZATION = 0.2;

/**
 * Frees the garbage that loading the program leaves. Does nothing if requests have already arrived, because V8 would
 * also release compiled code that they need. The compile cache is written first, in case the service is killed.
 */
async function shrinkHeapWhenIdle(settled: Promise<void>, signal: AbortSignal): Promise<void> {
  await settled;
  const before = performance.eventLoopUtilization();
  await sleep(SETTLE_MS, undefined, { ref: false, signal }).then(
    async () => {
      if (performance.eventLoopUtilization(before).utilization >= MAX_IDLE_UTILIZATION) return;
      flushCompileCache();
      await shrinkHeap();
    },
    () => undefined,
  );
}

// stdout is for the log, one JSON line per event; messages for people go to stderr.
function announce({ url, storageProblem, bootstrapKey, setUpLink }: Service, terminal: Terminal): void {
  if (storageProblem === undefined)
    terminal.note(`Graphwright is ready at ${url} (${formatMs(performance.now())}). Ctrl-C stops it.`);
  else terminal.note(`Graphwright runs at ${url} but is not ready. ${storageProblem} Ctrl-C stops it.`);
  if (setUpLink !== undefined)
    terminal.note(`\n  Create the administrator account at this link, which works once: ${setUpLink}`);
  if (bootstrapKey === undefined) return;
  terminal.note(`\n  Your API key, shown only once: ${bootstrapKey}\n`);
  terminal.note(`  export GRAPHWRIGHT_URL=${url} GRAPHWRIGHT_API_KEY=${bootstrapKey}`);
  terminal.note('  npm exec graphwright -- run examples/postcard.json\n');
}

/**
 * Collects all garbage of this process and shrinks its heap to what is in use. V8 does so by itself only under
 * pressure. Blocks the process for about 100 ms per 50 MB.
 */
export async function shrinkHeap(): Promise<void> {
  const session = new Session();
  session.connect();
  await session.post('HeapProfiler.collectGarbage');
  session.disconnect();
}
