// Follows a run to its end, with a live view on a terminal or one line per change in a pipe.
import type { Run } from '../../../sdk/src/sdk.ts';
import { applyEvent, describeChange, drawRun, type Execution } from './run-view.ts';
import type { Terminal } from './terminal.ts';

const FRAME_MS = 80;

/** Shows the run's nodes if a terminal is given. Resolves to the complete record of the ended run. */
export async function followRun({ events, get }: Run, terminal: Terminal | undefined): Promise<Execution> {
  let run: Execution | undefined;
  const redraw = (): void => {
    if (run !== undefined && terminal?.isLive) terminal.draw(drawRun(run, terminal, Date.now()));
  };
  const timer = terminal?.isLive ? setInterval(redraw, FRAME_MS) : undefined;
  try {
    for await (const event of events()) {
      const previous = run;
      run = applyEvent(previous, event);
      if (terminal?.isLive === false && run !== undefined) printChanges(previous, run, terminal);
    }
  } finally {
    clearInterval(timer);
    terminal?.erase();
  }
  // The events contain only a part of the result, so the record is read.
  return get();
}

function printChanges(before: Execution | undefined, after: Execution, terminal: Terminal): void {
  const statuses = new Map(before?.nodeStates.map(state => [state.nodeId, state.status]));
  for (const state of after.nodeStates) {
    if (state.status !== (statuses.get(state.nodeId) ?? 'PENDING'))
      terminal.print(describeChange(state, terminal));
  }
}
