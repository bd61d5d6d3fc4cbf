// Defines texts of the workflow editor about settings: fields, fixes for issues, video scenes, and secrets.

interface NamedLayer {
  readonly kind: string;
  readonly type: string;
  readonly name: string;
  readonly path: readonly (string | number)[];
}

function describeNumberRange(min: number | undefined, max: number | undefined): string {
  if (min !== undefined && max !== undefined) return `a number from ${min} to ${max}`;
  if (min !== undefined) return `a number of ${min} or more`;
  return max === undefined ? 'a number' : `a number of ${max} or less`;
}

const sentenceCase = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

export const setting = {
  preview: {
    label: 'Video frame',
    time: 'Frame time',
    edit: 'Edit scenes',
    unfit:
      'The preview cannot be drawn, because one of the values does not fit the template. Check the fields above, and the nodes that are connected.',
    invalid: (layer: string, field: string | undefined): string =>
      `The preview cannot be drawn. Check ${field === undefined ? '' : `${field.toLowerCase()} of `}“${layer}”.`,
    warning: (text: string): string => `Something is missing in the preview: ${text}`,
    warningOf: (layer: string, text: string): string => `“${layer}”: ${text}`,
  },
  scene: {
    title: 'Video scenes',
    empty: 'No scenes yet. Add a scene, or choose a template.',
    create: 'Add a scene',
    preview: 'Video at the playhead',
    playhead: 'Playhead',
    play: 'Play',
    stop: 'Stop',
    rendering: (progress: number): string => `Rendering ${Math.floor(100 * progress)} %`,
    mark: (seconds: number): string => `${seconds} s`,
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
    move: 'Move layer',
    copy: 'Duplicate layer',
    remove: 'Remove layer',
    form: 'Layer fields',
    groups: { time: 'Timing and motion', position: 'Position', appearance: 'Appearance', more: 'More' },
    change: (key: string): string => `Change ${key}`,
    label: (key: string): string => sentenceCase(key.replace(/[A-Z]/g, letter => ` ${letter.toLowerCase()}`)),
    keyframes: {
      animate: (label: string): string => `Animate ${label.toLowerCase()}`,
      title: (label: string): string => `${label}, animated`,
      curve: (label: string): string => `Curve of ${label.toLowerCase()}`,
      name: (number: number): string => `Keyframe ${number}`,
      remove: (number: number): string => `Remove keyframe ${number}`,
      add: 'Add keyframe',
      stop: 'Stop animating',
      easing: 'Easing',
      standard: (easing: string): string => `Default (${easing.toLowerCase()})`,
      custom: 'Custom',
    },
    easing: (name: string): string => sentenceCase(name.replaceAll('-', ' ')),
    standard: 'Default',
    fromInput: (name: string): string =>
      `The node has an input “${name}”. Connect a file to it, or choose one here.`,
    range: (min: number | undefined, max: number | undefined): string =>
      `Enter ${describeNumberRange(min, max)}.`,
    without: (label: string): string => `Remove ${label.toLowerCase()}`,
  },
  secretNames: 'Workflow secrets',
  closeInspector: 'Close inspector',
  inspector: 'Inspector',
  media: {
    upload: 'Upload',
    library: 'Library',
    camera: 'Camera',
    chooseFor: (label: string): string => `Choose from library for ${label}`,
    uploadFor: (label: string): string => `Upload for ${label}`,
    libraryTitle: 'Choose file',
    libraryEmpty: 'No files yet. Uploads and results of runs appear here.',
    edit: 'Choose file',
  },
  slides: {
    title: (number: number): string => `Slide ${number}`,
    name: (number: number): string => `slide ${number}`,
    remove: (number: number): string => `Remove slide ${number}`,
    removeOne: 'Remove slide',
    move: 'Move slide',
    add: 'Add slide',
    placeholder: 'The template draws a placeholder. Upload a file, or connect one to the node.',
  },
  list: {
    item: (number: number): string => `Item ${number}`,
    add: 'Add item',
    lines: 'One item per line',
    remove: (number: number): string => `Remove item ${number}`,
    name: (number: number): string => `item ${number}`,
    more: (count: number): string => `And ${count} more.`,
  },
  ports: {
    name: (number: number): string => `Name of port ${number}`,
    type: (number: number): string => `Type of port ${number}`,
    add: (list: string): string => `Add to ${list.toLowerCase()}`,
    remove: (number: number): string => `Remove port ${number}`,
    invalid: 'Use letters, digits, _ and -, and a name that no other port or setting of this node has.',
    types: {
      TEXT: 'Text',
      NUMBER: 'Number',
      JSON: 'JSON',
      IMAGE: 'Image',
      VIDEO: 'Video',
      AUDIO: 'Audio',
      LIST: 'List',
      ANY: 'Any',
    },
  },
  code: {
    enlarge: 'Open large editor',
    title: (label: string): string => `Code of ${label}`,
  },
  videoTemplate: {
    choose: 'Browse templates',
    none: 'None',
    json: 'Edit as JSON',
    title: 'Video templates',
    failed: 'The templates could not be loaded. Try again.',
  },
  fixes: {
    set: (value: string): string => `Set to ${value}`,
    toDefault: 'Use default',
    drop: (key: string): string => `Remove ${key}`,
    rename: (key: string): string => `Rename to ${key}`,
    shorten: (count: number): string => `Keep the first ${count}`,
    fill: (label: string): string => `Set ${label}`,
    moveParams: 'Move to settings',
    renameInput: (name: string): string => `Rename to ${name}`,
    rightKind: 'Correct the node type',
    category: (name: string): string => `Set to ${name}`,
    dropPort: 'Remove port',
    newId: 'Assign a new ID',
    leaveGroup: 'Remove invalid group reference',
    intoGroup: (count: number): string =>
      count === 1 ? 'Add 1 node to the group' : `Add ${count} nodes to the group`,
    product: 'Combine all items',
    removeNode: 'Remove node',
    changeType: (label: string): string => `Use ${label}`,
    removeEdge: 'Remove connection',
    changePort: (label: string): string => `Use ${label}`,
    convert: (label: string): string => `Insert ${label}`,
    keepNewest: 'Keep only the newest connection',
    breakCycle: 'Remove the newest connection',
    all: (count: number): string => `Fix all ${count}`,
    done: (label: string): string => `Fixed: ${label}.`,
    edit: 'Fix issues',
  },
  secrets: {
    title: 'Secrets',
    about: 'Write {{secrets.NAME}} in a setting. It is replaced by the value only while the node runs.',
    creatorOnly: 'Only the creator of the workflow can view and change its secrets.',
    list: 'Secrets',
    remove: (name: string): string => `Remove ${name}`,
    name: 'Name',
    nameHint: 'Letters, digits and underscores. Start with a letter or underscore.',
    value: 'Value',
    keptHint: 'Leave empty to keep the value.',
    hosts: 'Hosts (optional)',
    hostsHint:
      'Hosts that requests may send the value to, separated by commas: api.example.com, *.example.org:8443. Schedules, triggers and apps need them.',
    noHosts: 'Sent to any host, but only in runs that you start by hand and from nodes that you wrote',
    sentTo: (hosts: string): string => `Sent only to ${hosts}`,
    add: 'Add',
    replace: 'Replace',
  },
} as const;
