// Runs a command from its arguments and returns the exit code: 0 success, 1 the work failed, 2 wrong usage.
import { AppError, toError } from '../lib/errors.ts';
import { readSettings, SettingsError } from '../lib/settings.ts';
import { CommandFailedError, type CommandInput, UsageError } from './command.ts';
import { buildProgram, requireKnownCommand } from './program.ts';
import type { Terminal } from './terminal/terminal.ts';

/** Runs one command and resolves to its exit code; never rejects, since errors are printed to the terminal. */
export async function runCommandLine(
  argv: readonly string[],
  context: Pick<CommandInput, 'terminal' | 'signal'>,
): Promise<number> {
  const program = buildProgram(context);
  try {
    if (argv.length === 0) program.help({ error: true });
    requireKnownCommand(program, argv);
    await program.parseAsync(argv, { from: 'user' });
    return 0;
  } catch (thrown) {
    context.terminal.erase();
    return report(toError(thrown), context.terminal);
  }
}

/** Prints the error to stderr and returns the exit code. */
function report(err: Error, terminal: Terminal): number {
  if (err instanceof CommandFailedError) return 1;
  const parserCode = err.name === 'CommanderError' && 'code' in err ? String(err.code) : undefined;
  if (parserCode !== undefined) {
    // The parser also throws for help and version, after printing them.
    if (/^commander\.(?:help|helpDisplayed|version)$/.test(parserCode))
      return 'exitCode' in err && err.exitCode !== 0 ? 2 : 0;
    terminal.note(`graphwright: ${err.message.replace(/^error: |\.$/g, '')}. Try graphwright --help.`);
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
