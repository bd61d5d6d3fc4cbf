// The texts of the list of runs.
import { formatNumber } from '../../lib/format.ts';

export const texts = {
  title: 'Runs',
  emptyTitle: 'No runs yet',
  empty: 'Each run of a workflow stands here, with its results and what it cost. Open a workflow and run it.',
  noneTitle: 'No run is like that',
  none: 'Choose another state, or look at all runs.',
  all: 'All runs',
  toWorkflows: 'Go to the workflows',
  state: 'State',
  run: 'Run',
  workflow: 'Workflow',
  progress: 'Nodes',
  credits: 'Credits',
  duration: 'Duration',
  started: 'Started',
  by: 'From',
  done: (done: number, total: number): string => `${formatNumber(done)} of ${formatNumber(total)}`,
  triggers: { api: 'API', editor: 'Editor', mcp: 'Agent', cli: 'Command line', resume: 'Resumed' },
} as const;
