// Lists the node types that exist only in ComfyUI's frontends and are no part of what a server runs.

/** `pass`: passes its first input on. `get` and `set`: connect by the name in their first value. */
export type VirtualKind = 'note' | 'primitive' | 'pass' | 'get' | 'set' | 'everywhere' | 'tool';

const KINDS: Readonly<Record<string, VirtualKind>> = {
  Note: 'note',
  MarkdownNote: 'note',
  'Label (rgthree)': 'note',
  PrimitiveNode: 'primitive',
  Reroute: 'pass',
  'Reroute (rgthree)': 'pass',
  GetNode: 'get',
  SetNode: 'set',
  'easy getNode': 'get',
  'easy setNode': 'set',
  'Anything Everywhere': 'everywhere',
  'Anything Everywhere3': 'everywhere',
  'Anything Everywhere?': 'tool',
  'Prompts Everywhere': 'everywhere',
  'Bookmark (rgthree)': 'tool',
  'Fast Groups Muter (rgthree)': 'tool',
  'Fast Groups Bypasser (rgthree)': 'tool',
  'Fast Muter (rgthree)': 'tool',
  'Fast Bypasser (rgthree)': 'tool',
  'Fast Actions Button (rgthree)': 'tool',
  'Mute / Bypass Repeater (rgthree)': 'tool',
  'Mute / Bypass Relay (rgthree)': 'tool',
  'Random Unmuter (rgthree)': 'tool',
  'Node Collector (rgthree)': 'tool',
};

export const getVirtualKind = (type: string): VirtualKind | undefined =>
  Object.hasOwn(KINDS, type) ? KINDS[type] : undefined;
