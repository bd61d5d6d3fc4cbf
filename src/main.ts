// From argv to a command and from its end to an exit code: 0 done, 1 the work failed, 2 wrong usage.
import { UsageError, WorkFailed } from './cli/failure.ts';
import { buildProgram, requireKnown } from './cli/program.ts';
import { openTerminal, type Terminal } from './cli/terminal/terminal.ts';
import { AppError, toError } from './lib/errors.ts';
import { readSettings, SettingsError } from './lib/settings.ts';

const SIGNALS = { SIGINT: 2, SIGTERM: 15 } as const;
// npm passes a terminal's Ctrl-C on to a child that has had it already, so two within this time are one.
const SAME_SIGNAL_MS = 500;

const terminal = openTerminal();
const interrupt = new AbortController();
let firstSignalMs = 0;
for (const [name, number] of Object.entries(SIGNALS)) {
  process.on(name, () => {
    if (!interrupt.signal.aborted) {
      firstSignalMs = Date.now();
      interrupt.abort(new Error('Interrupted.'));
    } else if (Date.now() - firstSignalMs > SAME_SIGNAL_MS) {
      terminal.erase();
      process.exit(128 + number);
    }
  });
}
// Whoever reads our output may stop early (`graphwright nodes | head`).
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', err => process.exit('code' in err && err.code === 'EPIPE' ? 0 : 1));
}
process.exitCode = await runCommandLine(process.argv.slice(2), terminal, interrupt.signal);

async function runCommandLine(
  argv: readonly string[],
  terminal: Terminal,
  signal: AbortSignal,
): Promise<number> {
  const program = buildProgram({ terminal, signal });
  try {
    if (argv.length === 0) program.help({ error: true });
    requireKnown(program, argv);
    await program.parseAsync(argv, { from: 'user' });
    return 0;
  } catch (thrown) {
    terminal.erase();
    return report(toError(thrown), terminal);
  }
}

/** Prints the error as sentences on stderr and returns the exit code. */
function report(err: Error, terminal: Terminal): number {
  if (err instanceof WorkFailed) return 1;
  const parserCode = err.name === 'CommanderError' && 'code' in err ? String(err.code) : undefined;
  if (parserCode !== undefined) {
    // Help and version are thrown too, once they have been printed.
    if (/^commander\.(?:help|helpDisplayed|version)$/.test(parserCode))
      return 'exitCode' in err && err.exitCode !== 0 ? 2 : 0;
    terminal.note(`graphwright: ${err.message.replace(/^error: /, '')}. Try graphwright --help.`);
    return 2;
  }
  terminal.note(`graphwright: ${err.message}`);
  if (err instanceof AppError) {
    for (const issue of err.issues ?? [])
      terminal.note(`  ${issue.nodeId ?? issue.edgeId ?? issue.path ?? ''} ${issue.message}`.trimEnd());
  }
  if (isDebugging()) terminal.note(err.stack ?? '');
  return err instanceof UsageError || err instanceof SettingsError ? 2 : 1;
}

function isDebugging(): boolean {
  try {
    return /^(?:debug|trace)$/.test(readSettings().LOG_LEVEL);
  } catch {
    return false;
  }
}
