// Defines the texts of the keys that are no commands, which the editor loads only with the list of shortcuts.

export const MORE_KEYS = [
  { id: 'next', label: 'Go to the next node, then to the inspector and the bar', keys: 'Tab' },
  { id: 'ports', label: 'Edit the first field of the node', keys: 'Enter' },
  { id: 'menu', label: 'Open the menu of the node', keys: '.' },
  { id: 'connect', label: 'Start or finish a connection', keys: 'C' },
  { id: 'select', label: 'Select or deselect the node', keys: 'Space' },
  { id: 'move', label: 'Move by 8 (by 64 with Shift)', keys: 'ArrowKeys' },
  { id: 'escape', label: 'Clear selection', keys: 'Escape' },
  { id: 'boxes', label: 'Box select (lasso select with Alt)', keys: 'Shift+Drag' },
  { id: 'pull', label: 'Detach a node from its connections', keys: 'Alt+Drag' },
  { id: 'free', label: 'Drag without snapping', keys: 'Mod+Drag' },
];
