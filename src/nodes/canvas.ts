// Declares nodes that only annotate the board and never run.
import { defineNode, json, text } from './define.ts';

export const group = defineNode({
  nodeType: 'utility:group',
  label: 'Group',
  description: 'Frames a group of nodes.',
  category: 'utility',
  source: 'registry-shell',
  customNodeType: 'groupFrame',
  inputs: {},
  config: { childNodeIds: json('Nodes in the group', { default: [] }) },
  outputs: {},
  run: () => ({}),
});

export const stickyNote = defineNode({
  nodeType: 'utility:sticky_note',
  label: 'Sticky note',
  description: 'Adds a note to the board.',
  category: 'utility',
  source: 'registry-shell',
  customNodeType: 'stickyNote',
  inputs: {},
  config: { text: text('Text', { default: '' }), color: text('Color', { default: '#FDE68A' }) },
  outputs: {},
  run: () => ({}),
});
