// Defines the messages of the list of runs.
import { formatNumber } from '../../lib/format.ts';

export const messages = {
  title: 'Runs',
  emptyTitle: 'No runs yet',
  empty: 'Open a workflow and run it. Each run appears here with its results and cost.',
  noneTitle: 'No matching runs',
  none: 'Choose another status, or view all runs.',
  all: 'All runs',
  toWorkflows: 'Go to workflows',
  state: 'Status',
  run: 'Run',
  workflow: 'Workflow',
  progress: 'Nodes',
  credits: 'Credits',
  duration: 'Duration',
  started: 'Started',
  by: 'Started by',
  done: (done: number, total: number): string => `${formatNumber(done)} of ${formatNumber(total)}`,
  triggers: {
    api: 'API',
    editor: 'Editor',
    mcp: 'Agent',
    cli: 'Command line',
    resume: 'Resumed',
    sample: 'Sample',
  },
} as const;
