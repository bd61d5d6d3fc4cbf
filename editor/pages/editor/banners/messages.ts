// Defines the texts of the banners beside the board.
import { formatNames } from '../../../lib/format.ts';
import { messages as sharedMessages } from '../../../messages.ts';

const isNotSetUp = (providers: readonly string[]): string =>
  `${formatNames(providers.map(sharedMessages.provider))} ${providers.length === 1 ? 'is' : 'are'} not set up`;

export const bannerMessages = {
  diff: {
    title: 'Version comparison',
    since: (version: number): string => `Since version ${version}:`,
    counts: (count: {
      readonly added: number;
      readonly changed: number;
      readonly moved: number;
      readonly removed: number;
      readonly edges: number;
    }): string =>
      [
        count.added > 0 && `${count.added} added`,
        count.removed > 0 && `${count.removed} removed`,
        count.changed > 0 && `${count.changed} changed`,
        count.moved > 0 && `${count.moved} moved`,
        count.edges > 0 && `${count.edges} ${count.edges === 1 ? 'connection' : 'connections'} changed`,
      ]
        .filter(Boolean)
        .join(', ') || 'no differences',
    removed: (names: string, more: number): string =>
      `Removed: ${names}${more > 0 ? `, and ${more} more` : ''}`,
    outdated: 'The board has changed since this comparison.',
    done: 'Done',
  },
  outdated: {
    title: 'Update',
    text: 'Graphwright was updated. Reload the page to use the new version. Your changes are kept.',
  },
  samples: {
    title: 'Sample results',
    shows: (nodes: readonly string[], needs: readonly string[]): string =>
      `${formatNames(nodes)} ${nodes.length === 1 ? 'shows its sample result' : 'show sample results'}, because ${isNotSetUp(needs)}.`,
    changed: (nodes: readonly string[], needs: readonly string[]): string =>
      `${formatNames(nodes)} ${nodes.length === 1 ? 'has' : 'have'} changed since the sample was recorded, and ${isNotSetUp(needs)}. Undo the change to run with the sample.`,
    price: (needs: readonly string[], price: string): string =>
      `With ${formatNames(needs.map(sharedMessages.provider))}, a run costs ${price}.`,
    setUp: (needs: readonly string[]): string => `Set up ${formatNames(needs.map(sharedMessages.provider))}`,
    ask: 'Ask an administrator to set it up.',
    runYourOwn: (price: string): string =>
      `The results on the board are samples. Run the workflow to make your own for ${price}.`,
    run: 'Run workflow',
    hide: 'Hide',
  },
  plan: {
    title: 'Run part of the workflow',
    price: 'Price of these nodes',
    start: 'Run nodes',
    kinds: { to: 'Run to here:', from: 'Run from here:', again: 'Rerun this node:' },
    counts: (run: number, cached: number, reused: number): string =>
      [
        run === 1 ? '1 node to run' : `${run} nodes to run`,
        cached > 0 && `${cached} from the cache`,
        reused > 0 && (reused === 1 ? '1 result reused' : `${reused} results reused`),
      ]
        .filter(Boolean)
        .join(', '),
  },
  conflict: {
    title: 'Someone else changed this too.',
    where: (name: string, count: number): string => (count > 1 ? `${name}, and ${count - 1} more` : name),
    mine: 'Yours',
    theirs: 'Theirs',
    keepMine: 'Keep mine',
    acceptTheirs: 'Use theirs',
    edit: "Use another person's change",
    removed: '(removed)',
    kept: '(kept, with changes)',
    connection: (from: string, to: string): string => `Connection from ${from} to ${to}`,
  },
};
