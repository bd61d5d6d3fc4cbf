// Defines the texts of a ComfyUI node: its file, and the dialog with its inputs and outputs. Loaded with them.
import type { ValueKind } from '../../../../src/graph/comfyui/graph-values.ts';
import { formatNumber } from '../../../lib/format.ts';

export const messages = {
  title: 'Inputs and outputs',
  choose: 'Choose a file',
  replace: 'Replace the file',
  empty:
    'Choose a ComfyUI workflow: a JSON file, or a PNG or WebP image that ComfyUI saved. You can also drop it here, or paste its JSON.',
  paste: 'Paste JSON',
  pasteFailed: 'The browser does not allow pages to read the clipboard. Press Ctrl+V, or ⌘V on a Mac.',
  loading: 'Reading the file…',
  noGraph: (name: string): string =>
    `${name} contains no ComfyUI workflow. Choose a JSON file, or a PNG or WebP image that ComfyUI saved.`,
  clipboard: 'The clipboard',
  load: 'Load a ComfyUI workflow',
  nodes: (count: number): string => (count === 1 ? '1 node' : `${formatNumber(count)} nodes`),
  open: 'Open in ComfyUI',
  openHint: 'Downloads the workflow with the current values. Drop the file on ComfyUI.',
  board: 'Graph',
  boardKeys:
    'Select a node to see its values. With the keyboard: arrows select, + and − zoom, 0 shows everything.',
  inputs: 'Inputs',
  inputsHint: 'A port can be connected on the board. A field is a setting of the node.',
  kinds: {
    prompt: 'Prompts',
    media: 'Media',
    seed: 'Seeds',
    size: 'Sizes',
    steps: 'Steps and guidance',
  } as const satisfies Record<ValueKind, string>,
  others: 'Other values',
  search: 'Search all values',
  more: (count: number): string => `${formatNumber(count)} more. Search to find them.`,
  exposure: (label: string, title: string): string => `${label} of ${title}`,
  exposures: { none: 'Fixed', port: 'Port', field: 'Field' },
  label: (label: string): string => `Label of ${label}`,
  full: 'A node can have at most 50 inputs and 50 outputs.',
  outputs: 'Outputs',
  noResults: 'No node of the graph saves or shows a result that is known here.',
  result: (label: string, title: string): string => `${label} from ${title}`,
  isList: 'Several files',
  seeds: 'Seeds',
  seedChoices: { fixed: 'As in the graph', random: 'New in each run, except for fixed ones' },
  values: 'Values',
  noValues: 'All inputs of this node are connected.',
  back: 'All inputs and outputs',
  edits: {
    expose: (label: string): string => `Change input “${label}”`,
    output: (label: string): string => `Change output “${label}”`,
    rename: 'Rename port',
    seeds: 'Change seeds',
  },
};
