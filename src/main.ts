// Runs the command line: passes arguments and signals to it, and sets the exit code.
import { runCommandLine } from './cli/command-line.ts';
import { openTerminal } from './cli/terminal/terminal.ts';

const SIGNALS = { SIGINT: 2, SIGTERM: 15 } as const;
// npm forwards Ctrl-C to a child that has already received it from the terminal. Two signals within this time count as one.
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
// The reader of the output may close it early (`graphwright nodes | head`).
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', err => process.exit('code' in err && err.code === 'EPIPE' ? 0 : 1));
}
process.exitCode = await runCommandLine(process.argv.slice(2), {
  terminal,
  signal: interrupt.signal,
});
