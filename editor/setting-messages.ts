// The texts of the editor about a node's settings: their fields, findings, secrets.

interface NamedLayer {
  readonly kind: string;
  readonly type: string;
  readonly name: string;
  readonly path: readonly (string | number)[];
}

const sentenceCase = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

export const setting = {
  still: { label: 'A still of the video', time: 'Time of the still', edit: 'Edit the scenes' },
  scene: {
    title: 'Scenes of the video',
    empty: 'This node has no scenes yet. Begin with one, or choose a template.',
    begin: 'Begin with a scene',
    still: 'The video at the playhead',
    playhead: 'Playhead',
    time: (now: string, total: string): string => `${now} s of ${total} s`,
    span: (start: string, end: string): string => `${start} s to ${end} s`,
    layers: 'Layers',
    layer: ({ kind, type, name, path }: NamedLayer): string => {
      const number = kind === 'scene' || kind === 'track' ? ` ${Number(path[1]) + 1}` : '';
      return `${sentenceCase(type)}${number}${name === '' ? '' : `: ${name}`}`;
    },
    newLayer: 'New layer',
    kind: (type: string): string => sentenceCase(type),
    addIt: 'Add',
    add: (kind: string): string => `Add ${kind}`,
    move: 'Move a layer',
    up: 'Move it up',
    down: 'Move it down',
    copy: 'Duplicate the layer',
    remove: 'Remove the layer',
    form: 'Fields of the layer',
    groups: { time: 'Time and movement', place: 'Place', look: 'Look', more: 'More' },
    change: (key: string): string => `Change ${key}`,
    label: (key: string): string => sentenceCase(key.replace(/[A-Z]/g, letter => ` ${letter.toLowerCase()}`)),
    standard: 'Default',
    range: (min: number | undefined, max: number | undefined): string =>
      `It must be a number${min === undefined ? '' : `, at least ${min}`}${max === undefined ? '' : `, at most ${max}`}.`,
    without: (label: string): string => `Without ${label.toLowerCase()}`,
  },
  secretNames: 'Secrets of this workflow',
  closeInspector: 'Close the inspector',
  inspector: 'Inspector',
  media: {
    upload: 'Upload',
    library: 'Library',
    camera: 'Camera',
    libraryTitle: 'Choose a file',
    libraryEmpty: 'There is nothing yet. What you upload, and what runs make, is here.',
    gesture: 'Choose a file',
  },
  list: {
    item: (place: number): string => `Item ${place}`,
    add: 'Add an item',
    remove: (place: number): string => `Remove item ${place}`,
    up: (place: number): string => `Move item ${place} up`,
    down: (place: number): string => `Move item ${place} down`,
    more: (count: number): string => `And ${count} more.`,
  },
  videoTemplate: {
    choose: 'Choose by picture',
    title: 'Video templates',
    failed: 'The templates cannot be read now.',
  },
  remedies: {
    set: (value: string): string => `Set to ${value}`,
    toDefault: 'Use the default',
    drop: (key: string): string => `Remove ${key}`,
    rename: (key: string): string => `Rename to ${key}`,
    shorten: (count: number): string => `Keep the first ${count}`,
    fill: (label: string): string => `Set ${label}`,
    takeParams: 'Move to the settings',
    rightKind: 'Correct the form',
    category: (name: string): string => `Set to ${name}`,
    dropPort: 'Remove the port',
    newId: 'Give it a new id',
    leaveGroup: 'Correct the group',
    intoGroup: (count: number): string =>
      count === 1 ? 'Take a node into the group' : `Take ${count} nodes into the group`,
    product: 'Combine each with each',
    removeNode: 'Remove the node',
    takeType: (label: string): string => `Use ${label}`,
    removeEdge: 'Remove the edge',
    takePort: (label: string): string => `Use ${label}`,
    convert: (label: string): string => `Insert ${label}`,
    keepNewest: 'Keep the newest edge',
    openCircle: 'Remove the newest edge',
    all: (count: number): string => `Fix all ${count}`,
    done: (label: string): string => `Done: ${label}.`,
    gesture: 'Fix findings',
  },
  secrets: {
    title: 'Secrets',
    about: 'A setting that has {{secrets.NAME}} in it gets the value while its node runs, and nowhere else.',
    creatorOnly: 'Only the creator of the workflow sees and sets its secrets.',
    list: 'Secrets',
    remove: (name: string): string => `Remove ${name}`,
    name: 'Name',
    nameHint: 'Letters, digits and _, not beginning with a digit.',
    value: 'Value',
    add: 'Add',
    replace: 'Replace',
  },
} as const;
