// `graphwright serve` and `graphwright worker`: the service in the foreground, from its start to a drained end.
import { once } from 'node:events';
import { readSettings, type Settings, SettingsError } from '../lib/settings.ts';
import type { Command, CommandInput } from './command.ts';
import { formatMs } from './run-view.ts';

export const serve: Command = input => runService(readSettings(), input);

export const work: Command = input => {
  const settings = readSettings();
  if (settings.DATABASE_URL === undefined) {
    throw new SettingsError(
      'DATABASE_URL must be set: a worker shares the database of the services it works for.',
    );
  }
  return runService({ ...settings, ROLE: 'worker' }, input);
};

async function runService(settings: Settings, { terminal, signal }: CommandInput): Promise<void> {
  const { startService } = await import('../app.ts');
  const service = await startService(settings);
  // stdout belongs to the log, a JSON line an event; what is for a person goes to stderr.
  terminal.note(`Graphwright is ready at ${service.url} (${formatMs(performance.now())}). Ctrl-C stops it.`);
  if (service.bootstrapKey !== undefined) {
    terminal.note(`\n  Your API key, shown this once: ${service.bootstrapKey}\n`);
    terminal.note(
      `  export GRAPHWRIGHT_API_KEY=${service.bootstrapKey}\n  npm exec graphwright -- run examples/postcard.json\n`,
    );
  }
  if (!signal.aborted) await once(signal, 'abort');
  terminal.note('Stopping: what is in flight is finished first. Signal again to stop at once.');
  await service.close();
}
