// Defines the note with which a new workflow is stored, because the service rejects workflows without nodes.

/** The board removes it with the first other node, unless it was changed. */
export const FIRST_NOTE = {
  id: 'note',
  type: 'stickyNote',
  position: { x: 0, y: 0 },
  data: {
    label: 'Note',
    category: 'utility',
    nodeType: 'utility:sticky_note',
    config: { text: 'Describe this workflow here, or delete this note.' },
  },
} as const;
