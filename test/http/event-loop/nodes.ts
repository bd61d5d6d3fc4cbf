// Lists the settings for each node type that cause the most work for the longest values at its ports.

const PATHS = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`p${index}`, `${index}`]));
const NAMES = Array.from({ length: 50 }, (_, index) => `k${index}`);
const TOKENS = Array.from({ length: 50 }, (_, index) => `{{k${index}}}`).join(' ');
/** Causes about 20 million steps for a text of 450,000 characters. */
const REGEX = { mode: 'regex', find: '(a|b)*?c', replace: '$1' };
const CODE = { inputs: [{ id: 'a', type: 'ANY' }], outputs: [{ id: 'out', type: 'ANY' }] };

/** A configuration in NODES with the ports of the node. */
export interface ConfiguredNode {
  readonly nodeType: string;
  readonly config: object;
  /** The ports for which the probes have values. */
  readonly ports: readonly (readonly [id: string, type: string])[];
}

/** The configurations of each node type. Each one is run separately. */
export const NODES: Readonly<Record<string, readonly object[]>> = {
  'output:preview': [{}],
  'output:gallery': [{}],
  'utility:prompt_concat': [{}],
  'utility:text_template': [{ template: TOKENS }],
  'utility:text_split': [{ separator: ' ' }, { separator: '' }, { separator: 'x' }],
  'utility:text_replace': [
    { mode: 'text', find: 'a', replace: 'b' },
    REGEX,
    { ...REGEX, find: '(\\w+) (\\w+)' },
  ],
  'utility:json_extract': [{ paths: PATHS }],
  // The first creates more output than a run may record, the second more than the record shows.
  'utility:json_build': [{ keys: NAMES }, { keys: NAMES.slice(0, 7) }],
  // Long values go to another process and back.
  'utility:code': [CODE, { ...CODE, code: 'export default ({ a }) => ({ out: [a, a, a] });' }],
  'utility:math': [{}],
  // Long values go to another process.
  'utility:language': [{}],
  'utility:list_item': [{ index: 7 }],
  'utility:list_slice': [{ start: 0, end: 90 }],
  'utility:text_to_image_card': [{}],
  'logic:if': [
    { operator: 'equals', compare: '[1]' },
    { operator: 'contains', compare: 'zzz' },
    { operator: 'matches', compare: '(a|b)*?c' },
  ],
  'logic:switch': [{ cases: NAMES }],
  'logic:merge': [{}],
  'logic:collect': [{}],
  'logic:delay': [{ ms: 10 }],
  'logic:approval': [
    { editableInputs: true, assignees: Array.from({ length: 20 }, (_, index) => `p${index}@example.org`) },
  ],
  'generate:sandbox': [{}],
};

/** Node types without a probe, by reason. */
export const UNPROBED_NODES: Readonly<Record<string, readonly string[]>> = {
  'sources of the probes of other nodes': ['input:text', 'input:number', 'input:json', 'input:list'],
  'streams a file once': ['input:image', 'input:video', 'input:audio'],
  'decoded and drawn by threads of libvips': [
    'utility:image_resize',
    'utility:image_crop',
    'utility:image_rotate',
    'utility:image_adjust',
    'utility:image_blur',
    'utility:image_composite',
    'utility:image_grid',
    'utility:image_convert',
    'utility:image_info',
  ],
  'decoded by threads of libvips or in processes, then sent to a process in parts of limited size': [
    'edit:upscale_local',
    'edit:cutout_person_local',
    'edit:blur_faces_local',
    'text:ocr_local',
    'audio:clean_speech_local',
    'utility:vectorize',
  ],
  'decoded, encoded and drawn in processes and threads': [
    'utility:video_trim',
    'utility:video_concat',
    'utility:video_frame',
    'utility:video_info',
    'utility:audio_trim',
    'utility:audio_mix',
    'utility:audio_extract',
    'utility:audio_mux',
    'video:renderer',
    'edit:sandbox',
    'video:sandbox',
    'talking:sandbox',
  ],
  'needs a network': ['utility:http_request'],
  'never run': ['component:call', 'utility:group', 'utility:sticky_note'],
};

/** Node types that draw images in other processes and threads. Their probes use no list, which would only repeat work. */
export const DRAWING_NODES: readonly string[] = ['utility:text_to_image_card', 'generate:sandbox'];
