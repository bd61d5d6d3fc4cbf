// Defines the texts of the actions of results, and of the dialog that adds files to a collection.
import { formatNumber } from '../../lib/format.ts';

export const messages = {
  actions: {
    download: 'Download',
    copy: 'Copy',
    copyAddress: 'Copy link',
    use: 'Use as input',
    useInNew: 'Use in a new workflow',
    newWorkflow: (name: string): string => `Workflow with ${name}`,
    vary: 'Four variations',
    keepSeed: 'Use this seed',
    upscale: 'Upscale',
    compare: 'Compare',
    collect: 'Add to collection',
    run: 'Open run',
  },
  list: 'Result actions',
  gone: 'The node that made this result is no longer in the workflow.',
  noUpscaler: 'No model that can upscale this result is available.',
  noSeed: 'This node has no seed to vary.',
  addToCollection: 'Add to collection',
  collection: 'Collection',
  newCollectionOption: 'New collection…',
  collectionName: 'Name of the collection',
  add: 'Add',
  addedTo: (count: number, name: string): string =>
    `${count === 1 ? '1 file' : `${formatNumber(count)} files`} added to ${name}.`,
} as const;
